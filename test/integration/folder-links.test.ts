// Links to folders in music folders: followed where a person allows it, each folder once, and never into a loop.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { WatchBackend } from '../../server/watch/watch-worker.ts';
import { makeSongs, type Songs } from '../support/identity-table.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let songs: Songs;
let songCount = 0;
const servers: TestServer[] = [];
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tonearm-links-')));
  songs = makeSongs(join(base, 'songs'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  songCount = 0;
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function put(folder: string, ...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(songs.mp3[songCount++] as string, join(folder, path));
  }
}

/** Makes a music folder, and a folder beside it to which links can lead. */
function makeFolders(): { music: string; outside: string } {
  const folder = mkdtempSync(join(base, 'place-'));
  const [music, outside] = [join(folder, 'music'), join(folder, 'outside')];
  put(music, 'Own/01.mp3');
  put(outside, 'Linked/02.mp3');
  return { music, outside };
}

interface Start {
  mode?: string;
  followLinks?: boolean;
  watch?: WatchBackend;
}

async function start(music: string, { watch, mode = 'reference', followLinks = true }: Start = {}) {
  const server = await startServer({
    env: {
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOCAL_MEDIA_IMPORT_MODE: mode,
      LOCAL_MEDIA_WATCH: String(watch !== undefined),
    },
    watchTiming: { quietMs: 50, maxWaitMs: 500, folderCheckMs: 200, scanCheckMs: 20, ...(watch && { backend: watch }) },
  });
  servers.push(server);
  if (followLinks) await allowLinks(server, true);
  return server;
}

async function allowLinks(server: TestServer, isAllowed: boolean): Promise<void> {
  const { status, text } = await server.api('/music-folders/1', {
    method: 'PATCH',
    body: { follow_links: isAllowed },
  });
  expect(status, text).toBe(200);
  await server.app.drain();
}

async function scan(server: TestServer, path?: string): Promise<ScanResult> {
  const { body, status, text } = await server.api<JobOut>('/sources/local_folder/scan', {
    method: 'POST',
    body: path === undefined ? {} : { path },
  });
  expect(status, text).toBe(202);
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

async function idsByPath(server: TestServer): Promise<Record<string, number>> {
  const tracks = await allTracks(server);
  return Object.fromEntries(
    tracks
      .filter(({ availability }) => availability === 'available')
      .map(({ source_id, id }) => [source_id, id] as const)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}
const pathsOf = async (server: TestServer): Promise<string[]> => Object.keys(await idsByPath(server));

const reasonOf = ({ skipped }: ScanResult, name: string): string | undefined =>
  skipped.find(({ source_id: path }) => path.endsWith(name))?.reason;

describe.each(['reference', 'copy'])('in mode %s', (mode) => {
  test('links to folders are followed only where a person allows it, and their music can be played', async () => {
    const { music, outside } = makeFolders();
    symlinkSync(outside, join(music, 'More'));
    const server = await start(music, { mode, followLinks: false });
    const result = await scan(server);
    expect(await pathsOf(server)).toEqual(['Own/01.mp3']);
    expect(reasonOf(result, 'More')).toContain('does not allow to follow');

    await allowLinks(server, true);
    const ids = await idsByPath(server);
    expect(Object.keys(ids)).toEqual(['More/Linked/02.mp3', 'Own/01.mp3']);
    expect((await server.api(`/stream/${ids['More/Linked/02.mp3']}`)).status).toBe(200);
    expect((await scan(server)).unchanged).toBe(2);

    await allowLinks(server, false);
    expect(await pathsOf(server)).toEqual(mode === 'copy' ? Object.keys(ids) : ['Own/01.mp3']);
    await allowLinks(server, true);
    expect(await idsByPath(server)).toEqual(ids);
  });
});

test('each folder is scanned once, and loops end', async () => {
  const { music, outside } = makeFolders();
  put(outside, 'Linked/Deep/03.mp3');
  symlinkSync(outside, join(music, 'A'));
  symlinkSync(outside, join(music, 'B'));
  symlinkSync(join(outside, 'Linked'), join(music, 'C'));
  symlinkSync(outside, join(outside, 'Linked/Deep/loop'));
  symlinkSync('self', join(music, 'self'));
  symlinkSync(music, join(outside, 'back'));
  symlinkSync(dirname(music), join(music, 'above'));
  symlinkSync(join(music, 'Own'), join(music, 'Same'));
  symlinkSync('/etc', join(music, 'system'));
  const server = await start(music);
  const result = await scan(server);
  const paths = await pathsOf(server);
  expect(paths).toHaveLength(3);
  for (const name of ['01.mp3', '02.mp3', '03.mp3'])
    expect(paths.filter((path) => path.endsWith(name))).toHaveLength(1);
  expect(reasonOf(result, 'back')).toContain('scanned without it');
  expect(reasonOf(result, 'above')).toContain('contains the music folder');
  expect(reasonOf(result, 'Same')).toContain('scanned without it');
  expect(reasonOf(result, 'system')).toContain('operating system');
  expect(reasonOf(result, 'self')).toContain('leads to itself');
  expect(reasonOf(result, 'loop')).toContain('scanned as');

  const ids = await idsByPath(server);
  for (const path of ['Own', 'A', 'B', 'C']) await scan(server, path);
  await scan(server);
  expect(await idsByPath(server)).toEqual(ids);
});

test('a link into Tonearm’s own folders is refused, for a file, too', async () => {
  const { music } = makeFolders();
  const server = await start(music);
  const data = server.app.config.paths.data;
  put(data, 'hidden/04.mp3');
  symlinkSync(data, join(music, 'data'));
  symlinkSync(join(data, 'hidden/04.mp3'), join(music, '04.mp3'));
  const result = await scan(server);
  expect(await pathsOf(server)).toEqual(['Own/01.mp3']);
  expect(reasonOf(result, 'data')).toContain('data folder');
  expect(reasonOf(result, '04.mp3')).toContain('data folder');
});

test('a new link to the same folder does not take its tracks; they move when the old link goes', async () => {
  const { music, outside } = makeFolders();
  symlinkSync(outside, join(music, 'Old'));
  const server = await start(music);
  const previousIds = await idsByPath(server);
  symlinkSync(outside, join(music, 'Earlier'));
  await scan(server);
  expect(await idsByPath(server)).toEqual(previousIds);
  unlinkSync(join(music, 'Old'));
  await scan(server);
  await scan(server);
  expect(await idsByPath(server)).toEqual({
    'Earlier/Linked/02.mp3': previousIds['Old/Linked/02.mp3'],
    'Own/01.mp3': previousIds['Own/01.mp3'],
  });
});

test('a disk that is away takes no track with it: the target is gone, or an empty folder', async () => {
  const { music, outside } = makeFolders();
  symlinkSync(outside, join(music, 'Disk'));
  const server = await start(music);
  const previousIds = await idsByPath(server);
  renameSync(outside, `${outside}-away`);
  const gone = await scan(server);
  expect(await idsByPath(server)).toEqual(previousIds);
  expect(gone.failed.map(({ reason }) => reason).join()).toContain('stay as they are');
  mkdirSync(outside);
  await scan(server);
  expect(await idsByPath(server)).toEqual(previousIds);
  rmSync(outside, { recursive: true });
  renameSync(`${outside}-away`, outside);
  expect((await scan(server)).unchanged).toBe(2);
  expect(await idsByPath(server)).toEqual(previousIds);
});

test.each(['folders', 'chokidar'] as const)(
  'the watch by %s sees new links, and changes behind them',
  async (watch) => {
    const { music, outside } = makeFolders();
    const server = await start(music, { watch });
    const untilPaths = (...paths: string[]) =>
      expect.poll(() => pathsOf(server), { timeout: 20_000, interval: 50 }).toEqual(paths);
    await untilPaths('Own/01.mp3');
    symlinkSync(outside, join(music, 'Link'));
    await untilPaths('Link/Linked/02.mp3', 'Own/01.mp3');
    put(outside, 'New/03.mp3');
    await untilPaths('Link/Linked/02.mp3', 'Link/New/03.mp3', 'Own/01.mp3');
    unlinkSync(join(music, 'Link'));
    await untilPaths('Own/01.mp3');
  },
);
