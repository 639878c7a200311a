// SQL for lyrics that are not from files.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { foundLyrics, lyricsLookups, type tracks } from '../db/schema.ts';
import { eq } from 'drizzle-orm';
import { inNamedAlbum } from '../db/unknown-names.ts';

export type SongRow = RowAs<
  typeof tracks,
  'id' | 'title' | 'artistName' | 'durationMs' | 'storageUri' | 'sectionStart'
> & { album: string | null; artists: string };
export type FoundLyricsRow = typeof foundLyrics.$inferSelect;

/** The number of ids per query, so that no query takes longer than a few milliseconds. */
const IDS_PER_QUERY = 5_000;

export function createLyricsQueries({ db }: { db: MainDb }) {
  const client = db.$client;
  const findSong = client.prepare<
    [TrackId],
    SongRow
  >(`SELECT t.id, t.title, t.artist_name AS artistName, t.duration_ms AS durationMs, t.storage_uri AS storageUri,
    t.section_start AS sectionStart, a.title AS album,
    (SELECT json_group_array(credit ORDER BY position) FROM track_artists WHERE track_id = t.id) AS artists
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')} WHERE t.id = ?`);
  const highestId = client.prepare<[], number | null>('SELECT max(id) FROM tracks').pluck();
  const listDue = client
    .prepare<{ above: number; upTo: number; askedBefore: number }, TrackId>(
      `SELECT t.id FROM tracks t
      LEFT JOIN found_lyrics f ON f.track_id = t.id LEFT JOIN lyrics_lookups k ON k.track_id = t.id
      WHERE t.id > @above AND t.id <= @upTo AND t.has_lyrics = 0 AND f.track_id IS NULL
        AND t.duration_ms > 0 AND t.artist_name IS NOT NULL AND (k.asked_at IS NULL OR k.asked_at < @askedBefore)
      ORDER BY t.id`,
    )
    .pluck();

  return {
    findSong: (id: TrackId): SongRow | undefined => findSong.get(id),
    /** Yields tracks without lyrics that were not looked up since that time. */
    *due(askedBefore: Date): Generator<TrackId[]> {
      for (let afterId = 0; afterId < (highestId.get() ?? 0); afterId += IDS_PER_QUERY)
        yield listDue.all({ above: afterId, upTo: afterId + IDS_PER_QUERY, askedBefore: askedBefore.getTime() });
    },
    find: (trackId: TrackId): FoundLyricsRow | undefined =>
      db.select().from(foundLyrics).where(eq(foundLyrics.trackId, trackId)).get(),
    put(row: FoundLyricsRow): void {
      const { trackId: _, ...values } = row;
      db.insert(foundLyrics).values(row).onConflictDoUpdate({ target: foundLyrics.trackId, set: values }).run();
    },
    remove: (trackId: TrackId): void => void db.delete(foundLyrics).where(eq(foundLyrics.trackId, trackId)).run(),
    setAsked: (trackId: TrackId, askedAt: Date): void =>
      void db
        .insert(lyricsLookups)
        .values({ trackId, askedAt })
        .onConflictDoUpdate({ target: lyricsLookups.trackId, set: { askedAt } })
        .run(),
  };
}
