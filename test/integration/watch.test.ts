// Watching the music folder on a real disk: what is noticed, how few scans are requested, and what happens if a folder
// cannot be watched.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RowOf } from '../../server/db/rows.ts';
import type { tracks } from '../../server/db/schema.ts';
import type { WatchTiming } from '../../server/watch/music-folder-watch.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { startWriter } from '../support/growing-files.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { startServer, type TestServer } from '../support/server.ts';

const WATCH_TIMING: Partial<WatchTiming> = {
  quietMs: 300,
  maxWaitMs: 600_000,
  holdMs: 600_000,
  folderCheckMs: 100,
  pollMs: 200,
  scanCheckMs: 20,
};
/** Timing for changes that must cause a single scan: a pause of a busy machine must not look like their end. */
const GROUPED_TIMING: Partial<WatchTiming> = { quietMs: 1_500 };
/** Timing for files that are written continuously: checked often, and scanned when the writing stops. */
const SLOW_WRITER: Partial<WatchTiming> = { quietMs: 1_500, maxWaitMs: 200 };

let base: string;
let manifest: Manifest;
const servers: TestServer[] = [];

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-watch-'));
  manifest = makeLibrary({ tracks: 12, formats: ['mp3', 'flac'], seed: 'watch', seconds: '4' }, join(base, 'source'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const source = (i: number): string => join(manifest.dir, manifest.files[i]?.path ?? '');
const nameOf = (i: number): string => `${i}${source(i).slice(source(i).lastIndexOf('.'))}`;

/** Makes a music folder with `Artist A/Album A` and `Artist B/Album B`, two files each. */
function musicFolder(): string {
  const folder = mkdtempSync(join(base, 'music-'));
  [
    ['Artist A/Album A', 0],
    ['Artist A/Album A', 1],
    ['Artist B/Album B', 2],
    ['Artist B/Album B', 3],
  ].forEach(([album, i]) => addTrack(folder, album as string, i as number));
  return folder;
}

/** Copies a generated file into the music folder, first under a temporary name, as many programs do. */
function addTrack(folder: string, album: string, i: number): string {
  mkdirSync(join(folder, album), { recursive: true });
  const temporary = join(folder, album, `${nameOf(i)}.part`);
  cpSync(source(i), temporary);
  renameSync(temporary, join(folder, album, nameOf(i)));
  return `${album}/${nameOf(i)}`;
}

/** Starts a server that watches `folder` and has scanned its files. */
async function startWatching(folder: string, timing: Partial<WatchTiming> = {}): Promise<TestServer> {
  const server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference', LOCAL_MEDIA_WATCH: '' },
    watchTiming: { ...WATCH_TIMING, ...timing },
  });
  servers.push(server);
  await expect.poll(() => server.app.watcher.status().state).toBe('watching');
  await expect.poll(() => endedScans(server).length).toBe(1);
  return server;
}

const scansOf = (server: TestServer) =>
  server.app.jobs.list({ task: 'scan_local_folder' }, { limit: 200, offset: 0 }).items.toReversed();
const endedScans = (server: TestServer) => scansOf(server).filter((job) => job.finishedAt !== null);
/** Returns the folders of each scan after the first, in order; '' is the music folder. */
const scannedFolders = (server: TestServer): string[][] =>
  scansOf(server)
    .slice(1)
    .map(({ payload }) => (payload as { paths?: string[] }).paths ?? ['']);
/** Reads tracks from the database directly, because they are polled often. */
const selectTracks = (server: TestServer): RowOf<typeof tracks, 'sourceId' | 'sizeBytes' | 'availability'>[] =>
  server.app.db.$client
    .prepare<[], RowOf<typeof tracks, 'sourceId' | 'sizeBytes' | 'availability'>>(
      'SELECT source_id, size_bytes, availability FROM tracks ORDER BY source_id',
    )
    .all();
const trackAt = (server: TestServer, sourceId: string) =>
  selectTracks(server).find((track) => track.source_id === sourceId);
const sourceIds = (server: TestServer): string[] =>
  selectTracks(server).flatMap((track) => (track.availability === 'available' ? [track.source_id] : []));

/** Adds a file and waits until it is a track: then all earlier changes have been seen too. */
async function seeEverything(server: TestServer, folder: string): Promise<void> {
  const lastPath = addTrack(folder, 'Last', 11);
  await expect.poll(() => trackAt(server, lastPath)).toBeDefined();
}

