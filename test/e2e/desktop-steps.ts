// What a user does with the desktop app, with an empty data folder: first run, scan, play, the tray's menu, the player
// window on top, media keys, links, opened files, a second start, a restarted server, quit. desktop-smoke.ts does it
// with the real Electron, desktop-stand-in.e2e.ts with the tests' replacement for it.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const OWNER_ACCOUNT = { username: 'owner', password: 'correct horse battery' };

/** The desktop app, of which functions can be called in the main process. */
export interface DesktopApp extends Pick<ElectronApplication, 'evaluate'> {
  /** Resolves to the next window that opens. */
  nextWindow(): Promise<Page>;
  /** Starts the app once more with a link; resolves when the second process has ended. */
  startAgain(link: string): Promise<void>;
  /** Resolves when the app has quit. */
  hasQuit(): Promise<void>;
}

/** Returns a port for the app's server, which keeps its address when it is restarted. */
export async function findDesktopPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

/** Writes three tracks for the app. */
export const makeDesktopMusic = (dir: string): Manifest =>
  makeLibrary({ tracks: 3, formats: ['mp3', 'flac', 'opus'], art: 'embedded', seconds: '30', seed: 'smoke' }, dir);

/** Does everything but quitting. */
export async function useDesktopApp(app: DesktopApp, window: Page, music: Manifest): Promise<void> {
  await keepTrayMenu(app);
  await firstRun(window);
  await scan(window, music);
  await play(window, music);
  await useTray(app, window, music);
  await useMiniPlayer(app);
  await useKeysAndLinks(app, window);
  await openFile(app, window, music);
  await app.startAgain('tonearm://album/1');
  await window.waitForURL(/\/albums\/1$/);
  await restartServer(window);
}

async function firstRun(window: Page): Promise<void> {
  await window.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor();
  if (await window.getByLabel('Setup token').isVisible())
    throw new Error('The window asks for a set-up token that it should have been given.');
  await window.getByLabel('Username').fill(OWNER_ACCOUNT.username);
  await window.getByLabel('Password', { exact: true }).fill(OWNER_ACCOUNT.password);
  await window.getByRole('button', { name: 'Next' }).click();
}

async function scan(window: Page, music: Manifest): Promise<void> {
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

async function play(window: Page, music: Manifest): Promise<void> {
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
  await pauseButton(window).waitFor();
}

/** Checks that the tray shows the playing track, and pauses it there. */
async function useTray(app: DesktopApp, window: Page, music: Manifest): Promise<void> {
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
async function useMiniPlayer(app: DesktopApp): Promise<void> {
  await clickInTray(app, '15 minutes');
  await until(
    () => trayLabels(app),
    (labels) => labels.includes('Sleep timer (on)'),
  );
  await clickInTray(app, 'Off');
  const windowOpened = app.nextWindow();
  await clickInTray(app, 'Player window');
  const player = await windowOpened;
  await clickInTray(app, 'Keep player on top');
  const resize = (height: number) =>
    app.evaluate(({ BrowserWindow }, wantedHeight) => {
      const window = BrowserWindow.getAllWindows().find((openWindow) =>
        openWindow.webContents.getURL().endsWith('/player'),
      );
      window?.setContentSize(300, wantedHeight);
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

async function useKeysAndLinks(app: DesktopApp, window: Page): Promise<void> {
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

function pauseButton(window: Page) {
  return window.getByRole('region', { name: 'Player' }).getByRole('button', { name: 'Pause', exact: true });
}

async function openFile(app: DesktopApp, window: Page, music: Manifest): Promise<void> {
  const path = join(music.dir, music.files[0]?.path ?? '');
  await app.evaluate(({ app }, file) => app.emit('open-file', { preventDefault: () => undefined }, file), path);
  await pauseButton(window).waitFor();
  await pauseButton(window).click();
}

async function restartServer(window: Page): Promise<void> {
  await window.evaluate(() => (globalThis as unknown as { tonearm: Bridge }).tonearm.restartServer());
  const { status } = await window.evaluate(async () => {
    const answer = await fetch('/health');
    return { status: answer.status };
  });
  if (status !== 200) throw new Error(`The restarted server answers ${status}.`);
}

/** Quits the app and checks that its server has ended. */
export async function quitByTray(app: DesktopApp, origin: string): Promise<void> {
  const appEnded = app.hasQuit();
  await clickInTray(app, 'Quit Tonearm');
  await appEnded;
  const answer = await fetch(`${origin}/health`).catch(() => undefined);
  if (answer) throw new Error('The server still answers after the app has quit.');
}

/**
 * Records the tray's menu, because no driver can click in a system's tray; its items are clicked from inside the app.
 */
function keepTrayMenu(app: DesktopApp): Promise<void> {
  return app.evaluate(({ Tray }) => {
    const { setContextMenu } = Tray.prototype;
    Tray.prototype.setContextMenu = function keepMenu(menu) {
      if (menu) Object.assign(globalThis, { trayMenu: menu });
      setContextMenu.call(this, menu);
    };
  });
}

function trayLabels(app: DesktopApp): Promise<string[]> {
  return app.evaluate(
    // separators have no label
    () => (globalThis as { trayMenu?: Electron.Menu }).trayMenu?.items.flatMap(({ label }) => label || []) ?? [],
  );
}

/** Clicks an item of the tray's menu, after this call has returned, since the app may quit. */
function clickInTray(app: DesktopApp, label: string): Promise<void> {
  return app.evaluate((_electron, wantedLabel) => {
    const menuItems = (globalThis as { trayMenu?: Electron.Menu }).trayMenu?.items ?? [];
    const item = menuItems
      .flatMap((menuItem) => [menuItem, ...(menuItem.submenu?.items ?? [])])
      .find((menuItem) => menuItem.label === wantedLabel && menuItem.enabled);
    if (!item) throw new Error(`The tray has nothing called ${wantedLabel} to click.`);
    setImmediate(() => item.click());
  }, label);
}
