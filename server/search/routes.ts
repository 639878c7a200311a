// REST API of searching the library.
import { toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { termsOf } from '../library/search-index/search-words.ts';
import type { LibraryService } from '../library/service.ts';
import { toAlbumOut, toArtistOut, toTrackOut } from '../library/wire-maps.ts';
import type { SearchService } from './service.ts';
import { FolderHits, LibrarySearchQuery, LibrarySearchResponse } from './wire.ts';

export const searchRoutes = (search: SearchService, folders: LibraryService['folders']): Route[] => [
  route(
    {
      method: 'get',
      path: '/search/library',
      access: 'user',
      summary: 'Search tracks, albums and artists',
      query: LibrarySearchQuery,
      reply: LibrarySearchResponse,
    },
    ({ user, query }) => {
      const { tracks, albums, artists } = search.searchLibrary(user.id, query.q, query);
      return {
        query: query.q,
        tracks: toPaged(tracks, query, toTrackOut),
        albums: toPaged(albums, query, toAlbumOut),
        artists: toPaged(artists, query, toArtistOut),
      };
    },
  ),
  route(
    {
      method: 'get',
      path: '/search/folders',
      access: 'user',
      summary: 'Search folders on disk by name; the shortest name first, at most 1,000',
      query: LibrarySearchQuery,
      reply: FolderHits,
    },
    async ({ query }) =>
      toPaged(await folders.search(termsOf(query.q), query), query, ({ path, name }) => ({ path, name })),
  ),
];
