import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLog } from '../../../main/log.ts';
import { app, fake, powerMonitor } from '../../fakes/electron.ts';
import { until } from '../../support/until.ts';
import { getOnlyWindow, reportPageLoaded, startApp, startAppWithWindow, LISTENING_LINE } from './running-app.ts';
import { waitForTurn } from './scripted-server.ts';

describe('start', () => {
  it('opens one window at the server’s URL, once that listens', async () => {
    const { server } = await startApp();
    expect(server.runs).toHaveLength(1);
    expect(fake.windows).toEqual([]);

    await server.lastRun.print(LISTENING_LINE);
    expect(getOnlyWindow().webContents.getURL()).toBe('http://127.0.0.1:4747/');
    expect(getOnlyWindow().isShown).toBe(true);
  });

  it('keeps the shell’s profile out of the server’s data folder', async () => {
    const { app } = await startApp();
    expect(app.getPath('userData')).toMatch(/tonearm-desktop$/);
  });

  it('keeps a profile from the command line', async () => {
    const { app } = await startApp((app) => void app.switches.add('user-data-dir'));
    expect(app.getPath('userData')).toMatch(/tonearm$/);
  });

  it('sandboxes every page', async () => {
    expect((await startApp()).app.isSandboxed).toBe(true);
  });
});

describe('a second start', () => {
  it('shows the window of the first and focuses it', async () => {
    const { app, window } = await startAppWithWindow();
    window.minimize();
    app.emit('second-instance', {}, ['/opt/tonearm'], '/home/me');
    expect(getOnlyWindow()).toBe(window);
    expect(window.isMinimized()).toBe(false);
    expect(window.focuses).toBe(1);
  });

  it('opens no window before the server listens', async () => {
    const { app } = await startApp();
    app.emit('second-instance', {}, ['/opt/tonearm'], '/home/me');
    expect(fake.windows).toEqual([]);
  });

  it('quits without starting a server', async () => {
    const { app, server } = await startApp((app) => {
      app.hasLock = false;
    });
    expect(app.hasExited).toBe(true);
    expect(server.runs).toEqual([]);
  });
});

describe('a server that dies', () => {
  it('is restarted, and intact pages keep their music and queue', async () => {
    const { server, advance, window } = await startAppWithWindow();
    await reportPageLoaded(window);
    await server.lastRun.end();
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'server', state: 'restarting' });
    await advance(500);
    expect(server.runs).toHaveLength(2);

    await server.lastRun.print(LISTENING_LINE);
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'server', state: 'running' });
    expect(window.webContents.reloads).toBe(0);
    expect(getOnlyWindow()).toBe(window);
  });

  it('then loads pages again that could not be loaded meanwhile', async () => {
    const { server, advance, window } = await startAppWithWindow();
    await server.lastRun.end();
    window.webContents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', LISTENING_LINE, true);
    await advance(500);
    await server.lastRun.print(LISTENING_LINE);
    expect(window.webContents.reloads).toBe(1);
  });

  it.each([
    ['was stopped, which leaves the page as it is', -3, true],
    ['failed in a frame of the page', -102, false],
  ])('does not reload a page of which a load %s', async (_reason, code, isMainFrame) => {
    const { server, advance, window } = await startAppWithWindow();
    window.webContents.emit('did-fail-load', {}, code, '', LISTENING_LINE, isMainFrame);
    await server.lastRun.end();
    await advance(500);
    await server.lastRun.print(LISTENING_LINE);
    expect(window.webContents.reloads).toBe(0);
  });

  it('does not reload a page that failed and was loaded meanwhile', async () => {
    const { server, advance, window } = await startAppWithWindow();
    await server.lastRun.end();
    window.webContents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', LISTENING_LINE, true);
    window.webContents.navigate(window.webContents.getURL());
    await advance(500);
    await server.lastRun.print(LISTENING_LINE);
    expect(window.webContents.reloads).toBe(0);
  });

  it('is reported in a notification without a window, and in the tray', async () => {
    const { server, advance, window } = await startAppWithWindow();
    await server.lastRun.end();
    expect(fake.notices).toEqual([]);
    await advance(1_000);
    expect(fake.tray?.toolTip).toBe('Tonearm: The server stopped and is restarting…');

    await server.lastRun.print(LISTENING_LINE);
    window.hide();
    await server.lastRun.end();
    expect(fake.notices.map(({ options }) => options.title)).toEqual(['The server stopped']);
  });

  it('may have a new address afterwards', async () => {
    const { server, advance, window } = await startAppWithWindow();
    await server.lastRun.end();
    await advance(500);
    await server.lastRun.print('Tonearm is listening on http://127.0.0.1:50123\n');
    expect(window.webContents.getURL()).toBe('http://127.0.0.1:50123/');
    expect(window.webContents.navigate('http://127.0.0.1:4747/')).toBe(false);
  });

  it('and never listened is shown with its reason, and restarted on request', async () => {
    const { server } = await startApp();
    await server.lastRun.complains('tonearm: Port 4747 on 127.0.0.1 is in use.\n');
    await server.lastRun.end();
    expect(fake.messages[0]?.options.detail).toBe('Port 4747 on 127.0.0.1 is in use.');

    fake.messages[0]?.answer('Try again');
    await waitForTurn();
    await server.lastRun.print(LISTENING_LINE);
    expect(server.runs).toHaveLength(2);
    expect(getOnlyWindow().webContents.getURL()).toBe('http://127.0.0.1:4747/');
  });

  it('and never listened need not be restarted', async () => {
    const { app, server } = await startApp();
    await server.lastRun.end(new Error('spawn node ENOENT'));
    expect(fake.messages[0]?.options.detail).toBe('spawn node ENOENT');
    fake.messages[0]?.answer('Quit');
    await waitForTurn();
    expect(app.hasExited).toBe(true);
  });
});

