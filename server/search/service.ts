// Searches tracks, albums and artists of the library: parts of names, any case, several words in any order; MusicBrainz
// ids and ISRCs.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { AlbumSummary } from '../library/album-rows.ts';
import type { ArtistSummary } from '../library/artist-rows.ts';
import { sortKey } from '../library/sort-and-identity-keys.ts';
import { createResultCache } from '../library/result-cache.ts';
import type { SearchKind } from '../library/search-names.ts';
import type { LibraryService } from '../library/service.ts';
import { createStatements } from '../library/statement-cache.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { wordsOf } from '../library/search-words.ts';
import { findMatchingIds } from './matching-ids.ts';
import { findByIdentifier, findByPrefix, identifierOf, readCandidates, type Identifier } from './queries.ts';
import { ranked } from './rank.ts';

/** Results beyond this are neither ranked nor counted: nobody pages that far, and one letter matches everything. */
export const MAX_RESULTS = 1_000;

/** Searches cached until the next write, for the next page and for deleted characters. */
const CACHED = 50;
const NOTHING = { items: [], total: 0 };
const eachKind = <T>(of: (kind: SearchKind) => T): Record<SearchKind, T> => ({
  track: of('track'),
  album: of('album'),
  artist: of('artist'),
});

interface FoundKind {
  /** Ids of names that start with the query, in order. */
  beginning: number[];
  /** Ids of other matches; best first if `isRanked`. */
  others: number[];
  isRanked?: boolean;
}
type Found = Record<SearchKind, FoundKind>;

export interface LibrarySearch {
  tracks: Paged<TrackSummary>;
  albums: Paged<AlbumSummary>;
  artists: Paged<ArtistSummary>;
}

export type OnlySome = (kind: SearchKind, ids: readonly number[]) => number[];

const some = (kind: SearchKind, { beginning, others }: FoundKind, only: OnlySome): FoundKind => ({
  beginning: only(kind, beginning),
  others: only(kind, others),
});

export type SearchService = ReturnType<typeof createSearchService>;

interface SearchDeps {
  db: MainDb;
  library: Pick<LibraryService, 'tracksById' | 'albumsById' | 'artistsById'>;
}

export function createSearchService({ db, library }: SearchDeps) {
  const statements = createStatements(db.$client);
  const kept = createResultCache<Found>(statements, CACHED);

  function find(query: string, words: string[], identifier: Identifier | undefined): Found {
    const beginning = eachKind((kind) => [
      ...new Set([
        ...(identifier ? findByIdentifier(statements, kind, identifier, MAX_RESULTS) : []),
        ...findByPrefix(statements, kind, query, MAX_RESULTS),
      ]),
    ]);
    const holding = findMatchingIds(
      statements,
      words,
      eachKind((kind) => (beginning[kind].length < MAX_RESULTS ? MAX_RESULTS : 0)),
    );
    return eachKind((kind) => {
      const known = new Set(beginning[kind]);
      return { beginning: beginning[kind], others: holding[kind].filter((id) => !known.has(id)) };
    });
  }

  /** The other matches are only ranked when a page reaches them. */
  function rankUpTo(end: number, kind: SearchKind, found: FoundKind, query: string, words: string[]): void {
    if (found.isRanked || end <= found.beginning.length) return;
    found.others = ranked(readCandidates(statements, kind, found.others), query, words);
    found.isRanked = true;
  }

  return {
    /** `only` takes ids out of the matches. */
    searchLibrary(userId: UserId, text: string, page: Page, only?: OnlySome): LibrarySearch {
      const query = sortKey(text.toWellFormed());
      const words = wordsOf(text);
      if (words.length === 0) return { tracks: NOTHING, albums: NOTHING, artists: NOTHING };
      const identifier = identifierOf(text);
      const key = JSON.stringify([query, words, identifier]);
      const whole = kept.get(['library'], key, () => find(query, words, identifier));
      const found = only ? eachKind((kind) => some(kind, whole[kind], only)) : whole;
      const pageOf = <T>(kind: SearchKind, read: (userId: UserId, ids: readonly number[]) => T[]): Paged<T> => {
        const end = Math.min(page.offset + page.limit, MAX_RESULTS);
        rankUpTo(end, kind, found[kind], query, words);
        const { beginning, others } = found[kind];
        const ids = [...beginning, ...others].slice(page.offset, end);
        return {
          items: ids.length === 0 ? [] : read(userId, ids),
          total: Math.min(MAX_RESULTS, beginning.length + others.length),
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
