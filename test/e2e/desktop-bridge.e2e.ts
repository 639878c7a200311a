// The pages in the desktop app: they are signed in automatically, receive messages from the app, and have the app's own
// settings. The bridge is simulated here; the shell has its own tests (test/unit/main), and both together are tested by
// desktop-smoke.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import type { DesktopBridge, DesktopMessage, DesktopSettings } from '../../renderer/desktop.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import { listInfo, wav } from '../support/audio-bytes.ts';
import { openContext } from '../support/browser.ts';
import { drawCover } from '../support/drawn-covers.ts';
import { ADMIN, startServer, type TestServer } from '../support/server.ts';
import { DESK_WINDOW, sharedBrowser } from './stage.ts';

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), sharedBrowser()]);
});
afterAll(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
  await server?.close();
});

interface Shell {
  page: Page;
  addresses: string[];
  reports: unknown[];
  sendMessage(message: DesktopMessage): Promise<void>;
  tickets(): number;
  restarts(): number;
}

/** Opens a window with the bridge of the desktop app. */
async function openWindow(path = '/'): Promise<Shell> {
  const page = await (await openContext(browser, { baseURL: server.url, ...DESK_WINDOW })).newPage();
  const [addresses, reports] = [[] as string[], [] as unknown[]];
  let [tickets, restarts] = [0, 0];
  page.on('request', (request) => void addresses.push(request.url()));
  await page.exposeFunction('askTicket', () => {
    tickets += 1;
    return server.app.auth.issueDesktopTicket();
  });
  await page.exposeFunction('askRestart', () => void (restarts += 1));
  await page.exposeFunction('takeReport', (report: unknown) => void reports.push(report));
  await page.addInitScript(playBridge);
  await page.goto(path);
  return {
    page,
    addresses,
    reports,
    tickets: () => tickets,
    restarts: () => restarts,
    sendMessage: (message) =>
      page.evaluate(
        (sentMessage) => (globalThis as unknown as { tellMessage(message: unknown): void }).tellMessage(sentMessage),
        message,
      ),
  };
}