describe('a port that another program uses', () => {
  it('is named, and the next free one is offered and kept', async () => {
    const portHolder = createServer().listen(0, '127.0.0.1');
    await once(portHolder, 'listening');
    const { port } = portHolder.address() as AddressInfo;
    const { server } = await startApp();
    await server.lastRun.sendMessage({ kind: 'failed', reason: `Port ${port} is in use.`, port });
    await server.lastRun.end();
    await until(() => fake.messages.length);
    const [{ options, answer }] = fake.messages as [(typeof fake.messages)[0]];
    portHolder.close();
    expect(options.detail).toContain(`Port ${port} is used by another program.`);
    const freePort = Number(/^Use port (\d+)$/.exec(options.buttons?.[0] ?? '')?.[1]);
    expect(freePort).toBeGreaterThan(port);
    answer(`Use port ${freePort}`);
    await waitForTurn();
    expect(server.lastRun.args).toEqual(['--port', String(freePort), '--keep-port']);
    await server.lastRun.print(`Tonearm is listening on http://127.0.0.1:${freePort}\n`);
    expect(getOnlyWindow().webContents.getURL()).toBe(`http://127.0.0.1:${freePort}/`);
  });
});

describe('a server that does not answer', () => {
  const startHungApp = async () => {
    const runningApp = await startAppWithWindow();
    runningApp.server.lastRun.isHung = true;
    for (let second = 0; second < 5; second += 1) await runningApp.advance(1_000);
    return runningApp;
  };

  it('is reported in tray and dialog within five seconds; the dialog closes when it answers', async () => {
    const { server, advance } = await startHungApp();
    expect(fake.messages.map(({ options }) => options.message)).toEqual(['The server is not responding.']);
    await advance(1_000);
    expect(fake.tray?.toolTip).toBe('Tonearm: The server is not responding');
    server.lastRun.isHung = false;
    await advance(1_000);
    await advance(1_000);
    expect([fake.messages, fake.tray?.toolTip]).toEqual([[], 'Tonearm']);
  });

  it('is restarted if the user wants that', async () => {
    const { server, advance } = await startHungApp();
    fake.messages[0]?.answer('Restart server');
    await waitForTurn();
    expect(server.lastRun.requests).toContain('kill');
    await server.lastRun.end();
    await advance(500);
    expect(server.runs).toHaveLength(2);
  });

  it('is waited for if the user wants that, and asked about again after half a minute', async () => {
    const { server, advance } = await startHungApp();
    fake.messages[0]?.answer('Wait');
    await waitForTurn();
    expect(server.lastRun.requests).not.toContain('kill');
    await advance(30_000);
    expect(fake.messages).toHaveLength(2);
  });
});

