// The routes of the library window. The state of a page is in its URL; page code is loaded on first use.
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { authStatusQuery } from '../../api/sign-in.ts';
import { signInByItself } from '../../api/desktop-session.ts';
import { getSession } from '../../api/session.ts';
import { desktop } from '../../desktop.ts';
import { backPath } from '../../features/accounts/back-path.ts';
import type { SetupStep } from '../../features/accounts/setup-page.tsx';
import {
  parseAlbumSearch,
  parseArtistSearch,
  parseGenreSearch,
  parseLikedSearch,
  parseTrackSearch,
} from '../../features/browse/url-params.ts';
import { HomePage } from '../../features/browse/home/home-page.tsx';
import { parseRangeSearch } from '../../ui/day-range.ts';
import { NotFound, RouteError } from './error-pages.tsx';
import { Shell } from './shell.tsx';
import { parseMissingSearch, parsePathSearch, parsePlaylistSearch, parseStatisticsSearch } from './url-params.ts';

const pages: { preload?: () => Promise<void> | undefined }[] = [];

/** Defines a page whose code is loaded on first use, or earlier by `preloadPages`. */
const lazyPage: typeof lazyRouteComponent = (importer, name) => {
  const page = lazyRouteComponent(importer, name);
  pages.push(page);
  return page;
};

/**
 * Loads all pages when the window is idle: navigation then needs no server, so losing the server does not stop the
 * music.
 */
export const preloadPages = (): void => {
  for (const page of pages) void page.preload?.();
};

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ component: Outlet });

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const isStep = (value: unknown): value is SetupStep => value === 'account' || value === 'folder' || value === 'network';
/** Keeps undefined for invalid values, because the router merges the values over the raw parameters. */
const withoutNulls = <T extends object>(values: T) => values as { [K in keyof T]?: NonNullable<T[K]> };

const id = (value: string) => (/^[1-9]\d{0,14}$/.test(value) ? Number(value) : 0);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (input: Record<string, unknown>) => withoutNulls({ back: text(input['back']) }),
  beforeLoad: async ({ search }) => {
    if (getSession() || (await signInByItself())) throw redirect({ href: backPath(search.back) });
  },
  component: lazyPage(() => import('../../features/accounts/sign-in-page.tsx'), 'SignInPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: (input: Record<string, unknown>) =>
    withoutNulls({ step: isStep(input['step']) ? input['step'] : undefined, token: text(input['token']) }),
  beforeLoad: async ({ search, context, location }) => {
    if (search.step && search.step !== 'account') {
      if (!getSession()) throw redirect({ to: '/sign-in', search: { back: location.href } });
      return;
    }
    const { setup_required } = await context.queries.fetchQuery(authStatusQuery());
    if (!setup_required) throw redirect({ to: '/' });
  },
  loader: async () => ({ handedToken: (await desktop?.setupToken()) ?? undefined }),
  component: lazyPage(() => import('../../features/accounts/setup-page.tsx'), 'SetupPage'),
});

/** All pages behind the sign-in, inside the shell with side bar and player. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  /** The track whose details are open, and whether they are being edited. */
  validateSearch: (input: Record<string, unknown>): { details?: number | undefined; edit?: true | undefined } => ({
    details:
      id(typeof input['details'] === 'number' ? String(input['details']) : (text(input['details']) ?? '')) || undefined,
    edit: input['edit'] === true || input['edit'] === 'true' || undefined,
  }),
  beforeLoad: async ({ context, location }) => {
    if (getSession()) return;
    const { setup_required } = await context.queries.fetchQuery(authStatusQuery());
    if (setup_required) throw redirect({ to: '/setup' });
    if (await signInByItself()) return;
    throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { back: location.href } });
  },
  component: Shell,
});

/** The settings are a separate document, which is loaded as a whole. */
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  beforeLoad: ({ location }) => {
    if (globalThis.location.pathname === location.pathname) globalThis.location.reload();
    else globalThis.location.assign(location.href);
    return new Promise<never>(() => {}); // the document is being replaced
  },
});

