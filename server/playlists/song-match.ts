// Finds a track by title and artist, for lines of playlist files and for removed tracks. Ignores case, accents and
// width. Titles are looked up in an index, since few tracks share one.
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import { createStatements } from '../library/lists/statement-cache.ts';

interface Song {
  title: string;
  artist?: string | undefined;
  album?: string | undefined;
  durationMs?: number | undefined;
  /** True if nothing is returned where several tracks match equally well. */
  isUnambiguous?: boolean | undefined;
}

interface Candidate extends RowAs<typeof tracks, 'id' | 'artistName' | 'albumSort' | 'durationMs'> {
  artists: string;
  isAvailable: 0 | 1;
}

/** The number of tracks with the same title that are compared: titles such as "Intro" are frequent. */
const MAX_CANDIDATES = 3_000;
/** Maximum difference in duration: files of one recording differ slightly. */
const MAX_LENGTH_DIFFERENCE_MS = 3_000;
const GUEST_CREDIT = /\s(?:feat\.?|ft\.?|featuring)\s.*/su;

export type SongMatcher = ReturnType<typeof createSongMatcher>;

export function createSongMatcher({ db }: { db: MainDb }) {
  const statements = createStatements(db.$client);
  const listByTitle = (title: string): Candidate[] =>
    statements.rows<Candidate>(
      `SELECT t.id, t.artist_name AS artistName, t.album_sort AS albumSort, t.duration_ms AS durationMs,
        t.availability = 'available' AS isAvailable,
      (SELECT json_group_array(a.name) FROM track_artists ta JOIN artists a ON a.id = ta.artist_id
      WHERE ta.track_id = t.id) AS artists
     FROM tracks t INDEXED BY tracks_title_sort WHERE t.title_sort = @title ORDER BY t.id LIMIT ${MAX_CANDIDATES}`,
      { title },
    );

  return {
    /** Finds a track. Without an artist, the title must be unique, or the album or duration must match too. */
    find({ title, artist, album, durationMs, isUnambiguous = false }: Song): TrackId | undefined {
      const key = sortKey(title);
      if (key === '') return undefined;
      const albumKey = album === undefined ? undefined : sortKey(album);
      const isSimilarLength = ({ durationMs: length }: Candidate): boolean =>
        durationMs !== undefined && length !== null && Math.abs(length - durationMs) <= MAX_LENGTH_DIFFERENCE_MS;
      const candidates = listByTitle(key);
      const matches =
        artist === undefined ? candidates : candidates.filter((candidate) => isBy(candidate, sortKey(artist)));
      if (
        artist === undefined &&
        candidates.length > 1 &&
        !candidates.some((candidate) => isSimilarLength(candidate) || candidate.albumSort === albumKey)
      )
        return undefined;
      const score = (candidate: Candidate): number =>
        Number(candidate.albumSort === albumKey) * 4 + Number(isSimilarLength(candidate)) * 2 + candidate.isAvailable;
      let bestMatch = matches[0];
      for (const candidate of matches) if (bestMatch && score(candidate) > score(bestMatch)) bestMatch = candidate;
      if (isUnambiguous && bestMatch && matches.filter((match) => score(match) === score(bestMatch)).length > 1)
        return undefined;
      return bestMatch?.id;
    },
  };
}

function isBy({ artistName, artists }: Candidate, artistKey: string): boolean {
  if (artistKey === '') return false;
  const names = [...(JSON.parse(artists) as string[]), artistName ?? ''].map(sortKey);
  const withoutGuests = (name: string): string => name.replace(GUEST_CREDIT, '').trim();
  return names.some((name) => name !== '' && (name === artistKey || withoutGuests(name) === withoutGuests(artistKey)));
}
