// Searches tracks, albums and artists of the library: parts of names, any case, several words in any order, phrases in
// quotes, a year; MusicBrainz ids and ISRCs. Where there is little, words with typos match too.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { AlbumSummary } from '../library/lists/album-rows.ts';
import type { ArtistSummary } from '../library/lists/artist-rows.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import { createResultCache } from '../library/lists/result-cache.ts';
import type { SearchKind } from '../library/search-index/search-names.ts';
import type { LibraryService } from '../library/service.ts';
import { createStatements } from '../library/lists/statement-cache.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { isLongTerm, splitYear, termsOf, yearOf, type Term } from '../library/search-index/search-words.ts';
import { findIdsOfYear, findMatchingIds, type MatchingIds } from './matching-ids.ts';
import {
  findAlbumsOfYear,
  findByIdentifier,
  findByPrefix,
  identifierOf,
  readCandidates,
  readTypoCandidates,
  type Identifier,
} from './queries.ts';
import { rankCandidates, rankedQuery, rankTypoCandidates, type Candidate, type PrefixMatch } from './rank.ts';
import { maxEditsOf, withCorrections } from './typos.ts';

/** Maximum number of results that are ranked and counted: nobody pages further, and one letter matches everything. */
export const MAX_RESULTS = 1_000;

/** The number of searches that are cached until the next write, for the next page and for deleted characters. */
const MAX_CACHED_SEARCHES = 50;
/** Typos are considered if there are fewer results than this. */
const FEW_RESULTS = 5;
const NO_RESULTS = { items: [], total: 0 };
const eachKind = <T>(valueOf: (kind: SearchKind) => T): Record<SearchKind, T> => ({
  track: valueOf('track'),
  album: valueOf('album'),
  artist: valueOf('artist'),
});
const sumOf = (counts: Record<SearchKind, number>): number => counts.track + counts.album + counts.artist;
const NO_MATCHES: MatchingIds = eachKind(() => []);
/** Maximum number of results of each kind that match by their year. */
const MAX_OF_YEAR = 200;
/** The number of names of each kind that are compared with a mistyped query. */
const TYPO_CANDIDATES = eachKind(() => 100);

interface KindMatches {
  /** Ids that an identifier names. */
  identifiedIds: number[];
  /** Names that start with the query, in order. */
  prefixMatches: PrefixMatch[];
  /** Ids of other names with all terms. */
  wordIds: number[];
  /** Ids of items of the year in the query whose names have the other terms. */
  yearIds: number[];
  /** Ids behind all these, best first: albums of a year, and matches if the query is mistyped. */
  laterIds: number[];
  /** All ids, best first, once they are ranked. */
  rankedIds?: number[];
}
type Matches = Record<SearchKind, KindMatches>;

export interface LibrarySearch {
  tracks: Paged<TrackSummary>;
  albums: Paged<AlbumSummary>;
  artists: Paged<ArtistSummary>;
}

export type IdFilter = (kind: SearchKind, ids: readonly number[]) => number[];

const filterMatches = (kind: SearchKind, matches: KindMatches, filterIds: IdFilter): KindMatches => ({
  identifiedIds: filterIds(kind, matches.identifiedIds),
  prefixMatches: filterPrefixMatches(kind, matches.prefixMatches, filterIds),
  wordIds: filterIds(kind, matches.wordIds),
  yearIds: filterIds(kind, matches.yearIds),
  laterIds: filterIds(kind, matches.laterIds),
});

function filterPrefixMatches(kind: SearchKind, matches: readonly PrefixMatch[], filterIds: IdFilter): PrefixMatch[] {
  const ids = new Set(filterIds(kind, idsOf(matches)));
  return matches.filter(({ id }) => ids.has(id));
}

const idsOf = (matches: readonly PrefixMatch[]): number[] => matches.map(({ id }) => id);
const allIds = ({ identifiedIds, prefixMatches, wordIds, yearIds, laterIds }: KindMatches): number[] => [
  ...new Set([...identifiedIds, ...idsOf(prefixMatches), ...wordIds, ...yearIds, ...laterIds]),
];

interface ParsedQuery {
  /** The query folded, without quotes. */
  text: string;
  terms: Term[];
  year: number | undefined;
  /** The terms beside the year. */
  otherTerms: readonly Term[];
  identifier: Identifier | undefined;
}

