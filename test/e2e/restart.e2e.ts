// The server is killed and started again while people use its pages: nothing is to be done.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { TrackOut } from '../../server/library/wire.ts';
import { currentTime, DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 24, seconds: '60', messy: 0, formats: ['mp3'] });
});
afterAll(() => stage?.close());

const notice = (page: Page) => page.getByText('Can’t reach the server.');
const countFigures = (page: Page): Promise<number> => page.getByRole('main').getByRole('region').count();
const scrollTop = (page: Page): Promise<number> => page.locator('#main').evaluate(({ scrollTop: top }) => top);

async function addPlays(): Promise<void> {
  const { items } = await stage.api<{ items: TrackOut[] }>('/tracks?limit=20');
  const plays = items.map(({ id }) => ({
    track_id: id,
    played_at: new Date(Date.now() - id * 3_600_000).toISOString(),
  }));
  await stage.api('/history', { method: 'POST', body: { items: plays } });
}

test.each([
  ['desk', DESK_WINDOW],
  ['phone', PHONE_WINDOW],
])('Statistics stay while the server restarts, and the music goes on: %s', async (_name, window) => {
  const page = await stage.openAsOwner({ ...window, preloads: true });
  await addPlays();
  await page.goto('/albums');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().click();
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.5);
  await page.evaluate(() => history.pushState({}, '', '/statistics')); // a link would be in another place on a phone
  await expect.poll(() => countFigures(page)).toBeGreaterThan(2);
  await page.waitForLoadState('networkidle');
  await page.locator('#main').evaluate((main) => main.scrollTo(0, 300));
  const [figures, top] = [await countFigures(page), await scrollTop(page)];

  const start = await stage.kill();
  await notice(page).waitFor();
  expect(await notice(page).count()).toBe(1);
  expect(await countFigures(page)).toBe(figures);
  expect(await page.getByText('Something went wrong').count()).toBe(0);
  const heardMs = await currentTime(page);
  await expect.poll(() => currentTime(page)).toBeGreaterThan(heardMs);
  await start();
  await notice(page).waitFor({ state: 'hidden' });
  expect(await countFigures(page)).toBe(figures);
  expect([await scrollTop(page), new URL(page.url()).pathname]).toEqual([top, '/statistics']);
  await page.context().close();
});

test('pages that are opened without the server come by themselves, even if their code was not loaded', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW); // without loading the pages ahead
  await page.goto('/albums');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().waitFor();
  const start = await stage.kill();
  await notice(page).waitFor();
  const sideBar = page.getByRole('navigation', { name: 'Library' });
  await sideBar.getByRole('link', { name: 'Artists' }).click();
  await page.waitForURL(/artists/);
  await sideBar.getByRole('link', { name: 'Statistics' }).click();
  await page.waitForURL(/statistics/);
  expect(await page.getByText('Something went wrong').count()).toBe(0);
  await start();
  await expect.poll(() => countFigures(page)).toBeGreaterThan(2);
  await notice(page).waitFor({ state: 'hidden' });
  await page.context().close();
});

test('a cover that fails without the server is an empty square, and is loaded when the server is back', async () => {
  const page = await stage.openAsOwner(DESK_WINDOW);
  await page.goto('/albums');
  const image = page.locator('#main [data-cover] img').first();
  const disc = page.locator('#main [data-cover]').first().locator('img + *');
  await expect.poll(() => image.getAttribute('data-loaded')).toBe('');
  const start = await stage.kill();
  await notice(page).waitFor();
  // as an image that scrolls into view
  await image.evaluate((img: HTMLImageElement) => {
    delete img.dataset['loaded'];
    img.src += '&again';
  });
  await expect.poll(() => image.getAttribute('data-broken')).toBe('');
  expect(await disc.isVisible()).toBe(false);
  await start();
  await expect.poll(() => image.getAttribute('data-loaded')).toBe('');
  expect(await image.getAttribute('data-broken')).toBe(null);
  await page.context().close();
});
