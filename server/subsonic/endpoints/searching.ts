// Endpoints that search. An empty query lists everything in the order in which it was added, which is how phones copy a
// library.
import type { Page } from '../../http/paging.ts';
import type { AlbumSummary } from '../../library/lists/album-rows.ts';
import type { ArtistSummary } from '../../library/lists/artist-rows.ts';
import type { LibraryService } from '../../library/service.ts';
import type { TrackSummary } from '../../library/lists/track-rows.ts';
import type { LibrarySearch, IdFilter, SearchService } from '../../search/service.ts';
import { userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { listOf, listOfRows, pagesOf, rowsOf } from '../list-slices.ts';
import { musicFolderOf, type FolderScopeDeps } from '../music-folders.ts';
import type { Params } from '../params.ts';
import { keyOf, type SteadyLists } from '../steady-lists.ts';
import { trimEnd } from '../../runtime/trim-text.ts';

export interface SearchDeps extends FolderScopeDeps {
  library: LibraryService;
  search: SearchService;
  steady: SteadyLists;
}

const MAX_LISTED_ITEMS = 100_000;
const SORT_OLDEST_FIRST = { sort: 'created_at', order: 'asc' } as const;

/** Maximum number of results of a search with words; nobody reads more. */
const MAX_HITS = 1_000;
const MAX_QUERY_CHARACTERS = 1_000;
const MAX_SEARCH_CHARACTERS = 200;

interface SearchRows {
  artists: AsyncIterable<readonly ArtistSummary[]>;
  albums: AsyncIterable<readonly AlbumSummary[]>;
  tracks: AsyncIterable<readonly TrackSummary[]>;
}

export function searchEndpoints({ library, search, musicFolders, steady }: SearchDeps): Endpoints {
  function findRows(call: Call): SearchRows {
    const {
      params,
      user: { id },
    } = call;
    const musicFolder = musicFolderOf(params, { musicFolders });
    const query = wordsOf(params.text('query'));
    const max = query === '' ? MAX_LISTED_ITEMS : MAX_HITS;
    const pages = {
      artist: pageOf(params, 'artist', max),
      album: pageOf(params, 'album', max),
      track: pageOf(params, 'song', max),
    };
    if (query === '') {
      const { listIds, artistsById, albumsById, tracksById } = library;
      const listAll = async function* <T>(
        kind: 'artist' | 'album' | 'track',
        readRows: (ids: readonly number[]) => T[],
      ): AsyncGenerator<readonly T[]> {
        const { ids } = await steady.page(
          {
            key: keyOf(call, kind, ['musicFolderId']),
            read: (page) => listIds[kind](id, { musicFolder }, SORT_OLDEST_FIRST, page),
            filterExisting: (pageIds) => library.filterExistingIds(kind, pageIds),
          },
          pages[kind],
        );
        yield* rowsOf(ids, readRows);
      };
      return {
        artists: listAll('artist', (ids) => artistsById(id, ids)),
        albums: listAll('album', (ids) => albumsById(id, ids)),
        tracks: listAll('track', (ids) => tracksById(id, ids)),
      };
    }
    // Caches searches by page: most clients request the same page of each kind, which then takes one search.
    const searchesByPage = new Map<string, LibrarySearch>();
    const scopeFilter: IdFilter | undefined =
      musicFolder && ((kind, ids) => library.inMusicFolder(kind, ids, musicFolder));
    const searchPage = (page: Page): LibrarySearch => {
      const key = `${page.limit} ${page.offset}`;
      const result = searchesByPage.get(key) ?? search.searchLibrary(id, query, page, scopeFilter);
      searchesByPage.set(key, result);
      return result;
    };
    return {
      artists: pagesOf(pages.artist, (page) => searchPage(page).artists.items),
      albums: pagesOf(pages.album, (page) => searchPage(page).albums.items),
      tracks: pagesOf(pages.track, (page) => searchPage(page).tracks.items),
    };
  }

  return {
    search3: userEndpoint((call) => {
      const { artists, albums, tracks } = findRows(call);
      return {
        searchResult3: {
          artist: listOf(artists, call.shapes.artist),
          album: listOf(albums, call.shapes.album),
          song: listOf(tracks, (track) => call.shapes.song(track)),
        },
      };
    }),

    search2: userEndpoint((call) => {
      const { artists, albums, tracks } = findRows(call);
      return {
        searchResult2: {
          artist: listOf(artists, call.shapes.artistFolder),
          album: listOf(albums, (album) => call.shapes.albumFolder(album)),
          song: listOf(tracks, (track) => call.shapes.song(track)),
        },
      };
    }),

    /** Deprecated since version 1.4 of the protocol, but old clients still use it. */
    search: userEndpoint(({ params, user: { id }, shapes }) => {
      const query = wordsOf(
        ['any', 'artist', 'album', 'title']
          .map((name) => params.text(name))
          .filter((text) => text !== undefined)
          .join(' '),
      );
      const page = {
        limit: params.count('count', { or: 20, max: 500 }),
        offset: params.count('offset', { or: 0, max: MAX_LISTED_ITEMS }),
      };
      const { items, total } =
        query === '' || page.limit === 0 ? { items: [], total: 0 } : search.searchLibrary(id, query, page).tracks;
      return {
        searchResult: {
          offset: page.offset,
          totalHits: total,
          match: listOfRows(items, (track) => shapes.song(track)),
        },
      };
    }),
  };
}

/** Matches field names in the query of DSub's offline plays and stars: `artist:"A" AND title:"B"`. */
const QUERY_FIELD = /\b(?:artist|album|title):"([^"]*)"/g;
const withoutFields = (text: string): string => {
  const values = [...text.matchAll(QUERY_FIELD)].map(([, value = '']) => value);
  return values.length === 0 ? text : values.join(' ');
};

/**
 * Returns the words of a query; `""` and `*` are an empty query. Removes the `*` at the end of words, since every word
 * matches as a prefix.
 */
function wordsOf(query: string | undefined): string {
  const text = withoutFields((query ?? '').slice(0, MAX_QUERY_CHARACTERS)).trim();
  return text === '""'
    ? ''
    : text
        .split(/\s+/)
        .map((word) => trimEnd(word, /\*/))
        .join(' ')
        .trim()
        .slice(0, MAX_SEARCH_CHARACTERS);
}

const pageOf = (params: Params, kind: 'artist' | 'album' | 'song', max: number): Page => ({
  limit: params.count(`${kind}Count`, { or: 20, max }),
  offset: params.count(`${kind}Offset`, { or: 0, max: Number.MAX_SAFE_INTEGER }),
});
