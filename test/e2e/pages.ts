// Every page, and a library in which none of them is empty.
import type { Page, Request } from 'playwright-core';
import type { TrackPage } from '../../server/library/wire.ts';
import { startSmallCatalogue } from '../support/small-catalogue.ts';
import { until } from '../support/until.ts';
import { DESK, loseFiles, openStage, type Stage, type StageOptions } from './stage.ts';

export const PAGES = [
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
  '/liked',
  '/liked?kind=albums',
  '/playlists',
  '/playlists/1?versions=true',
  '/playlists/2/rules',
  '/playlists/new-smart',
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
  '/statistics',
  '/review',
  '/duplicates',
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

/**
 * Opens pages in a window and waits for all that they load. Where the window stays the same this is like clicking a
 * link, and only otherwise a new load, which takes several times as long.
 */
export function pageOpener(page: Page): (path: string) => Promise<void> {
  const requests = new Set<Request>();
  page.on('request', (request) => request.resourceType() !== 'eventsource' && requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  return async (path) => {
    const isLoaded = await page.evaluate(() => '__TSR_ROUTER__' in globalThis);
    if (isLoaded && !/^\/(player|settings)/.test(path))
      await page.evaluate((href) => (globalThis as unknown as WithRouter).__TSR_ROUTER__.navigate({ href }), path);
    else await page.goto(path);
    await page.waitForFunction(
      () =>
        document.querySelector('h1, h2') &&
        !document.querySelector('[class*=skeleton], [aria-busy=true]') &&
        [...document.images].every((image) => image.complete || image.loading === 'lazy'),
    );
    await until(() => requests.size === 0);
  };
}

const HOUR_MS = 3_600_000;

export async function openStageOfPages(options: StageOptions = {}): Promise<Stage> {
  const catalogue = await startSmallCatalogue();
  const stage = await openStage({
    scanned: false,
    tracks: 80,
    messy: 0.1,
    seconds: '15',
    env: catalogue.env,
    ...options,
  });
  await (await stage.openAsOwner(DESK)).context().close();
  await loseFiles(stage, 3);
  await stage.api('/network/sharing', { method: 'PUT', body: { enabled: true } });
  await stage.api('/playlists', { method: 'POST', body: { name: 'Evening', track_ids: [1, 2, 3] } });
  await stage.api('/playlists', {
    method: 'POST',
    body: { name: 'Loved', rules: { all: [{ field: 'liked', op: 'is', value: true }] } },
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
