// Tests the shell with a scripted server: links, files, tray, media keys, sleep, login.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ShellSettings } from '../../../main/ipc.ts';
import { hasUpdateFeed } from '../../../main/updater.ts';
import { app as currentApp, fake, globalShortcut, powerMonitor } from '../../fakes/electron.ts';
import { getOnlyWindow, reportPageLoaded, startApp, startAppWithWindow, LISTENING_LINE } from './running-app.ts';
import { waitForTurn } from './scripted-server.ts';

const event = () => {
  const createdEvent = {
    isPrevented: false,
    preventDefault: () => {
      createdEvent.isPrevented = true;
    },
  };
  return createdEvent;
};
const tray = () => {
  if (!fake.tray?.menu) throw new Error('There is no tray.');
  return fake.tray.menu;
};

describe('a link', () => {
  it('of the first start is opened when the server listens', async () => {
    const { server } = await startApp(undefined, { argv: ['/opt/tonearm', 'tonearm://album/7'] });
    await server.lastRun.print(LISTENING_LINE);
    const window = getOnlyWindow();
    await reportPageLoaded(window);
    expect([window.webContents.getURL(), ...window.webContents.heardMessages]).toContainEqual({
      kind: 'open',
      path: '/albums/7',
    });
  });

  it('of a second start goes to the existing window, which is shown', async () => {
    const { app, window } = await startAppWithWindow();
    await reportPageLoaded(window);
    window.minimize();
    app.emit('second-instance', {}, ['/opt/tonearm', '--flag', 'tonearm://search?q=money'], '/');
    expect(window.webContents.heardMessages).toEqual([{ kind: 'search', text: 'money' }]);
    expect(window.isMinimized()).toBe(false);
    expect(fake.focused).toBe(window);
  });

  it('that is invalid only shows the window', async () => {
    const { app, window } = await startAppWithWindow();
    await reportPageLoaded(window);
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
    expect(window.webContents.heardMessages).toEqual([]);
    expect(window.webContents.getURL()).toBe('http://127.0.0.1:4747/');
    expect(fake.windows).toHaveLength(1);
    expect(fake.openedOutside).toEqual([]);
  });

  it('opens the app on macOS, where it is an event', async () => {
    const { app, server } = await startApp(undefined, { platform: 'darwin' });
    const openEvent = event();
    app.emit('open-url', openEvent, 'tonearm://playlist/5');
    await server.lastRun.print(LISTENING_LINE);
    await reportPageLoaded(getOnlyWindow());
    expect(openEvent.isPrevented).toBe(true);
    expect(getOnlyWindow().webContents.heardMessages).toEqual([{ kind: 'open', path: '/playlists/5' }]);
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
    await server.lastRun.print(LISTENING_LINE);
    expect(fake.windows).toEqual([]);
    tray().pick('Open Tonearm');
    expect(getOnlyWindow().isShown).toBe(true);
  });

  it('is known from the system on macOS', async () => {
    const { server } = await startApp(
      (app) => {
        app.loginItem.wasOpenedAtLogin = true;
      },
      { platform: 'darwin' },
    );
    await server.lastRun.print(LISTENING_LINE);
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
    await reportPageLoaded(window, { status: 'playing', title: 'Money', artist: 'Pink Floyd' });
    await advance(1_000);
    expect(tray().labels.slice(0, 3)).toEqual(['Money · Pink Floyd', 'Pause', 'Next track']);
    tray().pick('Pause');
    tray().pick('Next track');
    expect(window.webContents.heardMessages).toEqual([
      { kind: 'player', command: 'toggle' },
      { kind: 'player', command: 'next' },
    ]);
  });

  it('that is not open plays in a hidden window, once its page is loaded', async () => {
    const { server, advance } = await startApp(undefined, { argv: ['/opt/tonearm', '--hidden'] });
    await server.lastRun.print(LISTENING_LINE);
    await advance(1_000);
    tray().pick('Play');
    const window = getOnlyWindow();
    expect(window.isShown).toBe(false);
    expect(window.webContents.heardMessages).toEqual([]);
    await reportPageLoaded(window);
    expect(window.webContents.heardMessages).toEqual([{ kind: 'player', command: 'toggle' }]);
    tray().pick('Open Tonearm');
    expect(getOnlyWindow().isShown).toBe(true);
  });

  it('is that of the library window, or of another page without one', async () => {
    const { window, advance } = await startAppWithWindow();
    window.webContents.open('http://127.0.0.1:4747/player');
    const player = fake.windows[1];
    if (!player) throw new Error('The player window is not there.');
    await reportPageLoaded(window, { status: 'playing', title: 'From the library' });
    await reportPageLoaded(player, { status: 'idle', title: null });
    await advance(1_000);
    expect(tray().labels[0]).toBe('From the library');
    window.close();
    await reportPageLoaded(player, { status: 'playing', title: 'From the player' });
    await advance(1_000);
    expect(tray().labels[0]).toBe('From the player');
    tray().pick('Pause');
    expect(player.webContents.heardMessages).toContainEqual({ kind: 'player', command: 'toggle' });
  });

  it('is absent when its last page is closed', async () => {
    const { window, advance } = await startAppWithWindow();
    await fake.invoke(window, 'shell:change', [{ keepRunning: true }]);
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    window.close();
    await advance(1_000);
    expect(tray().labels[0]).toBe('Not playing');
  });

  it('is paused when the computer goes to sleep', async () => {
    const { window } = await startAppWithWindow();
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    powerMonitor.emit('suspend');
    expect(window.webContents.heardMessages).toEqual([]);
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    powerMonitor.emit('suspend');
    expect(window.webContents.heardMessages).toEqual([{ kind: 'player', command: 'pause' }]);
  });

  it('goes on after that sleep, unless it was paused before', async () => {
    const { window } = await startAppWithWindow();
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    powerMonitor.emit('suspend');
    powerMonitor.emit('resume');
    expect(window.webContents.heardMessages).toEqual([]);
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    powerMonitor.emit('suspend');
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    powerMonitor.emit('resume');
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'player', command: 'toggle' });
  });

  it('goes on after that sleep also when the page had no time to pause before it', async () => {
    const { window } = await startAppWithWindow();
    const commands = (): string[] =>
      window.webContents.heardMessages.map((message) => (message as { command: string }).command);
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    powerMonitor.emit('suspend');
    powerMonitor.emit('resume');
    expect(commands()).toEqual(['pause']);
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    expect(commands()).toEqual(['pause', 'toggle']);
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    expect(commands()).toEqual(['pause', 'toggle']);
  });

  it('keeps the computer awake, and nothing else does', async () => {
    const { window, app } = await startAppWithWindow();
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    expect(fake.blockers).toEqual([]);
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    expect(fake.blockers).toEqual(['prevent-app-suspension']);
    await reportPageLoaded(window, { status: 'paused', title: 'Money' });
    expect(fake.blockers).toEqual(['stopped']);
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    app.quit();
    expect(fake.blockers).toEqual(['stopped', 'stopped']);
  });

  it('is announced track by track while no window is focused, if wished', async () => {
    const { window } = await startAppWithWindow();
    await reportPageLoaded(window, { status: 'playing', title: 'Money', artist: 'Pink Floyd' });
    await fake.invoke(window, 'shell:change', [{ notifyTracks: true }]);
    await reportPageLoaded(window, { status: 'playing', title: 'Time', artist: 'Pink Floyd' });
    await reportPageLoaded(window, { status: 'paused', title: 'Time', artist: 'Pink Floyd' });
    await reportPageLoaded(window, { status: 'playing', title: 'Time', artist: 'Pink Floyd' });
    window.focus();
    await reportPageLoaded(window, { status: 'playing', title: 'Us and Them', artist: 'Pink Floyd' });
    expect(fake.notices.map(({ options }) => [options.title, options.body])).toEqual([['Time', 'Pink Floyd']]);
  });

  it('is stopped by the sleep timer of the tray, which shows that it runs', async () => {
    const { window, advance } = await startAppWithWindow();
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    await advance(1_000);
    tray().pick('45 minutes');
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'sleep', minutes: 45 });
    await reportPageLoaded(window, { status: 'playing', title: 'Money', isSleeping: true });
    await advance(1_000);
    expect(tray().labels).toContain('Sleep timer (on)');
    tray().pick('Off');
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'sleep', minutes: null });
  });

  it('shows the small cover that the page drew beside what is playing, and no address in its place', async () => {
    const { window, advance } = await startAppWithWindow();
    const cover = 'data:image/png;base64,iVBORw0KGgo=';
    await reportPageLoaded(window, { status: 'playing', title: 'Money', cover });
    await advance(1_000);
    expect(tray().findItem('Money').icon).toEqual({ url: cover });
    await reportPageLoaded(window, { status: 'playing', title: 'Time' });
    await advance(1_000);
    expect(tray().findItem('Time').icon).toBeUndefined();
    await expect(reportPageLoaded(window, { title: 'x', cover: 'https://example.org/x.png' })).rejects.toThrow();
  });

  it('is liked from the tray, which shows what is liked', async () => {
    const { window, advance } = await startAppWithWindow();
    await reportPageLoaded(window);
    expect(tray().findItem('Like')).toMatchObject({ enabled: false, checked: false });
    await reportPageLoaded(window, { status: 'playing', title: 'Money', isLiked: false });
    await advance(1_000);
    tray().pick('Like');
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'player', command: 'like' });
    await reportPageLoaded(window, { status: 'playing', title: 'Money', isLiked: true });
    await advance(1_000);
    expect(tray().findItem('Like')).toMatchObject({ enabled: true, checked: true });
  });

  it('has buttons in the task bar of Windows, and its albums are in the jump list, the latest first', async () => {
    const { app, window, advance } = await startAppWithWindow(undefined, { platform: 'win32' });
    const tooltips = () => window.thumbarButtons.map(({ tooltip, flags }) => [tooltip, ...(flags ?? [])].join(' '));
    await advance(1_000);
    expect(tooltips()).toEqual(['Previous track disabled', 'Play', 'Next track disabled']);
    const [animals, wall] = [
      { id: 3, title: 'Animals' },
      { id: 4, title: 'The Wall' },
    ];
    for (const album of [animals, wall, wall, animals])
      await reportPageLoaded(window, { status: 'playing', title: 'x', album });
    await advance(1_000);
    expect(tooltips()).toEqual(['Previous track', 'Pause', 'Next track']);
    window.thumbarButtons[2]?.click();
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'player', command: 'next' });
    const [recent] = app.jumpList;
    expect(recent?.items?.map(({ title, args }) => [title, args])).toEqual([
      ['Animals', 'tonearm://album/3'],
      ['The Wall', 'tonearm://album/4'],
    ]);
  });

  it('is in the menu of the dock on macOS', async () => {
    const { window, advance } = await startAppWithWindow(undefined, { platform: 'darwin' });
    await reportPageLoaded(window, { status: 'playing', title: 'Money' });
    await advance(1_000);
    expect(fake.dockMenu?.labels).toEqual(['Money', 'Pause', 'Next track', 'Previous track', 'Like']);
    fake.dockMenu?.pick('Previous track');
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'player', command: 'previous' });
  });
});

