// Use without a mouse: the grid, the palette, and each shortcut in the list that `?` opens.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasKeys, WINDOW_COMMANDS, type KeyedCommand } from '../../renderer/features/search/window-commands.ts';
import { currentTime, DESK_WINDOW, openStage, type Stage } from './stage.ts';

let stage: Stage;
let page: Page;
beforeAll(async () => {
  stage = await openStage({ tracks: 120, seconds: '20' });
  page = await stage.openAsOwner(DESK_WINDOW);
});
afterAll(() => stage?.close());

const focusedLabel = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
const player = () => page.getByRole('region', { name: 'Player' });
const nowPlaying = () => player().getByRole('link').first().textContent();

test('arrow keys move in the grid, P plays, Enter opens', async () => {
  await page.goto('/albums');
  const grid = page.getByRole('grid', { name: 'Albums' });
  const cards = grid.getByRole('link', { name: / by / });
  await cards.first().waitFor();
  await cards.first().focus();
  const start = await focusedLabel();
  await page.keyboard.press('ArrowRight');
  await expect.poll(focusedLabel).not.toBe(start);
  const secondLabel = await focusedLabel();
  await page.keyboard.press('ArrowDown');
  await expect.poll(focusedLabel).not.toBe(secondLabel);
  await page.keyboard.press('ArrowUp');
  await expect.poll(focusedLabel).toBe(secondLabel);

  await page.keyboard.press('p');
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.3);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: secondLabel.slice(0, secondLabel.lastIndexOf(' by ')) }).waitFor();
});

