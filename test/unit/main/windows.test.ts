import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fake, session } from '../../fakes/electron.ts';
import { getOnlyWindow, reportPageLoaded, startApp, startAppWithWindow, LISTENING_LINE } from './running-app.ts';

const OTHER_ADDRESSES = [
  'https://example.org/',
  'http://example.org/',
  'http://127.0.0.1:4748/',
  'http://127.0.0.1:47470/',
  'http://127.0.0.1:4747@example.org/',
  'https://127.0.0.1:4747/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,hello',
  'blob:http://127.0.0.1:4747/0b3c',
  'about:blank',
];

describe('a page', () => {
  it('may navigate on its own server', async () => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.navigate('http://127.0.0.1:4747/albums/7')).toBe(true);
    expect(window.webContents.redirect('http://127.0.0.1:4747/sign-in')).toBe(true);
  });

  it.each([
    ['/settings#network', 'http://127.0.0.1:4747/settings#network'],
    ['/player', 'http://127.0.0.1:4747/player'],
  ])('opens %s in its own window, once, however it navigates', async (path, address) => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.open(`http://127.0.0.1:4747${path}`)).toBe('deny');
    expect(window.webContents.navigate(`http://127.0.0.1:4747${path}`)).toBe(false);
    expect(fake.windows.map(({ webContents }) => webContents.getURL())).toEqual(['http://127.0.0.1:4747/', address]);
    expect(fake.windows[1]?.focuses).toBe(1);
    expect(fake.windows[1]?.options.webPreferences).toEqual(window.options.webPreferences);
  });

  it('of the settings opens the library in the library’s window, which plays on, and signs in in its own', async () => {
    const { window } = await startAppWithWindow();
    await reportPageLoaded(window);
    window.webContents.open('http://127.0.0.1:4747/settings');
    const settings = fake.windows[1];
    expect(settings?.webContents.navigate('http://127.0.0.1:4747/albums/7')).toBe(false);
    expect(window.webContents.heardMessages).toEqual([{ kind: 'open', path: '/albums/7' }]);
    expect(window.webContents.getURL()).toBe('http://127.0.0.1:4747/');
    expect(settings?.webContents.navigate('http://127.0.0.1:4747/sign-in?back=/settings')).toBe(true);
    expect(settings?.webContents.navigate('http://127.0.0.1:4747/settings')).toBe(true);
  });

  it('opens what has no window in the system’s browser', async () => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.open('http://127.0.0.1:4747/api/v1/docs')).toBe('deny');
    expect(window.webContents.navigate('http://127.0.0.1:4747/share/abc')).toBe(false);
    expect(fake.openedOutside).toEqual(['http://127.0.0.1:4747/api/v1/docs', 'http://127.0.0.1:4747/share/abc']);
    expect(fake.windows).toHaveLength(1);
  });

  it('whose process crashed is reloaded, a few times', async () => {
    const { window } = await startAppWithWindow();
    window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    expect(window.webContents.reloads).toBe(1);
    window.webContents.emit('render-process-gone', {}, { reason: 'clean-exit' });
    expect(window.webContents.reloads).toBe(1);
    for (let times = 0; times < 10; times += 1) window.webContents.emit('render-process-gone', {}, { reason: 'oom' });
    expect(window.webContents.reloads).toBe(2); // the page is not reloaded forever
  });

  it.each(OTHER_ADDRESSES)('cannot go to %s', async (url) => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.navigate(url)).toBe(false);
    expect(window.webContents.navigate(url, { frame: { url: 'http://127.0.0.1:4747/frame' } })).toBe(false);
    expect(window.webContents.redirect(url)).toBe(false);
    expect(window.webContents.open(url)).toBe('deny');
    expect(window.webContents.getURL()).toBe('http://127.0.0.1:4747/');
  });

  it('opens https links in the system’s browser, and nothing else', async () => {
    const { window } = await startAppWithWindow();
    for (const url of OTHER_ADDRESSES) window.webContents.open(url);
    window.webContents.navigate('https://musicbrainz.org/');
    window.webContents.navigate('https://example.org/ad', { frame: { url: 'http://127.0.0.1:4747/frame' } });
    expect(fake.openedOutside).toEqual(['https://example.org/', 'https://127.0.0.1:4747/', 'https://musicbrainz.org/']);
  });

  it('cannot attach a webview', async () => {
    const { window } = await startAppWithWindow();
    expect(window.webContents.attachWebview()).toBe(false);
  });

  it('gets no permission and no device', async () => {
    const { window } = await startAppWithWindow();
    const { requests, checks, devices } = session.defaultSession;
    const answers: boolean[] = [];
    for (const permission of ['media', 'geolocation', 'notifications', 'clipboard-read', 'unknown'] as const) {
      requests?.(window.webContents as never, permission, (isGranted) => answers.push(isGranted), {} as never);
      answers.push(checks?.(null, permission, 'http://127.0.0.1:4747', {} as never) ?? true);
    }
    answers.push(devices?.({} as never) ?? true);
    expect(new Set(answers)).toEqual(new Set([false]));
  });

  it('may write to the clipboard, if it is ours', async () => {
    const { window } = await startAppWithWindow();
    const { requests, checks } = session.defaultSession;
    const answers: (boolean | undefined)[] = [];
    const requestQuit = () => {
      requests?.(
        window.webContents as never,
        'clipboard-sanitized-write',
        (isGranted) => answers.push(isGranted),
        {} as never,
      );
      answers.push(checks?.(window.webContents as never, 'clipboard-sanitized-write', '', {} as never));
    };
    requestQuit();
    window.webContents.mainFrame = { url: 'https://example.org/' };
    requestQuit();
    expect(answers).toEqual([true, true, false, false]);
  });

  it('is isolated, sandboxed, without Node, and with web security', async () => {
    const { window } = await startAppWithWindow();
    expect(window.options.webPreferences).toEqual({
      preload: '/app/preload.cjs',
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
    });
  });
});

