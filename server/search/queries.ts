// What may be a result. Names that begin with what was typed come in order from an index of names, so that the best results are
// there however many others match; words of three characters and more come from the trigram index; only shorter ones are looked for
// by LIKE. Raw SQL, because this runs at every key press.
import { sortKey } from '../library/fold.ts';
import { searchRowid, type SearchKind } from '../library/search-index.ts';
import type { Params, Statements } from '../library/statements.ts';
import { isIndexed, toPattern, toPhrase } from '../library/words.ts';
import type { Candidate } from './rank.ts';

interface KindQuery {
  table: string;
  select: string;
  /** What begins with the query, best list first. `same`: only what is equal to it. */
  beginnings: { column: string; index: string; same?: boolean }[];
  /** Columns in which a short word is looked for. */
  searched: string[];
}

const KINDS: Record<SearchKind, KindQuery> = {
  track: {
    table: 'tracks', select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    beginnings: [{ column: 'title_sort', index: 'tracks_title_sort' }], searched: ['title_sort', 'artist_sort'],
  },
  album: {
    table: 'albums', select: 'i.id, i.title_sort AS name, i.artist_sort AS artist',
    beginnings: [{ column: 'title_sort', index: 'albums_title_sort' }], searched: ['title_sort', 'artist_sort'],
  },
  // Filed as `Quays, The`, and found under both names; the key of the name keeps its accents, the one it is filed by does not.
  artist: {
    table: 'artists', select: "i.id, i.name, '' AS artist",
    beginnings: [
      { column: 'sort_key', index: 'artists_sort_key', same: true },
      { column: 'name_key', index: 'artists_name_key_unique' },
      { column: 'sort_key', index: 'artists_sort_key' },
    ],
    searched: ['sort_key', 'name_key'],
  },
};

const LAST_CHARACTER = '\u{10ffff}';

/** Ids of what begins with the query, in order. The first n of them are the same whatever `limit` is. */
export function findBeginningWith(statements: Statements, kind: SearchKind, query: string, limit: number): number[] {
  const { table, beginnings } = KINDS[kind];
  const ids = beginnings.flatMap(({ column, index, same }) => statements.column<number>(
    `SELECT i.id FROM ${table} i INDEXED BY ${index} WHERE i.${column} >= @query AND i.${column} ${same ? '<=' : '<'} @end ORDER BY i.${column}, i.id LIMIT @limit`,
    { query, end: same ? query : query + LAST_CHARACTER, limit },
  ));
  return [...new Set(ids)].slice(0, limit);
}

/** What holds every word somewhere. At most `limit`, the oldest first. */
export function findHolding(statements: Statements, kind: SearchKind, words: readonly string[], limit: number): Candidate[] {
  const { from, params } = holding(statements, kind, words, true);
  const rows = statements.rows<Candidate>(`SELECT ${KINDS[kind].select} ${from} LIMIT @limit`, { ...params, limit });
  return kind === 'artist' ? rows.map((row) => ({ ...row, name: sortKey(row.name) })) : rows; // the other names are kept folded
}

/** How many hold every word. Counts no further than `limit`. */
export function countHolding(statements: Statements, kind: SearchKind, words: readonly string[], limit: number): number {
  const { from, params } = holding(statements, kind, words, false);
  return statements.value<number>(`SELECT count(*) FROM (SELECT 1 ${from} LIMIT @limit)`, { ...params, limit });
}

function holding(statements: Statements, kind: SearchKind, words: readonly string[], withRow: boolean): { from: string; params: Params } {
  const { table, searched } = KINDS[kind];
  const phrases = words.filter(isIndexed);
  const short = words.filter((word) => !isIndexed(word));
  const params: Params = {};
  const tests = short.map((word, at) => {
    params[`short${at}`] = toPattern(word);
    return `(${searched.map((column) => `i.${column} LIKE @short${at} ESCAPE '\\'`).join(' OR ')})`;
  });
  if (phrases.length === 0) return { from: `FROM ${table} i WHERE ${tests.join(' AND ')}`, params };

  const lastId = statements.value<number | null>(`SELECT max(id) FROM ${table}`, {}) ?? 0;
  Object.assign(params, { match: phrases.map(toPhrase).join(' AND '), last: searchRowid(kind, lastId), kind: searchRowid(kind, 0) });
  tests.unshift('search_trigrams MATCH @match AND s.rowid <= @last AND (s.rowid & 3) = @kind');
  const rows = withRow || short.length > 0 ? `CROSS JOIN ${table} i ON i.id = s.rowid >> 2` : '';
  return { from: `FROM search_trigrams s ${rows} WHERE ${tests.join(' AND ')}`, params };
}
