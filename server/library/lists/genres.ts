// Genres with their track and album counts. Triggers maintain the track counts.
import type { RowAs } from '../../db/rows.ts';
import type { genres } from '../../db/schema.ts';
import { sortKey } from '../tracks/sort-and-identity-keys.ts';
import { createResultCache } from './result-cache.ts';
import type { Statements } from './statement-cache.ts';

export interface GenreSummary extends RowAs<typeof genres, 'name' | 'trackCount'> {
  albumCount: number;
}

const SELECT = `SELECT g.name, g.track_count AS trackCount, (SELECT count(*) FROM album_genres ag
  WHERE ag.genre_id = g.id) AS albumCount
  FROM genres g WHERE g.track_count > 0`;

export function createGenreList(statements: Statements) {
  const cache = createResultCache<GenreSummary[]>(statements, 1);
  const readByName = (): GenreSummary[] =>
    statements
      .rows<GenreSummary>(SELECT, {})
      .map((genre) => ({ genre, key: sortKey(genre.name) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ genre }) => genre);

  return (): GenreSummary[] => cache.get(['library'], '', readByName);
}
