// Finds names that start with the query, in the order of an index, so that the best results are found however many
// others match. (Matches elsewhere in names are found by matching-ids.ts.) Text, because it runs with every key press.
import { sortKey } from '../library/sort-and-identity-keys.ts';
import type { SearchKind } from '../library/search-names.ts';
import type { Statements } from '../library/statement-cache.ts';
import type { Candidate } from './rank.ts';

interface KindQuery {
  table: string;
  select: string;
  /** Columns to search, best first. `same`: only values equal to the query. */
  prefixes: { column: string; index: string; same?: boolean }[];
}

const KINDS: Record<SearchKind, KindQuery> = {
  track: {
    table: 'tracks',
    select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    prefixes: [{ column: 'title_sort', index: 'tracks_title_sort' }],
  },
  album: {
    table: 'albums',
    select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    prefixes: [{ column: 'title_sort', index: 'albums_title_sort' }],
  },
  // Found as `The Quays` and `Quays, The`. name_key keeps accents, sort_key does not.
  artist: {
    table: 'artists',
    select: "i.id, i.name, '' AS artist",
    prefixes: [
      { column: 'sort_key', index: 'artists_sort_key', same: true },
      { column: 'name_key', index: 'artists_name_key_unique' },
      { column: 'sort_key', index: 'artists_sort_key' },
    ],
  },
};

const LAST_CHARACTER = '\u{10ffff}';

/** Ids of names that start with the query, in order. A larger `limit` only adds ids at the end. */
export function findByPrefix(statements: Statements, kind: SearchKind, query: string, limit: number): number[] {
  const { table, prefixes } = KINDS[kind];
  const ids = prefixes.flatMap(({ column, index, same }) =>
    statements.column<number>(
      `SELECT i.id FROM ${table} i INDEXED BY ${index} WHERE i.${column} >= @query
        AND i.${column} ${same ? '<=' : '<'} @end ORDER BY i.${column}, i.id LIMIT @limit`,
      { query, end: same ? query : query + LAST_CHARACTER, limit },
    ),
  );
  return [...new Set(ids)].slice(0, limit);
}

/** The names for ranking. */
export function readCandidates(statements: Statements, kind: SearchKind, ids: readonly number[]): Candidate[] {
  const rows = statements.rows<Candidate>(
    `SELECT ${KINDS[kind].select} FROM json_each(@ids) c CROSS JOIN ${KINDS[kind].table} i ON i.id = c.value`,
    { ids: JSON.stringify(ids) },
  );
  // names of tracks and albums are stored folded
  return kind === 'artist' ? rows.map((row) => ({ ...row, name: sortKey(row.name) })) : rows;
}
