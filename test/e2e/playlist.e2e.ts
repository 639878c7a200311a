// A playlist is filled by dragging and by keyboard, reordered, and restored to an earlier version.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
beforeAll(async () => {
  stage = await openStage({ tracks: 30 });
  page = await stage.openAsOwner(DESK_WINDOW);
});
afterAll(() => stage?.close());

const side = () => page.getByRole('navigation', { name: 'Playlists' });
const table = () => page.getByRole('grid', { name: 'Tracks in Evening' });
/** Returns the titles in the order of the list. */
const titles = () =>
  table()
    .getByRole('row')
    .evaluateAll((rows) =>
      rows
        .filter((row) => row.hasAttribute('data-index'))
        .sort((a, b) => Number(a.getAttribute('data-index')) - Number(b.getAttribute('data-index')))
        .map((row) =>
          row.querySelector('button[aria-label^="Play "]')?.getAttribute('aria-label')?.slice('Play '.length),
        ),
    );
const dataRow = (grid: ReturnType<Page['getByRole']>, index: number) => grid.locator(`[data-index="${index}"]`);

test('tracks are dragged onto a new playlist in the side bar', async () => {
  await page.goto('/tracks');
  await side().getByRole('button', { name: 'New playlist or import' }).click();
  await page.getByRole('menuitem', { name: 'New playlist', exact: true }).click();
  await page.getByRole('dialog', { name: 'New playlist' }).getByLabel('Name').fill('Evening');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Evening' }).waitFor();

  await page.getByRole('link', { name: 'Tracks', exact: true }).click();
  const tracksGrid = page.getByRole('grid', { name: 'Tracks' });
  await dataRow(tracksGrid, 0).getByRole('gridcell').last().waitFor();
  await dataRow(tracksGrid, 0).click({ position: { x: 300, y: 24 } });
  await dataRow(tracksGrid, 2).click({ position: { x: 300, y: 24 }, modifiers: ['Shift'] });
  await page.getByRole('toolbar', { name: 'Selection' }).getByText('3 selected').waitFor();
  await dataRow(tracksGrid, 1).dragTo(side().getByRole('link', { name: /^Evening/ }), {
    sourcePosition: { x: 300, y: 24 },
  });
  await page.getByText('3 tracks added to “Evening”.').waitFor();
});

test('by keyboard, rows are selected and added, after a question about duplicates', async () => {
  const tracksGrid = page.getByRole('grid', { name: 'Tracks' });
  await dataRow(tracksGrid, 2).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  const bar = page.getByRole('toolbar', { name: 'Selection' });
  await bar.getByText('3 selected').waitFor();
  await bar.getByRole('button', { name: 'Add to playlist' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Evening' }).press('Enter');
  const question = page.getByRole('dialog', { name: 'Already in “Evening”' });
  await question.getByText('1 of 3 tracks is already in the playlist.').waitFor();
  await question.getByRole('button', { name: 'Add only new ones' }).press('Enter');
  await page.getByText('2 tracks added to “Evening”.').waitFor();
});

test('entries move with Alt and arrow keys, and by dragging; Ctrl+Z undoes it', async () => {
  await side()
    .getByRole('link', { name: /^Evening/ })
    .click();
  await expect.poll(async () => (await titles()).length).toBe(5);
  const [a, b, c, d, e] = await titles();
  await dataRow(table(), 0).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(titles).toEqual([b, a, c, d, e]);
  await page.keyboard.press('Alt+End');
  await expect.poll(titles).toEqual([b, c, d, e, a]);
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-index'))).toBe('4');

  await dataRow(table(), 3).dragTo(dataRow(table(), 0), {
    sourcePosition: { x: 300, y: 24 },
    targetPosition: { x: 300, y: 6 },
  });
  await expect.poll(titles).toEqual([e, b, c, d, a]);
  await dataRow(table(), 0).focus();
  await expect
    .poll(async () => (await stage.api<{ entries: unknown[]; version: number }>('/playlists/1')).version)
    .toBe(6);
  await page.keyboard.press('Control+z');
  await expect.poll(titles).toEqual([b, c, d, e, a]);

  await page.keyboard.press('Delete');
  await expect.poll(titles).toEqual([c, d, e, a]);
  await page.getByText(`“${b}” removed.`).waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(titles).toEqual([b, c, d, e, a]);
});

test('an earlier version is viewed and restored', async () => {
  await page.getByRole('main').getByRole('button', { name: 'More options for Evening' }).click();
  await page.getByRole('menuitem', { name: 'Manage' }).hover();
  await page.getByRole('menuitem', { name: 'Versions' }).click();
  const versions = page.getByRole('complementary', { name: 'Versions' });
  await versions.getByRole('button', { name: /^3 tracks added/ }).click();
  const oldVersion = page.getByRole('grid', { name: /^Version \d+$/ });
  await expect.poll(() => oldVersion.locator('[data-index]').count()).toBe(3);
  await page.getByRole('button', { name: 'Restore this version' }).click();
  await expect.poll(async () => (await titles()).length).toBe(3);
  await versions
    .getByRole('button', { name: /^Restored/ })
    .first()
    .waitFor();
  expect(stage.problems).toEqual([]);
});