describe.each(['folders', 'chokidar'] as const)('with the watch of kind "%s"', (backend) => {
  test('a changed playlist file alone changes its playlist, and a removed one leaves it', async () => {
    const folder = musicFolder();
    mkdirSync(join(folder, 'Lists'));
    const listPath = join(folder, 'Lists', 'Evening.m3u8');
    writeFileSync(listPath, `../Artist A/Album A/${nameOf(0)}\n`);
    const server = await startWatching(folder, { backend });
    const readRow = () =>
      server.app.db.$client
        .prepare('SELECT track_count, is_gone FROM playlists p JOIN playlist_files f ON f.playlist_id = p.id')
        .get();
    await expect.poll(readRow).toEqual({ track_count: 1, is_gone: 0 });
    writeFileSync(listPath, `../Artist A/Album A/${nameOf(0)}\n../Artist B/Album B/${nameOf(2)}\n`);
    await expect.poll(readRow).toEqual({ track_count: 2, is_gone: 0 });
    rmSync(listPath);
    await expect.poll(readRow).toEqual({ track_count: 2, is_gone: 1 });
    expect(scannedFolders(server)).toEqual([['Lists'], ['Lists']]);
  });

  test('the start imports existing files, and a new file is imported by one scan of its folder', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend });
    expect(sourceIds(server)).toHaveLength(4);
    const addedPath = addTrack(folder, 'Artist A/Album A', 4);
    await expect.poll(() => trackAt(server, addedPath)).toBeDefined();
    expect(scannedFolders(server)).toEqual([['Artist A/Album A']]);
  });

  test('a new folder with folders inside is imported, and watched from then on', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend });
    const firstPath = addTrack(folder, 'Artist C/Box/Disc 1', 4);
    await expect.poll(() => trackAt(server, firstPath)).toBeDefined();
    const secondPath = addTrack(folder, 'Artist C/Box/Disc 1', 5);
    const thirdPath = addTrack(folder, 'Artist C/Box/Disc 2', 6);
    await expect.poll(() => sourceIds(server)).toEqual(expect.arrayContaining([secondPath, thirdPath]));
    await expect.poll(() => server.app.watcher.status().folders).toBe(9);
  });

  test('a file that is deleted is missing after one scan of its folder', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend });
    rmSync(join(folder, 'Artist A/Album A', nameOf(0)));
    await expect.poll(() => trackAt(server, `Artist A/Album A/${nameOf(0)}`)?.availability).toBe('missing');
    expect(scannedFolders(server)).toEqual([['Artist A/Album A']]);
  });

  test('a folder that is deleted is missing after a scan of its parent', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend, ...GROUPED_TIMING });
    rmSync(join(folder, 'Artist A/Album A'), { recursive: true });
    await expect.poll(() => sourceIds(server)).toHaveLength(2);
    expect(scannedFolders(server)).toEqual([['Artist A']]);
  });

  test('a renamed folder leads to one scan of both names', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend, ...GROUPED_TIMING });
    renameSync(join(folder, 'Artist A/Album A'), join(folder, 'Artist A/Album A (remaster)'));
    await expect.poll(() => trackAt(server, `Artist A/Album A (remaster)/${nameOf(0)}`)).toBeDefined();
    expect(scannedFolders(server)).toEqual([['Artist A']]);
    const addedPath = addTrack(folder, 'Artist A/Album A (remaster)', 4);
    await expect.poll(() => trackAt(server, addedPath)).toBeDefined();
  });

  test('a folder that moves to another artist leads to one scan of both', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend, ...GROUPED_TIMING });
    renameSync(join(folder, 'Artist A/Album A'), join(folder, 'Artist B/Album A'));
    await expect.poll(() => trackAt(server, `Artist B/Album A/${nameOf(0)}`)).toBeDefined();
    expect(scannedFolders(server)).toEqual([['Artist A', 'Artist B/Album A']]);
  });

  test('a file that is still being written delays no other folder, and is imported once and completely', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend, ...SLOW_WRITER });
    const target = join(folder, 'Artist A/Album A', nameOf(4));
    cpSync(source(4), target);
    const writer = await startWriter([target]);
    const otherPath = addTrack(folder, 'Artist B/Album B', 5);
    await expect.poll(() => trackAt(server, otherPath)).toBeDefined();
    expect(scannedFolders(server)).toEqual([['Artist B/Album B']]);
    await writer.stop();
    await expect.poll(() => trackAt(server, `Artist A/Album A/${nameOf(4)}`)?.size_bytes).toBe(statSync(target).size);
    expect(scannedFolders(server)).toEqual([['Artist B/Album B'], ['Artist A/Album A']]);
    expect(endedScans(server).at(-1)?.result).toMatchObject({ added: 1, updated: 0 });
  });

  test('a burst of 150 files in 25 folders leads to few scans of all of them', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend, ...GROUPED_TIMING });
    for (let i = 0; i < 150; i++) {
      const album = join(folder, 'New', `Album ${i % 25}`);
      mkdirSync(album, { recursive: true });
      writeFileSync(
        join(album, `${i}.mp3`),
        Buffer.concat([
          id3([id3Frame('TIT2', utf8Text(`Song ${i}`)), id3Frame('TPE1', utf8Text('Many'))]),
          silentMp3(80),
        ]),
      );
    }
    await expect.poll(() => sourceIds(server).length).toBe(154);
    await expect.poll(() => endedScans(server).length).toBe(scansOf(server).length);
    expect(scannedFolders(server).length).toBeLessThanOrEqual(3);
  });

  test('hidden files, files without music, and everything below a marked folder lead to no scan', async () => {
    const folder = musicFolder();
    mkdirSync(join(folder, 'Memos/2024'), { recursive: true });
    writeFileSync(join(folder, 'Memos/.nomedia'), '');
    const server = await startWatching(folder, { backend });
    addTrack(folder, 'Memos/2024', 4);
    addTrack(folder, 'Memos/2025', 5);
    addTrack(folder, '.trash', 6);
    writeFileSync(join(folder, 'Artist A/notes.pdf'), 'x');
    await seeEverything(server, folder);
    expect(scannedFolders(server)).toEqual([['Last']]);
  });

  test('a folder that loses its mark is imported', async () => {
    const folder = musicFolder();
    const hiddenTrack = addTrack(folder, 'Memos/2024', 4);
    writeFileSync(join(folder, 'Memos/.ignore'), '');
    const server = await startWatching(folder, { backend });
    expect(trackAt(server, hiddenTrack)).toBeUndefined();
    rmSync(join(folder, 'Memos/.ignore'));
    await expect.poll(() => trackAt(server, hiddenTrack)).toBeDefined();
  });
});

