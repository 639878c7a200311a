import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { BRIDGE, type Bridge, type Channel } from '../../../main/ipc.ts';
import type { DesktopBridge } from '../../../renderer/desktop.ts';
import { app, fake, ipcMain } from '../../fakes/electron.ts';
import { reportPageLoaded, startAppWithWindow, LISTENING_LINE } from './running-app.ts';
import { waitForTurn } from './scripted-server.ts';

const CHANNELS = Object.values(BRIDGE);

describe('the bridge', () => {
  it('is the channel map and nothing else', async () => {
    await startAppWithWindow();
    await import('../../../main/preload.ts');
    expect(Object.keys(fake.exposed)).toEqual(['tonearm']);
    expect(Object.keys(fake.exposed['tonearm'] as Bridge)).toEqual([...Object.keys(BRIDGE), 'onMessage']);
    expect([...ipcMain.handlers.keys()].sort()).toEqual([...CHANNELS].sort());
  });

  it('has what the pages need', () => {
    expectTypeOf<Bridge>().toExtend<DesktopBridge>();
  });

  it('answers a page through the channels', async () => {
    const { server } = await startAppWithWindow();
    await import('../../../main/preload.ts');
    const bridge = fake.exposed['tonearm'] as Bridge;
    expect(await bridge.version()).toBe('1.2.3');

    expect(await bridge.setupToken()).toBeNull();
    server.setupToken = 'K38W-CIA';
    expect(await bridge.setupToken()).toBe('K38W-CIA');

    expect(await bridge.pickFolder()).toBeNull();
    fake.chosenFolder = '/music';
    expect(await bridge.pickFolder(tmpdir())).toBe('/music');
    expect(fake.folderDialogs[1]).toEqual([fake.windows[0], expect.objectContaining({ defaultPath: tmpdir() })]);
  });
});

describe('a stranger is refused on every channel', () => {
  const strangers: [string, string | null][] = [
    ['a page of another site', 'https://example.org/'],
    ['another server on this machine', 'http://127.0.0.1:8080/'],
    ['an address that only begins like ours', 'http://127.0.0.1:4747@example.org/'],
    ['a local file', 'file:///home/me/page.html'],
    ['an empty page', 'about:blank'],
  ];
  for (const channel of CHANNELS) {
    it.each(strangers)(`${channel}: %s`, async (_title, url) => {
      const { window } = await startAppWithWindow();
      window.webContents.mainFrame = { url: url ?? '' };
      await expect(fake.invoke(window, channel, [])).rejects.toThrow('is not for this page');
    });

    it(`${channel}: a frame inside our page, and one that is gone`, async () => {
      const { window } = await startAppWithWindow();
      await expect(fake.invoke(window, channel, [], { url: 'http://127.0.0.1:4747/' })).rejects.toThrow(
        'is not for this page',
      );
      await expect(fake.invoke(window, channel, [], null)).rejects.toThrow('is not for this page');
    });
  }
});

describe('a malformed argument is refused', () => {
  const malformed: [Channel, unknown[]][] = [
    ['app:version', ['extra']],
    ['app:host-name', ['extra']],
    ['setup:token', [null]],
    ['auth:ticket', ['admin']],
    ['server:restart', [true]],
    ['shell:settings', [{}]],
    ['shell:change', []],
    ['shell:change', [null]],
    ['shell:change', [{ keepRunning: 1 }]],
    ['shell:change', [{ keepRunning: undefined }]],
    ['shell:change', [{ places: {} }]],
    ['shell:change', [{ mediaKeys: true }, 'extra']],
    ['shell:language', ['']],
    ['shell:language', ['../../etc']],
    ['shell:language', ['x'.repeat(100)]],
    ['file:show', []],
    ['file:show', ['/etc/passwd']],
    ['file:show', [-1]],
    ['file:show', [1.5]],
    ['file:show', [1, '/etc']],
    ['player:report', [{ status: 'dancing', title: null, artist: null }]],
    ['player:report', [{ status: 'playing', title: 'x'.repeat(1_001), artist: null }]],
    ['player:report', [{ status: 'playing', title: 'a', artist: null, more: 1 }]],
    ['player:report', [{ status: 'playing' }]],
    ['dialog:choose-folder', [7]],
    ['dialog:choose-folder', [null]],
    ['dialog:choose-folder', ['relative/folder']],
    ['dialog:choose-folder', [`${tmpdir()}\0`]],
    ['dialog:choose-folder', [`${tmpdir()}/${'x'.repeat(5_000)}`]],
    ['dialog:choose-folder', [{ properties: ['openFile'] }]],
    ['dialog:choose-folder', [tmpdir(), 'extra']],
  ];
  it.each(malformed)('%s %j', async (channel, args) => {
    const { window } = await startAppWithWindow();
    const readStoredState = (): string => readFileSync(join(app.getPath('userData'), 'shell.json'), 'utf8');
    const previousState = readStoredState();
    await expect(fake.invoke(window, channel, args)).rejects.toThrow('The arguments of this channel are not valid');
    expect(fake.folderDialogs).toEqual([]);
    expect(readStoredState()).toBe(previousState);
  });
});

