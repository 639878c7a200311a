// Errors: an expired session, a track that can't be played, a server that is down.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentTime, DESK_WINDOW, openStage, OWNER_ACCOUNT, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 40, seconds: '10', messy: 0 });
});
afterAll(() => stage?.close());

test('signing in returns to the requested page, also after the session expired', async () => {
  const { context } = await stage.openAsOwner(DESK_WINDOW).then((page) => ({ context: page.context() }));
  await context.close();
  const page = await stage.openPage({ baseURL: stage.url, ...DESK_WINDOW });
  await page.goto('/albums?sort=year');
  await page.getByLabel('Username').fill(OWNER_ACCOUNT.username);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Incorrect username or password').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(OWNER_ACCOUNT.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Albums' }).waitFor();
  expect(new URL(page.url()).search).toBe('?sort=year');

  await page.route('**/api/v1/artists?**', (route) =>
    route.fulfill({
      status: 401,
      contentType: 'application/problem+json',
      body: '{"status":401,"title":"Unauthorized"}',
    }),
  );
  await page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: 'Artists' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText('Your session has ended.').waitFor();
  await page.unroute('**/api/v1/artists?**');
  await page.getByLabel('Username').fill(OWNER_ACCOUNT.username);
  await page.getByLabel('Password', { exact: true }).fill(OWNER_ACCOUNT.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Artists' }).waitFor();
  await page.context().close();
});

test('a new user creates an account if registration is open, and sees no activity', async () => {
  const page = await stage.openPage({ baseURL: stage.url, ...DESK_WINDOW });
  await page.goto('/sign-in');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Username').fill('listener');
  await page.getByLabel('Password', { exact: true }).fill('long enough password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  expect(await page.getByRole('link', { name: 'Activity' }).count()).toBe(0);
  await page.context().close();
});

test('a track whose file is missing says so, and the next one plays', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  const { items } = await stage.api<{ items: { id: number; track_count: number }[] }>('/albums?limit=200');
  const album = items.reduce((longestAlbum, item) =>
    item.track_count > longestAlbum.track_count ? item : longestAlbum,
  );
  const { items: tracks } = await stage.api<{ items: { id: number; title: string }[] }>(`/albums/${album.id}/tracks`);
  await page.route(`**/api/v1/stream/${tracks[0]!.id}?**`, (route) => route.fulfill({ status: 410 }));
  await page.route(`**/api/v1/stream/${tracks[0]!.id}`, (route) => route.fulfill({ status: 410 }));
  await page.goto(`/albums/${album.id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  const player = page.getByRole('region', { name: 'Player' });
  await player.getByRole('status').getByText(`The file of “${tracks[0]!.title}” is missing.`).waitFor();
  await expect.poll(() => player.getByRole('link').first().textContent()).toBe(tracks[1]!.title);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.2);
  await page.context().close();
});

test('a queue in which nothing can be played stops, repeating or not', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  const requestedUrls: string[] = [];
  await page.route('**/api/v1/stream/**', (route) => {
    requestedUrls.push(new URL(route.request().url()).pathname);
    return route.fulfill({ status: 410 });
  });
  const { items } = await stage.api<{ items: { id: number; track_count: number }[] }>('/albums?limit=200');
  const album = items
    .filter((item) => item.track_count > 1)
    .reduce((shortestAlbum, item) => (item.track_count < shortestAlbum.track_count ? item : shortestAlbum));
  await page.goto(`/albums/${album.id}`);
  const player = page.getByRole('region', { name: 'Player' });
  await player.getByRole('button', { name: 'Repeat: off' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => player.getByRole('status').textContent()).toMatch(/is missing\.\s*$/);
  await expect.poll(() => new Set(requestedUrls).size).toBe(album.track_count);
  await page.context().close();
});

test('the page shows when the server is down, and when it is back', async () => {
  const page = await stage.openAsOwner({ ...DESK_WINDOW, preloads: true });
  await page.goto('/albums');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.context().setOffline(true);
  await page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: 'Artists' }).click();
  const notice = page.getByText('Can’t reach the server.');
  await notice.waitFor();
  expect(await page.getByText('Something went wrong').count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByRole('grid', { name: 'Artists' }).getByRole('link').first().waitFor();
  await notice.waitFor({ state: 'hidden' });
  await page.context().close();
});

test('a lasting notice is at the bottom of the window, however short the page', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.route('**/api/v1/status', async (route) => {
    const response = await route.fetch();
    const problems = [{ code: 'music_folder_away', tracks: 400 }];
    await route.fulfill({ response, json: { ...((await response.json()) as object), problems } });
  });
  const bottom = async (selector: string): Promise<number> =>
    page
      .locator(selector)
      .boundingBox()
      .then((box) => (box ? Math.round(box.y + box.height) : -1));
  for (const path of ['/nowhere', '/albums/999999', '/tracks']) {
    await page.goto(path);
    await page.getByText('400 tracks can’t be played').waitFor();
    await expect.poll(() => bottom('main [data-lasting]'), { message: path }).toBe(await bottom('main'));
  }
  await page.context().close();
});

test('actions that fail without the server are reported, and the page stays', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  const { items } = await stage.api<{ items: { id: number; title: string }[] }>('/albums?limit=1');
  await page.goto(`/albums/${items[0]!.id}`);
  const like = page.getByRole('main').getByRole('button', { name: /^Like/ }).first();
  await like.waitFor();
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/notices-')),
  );
  await page.context().setOffline(true);
  await like.click();
  await page.getByText(`Couldn’t like “${items[0]!.title}”`).waitFor();
  await page.getByRole('heading', { level: 1, name: items[0]!.title }).waitFor();
  await page.context().close();
});

test('a part of the window that cannot be loaded takes nothing else with it, and comes later', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  let isFailing = true;
  await page.route(/\/(?:problem-notice|focus-back|offers|scan-strip)-[^/]*\.js/, (route) =>
    isFailing ? route.abort() : route.fallback(),
  );
  await page.route('**/api/v1/status', async (route) => {
    const answer = await route.fetch();
    const status = (await answer.json()) as object;
    await route.fulfill({ response: answer, json: { ...status, problems: [{ code: 'disk_full', tracks: null }] } });
  });
  await page.goto('/albums');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().waitFor();
  await page.waitForTimeout(1_000);
  expect(await page.getByText('Something went wrong').count()).toBe(0);
  isFailing = false;
  await page.reload();
  await page.getByText('The server’s disk is full').waitFor();
  await page.context().close();
});