/** Runs in the page before all other scripts: simulates the bridge. */
function playBridge(): void {
  const { askTicket, askRestart, takeReport } = globalThis as unknown as {
    askTicket(): Promise<string>;
    askRestart(): Promise<void>;
    takeReport(report: unknown): Promise<void>;
  };
  const listeners = new Set<(message: DesktopMessage) => void>();
  let settings: DesktopSettings = {
    keepRunning: false,
    mediaKeys: false,
    shortcuts: { toggle: '', next: '', previous: '', like: '' },
    takenShortcuts: [],
    playerOnTop: false,
    notifyTracks: false,
    lookForUpdates: null,
    openAtLogin: null,
  };
  const tonearm: DesktopBridge = {
    pickFolder: () => Promise.resolve(null),
    setupToken: () => Promise.resolve(null),
    signInTicket: askTicket,
    restartServer: askRestart,
    settings: () => Promise.resolve(settings),
    changeSettings: (change) => Promise.resolve((settings = { ...settings, ...change })),
    hostName: () => Promise.resolve('attic'),
    tellLanguage: () => Promise.resolve(),
    showFile: () => Promise.resolve(true),
    reportPlayer: takeReport,
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  Object.assign(globalThis, {
    tonearm,
    tellMessage: (message: DesktopMessage) => {
      for (const listener of listeners) listener(message);
    },
  });
}

const home = (page: Page) => page.getByRole('navigation').getByRole('link', { name: 'Home' }).first();

test('the window is signed in automatically, and no URL contains anything that can be used again', async () => {
  const { page, addresses, reports, tickets } = await openWindow();
  await home(page).waitFor();
  await page.getByRole('button', { name: new RegExp(ADMIN.username) }).waitFor();
  expect(tickets()).toBe(1);
  expect(addresses.filter((address) => /ticket/.test(address))).toEqual([]);
  await expect
    .poll(() => reports)
    .toContainEqual({
      status: 'idle',
      title: null,
      artist: null,
      album: null,
      cover: null,
      isLiked: null,
      isSleeping: false,
    });
  await page.reload();
  await home(page).waitFor();
  expect(tickets()).toBe(1); // the stored session needs no second ticket
});

test('the settings and player windows are signed in too', async () => {
  const settings = await openWindow('/settings');
  await settings.page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
  const player = await openWindow('/player');
  await player.page.getByRole('main', { name: 'Player' }).waitFor();
});

test('after signing out, nobody is signed in until they do it by hand, also after a reload', async () => {
  const { page, tickets, sendMessage } = await openWindow();
  await home(page).waitFor();
  await page.getByRole('button', { name: new RegExp(ADMIN.username) }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(tickets()).toBe(1);

  await sendMessage({ kind: 'open', path: '/albums' }); // the message waits until somebody is signed in
  await page.getByLabel('Username').fill(ADMIN.username);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Albums' }).waitFor();
  await page.evaluate(() => localStorage.removeItem('tonearm.session')); // simulates an expired session
  await page.reload();
  await home(page).waitFor();
  expect(tickets()).toBe(2);
});

test('the app opens pages, searches, plays and likes, and the page says when the server is restarting', async () => {
  const { page, sendMessage, reports } = await openWindow();
  await home(page).waitFor();
  await sendMessage({ kind: 'open', path: '/albums' });
  await page.getByRole('heading', { level: 1, name: 'Albums' }).waitFor();
  await sendMessage({ kind: 'search', text: 'dark side' });
  await expect.poll(() => page.getByRole('combobox', { name: 'Search the library' }).inputValue()).toBe('dark side');
  await page.keyboard.press('Escape');

  const form = new FormData();
  const file = wav(listInfo({ INAM: 'Money', IART: 'Pink Floyd', IPRD: 'The Dark Side of the Moon' }));
  form.append('files', new Blob([new Uint8Array(file)]), 'money.wav');
  const { body } = await server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form });
  const album = { id: body.items[0]?.album_id, title: 'The Dark Side of the Moon' };
  const picture = new FormData();
  picture.append('file', new Blob([new Uint8Array(await drawCover('Money', 'Pink Floyd'))]), 'cover.png');
  expect((await server.api(`/albums/${album.id}/cover`, { method: 'PUT', body: picture })).status).toBe(204);
  await sendMessage({ kind: 'playItem', item: 'album', id: album.id ?? 0 });
  const cover = expect.stringMatching(/^data:image\/png;base64,/) as unknown;
  await expect.poll(() => reports.at(-1)).toMatchObject({ title: 'Money', album, cover, isLiked: false });
  await sendMessage({ kind: 'player', command: 'like' });
  await expect.poll(() => reports.at(-1)).toMatchObject({ title: 'Money', isLiked: true });
  await sendMessage({ kind: 'playItem', item: 'album', id: 999 });
  await page.getByText('There is no album 999.').waitFor();

  await sendMessage({ kind: 'server', state: 'restarting' });
  await page.getByText('is restarting').waitFor();
  await sendMessage({ kind: 'server', state: 'running' });
  await page.getByText('is restarting').waitFor({ state: 'detached' });
});

test('the settings of the app are shown in the app, and not in a browser', async () => {
  const { page } = await openWindow('/settings');
  const tray = page.getByRole('switch', { name: 'Keep running in the tray' });
  await tray.waitFor();
  // the simulated system does not support autostart
  expect(await page.getByRole('switch', { name: 'Start at login' }).count()).toBe(0);
  expect(await page.getByRole('switch', { name: 'Check for updates' }).count()).toBe(0);
  // the settings window has no link to the library
  expect(await page.getByRole('link', { name: 'Back to the library' }).count()).toBe(0);
  expect(await page.getByText('This browser').count()).toBe(0);
  await tray.click({ force: true }); // the switch changes when the app has answered
  await expect.poll(() => tray.isChecked()).toBe(true);
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();

  const browserPage = await (await openContext(browser, { baseURL: server.url, ...DESK_WINDOW })).newPage();
  await browserPage.addInitScript(
    (session) => localStorage.setItem('tonearm.session', session),
    await page.evaluate(() => localStorage.getItem('tonearm.session') ?? ''),
  );
  await browserPage.goto('/settings');
  await browserPage.getByRole('heading', { level: 1, name: 'General' }).waitFor();
  expect(await browserPage.getByRole('switch', { name: 'Keep running in the tray' }).count()).toBe(0);
});

test('a change that needs a restart offers to restart', async () => {
  expect((await server.api('/settings', { method: 'PATCH', body: { s3_region: 'somewhere' } })).status).toBe(200);
  const { page, restarts } = await openWindow('/settings#general');
  await page.getByText('Some changes take effect after a restart of the server.').waitFor();
  await page.getByRole('button', { name: 'Restart server' }).click();
  await expect.poll(restarts).toBe(1);
});