test('a folder whose name is not UTF-8 is watched too', async () => {
  const folder = musicFolder();
  const album = Buffer.concat([Buffer.from(`${folder}/Caf`), Buffer.from([0xe9])]);
  mkdirSync(album);
  const server = await startWatching(folder);
  writeFileSync(Buffer.concat([album, Buffer.from(`/${nameOf(4)}`)]), readFileSync(source(4)));
  await expect.poll(() => sourceIds(server)).toContain(`Caf\\xe9/${nameOf(4)}`);
});

test('changes during a scan are scanned after it', async () => {
  const folder = musicFolder();
  const server = await startWatching(folder, { quietMs: 20 });
  const addedPaths: string[] = [];
  for (let i = 4; i < 10; i++) {
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    addedPaths.push(addTrack(folder, `Artist ${i}`, i));
  }
  await expect.poll(() => sourceIds(server)).toEqual(expect.arrayContaining(addedPaths));
});

describe('the settings', () => {
  test('switching the watch off stops it, and switched on it finds missed changes', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder);
    expect((await server.api('/settings', { method: 'PATCH', body: { local_media_watch: false } })).status).toBe(200);
    await expect.poll(() => server.app.watcher.status()).toEqual({ state: 'off', reason: 'Watching is switched off.' });
    const missedPath = addTrack(folder, 'Artist A/Album A', 4);
    expect(scannedFolders(server)).toEqual([]);
    await server.api('/settings', { method: 'PATCH', body: { local_media_watch: true } });
    await expect.poll(() => trackAt(server, missedPath)).toBeDefined();
    expect(scannedFolders(server)).toEqual([['']]);
  });

  test('a new music folder is watched instead of the old one', async () => {
    const [oldFolder, newFolder] = [musicFolder(), musicFolder()];
    const server = await startServer({
      env: { LOCAL_MEDIA_IMPORT_MODE: 'reference', LOCAL_MEDIA_WATCH: '' },
      watchTiming: WATCH_TIMING,
    });
    servers.push(server);
    expect(server.app.watcher.status().reason).toBe('No music folder is set.');
    const marker = addTrack(newFolder, 'Other', 10);
    for (const [path, sourceId] of [
      [oldFolder, `Artist A/Album A/${nameOf(0)}`],
      [newFolder, marker],
    ] as const) {
      await server.api('/settings', { method: 'PATCH', body: { local_media_import_path: path } });
      await expect.poll(() => trackAt(server, sourceId)).toBeDefined();
    }
    addTrack(oldFolder, 'Artist A/Album A', 4);
    await seeEverything(server, newFolder);
    expect(trackAt(server, `Artist A/Album A/${nameOf(4)}`)).toBeUndefined();
  });
});