function parseQuery(typedText: string): ParsedQuery {
  const terms = termsOf(typedText);
  const { year, otherTerms } = splitYear(terms);
  return {
    text: sortKey(typedText.toWellFormed().replaceAll(/["\u201c\u201d\u2033]/g, '')),
    terms,
    year,
    otherTerms,
    identifier: identifierOf(typedText),
  };
}

export type SearchService = ReturnType<typeof createSearchService>;

interface SearchDeps {
  db: MainDb;
  library: Pick<LibraryService, 'tracksById' | 'albumsById' | 'artistsById'>;
}

export function createSearchService({ db, library }: SearchDeps) {
  const statements = createStatements(db.$client);
  const cache = createResultCache<Matches>(statements, MAX_CACHED_SEARCHES);

  function findMatches(query: ParsedQuery): Matches {
    const { text, terms, year, otherTerms, identifier } = query;
    const prefixMatches = eachKind((kind) => findByPrefix(statements, kind, text, MAX_RESULTS));
    const wordMatches = findMatchingIds(
      statements,
      terms,
      eachKind((kind) => (prefixMatches[kind].length < MAX_RESULTS ? MAX_RESULTS : 0)),
    );
    const yearMatches = year === undefined ? NO_MATCHES : findOfYear(otherTerms, year, MAX_OF_YEAR);
    const matches = eachKind((kind) => ({
      identifiedIds: identifier ? findByIdentifier(statements, kind, identifier, MAX_RESULTS) : [],
      prefixMatches: prefixMatches[kind],
      wordIds: wordMatches[kind],
      yearIds: yearMatches[kind],
      laterIds: [] as number[],
    }));
    const loneYear = yearOf(terms);
    if (loneYear !== undefined) matches.album.laterIds = findAlbumsOfYear(statements, loneYear, MAX_RESULTS);
    const count = sumOf(eachKind((kind) => allIds(matches[kind]).length));
    if (count >= FEW_RESULTS || identifier || loneYear !== undefined) return matches;
    const typoMatches = findTypoMatches(query);
    return eachKind((kind) => ({ ...matches[kind], laterIds: typoMatches[kind] }));
  }

  const findOfYear = (terms: readonly Term[], year: number, limit: number): MatchingIds => ({
    artist: [],
    album: findIdsOfYear(statements, 'album', { terms, year, limit }),
    track: findIdsOfYear(statements, 'track', { terms, year, limit }),
  });

  /** Finds names with words that differ from the typed ones by one edit, or if there are none by two; best first. */
  function findTypoMatches({ year, otherTerms }: ParsedQuery): MatchingIds {
    for (const maxEdits of ([1, 2] as const).slice(0, maxEditsOf(otherTerms))) {
      const typoTerms = withCorrections(statements, otherTerms, maxEdits);
      if (!typoTerms) continue;
      const longTerms = typoTerms.filter(isLongTerm); // the ranking checks all terms
      const matches =
        year === undefined
          ? findMatchingIds(statements, longTerms, TYPO_CANDIDATES)
          : findOfYear(longTerms, year, TYPO_CANDIDATES.track);
      const ranked = eachKind((kind) =>
        rankTypoCandidates(readTypoCandidates(statements, kind, matches[kind]), typoTerms),
      );
      if (sumOf(eachKind((kind) => ranked[kind].length)) > 0) return ranked;
    }
    return NO_MATCHES;
  }

  /** Ranks the matches of a kind as soon as a page includes some of them. */
  function rank(kind: SearchKind, matches: KindMatches, { text, terms, otherTerms }: ParsedQuery): number[] {
    const { identifiedIds, prefixMatches, wordIds, yearIds, laterIds } = matches;
    if (prefixMatches.length >= MAX_RESULTS) return allIds(matches);
    const prefixIds = new Set(idsOf(prefixMatches));
    const otherIds = wordIds.filter((id) => !prefixIds.has(id));
    const candidatesOf = (ids: readonly number[]): Candidate[] => readCandidates(statements, kind, ids);
    const rankedIds = rankCandidates(prefixMatches, candidatesOf(otherIds), rankedQuery(text, terms));
    const otherText = otherTerms.map(({ forms }) => forms[0]).join(' ');
    const rankedOfYear = rankCandidates([], candidatesOf(yearIds), rankedQuery(otherText, otherTerms));
    return [...new Set([...identifiedIds, ...rankedIds, ...rankedOfYear, ...laterIds])];
  }

  return {
    /** Searches the library. `filterIds` removes ids from the matches. */
    searchLibrary(userId: UserId, text: string, page: Page, filterIds?: IdFilter): LibrarySearch {
      const query = parseQuery(text);
      if (query.terms.length === 0) return { tracks: NO_RESULTS, albums: NO_RESULTS, artists: NO_RESULTS };
      const allMatches = cache.get(['library'], JSON.stringify(query), () => findMatches(query));
      const matches = filterIds ? eachKind((kind) => filterMatches(kind, allMatches[kind], filterIds)) : allMatches;
      const pageOf = <T>(kind: SearchKind, readItems: (userId: UserId, ids: readonly number[]) => T[]): Paged<T> => {
        const end = Math.min(page.offset + page.limit, MAX_RESULTS);
        const ids = end === 0 ? allIds(matches[kind]) : (matches[kind].rankedIds ??= rank(kind, matches[kind], query));
        const pageIds = ids.slice(page.offset, end);
        return {
          items: pageIds.length === 0 ? [] : readItems(userId, pageIds),
          total: Math.min(MAX_RESULTS, ids.length),
        };
      };
      return {
        tracks: pageOf('track', library.tracksById),
        albums: pageOf('album', library.albumsById),
        artists: pageOf('artist', library.artistsById),
      };
    },
  };
}
