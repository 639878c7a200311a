// The genres of the library with how much there is of each, from counts that triggers keep.
import { sortKey } from './fold.ts';
import { createResultCache } from './result-cache.ts';
import type { Statements } from './statements.ts';

export interface GenreSummary {
  name: string;
  trackCount: number;
  albumCount: number;
}

const SELECT = `SELECT g.name, g.track_count AS trackCount, (SELECT count(*) FROM album_genres ag
  WHERE ag.genre_id = g.id) AS albumCount
  FROM genres g WHERE g.track_count > 0`;

export function createGenreList(statements: Statements) {
  const kept = createResultCache<GenreSummary[]>(statements, 1);
  const byName = (): GenreSummary[] =>
    statements
      .rows<GenreSummary>(SELECT, {})
      .map((genre) => ({ genre, key: sortKey(genre.name) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ genre }) => genre);

  return (): GenreSummary[] => kept.get(['library'], '', byName);
}