const home = createRoute({ getParentRoute: () => app, path: '/', component: HomePage });
const albums = createRoute({
  getParentRoute: () => app,
  path: '/albums',
  validateSearch: parseAlbumSearch,
  component: lazyPage(() => import('../../features/browse/albums/albums-page.tsx'), 'AlbumsPage'),
});
const album = createRoute({
  getParentRoute: () => app,
  path: '/albums/$albumId',
  params: {
    parse: ({ albumId }) => ({ albumId: id(albumId) }),
    stringify: ({ albumId }) => ({ albumId: String(albumId) }),
  },
  component: lazyPage(() => import('../../features/browse/albums/album-page.tsx'), 'AlbumPage'),
});
const artists = createRoute({
  getParentRoute: () => app,
  path: '/artists',
  validateSearch: parseArtistSearch,
  component: lazyPage(() => import('../../features/browse/artists/artists-page.tsx'), 'ArtistsPage'),
});
const artist = createRoute({
  getParentRoute: () => app,
  path: '/artists/$artistId',
  params: {
    parse: ({ artistId }) => ({ artistId: id(artistId) }),
    stringify: ({ artistId }) => ({ artistId: String(artistId) }),
  },
  component: lazyPage(() => import('../../features/browse/artists/artist-page.tsx'), 'ArtistPage'),
});
const tracks = createRoute({
  getParentRoute: () => app,
  path: '/tracks',
  validateSearch: parseTrackSearch,
  component: lazyPage(() => import('../../features/browse/tracks/tracks-page.tsx'), 'TracksPage'),
});
const history = createRoute({
  getParentRoute: () => app,
  path: '/history',
  validateSearch: parseRangeSearch,
  component: lazyPage(() => import('../../features/history/history-page.tsx'), 'HistoryPage'),
});
const podcasts = createRoute({
  getParentRoute: () => app,
  path: '/podcasts',
  component: lazyPage(() => import('../../features/podcasts/podcasts-page.tsx'), 'PodcastsPage'),
});
const stations = createRoute({
  getParentRoute: () => app,
  path: '/stations',
  component: lazyPage(() => import('../../features/stations/stations-page.tsx'), 'StationsPage'),
});
const statistics = createRoute({
  getParentRoute: () => app,
  path: '/statistics',
  validateSearch: parseStatisticsSearch,
  // not preloaded, because the charts are as large as all other pages together
  component: lazyRouteComponent(() => import('../../features/statistics/statistics-page.tsx'), 'StatisticsPage'),
});
const review = createRoute({
  getParentRoute: () => app,
  path: '/review',
  component: lazyPage(() => import('../../features/details/review-page.tsx'), 'ReviewPage'),
});
const duplicates = createRoute({
  getParentRoute: () => app,
  path: '/duplicates',
  component: lazyPage(() => import('../../features/details/duplicates-page.tsx'), 'DuplicatesPage'),
});
const merges = createRoute({
  getParentRoute: () => app,
  path: '/merges',
  component: lazyPage(() => import('../../features/details/merges-page.tsx'), 'MergesPage'),
});
const albumChanges = createRoute({
  getParentRoute: () => app,
  path: '/album-changes',
  component: lazyPage(() => import('../../features/details/album-changes-page.tsx'), 'AlbumChangesPage'),
});
const discover = createRoute({
  getParentRoute: () => app,
  path: '/discover',
  validateSearch: (input: Record<string, unknown>) => withoutNulls({ q: text(input['q'])?.slice(0, 200) }),
  component: lazyPage(() => import('../../features/discover/discover-page.tsx'), 'DiscoverPage'),
});
const missing = createRoute({
  getParentRoute: () => app,
  path: '/missing',
  validateSearch: parseMissingSearch,
  component: lazyPage(() => import('../../features/missing/missing-page.tsx'), 'MissingPage'),
});
const trash = createRoute({
  getParentRoute: () => app,
  path: '/trash',
  component: lazyPage(() => import('../../features/trash/trash-page.tsx'), 'TrashPage'),
});
const activity = createRoute({
  getParentRoute: () => app,
  path: '/activity',
  validateSearch: (input: Record<string, unknown>) => withoutNulls({ job: id(text(input['job']) ?? '') || undefined }),
  component: lazyPage(() => import('../../features/activity/activity-page.tsx'), 'ActivityPage'),
});

