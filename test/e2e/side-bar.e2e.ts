// The side bar: few entries, playlists in sight, pins, pages that appear when they are used, tabs above the pages that
// belong together, and Library care.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage, GenreOut, TrackPage } from '../../server/library/wire.ts';
import type { UserOut } from '../../server/auth/wire.ts';
import { violations } from './axe.ts';
import { DESK_WINDOW, loseFiles, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

const PLAYLIST_COUNT = 12;
const LISTENER = { username: 'listener', password: 'long enough password' };

let stage: Stage;
let page: Page;
beforeAll(async () => {
  stage = await openStage({ tracks: 40, isScanned: false });
  page = await stage.openAsOwner(DESK_WINDOW);
  await loseFiles(stage, 0); // scans the folder, whose files stay where they are
  const { items } = await stage.api<TrackPage>('/tracks?limit=3');
  for (let n = 1; n <= PLAYLIST_COUNT; n++)
    await stage.api('/playlists', {
      method: 'POST',
      body: { name: `Evening ${n}`, track_ids: items.map(({ id }) => id) },
    });
});
afterAll(() => stage?.close());

const sideBar = (of = page) => of.getByRole('navigation', { name: 'Library' });
const tabs = (of = page) => of.getByRole('navigation', { name: 'Related pages' });
const places = () => sideBar().getByRole('link').allTextContents();

test.each([
  [1024, 768],
  [1366, 768],
  [1440, 900],
])('a window of %i × %i px shows at least three playlists without scrolling', async (width, height) => {
  await page.setViewportSize({ width, height });
  await page.goto('/');
  const links = page.getByRole('navigation', { name: 'Playlists' }).locator('li');
  await expect.poll(() => links.count()).toBe(PLAYLIST_COUNT);
  const playerTop = (await page.getByRole('contentinfo').boundingBox())!.y;
  const account = (await page.getByRole('button', { name: /^Account/ }).boundingBox())!;
  const bottoms = await links.evaluateAll((items) => items.map((item) => item.getBoundingClientRect().bottom));
  expect(bottoms.filter((bottom) => bottom <= Math.min(playerTop, account.y)).length).toBeGreaterThanOrEqual(3);
  await page.setViewportSize(DESK_WINDOW.viewport);
});

test('the side bar has the pages that everybody uses, and Library care for those who may edit', async () => {
  await page.goto('/');
  await sideBar().getByRole('link', { name: 'Library care' }).waitFor();
  expect((await places()).map((name) => name.replace(/\d+$/, ''))).toEqual([
    'Home',
    'Albums',
    'Artists',
    'Tracks',
    'Liked',
    'Explore',
    'Statistics',
    'Library care',
  ]);
});

test.each([
  ['Albums', 'Genres', '/genres'],
  ['Albums', 'Folders', '/folders'],
  ['Albums', 'Credits', '/people'],
  ['Explore', 'Radio', '/radio'],
  ['Explore', 'Path', '/path'],
  ['Explore', 'Map', '/map'],
  ['Statistics', 'History', '/history'],
  ['Library care', 'Review', '/review'],
  ['Library care', 'Duplicates', '/duplicates'],
  ['Library care', 'Album changes', '/album-changes'],
  ['Library care', 'Missing', '/missing'],
  ['Library care', 'Merged tracks', '/merges'],
  ['Library care', 'Trash', '/trash'],
  ['Library care', 'Activity', '/activity'],
])('from %s a tab leads to %s', async (place, tab, path) => {
  await sideBar()
    .getByRole('link', { name: new RegExp(`^${place}`) })
    .click();
  await tabs().getByRole('link', { name: tab, exact: true }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe(path);
  await expect
    .poll(() => tabs().getByRole('link', { name: tab, exact: true }).getAttribute('aria-current'))
    .toBe('page');
  if (place === 'Albums') return;
  const entry = sideBar().getByRole('link', { name: new RegExp(`^${place}`) });
  await expect.poll(() => entry.getAttribute('aria-current')).toBe('page');
});

test('addresses that people know keep their parameters', async () => {
  for (const path of [
    '/history?range=week',
    '/activity?job=1',
    '/missing?sort=album',
    '/genres?view=list',
    '/path?from=1',
  ]) {
    await page.goto(path);
    await tabs().waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
  }
});

test('an album, a genre and a page are pinned, moved by keyboard, and unpinned', async () => {
  const { items } = await stage.api<AlbumPage>('/albums?limit=1&sort=title');
  const album = items[0]!;
  await page.goto(`/albums/${album.id}`);
  await page
    .getByRole('main')
    .getByRole('button', { name: `More options for ${album.title}` })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Pin' }).click();
  await sideBar().getByRole('link', { name: album.title }).waitFor();
  await page
    .getByRole('alert')
    .filter({ hasText: `Pinned “${album.title}”` })
    .waitFor();

  const [genre] = await stage.api<GenreOut[]>('/genres');
  await page.goto('/genres');
  await page.getByRole('link', { name: genre!.name }).first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Pin' }).click();
  await sideBar().getByRole('link', { name: genre!.name }).waitFor();
  await page.goto('/folders');
  await tabs().getByRole('button', { name: 'Pin this page to the side bar' }).click();
  await sideBar().getByRole('link', { name: 'Folders' }).waitFor();
  expect((await places()).slice(8)).toEqual([album.title, genre!.name, 'Folders']);

  await page.reload();
  await sideBar().getByRole('link', { name: 'Folders' }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(async () => (await places()).slice(8)).toEqual([album.title, 'Folders', genre!.name]);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Folders');

  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Customize side bar' }).click();
  const dialog = page.getByRole('dialog', { name: 'Customize side bar' });
  await dialog.getByRole('button', { name: 'Move Folders down' }).click();
  await expect.poll(async () => (await places()).slice(8)).toEqual([album.title, genre!.name, 'Folders']);
  expect(await violations(page, 'side bar')).toEqual([]);
  await dialog.getByRole('switch', { name: 'Folders' }).click();
  await dialog.getByRole('button', { name: `Unpin ${genre!.name}` }).click();
  await page.keyboard.press('Escape');
  await sideBar().getByRole('link', { name: album.title }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Unpin' }).click();
  await expect.poll(async () => (await places()).slice(8)).toEqual([]);
  await page
    .getByRole('alert')
    .filter({ hasText: `Unpinned “${album.title}”` })
    .waitFor();
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await places()).slice(8)).toEqual([album.title]);
});

test('internet radio appears as soon as there is a station, or when it is switched on', async () => {
  await page.goto('/');
  await sideBar().getByRole('link', { name: 'Statistics' }).waitFor();
  expect(await places()).not.toContain('Internet radio');
  await stage.api('/stations', {
    method: 'POST',
    body: { name: 'Harbour FM', stream_url: 'https://radio.example/live', home_page_url: 'https://radio.example' },
  });
  await page.reload();
  await sideBar().getByRole('link', { name: 'Internet radio' }).waitFor();
  expect(await places()).not.toContain('Podcasts');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Customize side bar' }).click();
  await page.getByRole('switch', { name: 'Podcasts' }).click();
  await page.keyboard.press('Escape');
  await sideBar().getByRole('link', { name: 'Podcasts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Podcasts' }).waitFor();
});

test('Library care counts what needs a decision, on its entry and on its page', async () => {
  await loseFiles(stage, 3);
  await page.goto('/care');
  await sideBar()
    .getByLabel(/^\d+ things need your decision$/)
    .waitFor();
  const list = page.getByRole('list', { name: 'Library care' });
  await expect.poll(() => list.getByRole('link', { name: /^Missing/ }).textContent()).toMatch(/3$/);
  expect(await violations(page, 'side bar')).toEqual([]);
  await list.getByRole('link', { name: /^Missing/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Missing' }).waitFor();
});

test('a listener without rights has no Library care, by no way', async () => {
  const { id } = await stage.api<UserOut>('/users', { method: 'POST', body: { ...LISTENER, is_superuser: false } });
  await stage.api(`/users/${id}`, { method: 'PATCH', body: { can_edit: false, can_upload: false } });
  const hers = await stage.openPage({ baseURL: stage.url, ...DESK_WINDOW });
  await hers.goto('/sign-in');
  await hers.getByLabel('Username').fill(LISTENER.username);
  await hers.getByLabel('Password', { exact: true }).fill(LISTENER.password);
  await hers.getByRole('button', { name: 'Sign in' }).click();
  await hers.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await sideBar(hers).getByRole('link', { name: 'Internet radio' }).waitFor();
  expect(await sideBar(hers).getByRole('link', { name: 'Library care' }).count()).toBe(0);
  await hers.keyboard.press('Control+k');
  for (const name of ['Trash', 'Review', 'Duplicates', 'Library care']) {
    await hers.getByRole('combobox').fill(name);
    await hers
      .getByRole('status')
      .filter({ hasText: /\d results?$/ })
      .or(hers.getByText(`No results for “${name}”`))
      .first()
      .waitFor();
    expect(await hers.getByRole('option', { name: new RegExp(`^${name}`) }).count()).toBe(0);
  }
  for (const path of ['/care', '/review', '/duplicates', '/trash']) {
    await hers.goto(path);
    await hers.getByRole('heading', { level: 1, name: 'Your account may not do this.' }).waitFor();
    await hers.getByRole('link', { name: /home/i }).last().waitFor();
  }
  await hers.context().close();
});

test('the menu of a phone follows the order of the side bar, and tabs lead on', async () => {
  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto('/albums');
  await tabs(phone).getByRole('link', { name: 'Folders' }).tap();
  await phone.getByRole('heading', { level: 1, name: 'Folders' }).waitFor();
  await sideBar(phone).getByRole('button', { name: 'More' }).tap();
  const items = phone.getByRole('menuitem');
  await items.filter({ hasText: 'Library care' }).waitFor();
  expect((await items.allTextContents()).slice(0, 6).map((name) => name.replace(/\d+$/, ''))).toEqual([
    'Tracks',
    'Playlists',
    'Liked',
    'Explore',
    'Statistics',
    'Library care',
  ]);
  await items.filter({ hasText: 'Explore' }).tap();
  await phone.getByRole('list', { name: 'Explore' }).getByRole('link', { name: /^Map/ }).tap();
  await phone.getByRole('navigation', { name: 'Related pages' }).waitFor();
  const targets = await tabs(phone)
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
  expect(Math.min(...targets)).toBeGreaterThanOrEqual(44);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await phone.context().close();
  expect(stage.problems).toEqual([]);
});
