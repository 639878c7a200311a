// The statements of information about artists, albums and labels.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { isNamed } from '../db/unknown-names.ts';
import { aboutSubjects, artistIdentities, type albums, type artists, type SubjectKind } from '../db/schema.ts';
import type { KnownAlbum } from './musicbrainz.ts';

type AboutRow = typeof aboutSubjects.$inferSelect;
export type IdentityRow = typeof artistIdentities.$inferSelect;
export type ArtistRow = RowAs<typeof artists, 'id' | 'name' | 'nameKey' | 'artistMbid'>;
type AlbumRow = RowAs<typeof albums, 'id' | 'title' | 'releaseGroupMbid'>;

/** Ids per query, so that none takes longer than a few milliseconds. */
const IDS_PER_QUERY = 2_000;
/** The number of an artist's albums that are used to identify the artist. */
const MAX_ALBUMS = 4;
/** Facts that nothing in the library refers to are kept for this long. */
const UNUSED_MS = 90 * 86_400_000;

/** The mbid of artist `a` with the identity `i`: chosen by a person, from the tags, or found. */
const MBID_SQL = 'iif(i.is_manual, i.mbid, coalesce(a.artist_mbid, i.mbid))';
const ARTISTS_WITH_IDENTITY_SQL = 'artists a LEFT JOIN artist_identities i ON i.artist_key = a.name_key';

/** Artists of the library by mbid. Uses two indexes, because the page of an artist must not read all artists. */
export const IN_LIBRARY_SQL = `WITH wanted AS (SELECT value AS mbid FROM json_each(?)), maybe AS (
    SELECT a.id FROM wanted w CROSS JOIN artists a ON a.artist_mbid = w.mbid UNION
    SELECT a.id FROM wanted w CROSS JOIN artist_identities i ON i.mbid = w.mbid
      JOIN artists a ON a.name_key = i.artist_key)
  SELECT ${MBID_SQL} AS mbid, min(a.id) AS id FROM maybe m CROSS JOIN ${ARTISTS_WITH_IDENTITY_SQL}
  WHERE a.id = m.id AND ${MBID_SQL} IN (SELECT mbid FROM wanted) GROUP BY 1`;

interface IdWindow {
  afterId: number;
  upToId: number;
  now: number;
}

