// What may be a result, by its name: what begins with what was typed comes in order from an index of names, so that the
// best results are there however many others match. (What holds the words somewhere is found by holding.ts.) Raw SQL,
// because this runs at every key press.
import { sortKey } from '../library/fold.ts';
import type { SearchKind } from '../library/search-names.ts';
import type { Statements } from '../library/statements.ts';
import type { Candidate } from './rank.ts';

interface KindQuery {
  table: string;
  select: string;
  /** What begins with the query, best list first. `same`: only what is equal to it. */
  beginnings: { column: string; index: string; same?: boolean }[];
}

const KINDS: Record<SearchKind, KindQuery> = {
  track: {
    table: 'tracks',
    select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    beginnings: [{ column: 'title_sort', index: 'tracks_title_sort' }],
  },
  album: {
    table: 'albums',
    select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    beginnings: [{ column: 'title_sort', index: 'albums_title_sort' }],
  },
  // Filed as `Quays, The`, and found under both names; the key of the name keeps its accents, the one it is filed by
  // does not.
  artist: {
    table: 'artists',
    select: "i.id, i.name, '' AS artist",
    beginnings: [
      { column: 'sort_key', index: 'artists_sort_key', same: true },
      { column: 'name_key', index: 'artists_name_key_unique' },
      { column: 'sort_key', index: 'artists_sort_key' },
    ],
  },
};

const LAST_CHARACTER = '\u{10ffff}';

/** Ids of what begins with the query, in order. The first n of them are the same whatever `limit` is. */
export function findBeginningWith(statements: Statements, kind: SearchKind, query: string, limit: number): number[] {
  const { table, beginnings } = KINDS[kind];
  const ids = beginnings.flatMap(({ column, index, same }) =>
    statements.column<number>(
      `SELECT i.id FROM ${table} i INDEXED BY ${index} WHERE i.${column} >= @query
        AND i.${column} ${same ? '<=' : '<'} @end ORDER BY i.${column}, i.id LIMIT @limit`,
      { query, end: same ? query : query + LAST_CHARACTER, limit },
    ),
  );
  return [...new Set(ids)].slice(0, limit);
}

/** What the order of these is decided by. */
export function readCandidates(statements: Statements, kind: SearchKind, ids: readonly number[]): Candidate[] {
  const rows = statements.rows<Candidate>(
    `SELECT ${KINDS[kind].select} FROM json_each(@ids) c CROSS JOIN ${KINDS[kind].table} i ON i.id = c.value`,
    { ids: JSON.stringify(ids) },
  );
  // the other names are kept folded
  return kind === 'artist' ? rows.map((row) => ({ ...row, name: sortKey(row.name) })) : rows;
}
