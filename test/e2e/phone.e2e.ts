// The user interface on a phone: the bottom bar, the player as a sheet, menus.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentTime, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ tracks: 30, seconds: '20' });
});
afterAll(() => stage?.close());

test('all pages can be reached from the bottom bar, and the player fills the screen', async () => {
  const page = await stage.openAsOwner(PHONE_WINDOW);
  await page.goto('/');
  const bar = page.getByRole('navigation', { name: 'Library' });
  await bar.getByRole('link', { name: 'Albums' }).tap();
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().tap();
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).tap();
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.2);

  const playerButtons = page.getByRole('region', { name: 'Player' }).getByRole('button');
  const middles = await playerButtons.evaluateAll((elements) =>
    elements.map((button) =>
      Math.round(button.getBoundingClientRect().top + button.getBoundingClientRect().height / 2),
    ),
  );
  expect(new Set(middles).size).toBe(1); // all parts of the bar are on one line

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
  await page.getByRole('menuitem', { name: 'Back' }).tap();
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
