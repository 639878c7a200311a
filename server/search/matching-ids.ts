// Finds what contains all words in its names, with the two full text tables of library/search-index.ts: one for words
// of three characters and more, the other for shorter ones. With words of both lengths, the results are intersected,
// and each may be most of the library. A query of such a table costs as much as a hundred results, so one query
// continues through artists, albums and tracks.
import { SEARCH_KINDS, searchBase, searchEnd } from '../library/search-index.ts';
import { namesOf, type SearchKind } from '../library/search-names.ts';
import type { Statements } from '../library/statement-cache.ts';
import { matchesOf, type Match } from '../library/search-words.ts';

type MatchingIds = Record<SearchKind, number[]>;

/** Matching rowids above `after`, ascending; fewer than `limit` only at the end. */
type Finder = (after: number, limit: number) => number[];

/** In the order of rowids. */
const KINDS = Object.keys(SEARCH_KINDS) as SearchKind[];
/** Up to this many results of one table are checked one by one for the other words. */
const ONE_BY_ONE = 500;
const AT_ONCE = 100;
/** Results of the smaller set that SQLite first holds in memory while it streams the larger one. */
const AT_FIRST = 4_000;
const GROWTH = 8;

/** Ids in ascending order, at least `wanted` of each kind if there are that many. */
export function findMatchingIds(
  statements: Statements,
  words: readonly string[],
  wanted: Record<SearchKind, number>,
): MatchingIds {
  const find = finderOf(statements, matchesOf(words));
  const found: MatchingIds = { artist: [], album: [], track: [] };
  let known = 0;
  for (const kind of KINDS) {
    const left = wanted[kind] - found[kind].length;
    if (known < searchEnd(kind) && left > 0) {
      const rowids = find(Math.max(known, searchBase(kind)), left);
      for (const rowid of rowids) addTo(found, rowid);
      known = rowids.length < left ? Infinity : (rowids.at(-1) as number);
    }
    known = Math.max(known, searchEnd(kind));
  }
  return found;
}

function addTo(found: MatchingIds, rowid: number): void {
  const kind = kindOf(rowid);
  found[kind].push(rowid - searchBase(kind));
}

const kindOf = (rowid: number): SearchKind => KINDS.find((kind) => rowid < searchEnd(kind)) as SearchKind;

function finderOf(statements: Statements, [one, other]: Match[]): Finder {
  if (!one) return () => [];
  if (!other)
    return (after, limit) =>
      statements.column<number>(`${rowidsOf(one, 'match')} LIMIT @limit`, { match: one.match, after, limit });
  return (after, limit) => intersect(statements, one, other, after, limit);
}

const rowidsOf = ({ table }: Match, param: string): string =>
  `SELECT rowid FROM ${table} WHERE ${table} MATCH @${param} AND rowid > CAST(@after AS INTEGER)`;

function intersect(statements: Statements, one: Match, other: Match, after: number, limit: number): number[] {
  const some = statements.column<number>(`${rowidsOf(one, 'match')} LIMIT ${ONE_BY_ONE}`, { match: one.match, after });
  if (some.length < ONE_BY_ONE) return filterBy(statements, some, other, limit);

  const [few, many] =
    countUpTo(statements, one, after) <= countUpTo(statements, other, after) ? [one, other] : [other, one];
  for (let size = AT_FIRST; ; size *= GROWTH) {
    const params = { few: few.match, many: many.match, after, size };
    const last = statements.column<number>(`${rowidsOf(few, 'few')} LIMIT 1 OFFSET @size - 1`, params)[0];
    const upTo = last === undefined ? '' : 'AND rowid <= CAST(@last AS INTEGER)';
    const found = statements.column<number>(
      `${rowidsOf(many, 'many')} ${upTo} AND +rowid IN (${rowidsOf(few, 'few')} LIMIT @size) LIMIT @limit`,
      { ...params, ...(last !== undefined && { last }), limit },
    );
    if (found.length === limit || last === undefined) return found;
  }
}

/** The rowids whose names contain the words of `other`. */
function filterBy(statements: Statements, rowids: readonly number[], { words }: Match, limit: number): number[] {
  const found: number[] = [];
  for (const [kind, of] of Map.groupBy(rowids, kindOf)) {
    for (let at = 0; at < of.length && found.length < limit; at += AT_ONCE) {
      const ids = of.slice(at, at + AT_ONCE).map((rowid) => rowid - searchBase(kind));
      found.push(
        ...statements
          .column<number>(
            `SELECT c.value FROM json_each(@ids) c WHERE names_hold((${namesOf[kind]('c.value')}), @words)`,
            { ids: JSON.stringify(ids), words: JSON.stringify(words) },
          )
          .map((id) => id + searchBase(kind)),
      );
    }
  }
  return found.slice(0, limit);
}

const countUpTo = (statements: Statements, match: Match, after: number): number =>
  statements.value<number>(`SELECT count(*) FROM (${rowidsOf(match, 'match')} LIMIT ${AT_FIRST})`, {
    match: match.match,
    after,
  });
