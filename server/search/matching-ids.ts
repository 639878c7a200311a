// Finds the items whose names contain all terms, with the two full text tables of library/search-index.ts: one for
// words of three characters and more, the other for shorter ones. With words of both lengths, the results are
// intersected, and each result may be most of the library. A query of such a table costs as much as a hundred results,
// so one query continues through artists, albums and tracks.
import { KIND_NUMBERS, searchBase, searchEnd } from '../library/search-index/search-index.ts';
import { isOfYear, namesOf, type SearchKind } from '../library/search-index/search-names.ts';
import type { Statements } from '../library/lists/statement-cache.ts';
import { termsJson, matchesOf, type Match, type Term } from '../library/search-index/search-words.ts';

export type MatchingIds = Record<SearchKind, number[]>;

/** Returns matching rowids above `afterRowid`, ascending; fewer than `limit` only at the end. */
type Finder = (afterRowid: number, limit: number) => number[];

/** Kinds in the order of their rowids. */
const KINDS = Object.keys(KIND_NUMBERS) as SearchKind[];
/** Up to this many results of one table are checked one by one for the other words. */
const MAX_CHECKED_ONE_BY_ONE = 500;
const IDS_PER_QUERY = 100;
/** The number of results of the smaller set that SQLite first keeps in memory while it streams the larger set. */
const INITIAL_SIZE = 4_000;
const SIZE_GROWTH = 8;

/** Returns ids in ascending order, at least `minCounts` of each kind if there are that many. */
export function findMatchingIds(
  statements: Statements,
  terms: readonly Term[],
  minCounts: Record<SearchKind, number>,
): MatchingIds {
  const findRowids = finderOf(statements, matchesOf(terms));
  const matchingIds: MatchingIds = { artist: [], album: [], track: [] };
  let searchedUpTo = 0;
  for (const kind of KINDS) {
    const missingCount = minCounts[kind] - matchingIds[kind].length;
    if (searchedUpTo < searchEnd(kind) && missingCount > 0) {
      const rowids = findRowids(Math.max(searchedUpTo, searchBase(kind)), missingCount);
      for (const rowid of rowids) addTo(matchingIds, rowid);
      searchedUpTo = rowids.length < missingCount ? Infinity : (rowids.at(-1) as number);
    }
    searchedUpTo = Math.max(searchedUpTo, searchEnd(kind));
  }
  return matchingIds;
}

function addTo(matchingIds: MatchingIds, rowid: number): void {
  const kind = kindOf(rowid);
  matchingIds[kind].push(rowid - searchBase(kind));
}

const kindOf = (rowid: number): SearchKind => KINDS.find((kind) => rowid < searchEnd(kind)) as SearchKind;

function finderOf(statements: Statements, [match, otherMatch]: Match[]): Finder {
  if (!match) return () => [];
  if (!otherMatch)
    return (afterRowid, limit) =>
      statements.column<number>(`${rowidsOf(match, 'match')} LIMIT @limit`, {
        match: match.match,
        after: afterRowid,
        limit,
      });
  return (afterRowid, limit) => intersect(statements, match, otherMatch, afterRowid, limit);
}

/**
 * Returns ids of items of the year with all terms, in ascending order. If the terms need both tables, one is read, and
 * its first results are checked for the other terms.
 */
export function findIdsOfYear(
  statements: Statements,
  kind: keyof typeof isOfYear,
  { terms, year, limit }: { terms: readonly Term[]; year: number; limit: number },
): number[] {
  const [match, otherMatch] = matchesOf(terms);
  if (!match) return [];
  const idsOfYear = `SELECT i.id + ${searchBase(kind)} FROM ${kind}s i WHERE ${isOfYear[kind]('i')}`;
  const rowids = statements.column<number>(
    `${rowidsOf(match, 'match')} AND rowid < ${searchEnd(kind)} AND +rowid IN (${idsOfYear}) LIMIT @limit`,
    {
      match: match.match,
      after: searchBase(kind),
      ofYear: year,
      limit: otherMatch ? MAX_CHECKED_ONE_BY_ONE : limit,
    },
  );
  const matches = otherMatch ? filterBy(statements, rowids, otherMatch.terms, limit) : rowids;
  return matches.map((rowid) => rowid - searchBase(kind));
}

const rowidsOf = ({ table }: Match, param: string): string =>
  `SELECT rowid FROM ${table} WHERE ${table} MATCH @${param} AND rowid > CAST(@after AS INTEGER)`;

function intersect(
  statements: Statements,
  match: Match,
  otherMatch: Match,
  afterRowid: number,
  limit: number,
): number[] {
  const firstRowids = statements.column<number>(`${rowidsOf(match, 'match')} LIMIT ${MAX_CHECKED_ONE_BY_ONE}`, {
    match: match.match,
    after: afterRowid,
  });
  if (firstRowids.length < MAX_CHECKED_ONE_BY_ONE) return filterBy(statements, firstRowids, otherMatch.terms, limit);

  const [smallerMatch, largerMatch] =
    countUpTo(statements, match, afterRowid) <= countUpTo(statements, otherMatch, afterRowid)
      ? [match, otherMatch]
      : [otherMatch, match];
  for (let size = INITIAL_SIZE; ; size *= SIZE_GROWTH) {
    const params = { few: smallerMatch.match, many: largerMatch.match, after: afterRowid, size };
    const lastRowid = statements.column<number>(`${rowidsOf(smallerMatch, 'few')} LIMIT 1 OFFSET @size - 1`, params)[0];
    const upperBound = lastRowid === undefined ? '' : 'AND rowid <= CAST(@last AS INTEGER)';
    const rowids = statements.column<number>(
      `${rowidsOf(largerMatch, 'many')} ${upperBound} AND +rowid IN (${rowidsOf(smallerMatch, 'few')} LIMIT @size)
        LIMIT @limit`,
      { ...params, ...(lastRowid !== undefined && { last: lastRowid }), limit },
    );
    if (rowids.length === limit || lastRowid === undefined) return rowids;
  }
}

/** Returns the rowids whose names contain the terms. */
function filterBy(statements: Statements, rowids: readonly number[], terms: readonly Term[], limit: number): number[] {
  const json = termsJson(terms);
  const matches: number[] = [];
  for (const [kind, kindRowids] of Map.groupBy(rowids, kindOf)) {
    for (let start = 0; start < kindRowids.length && matches.length < limit; start += IDS_PER_QUERY) {
      const ids = kindRowids.slice(start, start + IDS_PER_QUERY).map((rowid) => rowid - searchBase(kind));
      matches.push(
        ...statements
          .column<number>(
            `SELECT c.value FROM json_each(@ids) c WHERE names_hold((${namesOf[kind]('c.value')}), @terms)`,
            { ids: JSON.stringify(ids), terms: json },
          )
          .map((id) => id + searchBase(kind)),
      );
    }
  }
  return matches.slice(0, limit);
}

const countUpTo = (statements: Statements, match: Match, afterRowid: number): number =>
  statements.value<number>(`SELECT count(*) FROM (${rowidsOf(match, 'match')} LIMIT ${INITIAL_SIZE})`, {
    match: match.match,
    after: afterRowid,
  });
