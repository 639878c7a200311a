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

test('a playlist is filtered, and its selection has all actions of tracks', async () => {
  const filter = page.getByRole('searchbox', { name: 'Filter by name' });
  const [, b, c] = await titles();
  await filter.fill(c!);
  await expect.poll(titles).toEqual([c]);
  await expect.poll(() => page.url()).toContain('q=');
  // the number is the place in the whole playlist
  expect(await dataRow(table(), 0).getByRole('gridcell').first().innerText()).toBe('3');
  await dataRow(table(), 0).click({ button: 'right', position: { x: 300, y: 24 } });
  await page.getByRole('menuitem', { name: 'Move to top' }).click();
  await filter.fill('');
  await expect.poll(async () => (await titles())[0]).toBe(c);
  await filter.fill('no such words');
  await page.getByRole('heading', { name: 'Nothing matches these filters' }).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(async () => (await titles()).length).toBe(5);

  const bar = page.getByRole('toolbar', { name: 'Selection' });
  await dataRow(table(), 0).click({ position: { x: 300, y: 24 } });
  await dataRow(table(), 1).click({ position: { x: 300, y: 24 }, modifiers: ['Shift'] });
  await bar.getByText('2 selected').waitFor();
  const names = await bar.getByRole('button').evaluateAll((buttons) => buttons.map((each) => each.ariaLabel));
  expect(names).toEqual([
    'Play',
    'Play next',
    'Add to queue',
    'Move to top',
    'Move to bottom',
    'Remove from this list',
    'Like',
    'Edit…',
    'Share…',
    'Add to playlist',
    'More options for 2 selected',
    'Clear selection',
  ]);
  await bar.getByRole('button', { name: 'Like' }).click();
  await expect.poll(async () => (await stage.api<{ total: number }>('/tracks?liked=true')).total).toBe(2);
  await bar.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause' }).click();
  await bar.getByRole('button', { name: 'Remove from this list' }).click();
  await expect.poll(async () => (await titles()).length).toBe(3);
  await page.getByText('2 tracks removed.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(async () => (await titles()).length).toBe(5);

  // everything of a filtered list is not everything of the playlist
  await filter.fill(b!);
  await expect.poll(titles).toEqual([b]);
  await dataRow(table(), 0).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await filter.fill('');
  await expect.poll(async () => (await titles()).length).toBe(4);
});

test('a double click plays a row and shows no selection bar', async () => {
  await page.goto('/tracks');
  const grid = page.getByRole('grid', { name: 'Tracks' });
  await dataRow(grid, 1).dblclick({ position: { x: 300, y: 24 } });
  await page.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause' }).click();
  expect(await page.getByRole('toolbar', { name: 'Selection' }).count()).toBe(0);
  await side()
    .getByRole('link', { name: /^Evening/ })
    .click();
  await table().waitFor();
});

test('row 10,000 of a playlist shows its whole number', async () => {
  const { items } = await stage.api<{ items: { id: number }[] }>('/tracks?limit=20');
  const long = await stage.api<{ id: number }>('/playlists', {
    method: 'POST',
    body: { name: 'Long', track_ids: Array.from({ length: 10_000 }, (_, i) => items[i % items.length]!.id) },
  });
  await page.goto(`/playlists/${long.id}`);
  const grid = page.getByRole('grid', { name: 'Tracks in Long' });
  await dataRow(grid, 0).focus();
  await page.keyboard.press('End');
  const number = dataRow(grid, 9_999).getByRole('gridcell').first();
  await expect.poll(() => number.innerText()).toBe('10,000');
  expect(await number.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
  await side()
    .getByRole('link', { name: /^Evening/ })
    .click();
  await table().waitFor();
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
