// All pages of the app, and a library in which none of them is empty.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import type { AlbumPage, TrackPage } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { addCreditedAlbum } from '../support/credited-album.ts';
import { startSmallCatalogue } from '../support/small-catalogue.ts';
import { addPodcasts } from '../support/some-podcasts.ts';
import { until } from '../support/until.ts';
import { DESK_WINDOW, waitUntilDrawn, loseFiles, openStage, type Stage, type StageOptions } from './stage.ts';

export const APP_PAGES = [
  '/',
  '/albums',
  '/albums?sort=year&genre=none-such',
  '/artists',
  '/tracks',
  '/search',
  '/search?q=a',
  '/genres',
  '/folders',
  '/genres?view=list',
  '/people',
  '/people?role=engineer',
  '/people/1',
  '/people/1?role=all',
  '/liked',
  '/liked?kind=albums',
  '/playlists',
  '/playlists/1',
  '/playlists/1?versions=true',
  '/playlists/2/rules',
  '/playlists/new-smart',
  '/explore',
  '/care',
  '/activity?job=1',
  '/missing',
  '/trash',
  '/history',
  '/radio',
  '/path',
  '/map',
  '/analysis',
  '/podcasts',
  '/stations',
  '/shares',
  '/statistics',
  '/review',
  '/duplicates',
  '/merges',
  '/album-changes',
  '/discover',
  '/discover?q=harbour',
  '/tracks?details=1',
  '/tracks?details=1&edit=true',
  '/albums/1',
  '/artists/1',
  '/albums/999999',
  '/nowhere',
  '/player',
  '/setup?step=folder',
  '/setup?step=network',
  ...['general', 'library', 'storage', 'metadata', 'network', 'playback', 'remote', 'account', 'accounts', 'about'].map(
    (section) => `/settings#${section}`,
  ),
];

interface WithRouter {
  __TSR_ROUTER__: { navigate: (to: { href: string }) => Promise<void> };
}

/** Runs in the page: returns whether everything is loaded. */
const isLoadedNow = (): boolean =>
  document.querySelector('h1, h2') !== null &&
  !document.querySelector('[class*=skeleton], [aria-busy=true]') &&
  [...document.images].every((image) => image.complete || image.loading === 'lazy');

/** Runs in the page: returns what is not loaded yet. */
const leftNow = (): string[] =>
  [...document.querySelectorAll('[class*=skeleton], [aria-busy=true]')].map((element) =>
    element.outerHTML.slice(0, 500),
  );

/** A page that is still loading after this time is reported, which explains why a test takes minutes. */
const REPORTED_MS = 60_000;

/**
 * Returns a function that opens pages in a window and waits for everything that they load. Within one window it
 * navigates like a link; only another window is loaded as a whole, which takes several times as long.
 */
