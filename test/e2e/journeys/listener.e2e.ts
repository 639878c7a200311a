// A listener without rights is offered nothing that the server would refuse: in menus, by keys, for a selection, in the
// search and behind typed addresses. An account that may add music has these actions on its own uploads only.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TokenResponse } from '../../../server/auth/wire.ts';
import type { AlbumOut, AlbumPage, TrackOut } from '../../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../../support/audio-bytes.ts';
import { violations } from '../axe.ts';
import { DESK_WINDOW, openStage, PHONE_WINDOW, type Stage } from '../stage.ts';
import { handOf, type InputMethod } from './hand.ts';

const PASSWORD = 'long enough password';
const NO_RIGHTS = { can_upload: false, can_download: false, can_share: false };

let stage: Stage;
let album: AlbumOut;
let listener: TokenResponse;
let uploader: TokenResponse;
let upload: TrackOut;

const song = (title: string, name: string): Blob =>
  new Blob([
    Uint8Array.from(
      Buffer.concat([
        id3(
          Object.entries({ TIT2: title, TPE1: 'The Harbors', TALB: name }).map(([frame, value]) =>
            id3Frame(frame, utf8Text(value)),
          ),
        ),
        silentMp3(80),
      ]),
    ),
  ]);

async function register(username: string, rights: object): Promise<TokenResponse> {
  await stage.api('/users', { method: 'POST', body: { username, password: PASSWORD, ...rights } });
  return stage.api<TokenResponse>('/auth/login', { method: 'POST', body: { username, password: PASSWORD } });
}

async function openAs({ access_token, user }: TokenResponse, options: object): Promise<Page> {
  const page = await stage.openPage({ baseURL: stage.url, ...options });
  await page.addInitScript(
    ([token, account]) => localStorage.setItem('tonearm.session', JSON.stringify({ token, user: account })),
    [access_token, user] as const,
  );
  return page;
}

