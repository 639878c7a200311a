// Search across the library's tracks, albums and artists (interface, Library): part of a name, any case, several words in any order.
import type { MainDb } from '../db/client.ts';
import type { UserId } from '../db/ids.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { AlbumSummary } from '../library/album-rows.ts';
import type { ArtistSummary } from '../library/artist-rows.ts';
import { sortKey } from '../library/fold.ts';
import type { SearchKind } from '../library/search-index.ts';
import type { LibraryService } from '../library/service.ts';
import { createStatements } from '../library/statements.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { wordsOf } from '../library/words.ts';
import { findHolding } from './holding.ts';
import { findBeginningWith, readCandidates } from './queries.ts';
import { ranked } from './rank.ts';

/** Results beyond this are neither ranked nor counted: nobody pages that far, and a needle of one letter is in everything. */
export const MOST_RESULTS = 1_000;

export interface LibrarySearch {
  tracks: Paged<TrackSummary>;
  albums: Paged<AlbumSummary>;
  artists: Paged<ArtistSummary>;
}

export type SearchService = ReturnType<typeof createSearchService>;

interface SearchDeps {
  db: MainDb;
  library: Pick<LibraryService, 'tracksById' | 'albumsById' | 'artistsById'>;
}

export function createSearchService({ db, library }: SearchDeps) {
  const statements = createStatements(db.$client);

  function find(kind: SearchKind, query: string, words: string[], { limit, offset }: Page): { ids: number[]; total: number } {
    if (words.length === 0) return { ids: [], total: 0 };
    const end = Math.min(offset + limit, MOST_RESULTS);
    const holding = findHolding(statements, kind, words, MOST_RESULTS);
    // Names that begin with it come first: when there are enough of them, nothing else needs to be ranked.
    const best = findBeginningWith(statements, kind, query, end);
    if (best.length === end) return { ids: best.slice(offset), total: holding.length };

    const beginning = findBeginningWith(statements, kind, query, MOST_RESULTS);
    const known = new Set(beginning);
    const others = readCandidates(statements, kind, holding.filter((id) => !known.has(id)));
    const ids = [...beginning, ...ranked(others, query, words)].slice(0, MOST_RESULTS);
    return { ids: ids.slice(offset, end), total: ids.length };
  }

  return {
    searchLibrary(userId: UserId, text: string, page: Page): LibrarySearch {
      const query = sortKey(text.toWellFormed());
      const words = wordsOf(text);
      const pageOf = <T>(kind: SearchKind, read: (userId: UserId, ids: readonly number[]) => T[]): Paged<T> => {
        const { ids, total } = find(kind, query, words, page);
        return { items: ids.length === 0 ? [] : read(userId, ids), total };
      };
      return {
        tracks: pageOf('track', library.tracksById),
        albums: pageOf('album', library.albumsById),
        artists: pageOf('artist', library.artistsById),
      };
    },
  };
}
