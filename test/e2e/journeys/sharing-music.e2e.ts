// Music is shared with a guest who has no account: the guest opens the link and plays it, and later finds that it no
// longer works.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage, TrackOut, TrackPage } from '../../../server/library/wire.ts';
import type { ShareOut } from '../../../server/shares/wire.ts';
import { until } from '../../support/until.ts';
import { inBothThemes } from '../axe.ts';
import { currentTime, DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from '../stage.ts';

const LAPTOP_WINDOW = { viewport: { width: 1024, height: 768 } };
const GERMAN = { locale: 'de-DE' };

let stage: Stage;
let album: AlbumPage['items'][number];
let tracks: TrackOut[];

beforeAll(async () => {
  stage = await openStage({ tracks: 24, messy: 0, seconds: '4' });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  const { items } = await stage.api<AlbumPage>('/albums?limit=200');
  album = items.filter(({ has_cover }) => has_cover).toSorted((a, b) => b.track_count - a.track_count)[0]!;
  tracks = (await stage.api<TrackPage>(`/albums/${album.id}/tracks?best_only=true`)).items;
});
afterAll(() => stage?.close());

const share = (fields: object = {}): Promise<ShareOut> =>
  stage.api<ShareOut>('/shares', {
    method: 'POST',
    body: { track_ids: tracks.map(({ id }) => id), kind: 'album', ...fields },
  });
/** Opens a fresh browser without an account. */
const openAsGuest = async (path: string, options: Parameters<Stage['openPage']>[0]): Promise<Page> => {
  const page = await stage.openPage({ baseURL: stage.url, colorScheme: 'light', ...options });
  await page.goto(path);
  return page;
};
const isWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
const statusOf = async (path: string): Promise<number> =>
  (await fetch(stage.url + path, { headers: { Accept: 'application/json' } })).status;
/** Problems that are not the closed share itself, which browsers report for the page's own address. */
const realProblems = (): string[] => stage.problems.filter((problem) => !/status of (403|404|410|429)/.test(problem));

/** Makes a link from the album's page; returns its path. */
async function makeLink(page: Page, openMenu: () => Promise<void>, choose: () => Promise<void>): Promise<string> {
  await page.goto(`/albums/${album.id}`);
  await page.getByRole('heading', { level: 1, name: album.title }).waitFor();
  await openMenu();
  await choose();
  const dialog = page.getByRole('dialog', { name: `Share “${album.title}”` });
  await dialog.getByText('Anyone with the link can listen, without an account.').waitFor();
  await dialog.getByText(new RegExp(`^${tracks.length} tracks, `)).waitFor();
  expect(await dialog.getByRole('radio', { name: '1 week' }).isChecked()).toBe(true);
  await dialog.getByText(/^The link works until [A-Z][a-z]+ \d+, \d{4}\.$/).waitFor();
  const create = dialog.getByRole('button', { name: 'Create link' });
  await until(() => create.evaluate((button) => button === document.activeElement));
  await page.keyboard.press('Enter');
  const field = dialog.getByRole('textbox', { name: 'Link' });
  await field.waitFor();
  return new URL(await field.inputValue()).pathname;
}

test('an album is shared in three actions with the mouse and with the keyboard, and the link is copied', async () => {
  await stage.api('/network/sharing', { method: 'PUT', body: { enabled: true } });
  const page = await stage.openAsOwner({ ...DESK_WINDOW, colorScheme: 'light' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.url });
  const path = await makeLink(
    page,
    () =>
      page
        .getByRole('main')
        .getByRole('button', { name: `More options for ${album.title}` })
        .first()
        .click(),
    () => page.getByRole('menuitem', { name: /^Share…/ }).click(),
  );
  expect(await inBothThemes(page, 'the link', { except: ['region'] })).toEqual([]);
  const address = await page.getByRole('textbox', { name: 'Link' }).inputValue();
  expect(address).not.toMatch(/localhost|127\.0\.0\.1/);
  await page.getByRole('img', { name: `QR code for ${address}` }).waitFor();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  await page.getByRole('button', { name: 'Done' }).click();

  const byKeyboard = await makeLink(
    page,
    async () => {
      await page.goto('/albums');
      await page.getByRole('link', { name: album.title }).first().focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menu').waitFor();
    },
    () => page.keyboard.press('k'),
  );
  expect(byKeyboard).not.toBe(path);
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('shared by');
  await page.getByRole('option', { name: /Shared by you/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Shared by you' }).waitFor();
  await page.getByText('Not opened yet').first().waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: album.title }).count()).toBeGreaterThanOrEqual(2);
  await page.context().close();
  await stage.api('/network/sharing', { method: 'PUT', body: { enabled: false } });
});

