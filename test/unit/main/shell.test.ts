// The shell: links, files, tray, media keys, sleep, login. With a scripted server.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { app as currentApp, fake, globalShortcut, powerMonitor } from '../../fakes/electron.ts';
import { onlyWindow, pageIsThere, startApp, startAppWithWindow, URL_LINE } from './running-app.ts';

const event = () => {
  const one = {
    isPrevented: false,
    preventDefault: () => {
      one.isPrevented = true;
    },
  };
  return one;
};
const tray = () => {
  if (!fake.tray?.menu) throw new Error('There is no tray.');
  return fake.tray.menu;
};

describe('a link', () => {
  it('of the first start is opened when the server listens', async () => {
    const { server } = await startApp(undefined, { argv: ['/opt/tonearm', 'tonearm://album/7'] });
    await server.run.says(URL_LINE);
    const window = onlyWindow();
    await pageIsThere(window);
    expect([window.webContents.getURL(), ...window.webContents.heard]).toContainEqual({
      kind: 'open',
      path: '/albums/7',
    });
  });

  it('of a second start goes to the existing window, which is shown', async () => {
    const { app, window } = await startAppWithWindow();
    await pageIsThere(window);
    window.minimize();
    app.emit('second-instance', {}, ['/opt/tonearm', '--flag', 'tonearm://search?q=money'], '/');
    expect(window.webContents.heard).toEqual([{ kind: 'search', text: 'money' }]);
    expect(window.isMinimized()).toBe(false);
    expect(fake.focused).toBe(window);
  });

  it('that is invalid only shows the window', async () => {
    const { app, window } = await startAppWithWindow();
    await pageIsThere(window);
    for (const link of [
      'tonearm://../../etc',
      'tonearm://settings/1',
      'http://127.0.0.1:4747/api/v1/jobs',
      'file:///etc/passwd',
      'javascript://alert(1)',
    ]) {
      app.emit('second-instance', {}, ['/opt/tonearm', link], '/');
      app.emit('open-url', event(), link);
    }
    expect(window.webContents.heard).toEqual([]);
    expect(window.webContents.getURL()).toBe('http://127.0.0.1:4747/');
    expect(fake.windows).toHaveLength(1);
    expect(fake.openedOutside).toEqual([]);
  });

  it('opens the app on macOS, where it is an event', async () => {
    const { app, server } = await startApp(undefined, { platform: 'darwin' });
    const given = event();
    app.emit('open-url', given, 'tonearm://playlist/5');
    await server.run.says(URL_LINE);
    await pageIsThere(onlyWindow());
    expect(given.isPrevented).toBe(true);
    expect(onlyWindow().webContents.heard).toEqual([{ kind: 'open', path: '/playlists/5' }]);
  });

  it('is registered only by installed copies', async () => {
    expect((await startApp()).app.protocols).toEqual([]);
    expect(
      (
        await startApp((app) => {
          app.isPackaged = true;
        })
      ).app.protocols,
    ).toEqual(['tonearm']);
  });
});

describe('login', () => {
  it('starts it without a window, with its tray', async () => {
    const { server } = await startApp(undefined, { argv: ['/opt/tonearm', '--hidden'] });
    await server.run.says(URL_LINE);
    expect(fake.windows).toEqual([]);
    tray().pick('Open Tonearm');
    expect(onlyWindow().isShown).toBe(true);
  });

  it('is known from the system on macOS', async () => {
    const { server } = await startApp(
      (app) => {
        app.loginItem.wasOpenedAtLogin = true;
      },
      { platform: 'darwin' },
    );
    await server.run.says(URL_LINE);
    expect(fake.windows).toEqual([]);
  });

  it('is an option of installed copies: of the system on macOS and Windows, an autostart file on Linux', async () => {
    const dev = await startAppWithWindow();
    expect(await fake.invoke(dev.window, 'shell:settings', [])).toMatchObject({ openAtLogin: null });

    const windows = await startAppWithWindow(
      (app) => {
        app.isPackaged = true;
      },
      { platform: 'win32' },
    );
    expect(await fake.invoke(windows.window, 'shell:change', [{ openAtLogin: true }])).toMatchObject({
      openAtLogin: true,
    });
    expect(windows.app.loginItem.openAtLogin).toBe(true);

    const linux = await startAppWithWindow((app) => {
      app.isPackaged = true;
    });
    const file = join(currentApp.getPath('home'), '.config', 'autostart', 'app.tonearm.desktop.desktop');
    expect(await fake.invoke(linux.window, 'shell:change', [{ openAtLogin: true }])).toMatchObject({
      openAtLogin: true,
    });
    expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Tonearm/tonearm" --hidden');
    expect(await fake.invoke(linux.window, 'shell:change', [{ openAtLogin: false }])).toMatchObject({
      openAtLogin: false,
    });
    expect(existsSync(file)).toBe(false);
  });
});

