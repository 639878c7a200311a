// What holds every word somewhere in its names, from the two search tables (library/search-index.ts): one finds words of three characters
// and more, the other those of one and two. When words of both lengths were typed, the two answers have to meet, and either may be most of
// the library.
import { ofKind, searchBase, type SearchKind } from '../library/search-index.ts';
import type { Statements } from '../library/statements.ts';
import { matchesOf, type Match } from '../library/words.ts';

/** So many of the shorter answer are put into a table in memory at first, past which the longer one streams. */
const AT_FIRST = 4_000;
const GROWTH = 8;

/** Ids, the oldest first; at most `limit`. */
export function findHolding(statements: Statements, kind: SearchKind, words: readonly string[], limit: number): number[] {
  const [one, other] = matchesOf(words);
  if (!one) return [];
  if (!other) return statements.column<number>(`${idsOf(kind, one, 'one')} LIMIT @limit`, { one: one.match, limit });

  const [few, many] = countUpTo(statements, kind, one) <= countUpTo(statements, kind, other) ? [one, other] : [other, one];
  for (let size = AT_FIRST; ; size *= GROWTH) {
    const params = { few: few.match, many: many.match, size };
    const ofFew = `SELECT rowid FROM ${few.table} WHERE ${few.table} MATCH @few AND ${ofKind(kind)}`;
    const last = statements.column<number>(`${ofFew} LIMIT 1 OFFSET @size - 1`, params)[0];
    const upTo = last === undefined ? '' : `AND rowid <= ${last}`;
    const found = statements.column<number>(`${idsOf(kind, many, 'many')} ${upTo} AND +rowid IN (${ofFew} LIMIT @size) LIMIT @limit`, { ...params, limit });
    if (found.length === limit || last === undefined) return found;
  }
}

const idsOf = (kind: SearchKind, { table }: Match, param: string): string =>
  `SELECT rowid - ${searchBase(kind)} FROM ${table} WHERE ${table} MATCH @${param} AND ${ofKind(kind)}`;

const countUpTo = (statements: Statements, kind: SearchKind, match: Match): number =>
  statements.value<number>(`SELECT count(*) FROM (${idsOf(kind, match, 'match')} LIMIT ${AT_FIRST})`, { match: match.match });
