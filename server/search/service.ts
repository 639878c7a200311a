// Searches tracks, albums and artists of the library: parts of names, any case, several words in any order; MusicBrainz
// ids and ISRCs.
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
import { wordsOf } from '../library/search-index/search-words.ts';
import { findMatchingIds } from './matching-ids.ts';
import { findByIdentifier, findByPrefix, identifierOf, readCandidates, type Identifier } from './queries.ts';
import { rankCandidates } from './rank.ts';

/** Maximum number of results that are ranked and counted: nobody pages further, and one letter matches everything. */
export const MAX_RESULTS = 1_000;

/** The number of searches that are cached until the next write, for the next page and for deleted characters. */
const MAX_CACHED_SEARCHES = 50;
const NO_RESULTS = { items: [], total: 0 };
const eachKind = <T>(valueOf: (kind: SearchKind) => T): Record<SearchKind, T> => ({
  track: valueOf('track'),
  album: valueOf('album'),
  artist: valueOf('artist'),
});

interface KindMatches {
  /** Ids of names that start with the query, in order. */
  prefixIds: number[];
  /** Ids of other matches; ordered best first if `isRanked`. */
  otherIds: number[];
  isRanked?: boolean;
}
type Matches = Record<SearchKind, KindMatches>;

export interface LibrarySearch {
  tracks: Paged<TrackSummary>;
  albums: Paged<AlbumSummary>;
  artists: Paged<ArtistSummary>;
}

export type IdFilter = (kind: SearchKind, ids: readonly number[]) => number[];

const filterMatches = (kind: SearchKind, { prefixIds, otherIds }: KindMatches, filterIds: IdFilter): KindMatches => ({
  prefixIds: filterIds(kind, prefixIds),
  otherIds: filterIds(kind, otherIds),
});

export type SearchService = ReturnType<typeof createSearchService>;

interface SearchDeps {
  db: MainDb;
  library: Pick<LibraryService, 'tracksById' | 'albumsById' | 'artistsById'>;
}

export function createSearchService({ db, library }: SearchDeps) {
  const statements = createStatements(db.$client);
  const cache = createResultCache<Matches>(statements, MAX_CACHED_SEARCHES);

  function findMatches(query: string, words: string[], identifier: Identifier | undefined): Matches {
    const prefixIds = eachKind((kind) => [
      ...new Set([
        ...(identifier ? findByIdentifier(statements, kind, identifier, MAX_RESULTS) : []),
        ...findByPrefix(statements, kind, query, MAX_RESULTS),
      ]),
    ]);
    const wordMatches = findMatchingIds(
      statements,
      words,
      eachKind((kind) => (prefixIds[kind].length < MAX_RESULTS ? MAX_RESULTS : 0)),
    );
    return eachKind((kind) => {
      const knownIds = new Set(prefixIds[kind]);
      return { prefixIds: prefixIds[kind], otherIds: wordMatches[kind].filter((id) => !knownIds.has(id)) };
    });
  }

  /** Ranks the other matches as soon as a page includes some of them. */
  function rankUpTo(end: number, kind: SearchKind, matches: KindMatches, query: string, words: string[]): void {
    if (matches.isRanked || end <= matches.prefixIds.length) return;
    matches.otherIds = rankCandidates(readCandidates(statements, kind, matches.otherIds), query, words);
    matches.isRanked = true;
  }

  return {
    /** Searches the library. `filterIds` removes ids from the matches. */
    searchLibrary(userId: UserId, text: string, page: Page, filterIds?: IdFilter): LibrarySearch {
      const query = sortKey(text.toWellFormed());
      const words = wordsOf(text);
      if (words.length === 0) return { tracks: NO_RESULTS, albums: NO_RESULTS, artists: NO_RESULTS };
      const identifier = identifierOf(text);
      const key = JSON.stringify([query, words, identifier]);
      const allMatches = cache.get(['library'], key, () => findMatches(query, words, identifier));
      const matches = filterIds ? eachKind((kind) => filterMatches(kind, allMatches[kind], filterIds)) : allMatches;
      const pageOf = <T>(kind: SearchKind, readItems: (userId: UserId, ids: readonly number[]) => T[]): Paged<T> => {
        const end = Math.min(page.offset + page.limit, MAX_RESULTS);
        rankUpTo(end, kind, matches[kind], query, words);
        const { prefixIds, otherIds } = matches[kind];
        const ids = [...prefixIds, ...otherIds].slice(page.offset, end);
        return {
          items: ids.length === 0 ? [] : readItems(userId, ids),
          total: Math.min(MAX_RESULTS, prefixIds.length + otherIds.length),
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