test('while only this computer listens, the dialog says so and shares on the network', async () => {
  const page = await stage.openAsOwner({ ...DESK_WINDOW, colorScheme: 'light' });
  await page.goto(`/albums/${album.id}`);
  await page
    .getByRole('main')
    .getByRole('button', { name: `More options for ${album.title}` })
    .first()
    .click();
  await page.getByRole('menuitem', { name: /^Share…/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Only this computer can open this link.').waitFor();
  expect(await inBothThemes(page, 'the dialog', { except: ['region'] })).toEqual([]);
  await dialog.getByRole('button', { name: 'Share on my network' }).click();
  await dialog.getByText('Only this computer can open this link.').waitFor({ state: 'detached' });
  await page.context().close();
  await stage.api('/network/sharing', { method: 'PUT', body: { enabled: false } });
});

test('where the clipboard is refused, the link is selected', async () => {
  const page = await stage.openAsOwner({ ...DESK_WINDOW, colorScheme: 'light' });
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await makeLink(
    page,
    () =>
      page
        .getByRole('main')
        .getByRole('button', { name: `More options for ${album.title}` })
        .first()
        .click(),
    () => page.getByRole('menuitem', { name: /^Share…/ }).click(),
  );
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByText('Press Ctrl+C to copy the selected link.').waitFor();
  const [selected, address] = await page
    .getByRole('textbox', { name: 'Link' })
    .evaluate((field: HTMLInputElement) => [
      field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0),
      field.value,
    ]);
  expect(selected).toBe(address);
  await page.context().close();
});

test('a guest plays it on a phone with one tap, and its owner sees the visit and the plays', async () => {
  const { path, id } = await share();
  const guest = await openAsGuest(path, PHONE_WINDOW);
  await guest.getByRole('heading', { level: 1, name: album.title }).waitFor();
  for (const text of ['Shared by owner', new RegExp(`^${tracks.length} tracks, `)])
    expect(await guest.getByText(text).first().isVisible()).toBe(true);
  expect(
    await guest
      .getByText(album.artist_name ?? '')
      .first()
      .isVisible(),
  ).toBe(true);
  expect(await guest.locator('[data-cover] img[data-loaded]').first().isVisible()).toBe(true);
  expect(await guest.evaluate(() => getComputedStyle(document.querySelector('h1')!).fontFamily)).toContain('Geist');
  expect(await guest.getByRole('button', { name: 'Play', exact: true }).count()).toBe(1);
  expect(await guest.getByRole('link').count()).toBe(0);
  expect(await isWide(guest)).toBe(false);
  expect(await inBothThemes(guest, 'the page of a share')).toEqual([]);
  await guest.getByRole('button', { name: 'Play', exact: true }).tap();
  await until(async () => (await currentTime(guest)) > 0);
  const rows = guest.getByRole('list', { name: 'Tracks' }).getByRole('listitem');
  expect(await rows.nth(0).getAttribute('aria-current')).toBe('true');
  const player = guest.getByRole('region', { name: 'Player' });
  await player.getByText(tracks[0]!.title).waitFor();
  expect(await inBothThemes(guest, 'the page of a share that plays')).toEqual([]);
  expect(await isWide(guest)).toBe(false);
  // the last but one is played, and the last follows by itself
  await rows
    .nth(tracks.length - 2)
    .getByRole('button')
    .tap();
  await until(async () => (await rows.nth(tracks.length - 1).getAttribute('aria-current')) === 'true');
  expect(await guest.evaluate(() => navigator.mediaSession.metadata?.title)).toBe(tracks.at(-1)?.title);
  expect(await guest.evaluate(() => localStorage.getItem('tonearm.player'))).toBeNull();
  const listed = await until(
    async () => (await stage.api<ShareOut[]>('/shares')).find((candidate) => candidate.id === id),
    (found) => (found?.play_count ?? 0) > 0,
  );
  expect(listed?.visit_count).toBe(1);
  expect((await stage.api<{ total: number }>('/history')).total).toBe(0);
  await guest.context().close();
  expect(stage.problems).toEqual([]);
});

test('a guest plays it with the keyboard, in the language of the guest', async () => {
  const { path } = await share({ allows_saving: true });
  const guest = await openAsGuest(path, { ...LAPTOP_WINDOW, ...GERMAN });
  await guest.getByText('Geteilt von owner').waitFor();
  await guest.keyboard.press('Space');
  await guest.getByRole('main').getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await until(async () => (await currentTime(guest)) > 0);
  await guest.keyboard.press('Space');
  await guest.getByRole('main').getByRole('button', { name: 'Abspielen', exact: true }).waitFor();
  const download = guest.waitForEvent('download');
  await guest.getByRole('link', { name: 'Alle speichern' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.zip$/);
  await guest.context().close();
  expect(stage.problems).toEqual([]);
});

test('a page of a share asks for nothing but what is shared', async () => {
  const { path } = await share();
  const guest = await stage.openPage({ baseURL: stage.url, ...PHONE_WINDOW });
  const paths: string[] = [];
  guest.on('request', (sent) => paths.push(new URL(sent.url()).pathname));
  await guest.goto(path);
  await guest.getByRole('button', { name: 'Play', exact: true }).tap();
  await until(async () => (await currentTime(guest)) > 0);
  expect(paths.filter((requested) => /^\/(api|rest)\//.test(requested))).toEqual([]);
  await guest.context().close();
});

test('a password keeps everything hidden until it is entered', async () => {
  const { path } = await share({ password: 'open sesame' });
  const guest = await openAsGuest(path, PHONE_WINDOW);
  const field = guest.getByLabel('Password');
  await field.waitFor();
  expect(await guest.content()).not.toContain(album.title);
  expect(await inBothThemes(guest, 'the password of a share')).toEqual([]);
  await field.fill('open barley');
  await guest.keyboard.press('Enter');
  await guest.getByText('That password is not right.').waitFor();
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
  await field.fill('open sesame');
  await guest.getByRole('button', { name: 'Listen' }).tap();
  await guest.getByRole('heading', { level: 1, name: album.title }).waitFor();
  await guest.reload();
  await guest.getByRole('heading', { level: 1, name: album.title }).waitFor();
  await guest.getByRole('button', { name: 'Play', exact: true }).tap();
  await until(async () => (await currentTime(guest)) > 0);
  await guest.context().close();
  expect(realProblems()).toEqual([]);
});

test('too many wrong passwords are answered in words, also in German', async () => {
  const { path } = await share({ password: 'open sesame' });
  const guest = await openAsGuest(path, { ...LAPTOP_WINDOW, ...GERMAN });
  const field = guest.getByLabel('Passwort');
  await field.fill('zehnmal falsch');
  for (let n = 0; n < 11; n++) {
    const answered = guest.waitForResponse(/\/password$/);
    await until(() => guest.getByRole('button', { name: 'Anhören' }).isEnabled());
    await guest.keyboard.press('Enter');
    await answered;
    await guest
      .getByRole('alert')
      .filter({ hasText: n < 10 ? 'Das Passwort stimmt nicht.' : 'Zu viele Versuche.' })
      .waitFor();
  }
  await guest.context().close();
  expect(realProblems()).toEqual([]);
});

test.each([
  ['expired', 'This link has expired', 'Dieser Link ist abgelaufen'],
  ['ended', 'This link was ended', 'Dieser Link wurde beendet'],
  ['unknown', 'There is nothing at this address', 'Unter dieser Adresse gibt es nichts'],
])('a link that is %s says so, in both languages', async (state, english, german) => {
  const { id, path } = await share({ password: 'open sesame' });
  if (state === 'expired')
    await stage.api(`/shares/${id}`, { method: 'PATCH', body: { expires_at: '2026-11-02T12:00:00Z' } });
  if (state === 'ended') await stage.api(`/shares/${id}`, { method: 'PATCH', body: { is_ended: true } });
  if (state === 'unknown') await stage.api(`/shares/${id}`, { method: 'DELETE' });
  for (const [window, title] of [
    [PHONE_WINDOW, english],
    [{ ...LAPTOP_WINDOW, ...GERMAN }, german],
  ] as const) {
    const guest = await openAsGuest(path, window);
    await guest.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await guest.title()).toBe(`${title} · Tonearm`);
    expect(await guest.content()).not.toContain(album.title);
    expect(await guest.getByRole('textbox').count()).toBe(0);
    expect(await inBothThemes(guest, title)).toEqual([]);
    expect(await isWide(guest)).toBe(false);
    if (state === 'expired')
      await guest
        .getByText(title === english ? 'It worked until November 2, 2026.' : 'Er galt bis 2. November 2026.')
        .waitFor();
    await guest.context().close();
  }
  expect(realProblems()).toEqual([]);
});

test('its owner shares an expired link again, and the same address plays', async () => {
  const { id, path } = await share({ description: 'For Tom' });
  await stage.api(`/shares/${id}`, { method: 'PATCH', body: { expires_at: '2026-11-02T12:00:00Z' } });
  const guest = await openAsGuest(path, PHONE_WINDOW);
  await guest.getByRole('heading', { level: 1, name: 'This link has expired' }).waitFor();
  const page = await stage.openAsOwner({ ...DESK_WINDOW, colorScheme: 'light' });
  await page.goto('/');
  await page.getByRole('button', { name: 'Account: owner' }).click();
  await page.getByRole('menuitem', { name: 'Shared by you' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'For Tom' });
  await row.getByText('Expired on November 2, 2026').waitFor();
  await row.getByRole('button', { name: 'Share again: “For Tom”' }).click();
  await row.getByText(/^Until /).waitFor();
  await guest.getByRole('button', { name: 'Look again' }).tap();
  await guest.getByRole('heading', { level: 1, name: 'For Tom' }).waitFor();
  await page.context().close();
  await guest.context().close();
});

test('a link is ended, which can be undone, changed, and deleted for good', async () => {
  const { path } = await share({ description: 'For Ann' });
  const page = await stage.openAsOwner({ ...DESK_WINDOW, colorScheme: 'light' });
  await page.goto('/shares');
  const row = page.getByRole('listitem').filter({ hasText: 'For Ann' });
  await row.getByRole('button', { name: 'End “For Ann”' }).click();
  await row.getByText('Ended').waitFor();
  expect(await statusOf(path)).toBe(410);
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
  await row.getByText('No end').waitFor();
  expect(await statusOf(path)).toBe(200);

  await row.getByRole('button', { name: 'Change “For Ann”' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('For Ann and Ben');
  await dialog.getByText('1 month').click();
  await dialog.getByLabel('Password (optional)').fill('open sesame');
  expect(await inBothThemes(page, 'the dialog of a share', { except: ['region'] })).toEqual([]);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await row.getByText('For Ann and Ben').waitFor();
  await row.getByText(/Password/).waitFor();

  await row.getByRole('button', { name: 'End “For Ann and Ben”' }).click();
  await row.getByRole('button', { name: 'Delete “For Ann and Ben” for good' }).click();
  await row.getByRole('button', { name: 'Delete link' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await statusOf(path)).toBe(404);
  await page.context().close();
});

test('a link that ends while a guest listens stops the player and says so', async () => {
  const { id, path } = await share();
  const guest = await openAsGuest(path, PHONE_WINDOW);
  await guest.getByRole('button', { name: 'Play', exact: true }).tap();
  await until(async () => (await currentTime(guest)) > 0);
  await stage.api(`/shares/${id}`, { method: 'PATCH', body: { is_ended: true } });
  await guest.getByRole('heading', { level: 1, name: 'This link was ended' }).waitFor();
  expect(await currentTime(guest)).toBe(0);
  await guest.context().close();
});

test('a link that expires while a guest listens stops the player and says so', async () => {
  const { path } = await share({ expires_at: new Date(Date.now() + 4_000).toISOString() });
  const guest = await openAsGuest(path, PHONE_WINDOW);
  await guest.getByRole('heading', { level: 1, name: 'This link has expired' }).waitFor();
  await guest.context().close();
});

test('a page says where nothing is shared, and an account that may not share is offered nothing', async () => {
  const { username, password } = { username: 'listener', password: 'long enough password' };
  await stage.api('/users', { method: 'POST', body: { username, password, can_share: false } });
  const page = await stage.openPage({ baseURL: stage.url, ...DESK_WINDOW });
  await page.goto('/sign-in?back=/shares');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'You share nothing' }).waitFor();
  await page.getByRole('button', { name: `Account: ${username}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Shared by you' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.goto(`/albums/${album.id}`);
  await page
    .getByRole('main')
    .getByRole('button', { name: `More options for ${album.title}` })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Play next' }).waitFor();
  expect(await page.getByRole('menuitem', { name: /^Share…/ }).count()).toBe(0);
  await page.context().close();
});