beforeAll(async () => {
  stage = await openStage({ tracks: 24, messy: 0 });
  await (await stage.openAsOwner(DESK_WINDOW)).context().close();
  album = (await stage.api<AlbumPage>('/albums?limit=1&sort=title')).items[0]!;
  const { items } = await stage.api<{ items: TrackOut[] }>('/tracks?limit=5');
  await stage.api('/playlists', {
    method: 'POST',
    body: { name: 'Of the owner', is_public: true, track_ids: items.map(({ id }) => id) },
  });
  listener = await register('listener', NO_RIGHTS);
  uploader = await register('uploader', { ...NO_RIGHTS, can_upload: true });
  const form = new FormData();
  form.append('file', song('Pier', 'Own Harbor'), 'pier.mp3');
  const response = await fetch(`${stage.url}/api/v1/tracks/upload`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${uploader.access_token}` },
    body: form,
  });
  upload = (await response.json()) as TrackOut;
});
afterAll(() => stage?.close());

const LISTENING = ['Play', 'Shuffle', 'Play next', 'Add to queue', 'Start radio'];
const OWN = ['Add to playlist', 'Like', 'Rate'];
const ALBUM_MENU = [...LISTENING, ...OWN, 'Open', 'Pin'];
const TRACK_MENU = [...LISTENING.filter((name) => name !== 'Shuffle'), 'Path to…', ...OWN, 'Go to album', 'Details'];
const PLAYLIST_MENU = [...LISTENING, 'Add to playlist', 'Open', 'Pin', 'Manage'];
const GERMAN_ALBUM_MENU = [
  'Abspielen',
  'Mischen',
  'Als Nächstes abspielen',
  'Zur Warteschlange hinzufügen',
  'Radio starten',
  'Zu Playlist hinzufügen',
  'Zu Favoriten hinzufügen',
  'Bewerten',
  'Öffnen',
  'Anheften',
];
const FORBIDDEN = /Edit|Cover|Merge|Split|Identify|Match|Delete|Share|Save|Manage/;

const entries = async (page: Page): Promise<string[]> =>
  (await page.getByRole('menu').last().getByRole('menuitem').allInnerTexts()).map((text) => text.split('\n')[0]!);
async function closeMenu(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('menu').first().waitFor({ state: 'detached' });
}

const WAYS: [string, InputMethod, object, string[]][] = [
  ['mouse', 'mouse', DESK_WINDOW, ALBUM_MENU],
  ['keyboard', 'keyboard', DESK_WINDOW, ALBUM_MENU],
  ['touch', 'touch', PHONE_WINDOW, ALBUM_MENU],
  ['touch, in German', 'touch', { ...PHONE_WINDOW, locale: 'de-DE' }, GERMAN_ALBUM_MENU],
];

test.each(WAYS)('the menus of a listener have no action that needs a right, by %s', async (_, method, window, menu) => {
  const page = await openAs(listener, window);
  const hand = handOf(method, page);
  const openMenu = async (path: string, selector: string) => {
    await page.goto(path);
    const item = page.locator('#main').locator(selector).first();
    await item.waitFor();
    if (method === 'keyboard') await item.focus();
    await hand.menu(item);
  };
  await openMenu('/albums', '[data-items] a[data-stop]');
  await expect.poll(() => entries(page)).toEqual(menu);
  expect(await violations(page, 'menu', { except: ['region'] })).toEqual([]);
  await closeMenu(page);
  await page.goto(`/albums/${album.id}`);
  await page.locator('#main header button[aria-haspopup="menu"]').click();
  await expect.poll(() => entries(page)).toEqual(menu);
  await closeMenu(page);
  if (menu !== ALBUM_MENU) return page.context().close();

  await openMenu('/artists', '[data-items] a[data-stop]');
  await expect.poll(() => entries(page)).toEqual(menu);
  await closeMenu(page);
  await openMenu('/tracks', '[data-index="0"][data-track]');
  const isNoArtist = (name: string) => !name.startsWith('Go to ') || name === 'Go to album';
  await expect.poll(async () => (await entries(page)).filter(isNoArtist)).toEqual(TRACK_MENU);
  await closeMenu(page);
  await openMenu('/folders', '[data-items] [data-stop]');
  await page.getByRole('menu').waitFor();
  expect((await entries(page)).filter((name) => FORBIDDEN.test(name))).toEqual([]);
  await closeMenu(page);
  await openMenu('/playlists', '[data-items] a[data-stop]');
  await expect.poll(() => entries(page)).toEqual(PLAYLIST_MENU);
  await page.context().close();
  return undefined;
});

test('the cover of an album is shown, and nothing in its dialog changes it', async () => {
  const page = await openAs(listener, DESK_WINDOW);
  await page.goto(`/albums/${album.id}`);
  await page.getByRole('button', { name: `Cover of ${album.title}` }).click();
  const dialog = page.getByRole('dialog', { name: album.title });
  await dialog.getByRole('img').first().waitFor();
  expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['']);
  expect(await dialog.locator('input').count()).toBe(0);
  await page.context().close();
});

test('keys, the bar of a selection and the search offer a listener nothing else', async () => {
  const page = await openAs(listener, DESK_WINDOW);
  await page.goto('/tracks');
  const rows = page.getByRole('grid', { name: 'Tracks' });
  await rows.locator('[data-index="0"][data-track]').focus();
  for (const key of ['e', 'Delete', 'm']) await page.keyboard.press(key);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowDown');
  const bar = page.getByRole('toolbar', { name: 'Selection' });
  await bar.getByText('2 selected').waitFor();
  expect(await bar.getByRole('button').evaluateAll((buttons) => buttons.map((button) => button.ariaLabel))).toEqual([
    'Play',
    'Play next',
    'Add to queue',
    'Like',
    'Add to playlist',
    'More options for 2 selected',
    'Clear selection',
  ]);
  await page.keyboard.press('Delete');
  await bar.getByRole('button', { name: 'More options for 2 selected' }).click();
  await page.getByRole('menu', { name: 'Selection' }).waitFor();
  expect(await page.getByRole('menu').count()).toBe(1);
  expect((await entries(page)).filter((name) => FORBIDDEN.test(name))).toEqual([]);
  await closeMenu(page);
  expect((await stage.api<{ total: number }>('/tracks?limit=1')).total).toBe(25);

  await page.goto('/albums');
  await page.locator('#main [data-items] a[data-stop]').first().focus();
  for (const key of ['e', 'Delete', 'm', 'c']) await page.keyboard.press(key);
  expect(await page.getByRole('dialog').count()).toBe(0);

  await page.keyboard.press('Control+k');
  const commands = page.getByRole('option').filter({ hasText: /Page|Command/ });
  for (const words of ['Add music', 'Rescan library', 'Review', 'Duplicates', 'Trash', 'Activity']) {
    // what everybody has is found again after what only others have, so that the results are those of the words
    await page.getByRole('combobox').fill('Keyboard shortcuts');
    await commands.filter({ hasText: 'Keyboard shortcuts' }).waitFor();
    await page.getByRole('combobox').fill(words);
    await commands.filter({ hasText: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
    expect(await commands.filter({ hasText: words }).count()).toBe(0);
  }
  expect(stage.problems).toEqual([]);
  await page.context().close();
});

test.each([
  [
    'account of a listener',
    () => listener,
    ['/care', '/review', '/duplicates', '/merges', '/missing', '/trash', '/activity'],
  ],
  ['account of an uploader', () => uploader, ['/activity']],
])('typed addresses of pages that are not for the %s answer in words, with a way home', async (_, account, paths) => {
  const page = await openAs(account(), PHONE_WINDOW);
  for (const path of paths) {
    await page.goto(path);
    await page.getByRole('heading', { name: 'Your account may not do this.' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Go home' }).waitFor();
  }
  await page.getByRole('main').getByRole('link', { name: 'Go home' }).tap();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  expect(stage.problems).toEqual([]);
  await page.context().close();
});

test('own uploads keep their rights, and other music has none', async () => {
  const page = await openAs(uploader, DESK_WINDOW);
  await page.goto(`/albums/${upload.album_id}`);
  const more = (title: string) =>
    page.locator('#main header').getByRole('button', { name: `More options for ${title}` });
  await more('Own Harbor').click();
  await expect.poll(() => entries(page)).toEqual([...ALBUM_MENU, 'Edit…', 'Manage']);
  await page.getByRole('menuitem', { name: 'Manage' }).hover();
  await expect
    .poll(async () =>
      (await page.getByRole('menu', { name: 'Manage' }).getByRole('menuitem').allInnerTexts()).map(
        (text) => text.split('\n')[0],
      ),
    )
    .toEqual(['Cover…', 'Identify', 'Match with MusicBrainz…', 'Delete']);
  await page.getByRole('menuitem', { name: 'Cover…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Own Harbor' });
  await dialog.getByText('Choose a picture').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.goto(`/albums/${album.id}`);
  await more(album.title).click();
  await expect.poll(() => entries(page)).toEqual(ALBUM_MENU);
  await closeMenu(page);

  // a selection is editable if all of its rows are own uploads
  await page.goto(`/tracks?q=${upload.title}`);
  const rows = page.getByRole('grid', { name: 'Tracks' });
  await rows.locator(`[role="row"][data-track="${upload.id}"]`).focus();
  await page.keyboard.press('e');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto('/tracks');
  await rows.locator('[data-index="0"][data-track]').focus();
  await page.keyboard.press('Control+a');
  const bar = page.getByRole('toolbar', { name: 'Selection' });
  await bar.getByText('25 selected').waitFor();
  expect(await bar.getByRole('button', { name: /Edit|Delete/ }).count()).toBe(0);

  // the server lets the upload go
  await page.goto(`/albums/${upload.album_id}`);
  await more('Own Harbor').click();
  await page.getByRole('menuitem', { name: 'Play next' }).waitFor();
  await page.keyboard.press('Delete');
  await page
    .getByRole('alert')
    .filter({ hasText: /deleted/ })
    .waitFor();
  await page.context().close();
});
