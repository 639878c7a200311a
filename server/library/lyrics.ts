// Lyrics of a track as they were found in its file or beside it.
import type { TrackId } from '../db/ids.ts';
import { identityKey, sortKey } from './fold.ts';
import type { Statements } from './statements.ts';

export interface TrackLyrics {
  trackId: TrackId;
  title: string;
  artistName: string | null;
  synced: boolean;
  lines: { startMs?: number; text: string }[];
}

type Raw = Omit<TrackLyrics, 'synced' | 'lines'> & { synced: number; lines: string };

const SELECT =
  'SELECT t.id AS trackId, t.title, t.artist_name AS artistName, l.synced, l.lines FROM tracks t ' +
  'JOIN lyrics l ON l.track_id = t.id';
const MOST_NAMESAKES = 50;

export function createLyricsReader(statements: Statements) {
  const parse = (row: Raw | undefined): TrackLyrics | undefined =>
    row && { ...row, synced: row.synced === 1, lines: JSON.parse(row.lines) as TrackLyrics['lines'] };

  return {
    ofTrack: (id: TrackId): TrackLyrics | undefined => parse(statements.row<Raw>(`${SELECT} WHERE t.id = @id`, { id })),

    /** Of the first track of that name by that artist; without an artist, of the first of that name. */
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