describe('the bounds of a window', () => {
  const closeWindow = async () => {
    const { window, app } = await startAppWithWindow();
    await fake.invoke(window, 'shell:change', [{ keepRunning: true }]);
    return { window, app };
  };

  it('are restored, maximized or not', async () => {
    const { window } = await closeWindow();
    window.bounds = { x: 300, y: 200, width: 900, height: 700 };
    window.maximize();
    window.close();
    fake.tray?.menu?.pick('Open Tonearm');
    expect(getOnlyWindow().options).toMatchObject({ x: 300, y: 200, width: 900, height: 700 });
    expect(getOnlyWindow().isMaximized()).toBe(true);
  });

  it('are replaced by the middle of an existing screen', async () => {
    const { window } = await closeWindow();
    window.bounds = { x: 3_000, y: 200, width: 2_500, height: 700 };
    window.close();
    fake.tray?.menu?.pick('Open Tonearm');
    expect(getOnlyWindow().options).toMatchObject({ width: 1_920, height: 700 });
    expect(getOnlyWindow().options.x).toBeUndefined();
  });

  it('are ignored if their file is invalid, which is put aside', async () => {
    for (const text of ['', '{', 'null', '[]', '{"places":{"library":{"x":"left"}},"keepRunning":"yes"}']) {
      const { app, server } = await startApp((startedApp) => {
        startedApp.switches.add('user-data-dir');
        mkdirSync(startedApp.getPath('userData'), { recursive: true });
        writeFileSync(join(startedApp.getPath('userData'), 'shell.json'), text);
      });
      await server.lastRun.print(LISTENING_LINE);
      expect(getOnlyWindow().options).toMatchObject({ width: 1_280, height: 840 });
      const damagedFile = join(app.getPath('userData'), 'shell.json.damaged');
      expect(existsSync(damagedFile) && readFileSync(damagedFile, 'utf8')).toBe(text.startsWith('{"') ? false : text);
    }
  });
});

describe('the player window', () => {
  it('stays on top if wished, from the tray and when it is opened again', async () => {
    const { window, advance } = await startAppWithWindow();
    await reportPageLoaded(window);
    await advance(1_000);
    const open = () => window.webContents.open('http://127.0.0.1:4747/player');
    open();
    const player = () => fake.windows.find(({ webContents }) => webContents.getURL().endsWith('/player'));
    expect(player()?.isOnTop).toBe(false);
    fake.tray?.menu?.pick('Keep player on top');
    expect([player()?.isOnTop, window.isOnTop]).toEqual([true, false]);
    player()?.close();
    open();
    expect(player()?.isOnTop).toBe(true);
    expect(player()?.options.minHeight).toBeLessThan(100); // the window may be a single line high
    await fake.invoke(window, 'shell:change', [{ playerOnTop: false }]);
    await advance(1_000);
    expect(player()?.isOnTop).toBe(false);
    expect(fake.tray?.menu?.findItem('Keep player on top').checked).toBe(false);
  });

  it('is where it was with the same screens', async () => {
    const { window } = await startAppWithWindow();
    await reportPageLoaded(window);
    const open = () => {
      window.webContents.open('http://127.0.0.1:4747/player');
      return fake.windows.at(-1)!;
    };
    const [oneScreen, twoScreens] = [
      fake.displays,
      [...fake.displays, { x: 1_920, y: 0, width: 1_280, height: 1_024 }],
    ];
    const [smallBounds, secondScreenBounds] = [
      { x: 10, y: 20, width: 300, height: 80 },
      { x: 2_000, y: 30, width: 400, height: 600 },
    ];
    for (const [screens, bounds] of [
      [oneScreen, smallBounds],
      [twoScreens, secondScreenBounds],
    ] as const) {
      fake.displays = screens;
      const player = open();
      player.bounds = bounds;
      player.close();
    }
    for (const [screens, bounds] of [
      [oneScreen, smallBounds],
      [twoScreens, secondScreenBounds],
    ] as const) {
      fake.displays = screens;
      const player = open();
      expect(player.options).toMatchObject(bounds);
      player.close();
    }
  });
});

describe('a library window that is closed while music plays', () => {
  it('is hidden if the app keeps running, and shown again unchanged', async () => {
    const { window } = await startAppWithWindow();
    await fake.invoke(window, 'shell:change', [{ keepRunning: true }]);
    await reportPageLoaded(window, { status: 'playing', title: 'Song' });
    window.close();
    expect(getOnlyWindow()).toBe(window);
    expect(window.isShown).toBe(false);
    fake.tray?.menu?.pick('Open Tonearm');
    expect(window.isShown).toBe(true);
  });

  it('is closed otherwise, and always when the app quits', async () => {
    const { window, server } = await startAppWithWindow();
    await reportPageLoaded(window, { status: 'playing', title: 'Song' });
    window.close();
    expect(fake.windows).toEqual([]);
    expect(server.lastRun.requests).toContain('stop');

    const runningApp = await startAppWithWindow();
    await fake.invoke(runningApp.window, 'shell:change', [{ keepRunning: true }]);
    await reportPageLoaded(runningApp.window, { status: 'playing', title: 'Song' });
    runningApp.app.quit();
    expect(fake.windows).toEqual([]);
    expect(runningApp.server.lastRun.requests).toContain('stop');
  });
});
