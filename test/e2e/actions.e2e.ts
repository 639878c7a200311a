// Every item has the same menu, wherever it is and however it is opened; rows have three heights; the window opens
// without the server.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage } from '../../server/library/wire.ts';
import { handOf } from './journeys/hand.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from './stage.ts';

/** Options of a window in which the service worker delivers the interface, as it does outside of tests. */
const WITH_WORKER: BrowserContextOptions = { ...DESK_WINDOW, serviceWorkers: 'allow' };

let stage: Stage;
let page: Page;
let title: string;

beforeAll(async () => {
  stage = await openStage({ tracks: 60, messy: 0 });
  page = await stage.openAsOwner(WITH_WORKER);
  const { items } = await stage.api<AlbumPage>('/albums?limit=1&sort=title');
  title = items[0]!.title;
  await stage.api('/playlists', { method: 'POST', body: { name: 'Evening' } });
});
afterAll(() => stage?.close());

const LISTENING = 'Play, Shuffle, Play next, Add to queue, Start radio, Add to playlist, Like, Rate, Open, Pin'.split(
  ', ',
);
const SHORT_LIST = LISTENING.concat('Edit…', 'Share…', 'Save to this device', 'Manage');
const MANAGED =
  'Cover…, Merge into another album…, Split album…, Identify, Match with MusicBrainz…, Save as MP3, Delete'.split(', ');

const card = (onPage: Page) => onPage.getByRole('grid', { name: 'Albums' }).locator('[data-items]').first();
const menu = (onPage: Page) => onPage.getByRole('menu', { name: `More options for ${title}`, exact: true });
const entries = async (onPage: Page): Promise<string[]> =>
  (await menu(onPage).getByRole('menuitem').allInnerTexts()).map((text) => text.split('\n')[0]!);

test('an album has one menu: by right click, by "…", by keyboard and by a long press', async () => {
  await page.goto('/albums');
  const link = card(page).getByRole('link').first();
  await link.click({ button: 'right' });
  await menu(page).waitFor();
  const menuEntries = await entries(page);
  expect(menuEntries).toEqual(SHORT_LIST);
  await page.keyboard.press('Escape');
  await menu(page).waitFor({ state: 'detached' });

  await card(page).hover();
  await card(page)
    .getByRole('button', { name: `More options for ${title}` })
    .click();
  await expect.poll(() => entries(page)).toEqual(menuEntries);
  await page.keyboard.press('Escape');
  await menu(page).waitFor({ state: 'detached' });

  await link.focus();
  await page.keyboard.press('Shift+F10');
  await expect.poll(() => entries(page)).toEqual(menuEntries);
  await page.keyboard.press('Escape');
  await menu(page).waitFor({ state: 'detached' });
  await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);

  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto('/albums');
  await card(phone).getByRole('link').first().dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true });
  await expect.poll(() => entries(phone)).toEqual(menuEntries);
  await phone.context().close();
});

