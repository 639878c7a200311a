// Uses the real desktop app like a user, with an empty data folder: first run, scan, play, the tray's menu, the player
// window on top, media keys, links, opened files, a second start, a restarted server, quit. Not part of `npm test`,
// because it needs Electron's binary and a display. npm run desktop:smoke tests the build of the sources; with --packed
// it tests what electron-builder packed into out/, which needs the fuse for Node's inspector left on (see
// .github/workflows/check.yml); --electron PATH uses any Electron from version 25 on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { _electron as electron, type ElectronApplication, type Page } from 'playwright-core';
import { makeOlderShell } from '../../scripts/older-shell.ts';
import { makeLibrary } from '../support/library.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const root = join(import.meta.dirname, '..', '..');
const dir = mkdtempSync(join(tmpdir(), 'tonearm-desktop-smoke-'));
const OWNER_ACCOUNT = { username: 'owner', password: 'correct horse battery' };

/** Returns the path of the program in the folder that `electron-builder --dir` makes. */
function packedProgram(): string {
  const candidates = readdirSync(join(root, 'out')).flatMap((folder) =>
    ['tonearm', 'Tonearm.exe', join('Tonearm.app', 'Contents', 'MacOS', 'Tonearm')].map((program) =>
      join(root, 'out', folder, program),
    ),
  );
  const executable = candidates.find((path) => existsSync(path));
  if (executable === undefined)
    throw new Error('There is no packed app in out/; run "npm run package -- --dir" first.');
  return executable;
}

const { values } = parseArgs({
  options: { packed: { type: 'boolean', default: false }, electron: { type: 'string' } },
});
const isPacked = values.packed;
const env = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
const music = makeLibrary(
  { tracks: 3, formats: ['mp3', 'flac', 'opus'], art: 'embedded', seconds: '30', seed: 'smoke' },
  join(dir, 'music'),
);
const source = values.electron === undefined ? root : await makeOlderShell(join(dir, 'app'));
const program = isPacked ? packedProgram() : values.electron;
const args = [
  ...(isPacked ? [] : [source]),
  `--user-data-dir=${join(dir, 'profile')}`,
  '--lang=en-US',
  '--password-store=basic', // the test machines have no unlocked keychain
  '--use-mock-keychain',
  '--autoplay-policy=no-user-gesture-required',
];
const app = await electron.launch({
  args,
  ...(program !== undefined && { executablePath: program }),
  cwd: root,
  env: {
    ...env,
    DATA_DIR: join(dir, 'data'),
    PORT: '0',
    LOCAL_MEDIA_WATCH: 'false',
    FPID_ENABLED: 'false',
    MUSICBRAINZ_ENABLED: 'false',
    COVERART_ENABLED: 'false',
  },
  timeout: PATIENCE_MS,
});
app.process().stderr?.pipe(process.stderr);

