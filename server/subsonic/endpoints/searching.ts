// Endpoints of search. Clients sync the whole library with an empty query: sorted by the time of adding, so that new
// items do not shift the pages.
import type { Page } from '../../http/paging.ts';
import type { AlbumSummary } from '../../library/album-rows.ts';
import type { ArtistSummary } from '../../library/artist-rows.ts';
import type { LibraryService } from '../../library/service.ts';
import type { TrackSummary } from '../../library/track-rows.ts';
import type { LibrarySearch, SearchService } from '../../search/service.ts';
import { user, type Call, type Endpoints } from '../endpoint.ts';
import { checkMusicFolder, inPieces } from '../list-slices.ts';
import type { Params } from '../params.ts';

export interface SearchDeps {
  library: LibraryService;
  search: SearchService;
}

const MOST = 100_000;
const OLDEST_FIRST = { sort: 'created_at', order: 'asc' } as const;

interface Found {
  artists: ArtistSummary[];
  albums: AlbumSummary[];
  tracks: TrackSummary[];
}

export function searchEndpoints({ library, search }: SearchDeps): Endpoints {
  async function find({ params, user: { id } }: Call): Promise<Found> {
    checkMusicFolder(params);
    const query = wordsOf(params.text('query'));
    const pages = {
      artists: pageOf(params, 'artist'),
      albums: pageOf(params, 'album'),
      tracks: pageOf(params, 'song'),
    };
    if (query === '') {
      return {
        artists: await inPieces(
          pages.artists,
          async (page) => (await library.listArtists(id, {}, OLDEST_FIRST, page)).items,
        ),
        albums: await inPieces(
          pages.albums,
          async (page) => (await library.listAlbums(id, {}, OLDEST_FIRST, page)).items,
        ),
        tracks: await inPieces(
          pages.tracks,
          async (page) => (await library.listTracks(id, {}, OLDEST_FIRST, page)).items,
        ),
      };
    }
    // most clients request the same page of each kind, which takes one search
    const asked = new Map<string, LibrarySearch>();
    const searched = (page: Page): LibrarySearch => {
      const key = `${page.limit} ${page.offset}`;
      const found = asked.get(key) ?? search.searchLibrary(id, query, page);
      asked.set(key, found);
      return found;
    };
    return {
      artists: await inPieces(pages.artists, (page) => searched(page).artists.items),
      albums: await inPieces(pages.albums, (page) => searched(page).albums.items),
      tracks: await inPieces(pages.tracks, (page) => searched(page).tracks.items),
    };
  }

  return {
    search3: user(async (call) => {
      const { artists, albums, tracks } = await find(call);
      return {
        searchResult3: {
          artist: artists.map(call.shapes.artist),
          album: albums.map(call.shapes.album),
          song: tracks.map((track) => call.shapes.song(track)),
        },
      };
    }),

    search2: user(async (call) => {
      const { artists, albums, tracks } = await find(call);
      return {
        searchResult2: {
          artist: artists.map(call.shapes.artistFolder),
          album: albums.map((album) => call.shapes.albumFolder(album)),
          song: tracks.map((track) => call.shapes.song(track)),
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
        searchResult: { offset: page.offset, totalHits: total, match: items.map((track) => shapes.song(track)) },
      };
    }),
  };
}

/** `""` is an empty query. Removes the `*` at the end of words, since every word matches as a prefix. */
function wordsOf(query: string | undefined): string {
  const text = (query ?? '').trim();
  return text === '""'
    ? ''
    : text
        .replace(/(?<=\S)\*(?=\s|$)/g, '')
        .trim()
        .slice(0, 200);
}

const pageOf = (params: Params, kind: 'artist' | 'album' | 'song'): Page => ({
  limit: params.count(`${kind}Count`, { or: 20, max: MOST }),
  offset: params.count(`${kind}Offset`, { or: 0, max: Number.MAX_SAFE_INTEGER }),
});