const search = createRoute({
  getParentRoute: () => app,
  path: '/search',
  validateSearch: (input: Record<string, unknown>) => withoutNulls({ q: text(input['q'])?.slice(0, 200) }),
  component: lazyPage(() => import('../../features/search/search-page.tsx'), 'SearchPage'),
});

const radio = createRoute({
  getParentRoute: () => app,
  path: '/radio',
  component: lazyPage(() => import('../../features/likeness/radio-page.tsx'), 'RadioPage'),
});
const path = createRoute({
  getParentRoute: () => app,
  path: '/path',
  validateSearch: parsePathSearch,
  component: lazyPage(() => import('../../features/likeness/path-page.tsx'), 'PathPage'),
});
const map = createRoute({
  getParentRoute: () => app,
  path: '/map',
  component: lazyPage(() => import('../../features/likeness/map-page.tsx'), 'MapPage'),
});
const mix = createRoute({
  getParentRoute: () => app,
  path: '/mixes/$mixId',
  component: lazyPage(() => import('../../features/likeness/mix-page.tsx'), 'MixPage'),
});
const analysis = createRoute({
  getParentRoute: () => app,
  path: '/analysis',
  component: lazyPage(() => import('../../features/activity/analysis-page.tsx'), 'AnalysisPage'),
});

const elsewhere = createRoute({ getParentRoute: () => app, path: '$', component: NotFound });

const genres = createRoute({
  getParentRoute: () => app,
  path: '/genres',
  validateSearch: parseGenreSearch,
  component: lazyPage(() => import('../../features/browse/genres-page.tsx'), 'GenresPage'),
});
const folders = createRoute({
  getParentRoute: () => app,
  path: '/folders',
  validateSearch: (input: Record<string, unknown>) => withoutNulls({ path: text(input['path']) }),
  component: lazyPage(() => import('../../features/browse/folders-page.tsx'), 'FoldersPage'),
});
const liked = createRoute({
  getParentRoute: () => app,
  path: '/liked',
  validateSearch: parseLikedSearch,
  component: lazyPage(() => import('../../features/browse/tracks/liked-page.tsx'), 'LikedPage'),
});
const playlists = createRoute({
  getParentRoute: () => app,
  path: '/playlists',
  component: lazyPage(() => import('../../features/playlists/playlists-page.tsx'), 'PlaylistsPage'),
});
const newSmart = createRoute({
  getParentRoute: () => app,
  path: '/playlists/new-smart',
  component: lazyPage(() => import('../../features/playlists/rules-page.tsx'), 'NewSmartPage'),
});
const playlistParams = {
  parse: ({ playlistId }: { playlistId: string }) => ({ playlistId: id(playlistId) }),
  stringify: ({ playlistId }: { playlistId: number }) => ({ playlistId: String(playlistId) }),
};
const playlist = createRoute({
  getParentRoute: () => app,
  path: '/playlists/$playlistId',
  params: playlistParams,
  validateSearch: parsePlaylistSearch,
  component: lazyPage(() => import('../../features/playlists/playlist-page.tsx'), 'PlaylistPage'),
});
const rules = createRoute({
  getParentRoute: () => app,
  path: '/playlists/$playlistId/rules',
  params: playlistParams,
  component: lazyPage(() => import('../../features/playlists/rules-page.tsx'), 'RulesPage'),
});

const routeTree = root.addChildren([
  signIn,
  setup,
  settings,
  app.addChildren([
    home,
    albums,
    album,
    artists,
    artist,
    tracks,
    search,
    genres,
    folders,
    liked,
    playlists,
    newSmart,
    playlist,
    rules,
    history,
    podcasts,
    stations,
    statistics,
    review,
    duplicates,
    merges,
    albumChanges,
    missing,
    trash,
    discover,
    activity,
    radio,
    path,
    map,
    mix,
    analysis,
    elsewhere,
  ]),
]);

export const createLibraryRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: RouteError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
    scrollToTopSelectors: ['#main'],
    // Parameters stay plain text in both directions: the default would parse a setup token of digits as a number.
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const pairs = Object.entries(search).flatMap(([key, value]) =>
        value === undefined || value === null ? [] : [[key, String(value)]],
      );
      return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
    },
  });

type LibraryRouter = ReturnType<typeof createLibraryRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: LibraryRouter;
  }
}
