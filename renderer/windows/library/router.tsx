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
  parsePeopleSearch,
  parseTrackSearch,
} from '../../features/browse/url-params.ts';
import { waitForServer } from '../../api/client.ts';
import { HomePage } from '../../features/browse/home/home-page.tsx';
import { parseRangeSearch } from '../../ui/day-range.ts';
import { NotFound, RouteError } from './error-pages.tsx';
import { Shell } from './shell.tsx';
import { parseMissingSearch, parsePathSearch, parsePlaylistSearch, parseStatisticsSearch } from './url-params.ts';

const pages: { preload?: () => Promise<void> | undefined }[] = [];

/**
 * Defines a page whose code is loaded on first use. Without the server, the page stays pending. Code that is still
 * missing then is of an older version, and the router reloads the window.
 */
const largePage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(() => importer().catch(() => waitForServer().then(importer)), name);

/** Defines a page whose code is loaded on first use, or earlier by `preloadPages`. */
const lazyPage: typeof lazyRouteComponent = (importer, name) => {
  const page = largePage(importer, name);
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

/** Valid for the server, which answers that nothing has it. */
const ID_OF_NOTHING = 999_999_999_999_999;
const id = (value: unknown) => (/^[1-9]\d{0,14}$/.test(String(value)) ? Number(value) : undefined);
/** Returns the parser of a path with an id. A page whose address has no valid id says that its item does not exist. */
const idParam = <Name extends string>(name: Name) => ({
  parse: (params: Record<Name, string>) => ({ [name]: id(params[name]) ?? ID_OF_NOTHING }) as Record<Name, number>,
  stringify: (params: Record<Name, number>) => ({ [name]: String(params[name]) }) as Record<Name, string>,
});

const flag = (value: unknown): true | undefined => (value === true || value === 'true' ? true : undefined);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (input: Record<string, unknown>) =>
    withoutNulls({ back: text(input['back']), ended: flag(input['ended']) }),
  beforeLoad: async ({ search }) => {
    if (getSession() || (await signInByItself())) throw redirect({ href: backPath(search.back) });
  },
  component: lazyPage(() => import('../../features/accounts/sign-in-page.tsx'), 'SignInPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  validateSearch: (input: Record<string, unknown>) =>
    withoutNulls({
      step: isStep(input['step']) ? input['step'] : undefined,
      token: text(input['token']),
      other: flag(input['other']),
    }),
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
    details: id(input['details']),
    edit: flag(input['edit']),
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

/** Returns the component of a route whose pages have tabs that lead from one to the other. */
function withTabs(family: 'LibraryPages' | 'ExplorePages' | 'ListeningPages' | 'CarePages') {
  const Pages = lazyPage(() => import('./page-tabs.tsx'), family);
  const Family = () => (
    <Pages>
      <Outlet />
    </Pages>
  );
  return Object.assign(Family, { preload: () => Pages.preload?.() });
}
const libraryPages = createRoute({ getParentRoute: () => app, id: 'library', component: withTabs('LibraryPages') });
const explorePages = createRoute({ getParentRoute: () => app, id: 'explore', component: withTabs('ExplorePages') });
const listeningPages = createRoute({
  getParentRoute: () => app,
  id: 'listening',
  component: withTabs('ListeningPages'),
});
const carePages = createRoute({ getParentRoute: () => app, id: 'care', component: withTabs('CarePages') });

const explore = createRoute({
  getParentRoute: () => explorePages,
  path: '/explore',
  component: lazyPage(() => import('./explore-page.tsx'), 'ExplorePage'),
});
const care = createRoute({
  getParentRoute: () => carePages,
  path: '/care',
  component: lazyPage(() => import('./care-page.tsx'), 'CarePage'),
});

const home = createRoute({ getParentRoute: () => app, path: '/', component: HomePage });
const albums = createRoute({
  getParentRoute: () => libraryPages,
  path: '/albums',
  validateSearch: parseAlbumSearch,
  component: lazyPage(() => import('../../features/browse/albums/albums-page.tsx'), 'AlbumsPage'),
});
const album = createRoute({
  getParentRoute: () => app,
  path: '/albums/$albumId',
  params: idParam('albumId'),
  component: lazyPage(() => import('../../features/browse/albums/album-page.tsx'), 'AlbumPage'),
});
const artists = createRoute({
  getParentRoute: () => libraryPages,
  path: '/artists',
  validateSearch: parseArtistSearch,
  component: lazyPage(() => import('../../features/browse/artists/artists-page.tsx'), 'ArtistsPage'),
});
const artist = createRoute({
  getParentRoute: () => app,
  path: '/artists/$artistId',
  params: idParam('artistId'),
  component: lazyPage(() => import('../../features/browse/artists/artist-page.tsx'), 'ArtistPage'),
});
const tracks = createRoute({
  getParentRoute: () => libraryPages,
  path: '/tracks',
  validateSearch: parseTrackSearch,
  component: lazyPage(() => import('../../features/browse/tracks/tracks-page.tsx'), 'TracksPage'),
});
const history = createRoute({
  getParentRoute: () => listeningPages,
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
  getParentRoute: () => listeningPages,
  path: '/statistics',
  validateSearch: parseStatisticsSearch,
  // not preloaded, because the charts are as large as all other pages together
  component: largePage(() => import('../../features/statistics/statistics-page.tsx'), 'StatisticsPage'),
});
const review = createRoute({
  getParentRoute: () => carePages,
  path: '/review',
  component: lazyPage(() => import('../../features/details/review-page.tsx'), 'ReviewPage'),
});
const duplicates = createRoute({
  getParentRoute: () => carePages,
  path: '/duplicates',
  component: lazyPage(() => import('../../features/details/duplicates-page.tsx'), 'DuplicatesPage'),
});
const merges = createRoute({
  getParentRoute: () => carePages,
  path: '/merges',
  component: lazyPage(() => import('../../features/details/merges-page.tsx'), 'MergesPage'),
});
const albumChanges = createRoute({
  getParentRoute: () => carePages,
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
  getParentRoute: () => carePages,
  path: '/missing',
  validateSearch: parseMissingSearch,
  component: lazyPage(() => import('../../features/missing/missing-page.tsx'), 'MissingPage'),
});
const trash = createRoute({
  getParentRoute: () => carePages,
  path: '/trash',
  component: lazyPage(() => import('../../features/trash/trash-page.tsx'), 'TrashPage'),
});
const activity = createRoute({
  getParentRoute: () => carePages,
  path: '/activity',
  validateSearch: (input: Record<string, unknown>) => withoutNulls({ job: id(input['job']) }),
  component: lazyPage(() => import('../../features/activity/activity-page.tsx'), 'ActivityPage'),
});

const search = createRoute({
  getParentRoute: () => app,
  path: '/search',
  validateSearch: (input: Record<string, unknown>) => withoutNulls({ q: text(input['q'])?.slice(0, 200) }),
  component: lazyPage(() => import('../../features/search/search-page.tsx'), 'SearchPage'),
});

const radio = createRoute({
  getParentRoute: () => explorePages,
  path: '/radio',
  component: lazyPage(() => import('../../features/likeness/radio-page.tsx'), 'RadioPage'),
});
const path = createRoute({
  getParentRoute: () => explorePages,
  path: '/path',
  validateSearch: parsePathSearch,
  component: lazyPage(() => import('../../features/likeness/path-page.tsx'), 'PathPage'),
});
const map = createRoute({
  getParentRoute: () => explorePages,
  path: '/map',
  component: lazyPage(() => import('../../features/likeness/map-page.tsx'), 'MapPage'),
});
const mix = createRoute({
  getParentRoute: () => explorePages,
  path: '/mixes/$mixId',
  component: lazyPage(() => import('../../features/likeness/mix-page.tsx'), 'MixPage'),
});
const analysis = createRoute({
  getParentRoute: () => app,
  path: '/analysis',
  component: lazyPage(() => import('../../features/activity/analysis-page.tsx'), 'AnalysisPage'),
});

const shares = createRoute({
  getParentRoute: () => app,
  path: '/shares',
  component: lazyPage(() => import('../../features/shares/shares-page.tsx'), 'SharesPage'),
});

const elsewhere = createRoute({ getParentRoute: () => app, path: '$', component: NotFound });

const genres = createRoute({
  getParentRoute: () => libraryPages,
  path: '/genres',
  validateSearch: parseGenreSearch,
  component: lazyPage(() => import('../../features/browse/genres-page.tsx'), 'GenresPage'),
});
const people = createRoute({
  getParentRoute: () => libraryPages,
  path: '/people',
  validateSearch: parsePeopleSearch,
  component: lazyPage(() => import('../../features/browse/people/people-page.tsx'), 'PeoplePage'),
});
const person = createRoute({
  getParentRoute: () => app,
  path: '/people/$personId',
  params: idParam('personId'),
  validateSearch: parsePeopleSearch,
  component: lazyPage(() => import('../../features/browse/people/person-page.tsx'), 'PersonPage'),
});
const folders = createRoute({
  getParentRoute: () => libraryPages,
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
const playlist = createRoute({
  getParentRoute: () => app,
  path: '/playlists/$playlistId',
  params: idParam('playlistId'),
  validateSearch: parsePlaylistSearch,
  component: lazyPage(() => import('../../features/playlists/playlist-page.tsx'), 'PlaylistPage'),
});
const rules = createRoute({
  getParentRoute: () => app,
  path: '/playlists/$playlistId/rules',
  params: idParam('playlistId'),
  component: lazyPage(() => import('../../features/playlists/rules-page.tsx'), 'RulesPage'),
});

const routeTree = root.addChildren([
  signIn,
  setup,
  settings,
  app.addChildren([
    home,
    album,
    artist,
    search,
    person,
    liked,
    playlists,
    newSmart,
    playlist,
    rules,
    podcasts,
    stations,
    discover,
    analysis,
    shares,
    elsewhere,
    libraryPages.addChildren([albums, artists, tracks, genres, people, folders]),
    explorePages.addChildren([explore, radio, path, map, mix]),
    listeningPages.addChildren([statistics, history]),
    carePages.addChildren([care, review, duplicates, merges, albumChanges, missing, trash, activity]),
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