test('Manage is opened by pointing at it, by a click and by keys, and its letters work in the menu', async () => {
  await page.goto('/albums');
  const link = card(page).getByRole('link').first();
  const submenu = page.getByRole('menu', { name: 'Manage' });
  const manage = menu(page).getByRole('menuitem', { name: 'Manage' });
  const managedEntries = async () =>
    (await submenu.getByRole('menuitem').allInnerTexts()).map((text) => text.split('\n')[0]!);
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent);
  const closeMenu = async () => {
    await page.keyboard.press('Escape');
    await menu(page).waitFor({ state: 'detached' });
  };
  await link.click({ button: 'right' });
  await manage.hover();
  await expect.poll(managedEntries).toEqual(MANAGED);
  await manage.click();
  await expect.poll(managedEntries).toEqual(MANAGED);
  await closeMenu();

  await link.focus();
  await page.keyboard.press('Shift+F10');
  await expect.poll(focusedText).toContain('Play');
  await page.keyboard.press('ArrowUp');
  await expect.poll(focusedText).toContain('Manage');
  for (const key of ['ArrowRight', 'Enter']) {
    await page.keyboard.press(key);
    await expect.poll(focusedText).toContain('Cover…');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(focusedText).toContain('Manage');
    await submenu.waitFor({ state: 'detached' });
  }
  await page.keyboard.press('m');
  await page.getByRole('dialog', { name: /Merge/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('on a phone the sheet names its item, and Manage is its second page with a way back', async () => {
  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto('/albums');
  await handOf('touch', phone).menu(card(phone).getByRole('link').first());
  await menu(phone).getByText(title, { exact: true }).waitFor();
  const firstPage = await entries(phone);
  await menu(phone).getByRole('menuitem', { name: 'Manage' }).tap();
  await expect.poll(() => entries(phone)).toEqual(['Back', ...MANAGED]);
  await menu(phone).getByText(title, { exact: true }).waitFor();
  await menu(phone).getByRole('menuitem', { name: 'Back' }).tap();
  await expect.poll(() => entries(phone)).toEqual(firstPage);
  await menu(phone).getByRole('menuitem', { name: 'Manage' }).tap();
  await menu(phone).getByRole('menuitem', { name: 'Cover…' }).tap();
  await phone.getByRole('dialog', { name: title }).waitFor();
  await phone.context().close();
});

test('the second tap of a double tap on Manage does not delete what comes to lie under the finger', async () => {
  const phone = await stage.openAsOwner(PHONE_WINDOW);
  await phone.goto(`/albums`);
  await card(phone).getByRole('link').first().tap();
  await phone
    .getByRole('main')
    .getByRole('button', { name: `More options for ${title}` })
    .tap();
  const place = (await menu(phone).getByRole('menuitem', { name: 'Manage' }).boundingBox())!;
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
  await phone.touchscreen.tap(x, y);
  await phone.touchscreen.tap(x, y);
  await menu(phone).getByRole('menuitem', { name: 'Delete' }).waitFor();
  await phone.waitForTimeout(500);
  await menu(phone).getByRole('menuitem', { name: 'Delete' }).waitFor();
  expect((await stage.api<AlbumPage>(`/albums?q=${encodeURIComponent(title)}`)).items).toHaveLength(1);
  await phone.context().close();
});

test('a menu is as high as its entries, and on a low screen as high as that, and says that it goes on', async () => {
  const heights = () =>
    menu(page).evaluate((element) => ({
      top: element.getBoundingClientRect().top,
      bottom: innerHeight - element.getBoundingClientRect().bottom,
      hidden: element.scrollHeight - element.clientHeight,
      shadows: getComputedStyle(element).backgroundAttachment,
    }));
  const openAt = async (y: number) => {
    await page.goto('/albums');
    await card(page).waitFor();
    await page.mouse.move(300, y);
    await page.mouse.click(300, y, { button: 'right' });
    await page.getByRole('menu').waitFor();
  };
  await openAt(150);
  await expect.poll(heights).toMatchObject({ hidden: 0 });
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1440, height: 360 });
  await openAt(150);
  await expect.poll(async () => (await heights()).hidden).toBeGreaterThan(0);
  const low = await heights();
  expect(Math.min(low.top, low.bottom)).toBeGreaterThanOrEqual(0);
  expect(low.top + low.bottom).toBeLessThanOrEqual(20);
  expect(low.shadows).toBe('local, local, scroll, scroll, scroll');
  await page.keyboard.press('Escape');
  await page.setViewportSize(DESK_WINDOW.viewport);
});

test('the title of a card is a link with all of its keys', async () => {
  await page.goto('/albums');
  const name = card(page).getByText(title, { exact: true });
  const [tab] = await Promise.all([page.context().waitForEvent('page'), name.click({ modifiers: ['Control'] })]);
  await tab.waitForURL(/\/albums\/\d+/);
  await tab.close();
  const [other] = await Promise.all([page.context().waitForEvent('page'), name.click({ button: 'middle' })]);
  await other.close();
  await name.click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  for (const address of ['/artists', '/genres', '/playlists']) {
    await page.goto(address);
    const link = page.getByRole('grid').locator('a[data-stop]').first();
    await link.locator('span[title]').click();
    await page.waitForURL((url) => !url.pathname.endsWith(address) || url.search !== '');
  }
});

test('Play of an album becomes Pause while it plays, and the tab says what plays', async () => {
  await page.goto('/albums');
  await card(page).getByRole('link').first().click();
  const main = page.getByRole('main');
  await main.getByRole('button', { name: 'Play', exact: true }).click();
  await main.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await expect.poll(() => page.title()).toMatch(/^(?!.*Tonearm).* · /);
  await main.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect.poll(() => page.title()).toBe(`${title} · Tonearm`);
});

test('E edits all selected tracks, and Escape keeps them selected', async () => {
  await page.goto('/tracks');
  const rows = page.getByRole('grid', { name: 'Tracks' });
  await rows.locator('[data-index="0"][data-track]').click();
  await rows.locator('[data-index="3"]').click({ modifiers: ['Shift'] });
  await page.getByText('4 selected').first().waitFor();
  await page.keyboard.press('e');
  await page.getByRole('dialog', { name: 'Edit 4 tracks' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByText('4 selected').count()).toBeGreaterThan(0);

  // these rows of the range are loaded, but not on screen
  await page.keyboard.press('Shift+End');
  await page.getByText('60 selected').first().waitFor();
  await page.keyboard.press('e');
  await page.getByRole('dialog', { name: 'Edit 60 tracks' }).waitFor();
  await page.keyboard.press('Escape');
});

test.each([
  ['Comfortable', 15],
  ['Compact', 22],
  ['Dense', 30],
])('%s: %i rows in a window of 1440 × 900, and the choice is kept', async (density, rows) => {
  await page.goto('/tracks');
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('menuitemradio', { name: density }).click();
  await page.reload();
  const grid = page.getByRole('grid', { name: 'Tracks' });
  await grid.locator('[data-index="0"][data-track]').waitFor();
  await expect
    .poll(() =>
      grid.evaluate((element) => {
        const bottom = document.querySelector('#main')!.getBoundingClientRect().bottom;
        return [...element.querySelectorAll('[data-index]')].filter(
          (row) => row.getBoundingClientRect().bottom <= bottom + 0.5,
        ).length;
      }),
    )
    .toBe(rows);
});

test('text typed while the search opens goes into its field and triggers no shortcut', async () => {
  await page.goto('/');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('love theme');
  await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('love theme');
  await page.keyboard.press('Escape');
});

test('the page of a missing album says that it does not exist', async () => {
  await page.goto('/albums/999999');
  await page.getByRole('heading', { name: 'Album not found' }).waitFor();
  expect(await page.title()).toBe('Album not found · Tonearm');
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
});

test.each([
  ['/albums/abc', 'Album not found', 'All albums'],
  ['/artists/0', 'Artist not found', 'All artists'],
  ['/playlists/undefined', 'Playlist not found', 'All playlists'],
  ['/playlists/-1/rules', 'Playlist not found', 'All playlists'],
  ['/people/1e9', 'Person not found', 'All credits'],
  ['/folders?path=nope', 'Folder not found', 'All folders'],
  ['/nope', 'Page not found', 'Go home'],
])('the address %s says what it does not lead to, and leads on', async (address, title, way) => {
  await page.goto(address);
  await page.getByRole('main').getByRole('heading', { name: title }).waitFor();
  await page.getByRole('main').getByRole('link', { name: way }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('details of a track that does not exist say so', async () => {
  await page.goto('/tracks?details=99999999');
  await page.getByRole('dialog').getByRole('heading', { name: 'Track not found' }).waitFor();
  await page.goto('/tracks?details=abc');
  await page.getByRole('main').getByRole('heading', { name: 'Tracks' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('without the server the window opens again, and says that it cannot reach it', async () => {
  const offline = await stage.openAsOwner(WITH_WORKER);
  await offline.goto('/');
  await offline.evaluate(async () => void (await navigator.serviceWorker.ready));
  await offline.context().setOffline(true);
  await offline.reload();
  await offline
    .getByText(/reach the server/)
    .first()
    .waitFor();
  await offline.getByRole('navigation', { name: 'Library' }).waitFor();
  await offline.context().close();
});