describe('media keys', () => {
  const MEDIA_KEYS = ['MediaPlayPause', 'MediaNextTrack', 'MediaPreviousTrack', 'MediaStop'];

  it('are assigned by the system unless registered permanently', async () => {
    const { window } = await startAppWithWindow();
    await reportPageLoaded(window);
    expect(globalShortcut.keys.size).toBe(0);
    globalShortcut.takenKeys.add('MediaStop');
    await fake.invoke(window, 'shell:change', [{ mediaKeys: true }]);
    expect([...globalShortcut.keys.keys()]).toEqual(MEDIA_KEYS.slice(0, 3));
    globalShortcut.keys.get('MediaPlayPause')?.();
    globalShortcut.keys.get('MediaNextTrack')?.();
    expect(window.webContents.heardMessages).toEqual([
      { kind: 'player', command: 'toggle' },
      { kind: 'player', command: 'next' },
    ]);
    await fake.invoke(window, 'shell:change', [{ mediaKeys: false }]);
    expect(globalShortcut.keys.size).toBe(0);
  });

  it('and chosen shortcuts work in every program; one that another has is said, and bad ones are refused', async () => {
    const { window } = await startAppWithWindow();
    await reportPageLoaded(window);
    const shortcuts = { toggle: 'Control+Alt+P', next: 'Alt+F9', previous: '', like: 'Command+L' };
    globalShortcut.takenKeys.add('Alt+F9');
    expect(await fake.invoke(window, 'shell:change', [{ shortcuts }])).toMatchObject({
      shortcuts,
      takenShortcuts: ['next'],
    });
    globalShortcut.keys.get('Command+L')?.();
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'player', command: 'like' });
    for (const toggle of ['P', 'Shift+P', 'Control+', 'Control+Foo', 'Control+Alt+P+Q', 'control+p'])
      await expect(fake.invoke(window, 'shell:change', [{ shortcuts: { ...shortcuts, toggle } }])).rejects.toThrow(
        'are not valid',
      );
    await fake.invoke(window, 'shell:change', [{ shortcuts: { ...shortcuts, toggle: '', like: '' } }]);
    expect([...globalShortcut.keys.keys()]).toEqual([]);
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
    expect(fake.applicationMenu?.findItem('Rescan library')).toMatchObject({ label: 'Rescan library' });
    expect(JSON.parse(readFileSync(join(app.getPath('userData'), 'shell.json'), 'utf8'))).toMatchObject({
      language: 'en',
    });
  });
});