describe('the player', () => {
  it('is shown and controlled in the tray', async () => {
    const { window, advance } = await startAppWithWindow();
    await pageIsThere(window, { status: 'playing', title: 'Money', artist: 'Pink Floyd' });
    await advance(1_000);
    expect(tray().labels.slice(0, 3)).toEqual(['Money · Pink Floyd', 'Pause', 'Next track']);
    tray().pick('Pause');
    tray().pick('Next track');
    expect(window.webContents.heard).toEqual([
      { kind: 'player', command: 'toggle' },
      { kind: 'player', command: 'next' },
    ]);
  });

  it('that is not open plays in a hidden window, once its page is loaded', async () => {
    const { server, advance } = await startApp(undefined, { argv: ['/opt/tonearm', '--hidden'] });
    await server.run.says(URL_LINE);
    await advance(1_000);
    tray().pick('Play');
    const window = onlyWindow();
    expect(window.isShown).toBe(false);
    expect(window.webContents.heard).toEqual([]);
    await pageIsThere(window);
    expect(window.webContents.heard).toEqual([{ kind: 'player', command: 'toggle' }]);
    tray().pick('Open Tonearm');
    expect(onlyWindow().isShown).toBe(true);
  });

  it('is that of the library window, or of another page without one', async () => {
    const { window, advance } = await startAppWithWindow();
    window.webContents.open('http://127.0.0.1:4747/player');
    const player = fake.windows[1];
    if (!player) throw new Error('The player window is not there.');
    await pageIsThere(window, { status: 'playing', title: 'From the library' });
    await pageIsThere(player, { status: 'idle', title: null });
    await advance(1_000);
    expect(tray().labels[0]).toBe('From the library');
    window.close();
    await pageIsThere(player, { status: 'playing', title: 'From the player' });
    await advance(1_000);
    expect(tray().labels[0]).toBe('From the player');
    tray().pick('Pause');
    expect(player.webContents.heard).toContainEqual({ kind: 'player', command: 'toggle' });
  });

  it('is absent when its last page is closed', async () => {
    const { window, advance } = await startAppWithWindow();
    await fake.invoke(window, 'shell:change', [{ keepRunning: true }]);
    await pageIsThere(window, { status: 'paused', title: 'Money' });
    window.close();
    await advance(1_000);
    expect(tray().labels[0]).toBe('Nothing playing');
  });

  it('is paused when the computer goes to sleep', async () => {
    const { window } = await startAppWithWindow();
    await pageIsThere(window, { status: 'paused', title: 'Money' });
    powerMonitor.emit('suspend');
    expect(window.webContents.heard).toEqual([]);
    await pageIsThere(window, { status: 'playing', title: 'Money' });
    powerMonitor.emit('suspend');
    expect(window.webContents.heard).toEqual([{ kind: 'player', command: 'pause' }]);
  });
});

describe('media keys', () => {
  const KEYS = ['MediaPlayPause', 'MediaNextTrack', 'MediaPreviousTrack', 'MediaStop'];

  it('are assigned by the system unless registered permanently', async () => {
    const { window } = await startAppWithWindow();
    await pageIsThere(window);
    expect(globalShortcut.keys.size).toBe(0);
    globalShortcut.taken.add('MediaStop');
    await fake.invoke(window, 'shell:change', [{ mediaKeys: true }]);
    expect([...globalShortcut.keys.keys()]).toEqual(KEYS.slice(0, 3));
    globalShortcut.keys.get('MediaPlayPause')?.();
    globalShortcut.keys.get('MediaNextTrack')?.();
    expect(window.webContents.heard).toEqual([
      { kind: 'player', command: 'toggle' },
      { kind: 'player', command: 'next' },
    ]);
    await fake.invoke(window, 'shell:change', [{ mediaKeys: false }]);
    expect(globalShortcut.keys.size).toBe(0);
  });

  it('are released on quit', async () => {
    const { app, window } = await startAppWithWindow();
    await fake.invoke(window, 'shell:change', [{ mediaKeys: true }]);
    app.quit();
    expect(globalShortcut.keys.size).toBe(0);
  });
});

describe('the language', () => {
  it('is the system’s, until a page reports another, which is remembered', async () => {
    const { window, advance, app } = await startAppWithWindow((app) => {
      app.languages = ['de-AT', 'en'];
    });
    expect(tray().labels).toContain('Tonearm öffnen');
    await fake.invoke(window, 'shell:language', ['en']);
    await advance(1_000);
    expect(tray().labels).toContain('Open Tonearm');
    expect(fake.applicationMenu?.find('Rescan library')).toMatchObject({ label: 'Rescan library' });
    expect(JSON.parse(readFileSync(join(app.getPath('userData'), 'shell.json'), 'utf8'))).toMatchObject({
      language: 'en',
    });
  });
});

it('preferences are kept across a restart of the app', async () => {
  const first = await startAppWithWindow();
  expect(await fake.invoke(first.window, 'shell:change', [{ keepRunning: true, lookForUpdates: true }])).toEqual({
    keepRunning: true,
    mediaKeys: false,
    lookForUpdates: true,
    openAtLogin: null,
  });
  const kept = readFileSync(join(first.app.getPath('userData'), 'shell.json'), 'utf8');
  expect(JSON.parse(kept)).toMatchObject({ keepRunning: true, lookForUpdates: true });
});

it('Windows knows the app by the id of its package', async () => {
  const config = readFileSync(join(import.meta.dirname, '..', '..', '..', 'electron-builder.yml'), 'utf8');
  const { app } = await startApp(undefined, { platform: 'win32' });
  expect(app.modelId).toBe(/^appId: (\S+)$/m.exec(config)?.[1]);
});

it('a click on the tray opens the window, except on macOS, where it opens the menu', async () => {
  await startAppWithWindow();
  onlyWindow().minimize();
  fake.tray?.emit('click');
  expect(onlyWindow().isMinimized()).toBe(false);
  await startAppWithWindow(undefined, { platform: 'darwin' });
  expect(fake.tray?.listenerCount('click')).toBe(0);
});
