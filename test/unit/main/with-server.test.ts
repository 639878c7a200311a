// The shell with a fake Electron and the real server as its child process: signed in automatically, the tray scans and
// shares, files are opened, the server is killed, the app is quit during a scan.
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../main/clock.ts';
import { startDesktop } from '../../../main/desktop.ts';
import { launchServer } from '../../../main/launch-server.ts';
import type { ServerChild } from '../../../main/server-process.ts';
import { serverEntry } from '../../support/bundle.ts';
import { makeLibrary, pathOf } from '../../support/library.ts';
import { migratedDatabase } from '../../support/temp-database.ts';
import { until } from '../../support/until.ts';
import { app, fake } from '../../fakes/electron.ts';
import { getOnlyWindow, reportPageLoaded } from './running-app.ts';

const OWNER_LOGIN = { username: 'owner', password: 'correct horse battery' };
const TEST_SETTINGS = {
  PORT: '0',
  LOCAL_MEDIA_WATCH: 'false',
  LOG_LEVEL: 'silent',
  FPID_ENABLED: 'false',
  MUSICBRAINZ_ENABLED: 'false',
  COVERART_ENABLED: 'false',
};

let dir: string;
let output: string;
let child: ServerChild | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-shell-'));
  const entry = pathToFileURL(serverEntry()).href;
  for (const root of ['.', 'app.asar.unpacked']) {
    mkdirSync(join(dir, root, 'dist', 'server'), { recursive: true });
    writeFileSync(join(dir, root, 'dist', 'server', 'main.js'), `import(${JSON.stringify(entry)});`);
  }
  migratedDatabase(join(dir, 'data', 'tonearm.db'));
  for (const [name, value] of Object.entries({ ...TEST_SETTINGS, DATA_DIR: join(dir, 'data') }))
    vi.stubEnv(name, value);
});
afterEach(async () => {
  app.quit();
  await expect.poll(() => app.hasExited).toBe(true);
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts the app with its window, and creates the owner's account in it. */
async function boot({ isPackaged = false, argv = ['/opt/tonearm'] } = {}) {
  fake.reset();
  output = '';
  app.isPackaged = isPackaged;
  const launch: Parameters<typeof startDesktop>[0]['launch'] = ({ args }) =>
    (child = launchServer({
      root: isPackaged ? join(dir, 'app.asar') : dir,
      isPackaged,
      args,
      echo: (chunk) => {
        output += chunk.toString();
      },
    }));
  startDesktop({
    preload: '/app/preload.cjs',
    icons: '/app/tray',
    launch,
    clock: systemClock,
    faults: new EventEmitter(),
    hasFeed: false,
    argv,
    platform: 'linux',
  });
  app.becomeReady();
  await expect.poll(() => fake.windows).toHaveLength(1);
  const window = getOnlyWindow();
  const url = new URL(window.webContents.getURL()).origin;
  await reportPageLoaded(window);
  return { window, url };
}

async function bootAsOwner(options?: Parameters<typeof boot>[0]) {
  const runningApp = await boot(options);
  const token = await until(() => fake.invoke(runningApp.window, 'setup:token', []));
  await call(runningApp.url, '/auth/setup', { method: 'POST', body: { ...OWNER_LOGIN, setup_token: token } });
  await reportPageLoaded(runningApp.window); // the page reports again after signing in
  await expect.poll(() => tray().findItem('Rescan library').enabled).toBe(true);
  return runningApp;
}

async function call(
  url: string,
  path: string,
  { method = 'GET', body, token }: { method?: string; body?: unknown; token?: string } = {},
) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json().catch(() => undefined)) as Record<string, unknown> };
}

const signInWith = (url: string, ticket: unknown) => call(url, '/auth/desktop', { method: 'POST', body: { ticket } });