it('preferences are kept across a restart of the app', async () => {
  const firstApp = await startAppWithWindow(undefined, { hasFeed: true });
  expect(await fake.invoke(firstApp.window, 'shell:change', [{ keepRunning: true, lookForUpdates: true }])).toEqual({
    keepRunning: true,
    mediaKeys: false,
    shortcuts: { toggle: '', next: '', previous: '', like: '' },
    takenShortcuts: [],
    playerOnTop: false,
    notifyTracks: false,
    lookForUpdates: true,
    openAtLogin: null,
  });
  const storedPreferences = readFileSync(join(firstApp.app.getPath('userData'), 'shell.json'), 'utf8');
  expect(JSON.parse(storedPreferences)).toMatchObject({ keepRunning: true, lookForUpdates: true });
});

it('Windows knows the app by the id of its package', async () => {
  const config = readFileSync(join(import.meta.dirname, '..', '..', '..', 'electron-builder.yml'), 'utf8');
  const { app } = await startApp(undefined, { platform: 'win32' });
  expect(app.modelId).toBe(/^appId: (\S+)$/m.exec(config)?.[1]);
});

it('a click on the tray opens the window, except on macOS, where it opens the menu', async () => {
  await startAppWithWindow();
  getOnlyWindow().minimize();
  fake.tray?.emit('click');
  expect(getOnlyWindow().isMinimized()).toBe(false);
  await startAppWithWindow(undefined, { platform: 'darwin' });
  expect(fake.tray?.listenerCount('click')).toBe(0);
});