export function createAboutQueries({ db }: { db: MainDb }) {
  const client = db.$client;
  const artist = client.prepare<[ArtistId], ArtistRow>(
    'SELECT id, name, name_key AS nameKey, artist_mbid AS artistMbid FROM artists WHERE id = ?',
  );
  const album = client.prepare<[AlbumId], AlbumRow>(
    'SELECT id, title, release_group_mbid AS releaseGroupMbid FROM albums WHERE id = ?',
  );
  const albumsOf = client.prepare<[ArtistId], KnownAlbum>(
    `SELECT title, year FROM albums WHERE artist_id = ? AND is_compilation = 0 AND ${isNamed('albums')}
      ORDER BY track_count DESC, id LIMIT ${MAX_ALBUMS}`,
  );
  const newestAlbum = client
    .prepare<[ArtistId], number | null>('SELECT max(id) FROM albums WHERE artist_id = ?')
    .pluck();
  const highest = client.prepare<[], { artist: number | null; album: number | null }>(
    'SELECT (SELECT max(id) FROM artists) AS artist, (SELECT max(id) FROM albums) AS album',
  );
  const dueArtists = client
    .prepare<IdWindow, ArtistId>(
      `SELECT a.id FROM ${ARTISTS_WITH_IDENTITY_SQL}
      LEFT JOIN about_subjects s ON s.kind = 'artist' AND s.mbid = ${MBID_SQL}
        WHERE a.id > @afterId AND a.id <= @upToId AND CASE WHEN ${MBID_SQL} IS NULL
          THEN i.artist_key IS NULL OR (i.is_manual = 0 AND (i.due_at <= @now OR (i.failures = 0
            AND EXISTS (SELECT 1 FROM albums b WHERE b.artist_id = a.id AND b.id > i.asked_album_id))))
          ELSE s.mbid IS NULL OR s.due_at <= @now END
        ORDER BY a.id`,
    )
    .pluck();
  const dueAlbums = client
    .prepare<IdWindow, AlbumId>(
      `SELECT a.id FROM albums a
        LEFT JOIN about_subjects s ON s.kind = 'release-group' AND s.mbid = a.release_group_mbid
        WHERE a.id > @afterId AND a.id <= @upToId AND a.release_group_mbid IS NOT NULL
          AND (s.mbid IS NULL OR s.due_at <= @now) ORDER BY a.id`,
    )
    .pluck();
  const dueLabels = client
    .prepare<[number], string>("SELECT mbid FROM about_subjects WHERE kind = 'label' AND due_at <= ? ORDER BY mbid")
    .pluck();
  const inLibrary = client.prepare<[string], { mbid: string; id: ArtistId }>(IN_LIBRARY_SQL);
  const subject = client.prepare<[string, string], RowAs<typeof aboutSubjects, keyof AboutRow>>(
    `SELECT kind, mbid, facts, failures, asked_at AS askedAt, due_at AS dueAt
      FROM about_subjects WHERE kind = ? AND mbid = ?`,
  );

  const disambiguation = client
    .prepare<[ArtistId], string | null>(
      `SELECT s.facts ->> '$.disambiguation' FROM ${ARTISTS_WITH_IDENTITY_SQL}
        CROSS JOIN about_subjects s ON s.kind = 'artist' AND s.mbid = ${MBID_SQL} WHERE a.id = ?`,
    )
    .pluck();

  const makeDue = client.prepare<{ artistKey: string; now: number }>(
    `UPDATE about_subjects SET due_at = @now WHERE kind = 'artist'
      AND mbid = (SELECT ${MBID_SQL} FROM ${ARTISTS_WITH_IDENTITY_SQL} WHERE a.name_key = @artistKey)`,
  );

  function* windows(end: number | null): Generator<Omit<IdWindow, 'now'>> {
    for (let afterId = 0; afterId < (end ?? 0); afterId += IDS_PER_QUERY)
      yield { afterId, upToId: afterId + IDS_PER_QUERY };
  }

  return {
    findArtist: (id: ArtistId): ArtistRow | undefined => artist.get(id),
    findAlbum: (id: AlbumId): AlbumRow | undefined => album.get(id),
    /** Lists the albums of the artist, beginning with those that have most tracks. */
    albumsOf: (id: ArtistId): KnownAlbum[] => albumsOf.all(id),
    /** Returns the highest id of the artist's albums; 0 if the artist has no albums. */
    newestAlbumOf: (id: ArtistId): number => newestAlbum.get(id) ?? 0,
    *dueArtists(now: Date): Generator<ArtistId[]> {
      for (const window of windows(highest.get()?.artist ?? 0)) yield dueArtists.all({ ...window, now: now.getTime() });
    },
    *dueAlbums(now: Date): Generator<AlbumId[]> {
      for (const window of windows(highest.get()?.album ?? 0)) yield dueAlbums.all({ ...window, now: now.getTime() });
    },
    dueLabels: (now: Date): string[] => dueLabels.all(now.getTime()),
    /** Returns the artists of the library that have one of the mbids, by mbid. */
    inLibrary: (mbids: readonly string[]): Map<string, ArtistId> =>
      new Map(inLibrary.all(JSON.stringify(mbids)).map(({ mbid, id }) => [mbid, id])),

    disambiguationOf: (id: ArtistId): string | null => disambiguation.get(id) ?? null,

    findSubject(kind: SubjectKind, mbid: string): AboutRow | undefined {
      const row = subject.get(kind, mbid);
      return (
        row && {
          ...row,
          facts: row.facts === null ? null : (JSON.parse(row.facts) as AboutRow['facts']),
          askedAt: new Date(row.askedAt),
          dueAt: new Date(row.dueAt),
        }
      );
    },
    putSubject: (row: AboutRow): void =>
      void db
        .insert(aboutSubjects)
        .values(row)
        .onConflictDoUpdate({ target: [aboutSubjects.kind, aboutSubjects.mbid], set: row })
        .run(),
    /** Marks the facts about the artist as out of date. */
    makeDue: (artistKey: string, now: Date): void => void makeDue.run({ artistKey, now: now.getTime() }),
    findIdentity: (artistKey: string): IdentityRow | undefined =>
      db.select().from(artistIdentities).where(eq(artistIdentities.artistKey, artistKey)).get(),
    putIdentity: (row: IdentityRow): void =>
      void db
        .insert(artistIdentities)
        .values(row)
        .onConflictDoUpdate({ target: artistIdentities.artistKey, set: row })
        .run(),
    deleteIdentity: (artistKey: string): void =>
      void db.delete(artistIdentities).where(eq(artistIdentities.artistKey, artistKey)).run(),

    /** Deletes facts that nothing in the library refers to any more. */
    dropUnused(now: Date): void {
      const deleteBefore = now.getTime() - UNUSED_MS;
      client
        .prepare(
          `DELETE FROM about_subjects WHERE due_at < @before AND CASE kind
            WHEN 'artist' THEN mbid NOT IN (SELECT artist_mbid FROM artists WHERE artist_mbid IS NOT NULL)
              AND mbid NOT IN (SELECT mbid FROM artist_identities WHERE mbid IS NOT NULL)
            WHEN 'release-group'
              THEN mbid NOT IN (SELECT release_group_mbid FROM albums WHERE release_group_mbid IS NOT NULL)
            ELSE mbid NOT IN (SELECT l.value ->> 'mbid' FROM about_subjects g JOIN json_each(g.facts, '$.labels') l
              WHERE g.kind = 'release-group') END`,
        )
        .run({ before: deleteBefore });
      client
        .prepare(
          `DELETE FROM artist_identities WHERE is_manual = 0 AND artist_key NOT IN (SELECT name_key FROM artists)`,
        )
        .run();
    },
  };
}