try {
  await keepTrayMenu(app);
  const window = await app.firstWindow({ timeout: PATIENCE_MS });
  window.setDefaultTimeout(PATIENCE_MS);
  const { origin } = new URL(window.url());
  await firstRun(window);
  await scan(window);
  await play(window);
  await useTray(app, window);
  await useMiniPlayer(app);
  await useKeysAndLinks(app, window);
  await openFile(app, window);
  await startAgain(app, window);
  await restartServer(window);
  console.log(`Memory: ${await memory(app)}`);
  await quitByTray(app);
  const answer = await fetch(`${origin}/health`).catch(() => undefined);
  if (answer) throw new Error('The server still answers after the app has quit.');
  console.log('The desktop app was set up, has scanned and played, did what it was told, and has quit.');
} finally {
  app.process().kill('SIGKILL'); // process() is undefined after the app has quit
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

async function firstRun(window: Page): Promise<void> {
  await window.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
  if (await window.getByLabel('Setup token').isVisible())
    throw new Error('The window asks for a set-up token that it should have been given.');
  await window.getByLabel('Username').fill(OWNER_ACCOUNT.username);
  await window.getByLabel('Password', { exact: true }).fill(OWNER_ACCOUNT.password);
  await window.getByRole('button', { name: 'Next' }).click();
}

async function scan(window: Page): Promise<void> {
  await window.getByLabel('Music folder').fill(music.dir);
  await window.getByRole('radio', { name: /Leave files where they are/ }).check();
  await window.getByRole('button', { name: 'Start scanning' }).click();
  await window.getByRole('heading', { name: 'Who may listen?' }).waitFor();
  await window.getByRole('button', { name: 'Open my library' }).click();
  await window.getByRole('heading', { name: 'Recently added' }).waitFor();
  await window.getByRole('link', { name: 'Tracks', exact: true }).click();
  for (const title of music.files.flatMap(({ tags }) => tags?.title ?? []))
    await window.getByRole('main').getByText(title, { exact: true }).first().waitFor();
}

async function play(window: Page): Promise<void> {
  const album = music.files[0]?.tags?.album;
  if (album === undefined) throw new Error('The first file has no album.');
  await window.keyboard.press('ControlOrMeta+k');
  await window.getByRole('combobox', { name: 'Search the library' }).fill(album);
  await window
    .getByRole('group', { name: /Albums/ })
    .getByRole('option')
    .first()
    .click();
  await window.getByRole('main').getByRole('button', { name: 'Play', exact: true }).click();
  await window.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause', exact: true }).waitFor();
}

/** Checks that the tray shows the playing track, and pauses it there. */
async function useTray(app: ElectronApplication, window: Page): Promise<void> {
  const titles = music.files.flatMap(({ tags }) => tags?.title ?? []);
  const isTitle = (label: string): boolean => titles.some((title) => label.startsWith(title.slice(0, 20)));
  await until(
    () => trayLabels(app),
    (labels) => labels.some(isTitle),
  );
  await clickInTray(app, 'Pause');
  await window.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Play', exact: true }).waitFor();
  await until(
    () => trayLabels(app),
    (labels) => labels.includes('Play'),
  );
}

/** Checks the sleep timer, and the player window on top and as one line. */
async function useMiniPlayer(app: ElectronApplication): Promise<void> {
  await clickInTray(app, '15 minutes');
  await until(
    () => trayLabels(app),
    (labels) => labels.includes('Sleep timer (on)'),
  );
  await clickInTray(app, 'Off');
  const windowOpened = app.waitForEvent('window', { timeout: PATIENCE_MS });
  await clickInTray(app, 'Player window');
  const player = await windowOpened;
  await clickInTray(app, 'Keep player on top');
  const resize = (height: number) =>
    app.evaluate(({ BrowserWindow }, wantedIndex) => {
      const window = BrowserWindow.getAllWindows().find((openWindow) =>
        openWindow.webContents.getURL().endsWith('/player'),
      );
      window?.setContentSize(300, wantedIndex);
      return window?.isAlwaysOnTop() ?? false;
    }, height);
  await until(
    () => resize(80),
    (isOnTop) => isOnTop,
  );
  await player.getByRole('button', { name: 'Play', exact: true }).waitFor({ timeout: PATIENCE_MS });
  await player.getByRole('button', { name: 'Lyrics' }).waitFor({ state: 'hidden', timeout: PATIENCE_MS });
  await resize(640);
  await player.getByRole('button', { name: 'Lyrics' }).waitFor({ timeout: PATIENCE_MS });
  await player.close();
}

interface Bridge {
  changeSettings(change: object): Promise<{ takenShortcuts: string[] }>;
  restartServer(): Promise<void>;
}

async function useKeysAndLinks(app: ElectronApplication, window: Page): Promise<void> {
  const isRegistered = (key: string) =>
    app.evaluate(({ globalShortcut }, shortcut) => globalShortcut.isRegistered(shortcut), key);
  const shortcuts = { toggle: 'Control+Alt+Shift+P', next: '', previous: '', like: '' };
  const { takenShortcuts } = await window.evaluate(
    (change) => (globalThis as unknown as { tonearm: Bridge }).tonearm.changeSettings(change),
    { mediaKeys: true, shortcuts },
  );
  if (takenShortcuts.length === 0 && !(await isRegistered(shortcuts.toggle)))
    throw new Error('The shortcut is not registered.');
  if (!(await isRegistered('MediaPlayPause'))) console.log('The system keeps the media keys for itself.');
  await app.evaluate(({ app }) => app.emit('open-url', { preventDefault: () => undefined }, 'tonearm://search?q=zzz'));
  await until(
    () => window.getByRole('combobox', { name: 'Search the library' }).inputValue({ timeout: PATIENCE_MS }),
    (text) => text === 'zzz',
  );
  await window.keyboard.press('Escape');
  await app.evaluate(({ app }) => app.emit('open-url', { preventDefault: () => undefined }, 'tonearm://play/album/1'));
  await pauseButton(window).waitFor();
  await pauseButton(window).click();
}

const pauseButton = (window: Page) =>
  window.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause', exact: true });

async function openFile(app: ElectronApplication, window: Page): Promise<void> {
  const path = join(music.dir, music.files[0]?.path ?? '');
  await app.evaluate(({ app }, file) => app.emit('open-file', { preventDefault: () => undefined }, file), path);
  await pauseButton(window).waitFor();
  await pauseButton(window).click();
}

/** Checks that a second start ends at once and passes its link to the first. */
async function startAgain(app: ElectronApplication, window: Page): Promise<void> {
  const path = await app.evaluate(() => process.execPath);
  const secondProcess = spawn(path, [...args, 'tonearm://album/1'], { cwd: root, env: process.env, stdio: 'inherit' });
  await once(secondProcess, 'exit');
  await window.waitForURL(/\/albums\/1$/);
}

async function restartServer(window: Page): Promise<void> {
  await window.evaluate(() => (globalThis as unknown as { tonearm: Bridge }).tonearm.restartServer());
  const { status } = await window.evaluate(async () => {
    const answer = await fetch('/health');
    return { status: answer.status };
  });
  if (status !== 200) throw new Error(`The restarted server answers ${status}.`);
}

async function quitByTray(app: ElectronApplication): Promise<void> {
  const appClosed = app.waitForEvent('close', { timeout: PATIENCE_MS });
  await clickInTray(app, 'Quit Tonearm');
  await appClosed;
}

/**
 * Records the tray's menu, because no driver can click in a system's tray; its items are clicked from inside the app.
 */
function keepTrayMenu(app: ElectronApplication): Promise<void> {
  return app.evaluate(({ Tray }) => {
    const { setContextMenu } = Tray.prototype;
    Tray.prototype.setContextMenu = function keepMenu(menu) {
      if (menu) Object.assign(globalThis, { trayMenu: menu });
      setContextMenu.call(this, menu);
    };
  });
}

function trayLabels(app: ElectronApplication): Promise<string[]> {
  return app.evaluate(
    () => (globalThis as { trayMenu?: Electron.Menu }).trayMenu?.items.map(({ label }) => label) ?? [],
  );
}

/** Clicks an item of the tray's menu, after this call has returned, since the app may quit. */
function clickInTray(app: ElectronApplication, label: string): Promise<void> {
  return app.evaluate((_electron, wantedLabel) => {
    const menuItems = (globalThis as { trayMenu?: Electron.Menu }).trayMenu?.items ?? [];
    const item = menuItems
      .flatMap((menuItem) => [menuItem, ...(menuItem.submenu?.items ?? [])])
      .find((menuItem) => menuItem.label === wantedLabel && menuItem.enabled);
    if (!item) throw new Error(`The tray has nothing called ${wantedLabel} to click.`);
    setImmediate(() => item.click());
  }, label);
}

/** Returns the memory of all processes of the app, in MB. */
function memory(app: ElectronApplication): Promise<string> {
  return app.evaluate((electron) =>
    electron.app
      .getAppMetrics()
      .map(({ type, name, memory: { workingSetSize } }) => `${name ?? type} ${Math.round(workingSetSize / 1_024)} MB`)
      .join(', '),
  );
}
