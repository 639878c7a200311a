// API of searching the library.
import { toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { toAlbumOut, toArtistOut, toTrackOut } from '../library/wire-maps.ts';
import type { SearchService } from './service.ts';
import { LibrarySearchQuery, LibrarySearchResponse } from './wire.ts';

export const searchRoutes = (search: SearchService): Route[] => [
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
];
