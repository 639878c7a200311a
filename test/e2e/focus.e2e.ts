// Where the keyboard is after a dialog has closed: at what opened it, never at the top of the page.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumOut } from '../../server/library/wire.ts';
import { DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
let album: AlbumOut;
beforeAll(async () => {
  stage = await openStage({ tracks: 40 });
  page = await stage.openAsOwner(DESK_WINDOW);
  album = (await stage.api<{ items: AlbumOut[] }>('/albums?limit=1')).items[0]!;
});
afterAll(() => stage?.close());

/** Returns the name of the element with the focus; BODY if nothing has it. */
const focused = () =>
  page.evaluate(() => {
    const element = document.activeElement!;
    return element.getAttribute('aria-label') ?? (element.textContent?.slice(0, 60) || element.tagName);
  });

/** Opens a dialog from the element with the focus, and closes it with Escape; the focus must be back. */
async function openAndClose(open: () => Promise<void>): Promise<void> {
  const opener = await focused();
  await open();
  await page.getByRole('dialog').first().waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement!.closest('[role="dialog"]') !== null)).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  await expect.poll(focused).toBe(opener);
}

const choose =
  (entry: string, submenu?: string, key = 'Enter') =>
  async (): Promise<void> => {
    await page.keyboard.press(key);
    await page.getByRole('menu').first().waitFor();
    if (submenu) await page.getByRole('menuitem', { name: submenu, exact: true }).hover();
    await page.getByRole('menuitem', { name: entry }).first().click();
  };

test.each([
  ['the search', 'Control+k'],
  ['the shortcuts', '?'],
])('after %s, a link of the side bar has the focus again', async (_name, key) => {
  await page.goto('/albums');
  await page.getByRole('navigation', { name: 'Library' }).getByRole('link', { name: 'Artists' }).focus();
  await openAndClose(() => page.keyboard.press(key));
});

test.each([
  ['Edit…', undefined],
  ['Share…', undefined],
  ['Cover…', 'Manage'],
  ['Split album…', 'Manage'],
])('after %s of an album, its "…" has the focus again', async (entry, submenu) => {
  await page.goto(`/albums/${album.id}`);
  await page
    .getByRole('main')
    .getByRole('button', { name: `More options for ${album.title}` })
    .focus();
  await openAndClose(choose(entry, submenu));
});

test.each(['Edit…', 'Details'])('after %s of a track, the table has the focus again', async (entry) => {
  await page.goto('/tracks');
  const row = page.getByRole('grid', { name: 'Tracks' }).locator('[data-index="0"]');
  await row.click({ position: { x: 300, y: 24 } });
  await openAndClose(choose(entry, undefined, 'Shift+F10'));
});

test('after the dialog of a new playlist, what opened it has the focus again', async () => {
  await page.goto('/albums');
  await page.getByRole('button', { name: 'New playlist or import' }).focus();
  await openAndClose(choose('New playlist'));
});

test('after the full player, the button that opened it has the focus again', async () => {
  await page.goto(`/albums/${album.id}`);
  await page.getByRole('main').getByRole('button', { name: 'Play', exact: true }).focus();
  await page.keyboard.press('Enter');
  const player = page.getByRole('region', { name: 'Player' });
  await player.locator('button[aria-haspopup="dialog"]').first().focus();
  await openAndClose(() => page.keyboard.press('Enter'));
});

test('after a search that leads to another page, no button of that page has the focus', async () => {
  await page.goto('/albums');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link').first().focus();
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search the library' }).fill(album.title);
  const option = page.getByRole('option').filter({ hasText: album.title }).first();
  await expect.poll(() => option.getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: album.title }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.waitForTimeout(200);
  expect(['main', '']).toContain(await page.evaluate(() => document.activeElement?.id));
});

test('if nothing had the focus, nothing gets it', async () => {
  await page.goto(`/albums/${album.id}`);
  await page.getByRole('main').getByRole('button').first().focus();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.waitForTimeout(200);
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
});
