// The genres of the library with how much there is of each. Counted over all tracks, so the answer is kept until something changes.
import { sortKey } from './fold.ts';
import type { Statements } from './statements.ts';

export interface GenreSummary { name: string; trackCount: number; albumCount: number }

const SELECT = `SELECT g.name, count(*) AS trackCount, count(DISTINCT t.album_id) AS albumCount
  FROM track_genres tg JOIN tracks t ON t.id = tg.track_id JOIN genres g ON g.id = tg.genre_id GROUP BY tg.genre_id`;

export function createGenreList(statements: Statements) {
  let kept: { version: string; genres: GenreSummary[] } | undefined;

  return (): GenreSummary[] => {
    const version = statements.version();
    if (kept?.version !== version) {
      const genres = statements.rows<GenreSummary>(SELECT, {})
        .map((genre) => ({ genre, key: sortKey(genre.name) }))
        .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
        .map(({ genre }) => genre);
      kept = { version, genres };
    }
    return kept.genres;
  };
}