export function pageOpener(page: Page): (path: string) => Promise<void> {
  const requests = new Set<Request>();
  page.on('request', (request) => request.resourceType() !== 'eventsource' && requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  const report = async (path: string): Promise<void> => {
    const urls = [...requests].map((request) => request.url());
    console.warn(`${path} has been loading for a minute, with requests`, urls, 'and', await page.evaluate(leftNow));
  };
  const open = async (path: string): Promise<void> => {
    const isLoaded = await page.evaluate(() => '__TSR_ROUTER__' in globalThis);
    if (isLoaded && !/^\/(player|settings)/.test(path))
      await page.evaluate((href) => (globalThis as unknown as WithRouter).__TSR_ROUTER__.navigate({ href }), path);
    else await page.goto(path);
    do {
      await page.waitForFunction(isLoadedNow, undefined, { polling: 100 });
      await until(
        () => [...requests].map((request) => request.url()),
        (open) => open.length === 0,
      );
      await waitUntilDrawn(page); // the loaded data may cause more requests
    } while (requests.size > 0 || !(await page.evaluate(isLoadedNow)));
  };
  return async (path) => {
    const slow = setTimeout(() => void report(path).catch(console.warn), REPORTED_MS);
    await open(path).finally(() => clearTimeout(slow));
  };
}

const NAME_LENGTH = 300;
const words = (suffix: string): string =>
  `${suffix} that has a name as long as those of the twentieth century’s symphonies with all movements `
    .repeat(4)
    .slice(0, NAME_LENGTH);
/** Functions that make long names with spaces, where a line can break, and without spaces. */
const LONG_NAME_MAKERS = [words, (suffix: string) => words(suffix).replaceAll(' ', '_')];

/** Adds an album with each kind of long name. */
function addLongNames(dir: string): void {
  for (const [i, makeName] of LONG_NAME_MAKERS.entries()) {
    const to = join(dir, `Long names ${i}`);
    mkdirSync(to, { recursive: true });
    for (const n of [1, 2, 3]) {
      const tags = {
        TIT2: makeName(`Track ${n}`),
        TPE1: makeName('Artist'),
        TALB: makeName('Album'),
        TCON: makeName('Genre'),
        TRCK: String(n),
      };
      const frames = Object.entries(tags).map(([name, text]) => id3Frame(name, utf8Text(text)));
      writeFileSync(join(to, `${n}.mp3`), Buffer.concat([id3(frames), silentMp3(40 + 10 * i + n)]));
    }
  }
}

/** Returns the pages of items that have names of 300 characters. */
export async function pagesOfLongNames({ api }: Pick<Stage, 'api'>): Promise<string[]> {
  const { items: albums } = await api<AlbumPage>('/albums?q=symphonies&limit=10');
  const { items: tracks } = await api<TrackPage>('/tracks?q=symphonies&limit=10');
  const name = words('Playlist').slice(0, 200);
  const { id } = await api<{ id: number }>('/playlists', {
    method: 'POST',
    body: { name, description: words('Description'), track_ids: tracks.map((track) => track.id) },
  });
  return [
    ...albums.flatMap((album) => [`/albums/${album.id}`, `/artists/${album.artist_id}`]),
    `/tracks?details=${tracks[0]?.id}`,
    '/tracks?q=symphonies',
    '/albums?q=symphonies',
    '/search?q=symphonies',
    `/playlists/${id}`,
  ];
}

const HOUR_MS = 3_600_000;

export async function openStageOfPages(options: StageOptions = {}): Promise<Stage> {
  const catalogue = await startSmallCatalogue();
  const stage = await openStage({
    isScanned: false,
    tracks: 80,
    messy: 0.1,
    seconds: '15',
    env: catalogue.env,
    ...options,
    async addMusic(dir) {
      addLongNames(dir);
      addCreditedAlbum(dir);
      await options.addMusic?.(dir);
    },
  });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  await loseFiles(stage, 3);
  await stage.api('/network/sharing', { method: 'PUT', body: { enabled: true } });
  await stage.api('/playlists', { method: 'POST', body: { name: 'Evening', track_ids: [1, 2, 3] } });
  await stage.api('/playlists', {
    method: 'POST',
    body: { name: 'Loved', rules: { all: [{ field: 'liked', op: 'is', value: true }] } },
  });
  await stage.api('/shares', {
    method: 'POST',
    body: { track_ids: [1, 2, 3], kind: 'playlist', description: 'Evening' },
  });
  addPodcasts(stage.dataDir);
  for (const name of ['Harbour FM', 'Night Train'])
    await stage.api('/stations', {
      method: 'POST',
      body: { name, stream_url: `https://radio.example/${name}`, home_page_url: 'https://radio.example' },
    });
  const { items } = await stage.api<TrackPage>('/tracks?sort=title&order=desc&limit=1');
  await stage.api(`/tracks/${items[0]?.id}`, { method: 'DELETE' });
  await stage.api('/history', {
    method: 'POST',
    body: {
      items: [1, 2, 3].map((track_id) => ({
        track_id,
        played_at: new Date(Date.now() - track_id * HOUR_MS).toISOString(),
        played_ms: 180_000,
      })),
    },
  });
  return {
    ...stage,
    async close() {
      await stage.close();
      await catalogue.close();
    },
  };
}