describe('a right click', () => {
  const clickAt = async (params: Partial<Electron.ContextMenuParams>) => {
    const { window } = await startAppWithWindow();
    window.webContents.emit(
      'context-menu',
      {},
      {
        isEditable: false,
        selectionText: '',
        misspelledWord: '',
        dictionarySuggestions: [],
        linkURL: '',
        editFlags: { canUndo: false, canRedo: false, canCut: true, canCopy: true, canPaste: true, canSelectAll: true },
        ...params,
      },
    );
    return window;
  };

  it('in a field offers corrections and editing', async () => {
    const window = await clickAt({ isEditable: true, misspelledWord: 'albun', dictionarySuggestions: ['album'] });
    expect(fake.poppedUp?.labels).toEqual(['album', 'Undo', 'Redo', 'Cut', 'Copy', 'Paste', 'Select all']);
    expect(fake.poppedUp?.findItem('Undo').enabled).toBe(false);
    fake.poppedUp?.pick('album');
    expect(window.webContents.replaced).toEqual(['album']);
  });

  it('elsewhere copies the selection, or the address of a link of the web', async () => {
    await clickAt({ selectionText: 'Money', linkURL: 'https://example.org/' });
    expect(fake.poppedUp?.labels).toEqual(['Copy', 'Copy link']);
    fake.poppedUp?.pick('Copy link');
    expect(fake.copied).toEqual(['https://example.org/']);
    await clickAt({ linkURL: 'http://127.0.0.1:4747/albums/1' });
    expect(fake.poppedUp).toBeNull();
  });
});

it('the back and forward buttons of a mouse go through the pages of their window', async () => {
  const { window } = await startAppWithWindow();
  for (const command of ['browser-backward', 'browser-forward', 'volume-up']) window.emit('app-command', {}, command);
  expect(window.webContents.steps).toEqual(['back', 'forward']);
});

it('updates are offered only by a copy that knows where they are published', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tonearm-feed-'));
  const feeds = [
    undefined,
    'provider: github\n',
    'provider: github\nowner: me\nrepo: x\n',
    'provider: generic\nurl: https://x\n',
  ];
  const offersUpdates = feeds.map((text) => {
    if (text !== undefined) writeFileSync(join(folder, 'app-update.yml'), text);
    return hasUpdateFeed(folder);
  });
  rmSync(folder, { recursive: true });
  expect(offersUpdates).toEqual([false, false, true, true]);
  for (const hasFeed of [false, true]) {
    const { window } = await startAppWithWindow(undefined, { hasFeed });
    expect(JSON.stringify(fake.applicationMenu).includes('Check for updates…')).toBe(hasFeed);
    const { lookForUpdates } = (await fake.invoke(window, 'shell:settings', [])) as ShellSettings;
    expect(lookForUpdates).toBe(hasFeed ? false : null);
  }
});

it('a version that fails to start twice says which one worked, and what going back would lose', async () => {
  const failToStart = async (version: string): Promise<string> => {
    const { app, server } = await startApp((app) => {
      app.commandLine.hasSwitch = () => true; // makes the app keep its profile folder
      app.paths['userData'] = profile;
      app.getVersion = () => version;
    });
    if (version === '1.0.0') await server.lastRun.print(LISTENING_LINE);
    else {
      await server.lastRun.complains('tonearm: no.\n');
      await server.lastRun.end();
      await waitForTurn();
    }
    app.quit();
    return fake.messages[0]?.options.detail ?? '';
  };
  const profile = mkdtempSync(join(tmpdir(), 'tonearm-profile-'));
  const messages = [await failToStart('1.0.0'), await failToStart('1.1.0'), await failToStart('1.1.0')];
  rmSync(profile, { recursive: true });
  expect(messages[1]).toBe('no.');
  expect(messages[2]).toMatch(/Tonearm 1\.1\.0 failed to start twice; 1\.0\.0 worked\..*tonearm\.db\.before-/s);
});