/** Signs in like the page does. */
async function signIn({ window, url }: Awaited<ReturnType<typeof boot>>): Promise<string> {
  const { body } = await signInWith(url, await fake.invoke(window, 'auth:ticket', []));
  return body['access_token'] as string;
}

function tray() {
  if (!fake.tray?.menu) throw new Error('There is no tray.');
  return fake.tray.menu;
}

const countRows = (table: string): number => {
  const db = new Database(join(dir, 'data', 'tonearm.db'), { readonly: true });
  try {
    return (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  } finally {
    db.close();
  }
};

describe.each([{ isPackaged: false }, { isPackaged: true }])('packaged: $isPackaged', ({ isPackaged }) => {
  it('the window is signed in with a one-time ticket, and quitting waits for the server', async () => {
    const runningApp = await bootAsOwner({ isPackaged });
    const ticket = (await fake.invoke(runningApp.window, 'auth:ticket', [])) as string;
    const firstSignIn = await signInWith(runningApp.url, ticket);
    expect(firstSignIn.body).toMatchObject({ user: { username: OWNER_LOGIN.username, is_superuser: true } });
    expect((await signInWith(runningApp.url, ticket)).status).toBe(403);
    expect(
      (await call(runningApp.url, '/users/me', { token: firstSignIn.body['access_token'] as string })).status,
    ).toBe(200);
    expect(output).not.toContain(ticket);

    runningApp.window.webContents.mainFrame = { url: 'https://example.org/' };
    await expect(fake.invoke(runningApp.window, 'auth:ticket', [])).rejects.toThrow('is not for this page');

    app.quit();
    expect(app.hasExited).toBe(false);
    await expect.poll(() => app.hasExited).toBe(true);
    await expect(fetch(`${runningApp.url}/health`)).rejects.toThrow('fetch failed');
    expect(output).not.toContain('unexpected');
  });
});

it('a server that cannot start says why, also if its process does not end', async () => {
  vi.stubEnv('PORT', '70000');
  fake.reset();
  app.isPackaged = true;
  startDesktop({
    preload: '/app/preload.cjs',
    icons: '/app/tray',
    launch: () => launchServer({ root: join(dir, 'app.asar'), isPackaged: true }),
    clock: systemClock,
    faults: new EventEmitter(),
    hasFeed: false,
    argv: ['/opt/tonearm'],
    platform: 'linux',
  });
  app.becomeReady();
  await expect.poll(() => fake.messages[0]?.options.detail).toContain('PORT');
  fake.messages[0]?.answer('Quit');
});

it('the tray switches sharing on and off, and shows when that is done elsewhere', async () => {
  const runningApp = await bootAsOwner();
  const token = await signIn(runningApp);
  const isShared = async () => (await call(runningApp.url, '/network', { token })).body['shared'];
  await expect.poll(() => tray().findItem('Share on my network').enabled).toBe(true);
  tray().pick('Share on my network');
  await expect.poll(() => isShared()).toBe(true);
  await expect.poll(() => tray().findItem('Share on my network').checked).toBe(true);
  expect(fake.notices.map(({ options }) => options.title)).toEqual(['Anyone on your network can create an account']);
  fake.notices[0]?.emit('click');
  expect(fake.windows.map(({ webContents }) => webContents.getURL())).toContain(`${runningApp.url}/settings#accounts`);
  await call(runningApp.url, '/network/sharing', { method: 'PUT', token, body: { enabled: false } });
  await expect.poll(() => tray().findItem('Share on my network').checked).toBe(false);
});

it('music and playlists that are opened with the app are imported, played and shown', async () => {
  const music = makeLibrary(
    { tracks: 3, formats: ['flac', 'mp3'], seconds: '2', art: 'none', seed: 'opened' },
    join(dir, 'music'),
  );
  const paths = music.files.map((file) => pathOf(music, file).toString());
  const listPath = join(dir, 'mine.m3u8');
  writeFileSync(
    listPath,
    `#EXTM3U\n${music.files.map(({ tags }) => `#EXTINF:2,${tags?.artist} - ${tags?.title}\n${tags?.title}.flac`).join('\n')}\n`,
  );
  writeFileSync(join(dir, 'broken.mp3'), 'no music');
  const { window } = await bootAsOwner();

  app.emit('second-instance', {}, ['/opt/tonearm', paths[0] ?? ''], '/');
  await expect
    .poll(() => window.webContents.heardMessages.at(-1))
    .toMatchObject({ kind: 'play', trackIds: [expect.any(Number)] });

  for (const path of [listPath, ...paths, join(dir, 'broken.mp3'), join(dir, 'not-there.mp3')])
    app.emit('open-file', { preventDefault: () => undefined }, path);
  await expect.poll(() => fake.notices).toHaveLength(1);
  expect(fake.notices[0]?.options).toMatchObject({
    title: 'Some files could not be imported',
    body: expect.stringMatching(/^broken\.mp3: ./) as string,
  });
  expect(window.webContents.heardMessages).toContainEqual({
    kind: 'open',
    path: expect.stringMatching(/^\/playlists\/\d+$/) as string,
  });
  expect(countRows('tracks')).toBe(3);

  expect(await fake.invoke(window, 'file:show', [1])).toBe(true);
  expect(fake.shownFiles).toEqual([expect.stringContaining(join(dir, 'data', 'library', 'audio'))]);
  expect(await fake.invoke(window, 'file:show', [99])).toBe(false);
  expect(fake.shownFiles).toHaveLength(1);
});

it('a killed server is restarted; the window keeps its page, and tray and sign-in still work', async () => {
  const runningApp = await bootAsOwner();
  const token = await signIn(runningApp);
  const previousUrl = runningApp.url;
  child?.kill();
  await expect
    .poll(() => runningApp.window.webContents.heardMessages)
    .toContainEqual({ kind: 'server', state: 'restarting' });
  // port 0 selects a new port each time
  await expect.poll(() => runningApp.window.webContents.getURL()).not.toBe(`${previousUrl}/`);
  const url = new URL(runningApp.window.webContents.getURL()).origin;
  await expect.poll(() => tray().findItem('Rescan library').enabled).toBe(true);
  expect((await call(url, '/users/me', { token })).status).toBe(200);
  expect(await signIn({ window: runningApp.window, url })).toBeTypeOf('string');
});

it('a scan from the tray is shown while it runs, stopped when the app quits, and continued afterwards', async () => {
  const TRACK_COUNT = 2_000; // a fast scan must not end before a slow app quits
  const music = makeLibrary(
    { tracks: TRACK_COUNT, formats: ['mp3'], seconds: '1', art: 'none', seed: 'quit' },
    join(dir, 'music'),
  );
  vi.stubEnv('LOCAL_MEDIA_IMPORT_PATH', music.dir);
  const { window } = await bootAsOwner();
  tray().pick('Rescan library');
  await expect.poll(() => countRows('tracks'), { interval: 2 }).toBeGreaterThan(0);
  const countAtQuit = countRows('tracks');
  app.quit();
  await expect.poll(() => app.hasExited).toBe(true);
  expect(fake.windows).not.toContain(window);
  const countAfterQuit = countRows('tracks');
  expect(countAfterQuit).toBeGreaterThanOrEqual(countAtQuit);
  expect(countAfterQuit).toBeLessThan(TRACK_COUNT);

  await boot();
  await expect.poll(() => countRows('tracks')).toBe(TRACK_COUNT);
  await expect.poll(() => tray().findItem('Rescan library').enabled).toBe(true);
  tray().pick('Rescan library');
  await expect
    .poll(() => fake.notices.map(({ options }) => [options.title, options.body]))
    .toEqual([['Scan finished', '0 tracks added. Unreadable files: 0.']]);
  expect(countRows('tracks')).toBe(TRACK_COUNT);
});
