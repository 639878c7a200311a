import { tmpdir } from 'node:os';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { BRIDGE, type Bridge, type Channel } from '../../../main/ipc.ts';
import type { DesktopBridge } from '../../../renderer/desktop.ts';
import { fake, ipcMain } from '../../fakes/electron.ts';
import { startAppWithWindow } from './running-app.ts';

const CHANNELS = Object.values(BRIDGE);

describe('the bridge', () => {
  it('is the channel map and nothing else', async () => {
    await startAppWithWindow();
    await import('../../../main/preload.ts');
    expect(Object.keys(fake.exposed)).toEqual(['tonearm']);
    expect(Object.keys(fake.exposed['tonearm'] as Bridge)).toEqual(Object.keys(BRIDGE));
    expect([...ipcMain.handlers.keys()].sort()).toEqual([...CHANNELS].sort());
  });

  it('has what the interface asks of it', () => {
    expectTypeOf<Bridge>().toExtend<DesktopBridge>();
  });

  it('answers a page through the channels', async () => {
    const { server } = await startAppWithWindow();
    await import('../../../main/preload.ts');
    const bridge = fake.exposed['tonearm'] as Bridge;
    expect(await bridge.version()).toBe('1.2.3');

    expect(await bridge.setupToken()).toBeNull();
    await server.run.says('Setup token: K38W-CIA\n');
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
    it.each(strangers)(`${channel}: %s`, async (_who, url) => {
      const { window } = await startAppWithWindow();
      window.webContents.mainFrame = { url: url ?? '' };
      await expect(fake.invoke(window, channel, [])).rejects.toThrow('is not for this page');
    });

    it(`${channel}: a frame inside our page, and one that is gone`, async () => {
      const { window } = await startAppWithWindow();
      await expect(fake.invoke(window, channel, [], { url: 'http://127.0.0.1:4747/' })).rejects.toThrow('is not for this page');
      await expect(fake.invoke(window, channel, [], null)).rejects.toThrow('is not for this page');
    });
  }
});

describe('a malformed argument is refused', () => {
  const malformed: [Channel, unknown[]][] = [
    ['app:version', ['extra']],
    ['setup:token', [null]],
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
    await expect(fake.invoke(window, channel, args)).rejects.toThrow('not the arguments of this channel');
    expect(fake.folderDialogs).toEqual([]);
  });
});