describe('where it cannot watch', () => {
  test.each(['folders', 'chokidar'] as const)(
    'more folders than the limit (%s): it reports that and scans periodically',
    async (backend) => {
      const folder = musicFolder();
      const server = await startServer({
        env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference', LOCAL_MEDIA_WATCH: '' },
        watchTiming: { ...WATCH_TIMING, backend, maxFolders: 4 },
      });
      servers.push(server);
      await expect
        .poll(() => server.app.watcher.status())
        .toEqual({
          state: 'polling',
          reason: 'The music folder has more than 4 folders, too many to watch.',
        });
      await expect.poll(() => sourceIds(server).length).toBe(4);
      const addedPath = addTrack(folder, 'Artist A/Album A', 4);
      await expect.poll(() => trackAt(server, addedPath)).toBeDefined();
    },
  );

  test.each(['folders', 'chokidar'] as const)('the limit counts while it watches (%s)', async (backend) => {
    const folder = musicFolder();
    const server = await startWatching(folder, { backend, maxFolders: 6 });
    mkdirSync(join(folder, 'One/Two/Three'), { recursive: true });
    await expect.poll(() => server.app.watcher.status().state).toBe('polling');
  });

  test('a removed music folder is awaited: nothing is missing, and it is watched again when it is back', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder);
    renameSync(folder, `${folder}-away`);
    await expect
      .poll(() => server.app.watcher.status())
      .toEqual({ state: 'polling', reason: `The music folder ${folder} does not exist. Is its disk connected?` });
    renameSync(`${folder}-away`, folder);
    await expect.poll(() => server.app.watcher.status().state).toBe('watching');
    await seeEverything(server, folder);
    expect(sourceIds(server)).toHaveLength(5);
    expect(endedScans(server).map((job) => [job.status, (job.result as ScanResult).missing])).toEqual(
      endedScans(server).map(() => ['succeeded', 0]),
    );
  });

  test('an empty music folder, as after unplugging a disk, makes nothing missing', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder);
    for (const artist of ['Artist A', 'Artist B'])
      renameSync(join(folder, artist), join(base, `${artist} of ${folder.slice(-6)}`));
    await expect
      .poll(() => server.app.watcher.status())
      .toEqual({
        state: 'polling',
        reason: `The music folder ${folder} is empty, but held music before. Is its disk connected?`,
      });
    expect(sourceIds(server)).toHaveLength(4);
    for (const artist of ['Artist A', 'Artist B'])
      renameSync(join(base, `${artist} of ${folder.slice(-6)}`), join(folder, artist));
    await expect.poll(() => server.app.watcher.status().state).toBe('watching');
    await seeEverything(server, folder);
    expect(sourceIds(server)).toHaveLength(5);
  });

  test('another disk at the path of the music folder is watched instead', async () => {
    const folder = musicFolder();
    const server = await startWatching(folder);
    const otherFolder = mkdtempSync(join(dirname(folder), 'other-'));
    addTrack(otherFolder, 'Artist A/Album A', 0);
    renameSync(folder, `${folder}-old`);
    renameSync(otherFolder, folder);
    await expect.poll(() => endedScans(server).length).toBe(2);
    const addedPath = addTrack(folder, 'Artist A/Album A', 5);
    await expect.poll(() => trackAt(server, addedPath)).toBeDefined();
  });
});

test('a server that closes while the watch begins ends cleanly', async () => {
  const server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: musicFolder(), LOCAL_MEDIA_WATCH: '' },
    watchTiming: WATCH_TIMING,
    setUp: false,
  });
  await server.close();
  expect(server.app.watcher.status().state).toBe('off');
});