describe('an error that nothing caught', () => {
  it('is a sentence, with a report that stays on this computer', async () => {
    const { app, faults } = await startAppWithWindow();
    expect(fake.crashReports).toEqual({ uploadToServer: false });
    faults.emit('uncaughtException', new Error('no such thing'));
    faults.emit('unhandledRejection', new Error('another'));
    await waitForTurn();
    expect(fake.messages.map(({ options }) => options.message)).toEqual(['Something went wrong in Tonearm.']);
    const folder = join(app.getPath('userData'), 'logs', 'reports');
    const reports = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(reports[0]).toMatch(/Tonearm 1\.2\.3.*Error: no such thing.*the server listens on/s);
    fake.messages[0]?.answer('Show report');
    await waitForTurn();
    expect(fake.shownFiles).toEqual([expect.stringContaining(folder)]);
    expect(app.hasExited).toBe(false);
  });

  it('is kept in a log that does not grow without end, beside what the server printed', async () => {
    fake.reset();
    const folder = join(app.paths['appData'] ?? '', 'logs');
    const log = openLog(folder, { version: '1.2.3', now: () => new Date(0) });
    for (let line = 0; line < 30; line += 1) log.server(Buffer.from('x'.repeat(100_000)));
    log.warn('look here');
    expect(readdirSync(folder).toSorted()).toEqual(['main.log', 'server.log', 'server.old.log']);
    expect(statSync(join(folder, 'server.log')).size + statSync(join(folder, 'server.old.log')).size).toBeLessThan(
      2_500_000,
    );
    expect(readFileSync(join(folder, 'main.log'), 'utf8')).toContain('look here');
    for (let fault = 0; fault < 15; fault += 1)
      openLog(folder, { version: '1.2.3', now: () => new Date(fault) }).report('what', 'why');
    expect(readdirSync(join(folder, 'reports'))).toHaveLength(10);
  });

  it('is in the log when no report can be written', () => {
    fake.reset();
    const folder = join(app.paths['appData'] ?? '', 'logs');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'reports'), 'no folder');
    const log = openLog(folder, { version: '1.2.3', now: () => new Date(0) });
    expect(log.report('what', new Error('why'))).toBe(join(folder, 'main.log'));
    expect(readFileSync(join(folder, 'main.log'), 'utf8')).toContain('Error: why');
  });
});

describe('quit', () => {
  it('waits until the server has stopped its jobs', async () => {
    const { app, server } = await startAppWithWindow();
    app.quit();
    await waitForTurn();
    expect(server.lastRun.requests).toEqual(['ticket', 'stop']);
    expect(app.hasExited).toBe(false);

    await server.lastRun.end();
    expect(app.hasExited).toBe(true);
    expect(server.runs).toHaveLength(1);
  });

  it('kills a server that does not end', async () => {
    const { app, server, advance } = await startAppWithWindow();
    app.quit();
    await advance(9_999);
    expect(app.hasExited).toBe(false);
    await advance(1);
    expect(server.lastRun.requests).toEqual(['ticket', 'stop', 'kill']);
    expect(app.hasExited).toBe(true);
  });

  it('stops the server once, however often it is requested', async () => {
    const { app, server } = await startAppWithWindow();
    app.quit();
    app.quit();
    await waitForTurn();
    expect(server.lastRun.requests).toEqual(['ticket', 'stop']);
  });

  it('while the server starts opens no more windows', async () => {
    const { app, server } = await startApp();
    app.quit();
    await server.lastRun.print(LISTENING_LINE);
    expect(fake.windows).toEqual([]);
    await server.lastRun.end();
    expect(app.hasExited).toBe(true);
  });

  it('follows the last window', async () => {
    const { server, window } = await startAppWithWindow();
    window.close();
    expect(server.lastRun.requests).toContain('stop');
  });

  it('does not follow the last window on macOS, nor if the app should keep running', async () => {
    const mac = await startAppWithWindow(undefined, { platform: 'darwin' });
    mac.window.close();
    expect(mac.server.lastRun.requests).not.toContain('stop');
    mac.app.emit('activate');
    expect(fake.windows).toHaveLength(1);

    const { server, window } = await startAppWithWindow();
    await fake.invoke(window, 'shell:change', [{ keepRunning: true }]);
    window.close();
    expect(server.lastRun.requests).not.toContain('stop');
    fake.tray?.menu?.pick('Open Tonearm');
    expect(fake.windows).toHaveLength(1);
  });

  it('follows a shutdown of the system, which waits for it', async () => {
    const { server } = await startAppWithWindow();
    let isWaiting = false;
    powerMonitor.emit('shutdown', {
      preventDefault: () => {
        isWaiting = true;
      },
    });
    await waitForTurn();
    expect(isWaiting).toBe(true);
    expect(server.lastRun.requests).toContain('stop');
  });
});