test('the palette searches, queues with Shift+Enter and plays with Enter; Ctrl+arrows skip', async () => {
  const { items } = await stage.api<{ items: { title: string; id: number }[] }>('/tracks?limit=2&sort=created_at');
  const [firstTrack, secondTrack] = items;
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search the library' });
  await field.fill(firstTrack!.title);
  const firstOption = page
    .getByRole('group', { name: /Tracks/ })
    .getByRole('option')
    .filter({ hasText: firstTrack!.title })
    .first();
  await firstOption.waitFor();
  for (let i = 0; i < 20 && (await firstOption.getAttribute('aria-selected')) !== 'true'; i += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(nowPlaying).toBe(firstTrack!.title);

  await page.keyboard.press('Control+k');
  await field.fill(secondTrack!.title);
  const secondOption = page
    .getByRole('group', { name: /Tracks/ })
    .getByRole('option')
    .filter({ hasText: secondTrack!.title })
    .first();
  await secondOption.waitFor();
  for (let i = 0; i < 20 && (await secondOption.getAttribute('aria-selected')) !== 'true'; i += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+ArrowRight');
  await expect.poll(nowPlaying).toBe(secondTrack!.title);
  await page.keyboard.press('Control+ArrowLeft');
  await expect.poll(nowPlaying).toBe(firstTrack!.title);
});

test('a row’s menu opens from its button and with the menu key, and returns the focus', async () => {
  const focusedControl = () =>
    page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.getAttribute('data-index'),
    );
  const menu = page.getByRole('menu');
  await page.goto('/albums/1');
  const dots = page
    .getByRole('main')
    .getByRole('listitem')
    .getByRole('button', { name: /^More options for / })
    .first();
  const name = (await dots.getAttribute('aria-label'))!;
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await dots.getAttribute('aria-expanded')).toBe('false');
    await dots.press('Enter');
    await page.getByRole('menu', { name, exact: true }).waitFor();
    expect(await dots.getAttribute('aria-expanded')).toBe('true');
    await expect.poll(() => menu.evaluate((node) => node.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('menuitem');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await expect.poll(focusedControl).toBe(name);
  }

  await focusTrack(2);
  await page.keyboard.press('Shift+F10');
  await menu.getByRole('menuitem', { name: 'Play next' }).waitFor();
  await expect.poll(() => menu.evaluate((node) => node.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await expect.poll(focusedControl).toBe('2');
});

const button = (name: string) => player().getByRole('button', { name, exact: true });
const slider = (name: string) => player().getByRole('slider', { name });
const valueOf = async (name: string) => Number(await slider(name).inputValue());
const queue = () => page.getByRole('complementary', { name: 'Queue' });
const countLikedTracks = async () => (await stage.api<{ total: number }>('/tracks?liked=true&limit=1')).total;
const press = (key: string) => page.keyboard.press(key);

/** Moves the focus outside of all lists and fields, so that only the window handles keys. */
const nowhere = () => page.locator('#main').focus();
async function focusTrack(place: number) {
  await page.goto('/tracks');
  const row = page.getByRole('grid', { name: 'Tracks' }).locator(`[data-index="${place}"][data-track]`);
  await row.waitFor();
  await row.focus();
  return row;
}

const KEYED_COMMANDS = WINDOW_COMMANDS.filter(hasKeys);
/** The track that plays before the next one is chosen. */
let firstTitle: string | null = null;

/** The check of each shortcut; a shortcut without a check does not compile. */
const SHORTCUT_CHECKS: Record<KeyedCommand['name'], () => Promise<void>> = {
  async search() {
    for (const key of ['Control+k', '/']) {
      await press(key);
      await page.getByRole('combobox', { name: 'Search the library' }).waitFor();
      await press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  },
  async playPause() {
    await button('Pause').waitFor();
    await press('Space');
    await button('Play').waitFor();
    await expect.poll(() => currentTime(page)).toBe(0);
    await press('Space');
    await button('Pause').waitFor();
  },
  async seek() {
    const position = await valueOf('Position');
    await press('ArrowRight');
    await expect.poll(() => valueOf('Position')).toBeGreaterThan(position + 3_000);
    const laterPosition = await valueOf('Position');
    await press('ArrowLeft');
    await expect.poll(() => valueOf('Position')).toBeLessThan(laterPosition - 2_000);
  },
  async next() {
    firstTitle = await nowPlaying();
    await press('Control+ArrowRight');
    await expect.poll(nowPlaying).not.toBe(firstTitle);
  },
  async previous() {
    await press('Control+ArrowLeft');
    await expect.poll(nowPlaying).toBe(firstTitle);
  },
  async volume() {
    const volume = await valueOf('Volume');
    await press('ArrowDown');
    await expect.poll(() => valueOf('Volume')).toBeLessThan(volume);
    await press('ArrowUp');
    await expect.poll(() => valueOf('Volume')).toBe(volume);
  },
  async queue() {
    await press('q');
    await queue().waitFor();
    await press('q');
    await queue().waitFor({ state: 'detached' });
  },
  async fullScreen() {
    await press('f');
    const screen = page.getByRole('dialog', { name: 'Player' });
    await screen.waitFor();
    await press('Space'); // the player's keys work in this dialog too
    await screen.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await press('Space');
    await screen.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await press('Escape');
    await screen.waitFor({ state: 'detached' });
  },
  async like() {
    const wasLiked = await countLikedTracks();
    await press('l'); // the key likes the playing track
    await expect.poll(countLikedTracks).toBe(wasLiked + 1);
    await press('l');
    await expect.poll(countLikedTracks).toBe(wasLiked);
    await focusTrack(3);
    await press('l');
    await expect.poll(countLikedTracks).toBe(wasLiked + 1);
  },
  async rate() {
    const countRated = async () => (await stage.api<{ total: number }>('/tracks?rating_from=4&limit=1')).total;
    await focusTrack(3);
    await press('4');
    await expect.poll(countRated).toBe(1);
    await press('0');
    await expect.poll(countRated).toBe(0);
  },
  async edit() {
    const row = await focusTrack(2);
    const title = await row.getByRole('gridcell').nth(0).textContent();
    await press('e');
    const field = page
      .getByRole('dialog', { name: 'Track details' })
      .getByRole('textbox', { name: 'Title', exact: true });
    expect(title).toContain(await field.inputValue());
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
  async playFocused() {
    await page.goto('/albums');
    const card = page.getByRole('grid', { name: 'Albums' }).getByRole('link', { name: / by / }).nth(1);
    await card.focus();
    await press('p');
    await expect.poll(() => currentTime(page)).toBeGreaterThan(0.1);
    await page.getByRole('button', { name: `Play ${(await focusedLabel()).replace(/ by .*/, '')}` }).waitFor();
  },
  async takeBack() {
    const row = await focusTrack(0);
    await press('Delete');
    const notice = page.getByRole('alert').filter({ hasText: 'deleted.' });
    await notice.waitFor();
    await press('Control+z');
    await notice.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: /^Play / }).waitFor();
  },
  async moveInQueue() {
    await press('q');
    const firstEntry = queue().locator('[aria-posinset="1"]').getByRole('button').first();
    await firstEntry.focus();
    const title = await firstEntry.textContent();
    await press('Alt+ArrowDown');
    await expect
      .poll(() => queue().locator('[aria-posinset="2"]').getByRole('button').first().textContent())
      .toBe(title);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(title);
  },
  async removeFromQueue() {
    const count = async () => Number(await queue().locator('[aria-setsize]').first().getAttribute('aria-setsize'));
    const previousCount = await count();
    await press('Delete');
    await expect.poll(count).toBe(previousCount - 1);
  },
  async selectAll() {
    await focusTrack(1);
    await press('Control+a');
    await page
      .getByRole('toolbar', { name: 'Selection' })
      .getByRole('status')
      .filter({ hasText: /^\d+ selected/ })
      .waitFor();
    await press('Escape');
    await page.getByRole('toolbar', { name: 'Selection' }).waitFor({ state: 'detached' });
  },
  async settings() {
    const popupOpened = page.waitForEvent('popup');
    await press('Control+,');
    const settings = await popupOpened;
    await settings.getByRole('navigation', { name: 'Settings' }).waitFor();
    await settings.close();
  },
  async help() {
    await press('?');
    const shortcutList = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect.poll(() => shortcutList.getByRole('term').count()).toBe(KEYED_COMMANDS.length);
    await press('Escape');
    await shortcutList.waitFor({ state: 'detached' });
  },
};

test('each shortcut in the list works as described', async () => {
  await page.goto('/albums');
  await page.getByRole('grid', { name: 'Albums' }).getByRole('link', { name: / by / }).first().focus();
  await press('p');
  await expect.poll(() => currentTime(page)).toBeGreaterThan(0.1);
  for (const { name } of KEYED_COMMANDS) {
    if (name !== 'removeFromQueue') await nowhere(); // this check continues with the focused row
    await SHORTCUT_CHECKS[name]();
  }
  expect(stage.problems).toEqual([]);
});