describe('a ticket to sign in with', () => {
  it('is requested from the server for each page, and returned to that page', async () => {
    const { server, window } = await startAppWithWindow();
    const [firstTicket, secondTicket] = [
      fake.invoke(window, 'auth:ticket', []),
      fake.invoke(window, 'auth:ticket', []),
    ];
    await waitForTurn();
    expect(server.lastRun.requests).toEqual(['ticket', 'ticket', 'ticket']); // the first ticket was for the app itself
    await server.lastRun.sendMessage({ kind: 'answer', id: 3, value: 'third-ticket-0123456789' });
    await server.lastRun.sendMessage({ kind: 'answer', id: 2, value: 'second-ticket-012345678' });
    expect(await firstTicket).toBe('second-ticket-012345678');
    expect(await secondTicket).toBe('third-ticket-0123456789');
  });

  it('is absent from a server that has ended, is silent, or answers something else', async () => {
    const { server, window, advance } = await startAppWithWindow();
    const silentTicket = fake.invoke(window, 'auth:ticket', []);
    await waitForTurn();
    for (const message of [
      null,
      'ticket',
      { kind: 'answer', id: 2 },
      { kind: 'answer', id: 2, value: '' },
      { kind: 'answer', id: 99, value: 'x'.repeat(40) },
    ])
      await server.lastRun.sendMessage(message);
    await advance(5_000);
    expect(await silentTicket).toBeNull();

    const lostTicket = fake.invoke(window, 'auth:ticket', []);
    await waitForTurn();
    await server.lastRun.end();
    expect(await lostTicket).toBeNull();
    expect(await fake.invoke(window, 'auth:ticket', [])).toBeNull();
  });
});

describe('a restart of the server', () => {
  it('stops and starts it, and answers when it is back', async () => {
    const { server, window } = await startAppWithWindow();
    await reportPageLoaded(window);
    const restart = fake.invoke(window, 'server:restart', []);
    await waitForTurn();
    expect(server.lastRun.requests).toContain('stop');
    expect(window.webContents.heardMessages).toEqual([{ kind: 'server', state: 'restarting' }]);
    await server.lastRun.end();
    expect(server.runs).toHaveLength(2);
    await server.lastRun.print(LISTENING_LINE);
    expect(await restart).toBeUndefined();
    expect(window.webContents.heardMessages.at(-1)).toEqual({ kind: 'server', state: 'running' });
  });
});

describe('messages', () => {
  it('reach a page once it listens, without the IPC event', async () => {
    const { window, app } = await startAppWithWindow();
    await import('../../../main/preload.ts');
    const bridge = fake.exposed['tonearm'] as Bridge;
    const receivedMessages: unknown[][] = [];
    const unsubscribe = bridge.onMessage((...args: unknown[]) => void receivedMessages.push(args));
    app.emit('open-url', { preventDefault: () => undefined }, 'tonearm://album/7');
    expect(receivedMessages).toEqual([]);
    await reportPageLoaded(window);
    expect(receivedMessages).toEqual([[{ kind: 'open', path: '/albums/7' }]]);
    unsubscribe();
    app.emit('open-url', { preventDefault: () => undefined }, 'tonearm://album/8');
    expect(receivedMessages).toHaveLength(1);
    expect(window.webContents.heardMessages).toHaveLength(2);
  });

  it('are queued again while the page is reloaded', async () => {
    const { window, app } = await startAppWithWindow();
    await reportPageLoaded(window);
    window.webContents.reload();
    app.emit('open-url', { preventDefault: () => undefined }, 'tonearm://artist/3');
    expect(window.webContents.heardMessages).toEqual([]);
    await reportPageLoaded(window);
    expect(window.webContents.heardMessages).toEqual([{ kind: 'open', path: '/artists/3' }]);
  });
});
