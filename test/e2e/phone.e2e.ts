// The layout of a phone, from 360 px.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageOpener } from './pages.ts';
import { currentTime, drawn, openStage, PHONE, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 80, seconds: '20' });
});
afterAll(() => stage?.close());

const PAGES = [
  '/',
  '/albums',
  '/artists',
  '/tracks',
  '/activity?job=1',
  '/albums/1',
  '/artists/1',
  '/setup?step=folder',
  '/setup?step=network',
  '/history',
  '/statistics',
  '/review',
  '/duplicates',
  '/genres',
  '/liked',
  '/playlists',
  '/playlists/new-smart',
  '/missing',
  '/trash',
  '/discover',
  '/tracks?details=1',
  '/tracks?details=1&edit=true',
  '/artists',
  '/settings#general',
  '/settings#library',
  '/settings#storage',
  '/settings#metadata',
  '/settings#network',
  '/settings#playback',
  '/settings#remote',
  '/settings#account',
  '/settings#accounts',
  '/settings#about',
];

test('at 390 and 360 px nothing is wider than the screen', async () => {
  const page = await stage.openAsOwner(PHONE);
  const open = pageOpener(page);
  await stage.api('/network/sharing', { method: 'PUT', body: { enabled: true } });
  for (const path of PAGES) {
    await open(path);
    for (const width of [390, 360]) {
      await page.setViewportSize({ width, height: 780 });
      await drawn(page);
      const wide = await page.evaluate(() =>
        [document.documentElement, document.querySelector('main')!].map(
          (element) => element.scrollWidth - element.clientWidth,
        ),
      );
      expect.soft(wide, `${path} at ${width} px`).toEqual([0, 0]);
    }
  }
  await page.context().close();
});

test('all pages can be reached from the bottom bar, and the player fills the screen', async () => {
  const page = await stage.openAsOwner(PHONE);
  await page.goto('/');
  const bar = page.getByRole('navigation', { name: 'Library' });
  await bar.getByRole('link', { name: 'Albums' }).tap();
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().tap();
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).tap();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.2);

  const parts = page.getByRole('region', { name: 'Player' }).getByRole('button');
  const middles = await parts.evaluateAll((all) =>
    all.map((part) => Math.round(part.getBoundingClientRect().top + part.getBoundingClientRect().height / 2)),
  );
  expect(new Set(middles).size).toBe(1); // one line

  await page.getByRole('button', { name: /^Open player/ }).tap();
  const sheet = page.getByRole('dialog', { name: 'Player' });
  await sheet.getByRole('button', { name: 'Pause' }).tap();
  await expect.poll(() => currentTime(page)).toBe(0);
  await sheet.getByRole('button', { name: 'Queue' }).tap();
  await sheet.getByRole('list', { name: 'Queue' }).waitFor();
  await sheet.getByRole('button', { name: 'Close player' }).tap();
  await sheet.waitFor({ state: 'detached' });

  await bar.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('menuitem', { name: 'Tracks' }).tap();
  await page.getByRole('heading', { level: 1, name: 'Tracks' }).waitFor();
  const row = page.getByRole('grid', { name: 'Tracks' }).getByRole('row').nth(1);
  await row.getByRole('button', { name: /^More/ }).tap();
  await page.getByRole('menuitem', { name: 'Rate' }).tap();
  await page.getByRole('menuitem', { name: '4 stars' }).waitFor();
  await page.getByRole('menuitem', { name: 'Add to playlist' }).tap();
  await page.getByRole('menuitem', { name: 'New playlist…' }).tap();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await bar.getByRole('button', { name: 'Search' }).tap();
  await page.getByRole('combobox', { name: 'Search the library' }).waitFor();
  expect(stage.problems).toEqual([]);
  await page.context().close();
});
