// Endpoints that search. An empty query lists everything in the order in which it came, which is how phones copy a
// library.
import type { Page } from '../../http/paging.ts';
import type { AlbumSummary } from '../../library/album-rows.ts';
import type { ArtistSummary } from '../../library/artist-rows.ts';
import type { LibraryService } from '../../library/service.ts';
import type { TrackSummary } from '../../library/track-rows.ts';
import type { LibrarySearch, IdFilter, SearchService } from '../../search/service.ts';
import { user, type Call, type Endpoints } from '../endpoint.ts';
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

const MOST = 100_000;
const OLDEST_FIRST = { sort: 'created_at', order: 'asc' } as const;

/** Of a search with words; nobody reads more. */
const MOST_HITS = 1_000;
const MOST_QUERY = 1_000;
const MOST_WORDS = 200;

interface Found {
  artists: AsyncIterable<readonly ArtistSummary[]>;
  albums: AsyncIterable<readonly AlbumSummary[]>;
  tracks: AsyncIterable<readonly TrackSummary[]>;
}

export function searchEndpoints({ library, search, musicFolders, steady }: SearchDeps): Endpoints {
  function find(call: Call): Found {
    const {
      params,
      user: { id },
    } = call;
    const musicFolder = musicFolderOf(params, { musicFolders });
    const query = wordsOf(params.text('query'));
    const most = query === '' ? MOST : MOST_HITS;
    const pages = {
      artist: pageOf(params, 'artist', most),
      album: pageOf(params, 'album', most),
      track: pageOf(params, 'song', most),
    };
    if (query === '') {
      const { listIds, artistsById, albumsById, tracksById } = library;
      const given = async function* <T>(
        kind: 'artist' | 'album' | 'track',
        read: (part: readonly number[]) => T[],
      ): AsyncGenerator<readonly T[]> {
        const { ids } = await steady.page(
          {
            key: keyOf(call, kind, ['musicFolderId']),
            read: (page) => listIds[kind](id, { musicFolder }, OLDEST_FIRST, page),
            there: (some) => library.idsThere(kind, some),
          },
          pages[kind],
        );
        yield* rowsOf(ids, read);
      };
      return {
        artists: given('artist', (ids) => artistsById(id, ids)),
        albums: given('album', (ids) => albumsById(id, ids)),
        tracks: given('track', (ids) => tracksById(id, ids)),
      };
    }
    // most clients request the same page of each kind, which takes one search
    const asked = new Map<string, LibrarySearch>();
    const only: IdFilter | undefined = musicFolder && ((kind, ids) => library.inMusicFolder(kind, ids, musicFolder));
    const searched = (page: Page): LibrarySearch => {
      const key = `${page.limit} ${page.offset}`;
      const found = asked.get(key) ?? search.searchLibrary(id, query, page, only);
      asked.set(key, found);
      return found;
    };
    return {
      artists: pagesOf(pages.artist, (page) => searched(page).artists.items),
      albums: pagesOf(pages.album, (page) => searched(page).albums.items),
      tracks: pagesOf(pages.track, (page) => searched(page).tracks.items),
    };
  }

  return {
    search3: user((call) => {
      const { artists, albums, tracks } = find(call);
      return {
        searchResult3: {
          artist: listOf(artists, call.shapes.artist),
          album: listOf(albums, call.shapes.album),
          song: listOf(tracks, (track) => call.shapes.song(track)),
        },
      };
    }),

    search2: user((call) => {
      const { artists, albums, tracks } = find(call);
      return {
        searchResult2: {
          artist: listOf(artists, call.shapes.artistFolder),
          album: listOf(albums, (album) => call.shapes.albumFolder(album)),
          song: listOf(tracks, (track) => call.shapes.song(track)),
        },
      };
    }),

    /** Deprecated since 1.4, but old clients still use it. */
    search: user(({ params, user: { id }, shapes }) => {
      const query = wordsOf(
        ['any', 'artist', 'album', 'title']
          .map((name) => params.text(name))
          .filter((text) => text !== undefined)
          .join(' '),
      );
      const page = {
        limit: params.count('count', { or: 20, max: 500 }),
        offset: params.count('offset', { or: 0, max: MOST }),
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

/** DSub finds what was played or starred offline in the words of the first servers: `artist:"A" AND title:"B"`. */
const FIELD = /\b(?:artist|album|title):"([^"]*)"/g;
const withoutFields = (text: string): string => {
  const values = [...text.matchAll(FIELD)].map(([, value = '']) => value);
  return values.length === 0 ? text : values.join(' ');
};

/** `""` and `*` are an empty query. Removes the `*` at the end of words, since every word matches as a prefix. */
function wordsOf(query: string | undefined): string {
  const text = withoutFields((query ?? '').slice(0, MOST_QUERY)).trim();
  return text === '""'
    ? ''
    : text
        .split(/\s+/)
        .map((word) => trimEnd(word, /\*/))
        .join(' ')
        .trim()
        .slice(0, MOST_WORDS);
}

const pageOf = (params: Params, kind: 'artist' | 'album' | 'song', max: number): Page => ({
  limit: params.count(`${kind}Count`, { or: 20, max }),
  offset: params.count(`${kind}Offset`, { or: 0, max: Number.MAX_SAFE_INTEGER }),
});
