// Lyrics of a track, from its tags or from a file next to it.
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { lyrics, tracks } from '../db/schema.ts';
import { identityKey, sortKey } from './sort-and-identity-keys.ts';
import type { Statements } from './statement-cache.ts';

type Names = RowAs<typeof tracks, 'title' | 'artistName'> & { trackId: TrackId };

export interface TrackLyrics extends Names {
  synced: boolean;
  lines: { startMs?: number; text: string }[];
}

type Raw = Names & RowAs<typeof lyrics, 'synced' | 'lines'>;

const SELECT =
  'SELECT t.id AS trackId, t.title, t.artist_name AS artistName, l.synced, l.lines FROM tracks t ' +
  'JOIN lyrics l ON l.track_id = t.id';
const MOST_NAMESAKES = 50;

export function createLyricsReader(statements: Statements) {
  const parse = (row: Raw | undefined): TrackLyrics | undefined =>
    row && { ...row, synced: row.synced === 1, lines: JSON.parse(row.lines) as TrackLyrics['lines'] };

  return {
    ofTrack: (id: TrackId): TrackLyrics | undefined => parse(statements.row<Raw>(`${SELECT} WHERE t.id = @id`, { id })),

    /** Lyrics of the first track with that title and, if given, that artist. */
    byName(title: string, artist: string | undefined): TrackLyrics | undefined {
      const rows = statements.rows<Raw>(`${SELECT} WHERE t.title_sort = @title ORDER BY t.id LIMIT @most`, {
        title: sortKey(title),
        most: MOST_NAMESAKES,
      });
      const key = artist === undefined ? undefined : identityKey(artist);
      return parse(
        rows.find((row) => key === undefined || (row.artistName !== null && identityKey(row.artistName).includes(key))),
      );
    },
  };
}
