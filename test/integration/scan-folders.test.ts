// Scans of parts of the music folder: what they find, what they ignore, and what they reject.
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SCAN_LOCAL_FOLDER } from '../../server/scan/tasks.ts';
import { findScanFolders, findExistingFolders } from '../../server/scan/scan-folders.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { makeSongs, type Songs } from '../support/identity-table.ts';
import { runServer } from '../support/process.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let songs: Songs;
const open: TestServer[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-folders-'));
  songs = makeSongs(join(base, 'all'));
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const A = 'Artist/Album/a.mp3';
const B = 'Artist/Other/b.mp3';
const C = 'Artist (live)/c.mp3';
const ALL_PATHS = [A, B, C];

function copySong(folder: string, path: string, song: number): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  copyFileSync(songs.mp3[song] as string, join(folder, path));
}

function musicFolder(): string {
  const folder = mkdtempSync(join(base, 'music-'));
  ALL_PATHS.forEach((path, song) => copySong(folder, path, song));
  return folder;
}

async function openScanned(): Promise<{ server: TestServer; folder: string; ids: Record<string, number> }> {
  const folder = musicFolder();
  const server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference' } });
  open.push(server);
  await scan(server);
  return {
    server,
    folder,
    ids: Object.fromEntries((await allTracks(server)).map((track) => [track.source_id, track.id])),
  };
}

const requestScan = (server: TestServer, ...paths: string[]) =>
  server.api<JobOut>(
    `/sources/local_folder/scan?${new URLSearchParams(paths.map((path) => ['path', path])).toString()}`,
    { method: 'POST' },
  );

async function scan(server: TestServer, ...paths: string[]): Promise<ScanResult> {
  const { body, status, text } = await requestScan(server, ...paths);
  expect(status, text).toBe(202);
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

/** Returns source id, id and availability of every track. */
const state = async (server: TestServer): Promise<unknown[]> =>
  (await allTracks(server)).map(({ source_id, id, availability }) => [source_id, id, availability]);

test('only a folder and its subfolders are scanned: elsewhere, new and removed files are not noticed', async () => {
  const { server, folder, ids } = await openScanned();
  copySong(folder, 'Artist/Album/Disc 2/new.mp3', 4);
  copySong(folder, 'Artist/Other/new.mp3', 5);
  rmSync(join(folder, C));
  rmSync(join(folder, B));
  expect(await scan(server, 'Artist/Album')).toMatchObject({
    folders: ['Artist/Album'],
    files: 2,
    added: 1,
    unchanged: 1,
    missing: 0,
  });
  expect(await state(server)).toEqual(expect.arrayContaining(ALL_PATHS.map((path) => [path, ids[path], 'available'])));
  expect(await state(server)).toHaveLength(4);
  expect(await scan(server, 'Artist')).toMatchObject({ added: 1, missing: 1 });
  // the name of its folder only has the same prefix
  expect(await state(server)).toContainEqual([C, ids[C], 'available']);
  expect(await scan(server)).toMatchObject({ added: 0, missing: 1 });
});

test.each(['.nomedia', '.ignore'])(
  'tracks of a folder that gets %s are gone, and come back with their likes',
  async (mark) => {
    const { server, folder, ids } = await openScanned();
    const id = ids[A] as number;
    await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: true } });
    const previousState = await state(server);
    const track = async () => (await server.api<TrackOut>(`/tracks/${id}`)).body;
    writeFileSync(join(folder, dirname(A), mark), '');
    await scan(server);
    expect(await track()).toMatchObject({ availability: 'missing', liked: true });
    // the file of this track has not moved
    expect((await fetch(`${server.url}/stream/${id}?token=${server.token}`)).status).toBe(410);
    expect(await track()).toMatchObject({ availability: 'missing' });
    rmSync(join(folder, dirname(A), mark));
    await scan(server);
    expect(await state(server)).toEqual(previousState);
    expect(await track()).toMatchObject({ liked: true });
  },
);

test('several folders are one scan, without subfolders of others', async () => {
  const { server, folder } = await openScanned();
  ['Artist/Album/x.mp3', 'Artist/Other/y.mp3', 'Artist (live)/z.mp3'].forEach((path, i) =>
    copySong(folder, path, 10 + i),
  );
  expect(await scan(server, 'Artist (live)', 'Artist/Other', 'Artist/', 'Artist (live)/')).toMatchObject({
    folders: ['Artist', 'Artist (live)'],
    added: 3,
  });
});

test('a file moved into the folder keeps its track; one moved out is missing until it is scanned there', async () => {
  const { server, folder, ids } = await openScanned();
  renameSync(join(folder, C), join(folder, 'Artist/Album/from live.mp3'));
  renameSync(join(folder, A), join(folder, 'Artist (live)/from album.mp3'));
  expect(await scan(server, 'Artist/Album')).toMatchObject({ moved: 1, missing: 1, added: 0 });
  expect(await state(server)).toEqual(
    expect.arrayContaining([
      ['Artist/Album/from live.mp3', ids[C], 'available'],
      [A, ids[A], 'missing'],
    ]),
  );
  expect(await scan(server, 'Artist (live)')).toMatchObject({ moved: 1, missing: 0, added: 0 });
  expect(await state(server)).toContainEqual(['Artist (live)/from album.mp3', ids[A], 'available']);
  expect(await scan(server)).toMatchObject({ moved: 0, missing: 0, added: 0, updated: 0 });
});

test('the same scan is one job while it is unfinished, another folder is another job', async () => {
  const { server } = await openScanned();
  const answers = await Promise.all([
    requestScan(server),
    requestScan(server, ''),
    requestScan(server, 'Artist'),
    requestScan(server, 'Artist/'),
    requestScan(server, 'Artist/Album', 'Artist/Other'),
    requestScan(server, 'Artist/Other', 'Artist/Album'),
  ]);
  const [wholeId, emptyFolderId, artist, repeatedId, twoFoldersId, turnedFolderId] = answers.map(({ body }) => body.id);
  expect([emptyFolderId, repeatedId, turnedFolderId]).toEqual([wholeId, artist, twoFoldersId]);
  expect(new Set([wholeId, artist, twoFoldersId]).size).toBe(3);
  await server.app.drain();
});

test('other paths are rejected with a reason, and nothing is queued', async () => {
  const { server, folder } = await openScanned();
  const outsideDir = mkdtempSync(join(base, 'outside-'));
  copySong(outsideDir, 'secret.mp3', 20);
  symlinkSync(outsideDir, join(folder, 'out'));
  symlinkSync(join(folder, 'Artist'), join(folder, 'in'));
  mkdirSync(join(folder, 'Memos/2024'), { recursive: true });
  writeFileSync(join(folder, 'Memos/.nomedia'), '');
  mkdirSync(join(folder, '.hidden'));
  const jobs = server.app.jobs.list({}, { limit: 200, offset: 0 }).total;
  const refusals: [string, number, RegExp][] = [
    ['..', 422, /must name a folder below the music folder/],
    ['../', 422, /without/],
    ['Artist/../../outside', 422, /without/],
    ['Artist/./Album', 422, /without/],
    ['.', 422, /without/],
    ['Artist//Album', 422, /without/],
    ['Artist\0/Album', 422, /without/],
    ['/', 422, /relative to the music folder/],
    [folder, 422, /relative to the music folder/],
    [outsideDir, 422, /relative to the music folder/],
    ['out', 422, /out is a link/],
    ['out/deeper', 422, /out is a link/],
    ['in/Album', 422, /in is a link/],
    [A, 422, /is not a folder/],
    [`${A}/x`, 422, /is not a folder/],
    ['.hidden', 422, /it is hidden, because its name begins with a dot/],
    ['Memos', 422, /it is left out, because Memos contains \.nomedia/],
    ['Memos/2024', 422, /Memos contains \.nomedia/],
    ['Nowhere', 404, /no folder Nowhere/],
    ['artist', 404, /no folder artist/],
    ['Artist/Album/Nowhere', 404, /no folder Artist\/Album\/Nowhere/],
    ['Artist\\Album', 404, /no folder/],
    ['..\\..', 404, /no folder/],
    ['x'.repeat(4_097), 422, /path/],
  ];
  for (const [path, status, words] of refusals) {
    const answer = await requestScan(server, path);
    expect([path.slice(0, 40), answer.status, answer.text]).toEqual([
      path.slice(0, 40),
      status,
      expect.stringMatching(words),
    ]);
    expect((await requestScan(server, 'Artist', path)).status, path.slice(0, 40)).toBe(status);
  }
  expect((await requestScan(server, ...Array.from({ length: 101 }, () => 'Artist'))).status).toBe(422);
  expect((await server.api('/sources/local_folder/scan?dry_run=perhaps', { method: 'POST' })).status).toBe(422);
  expect(server.app.jobs.list({}, { limit: 200, offset: 0 }).total).toBe(jobs);
});

test('a folder is found under another Unicode spelling of its name', async () => {
  const folder = musicFolder();
  copySong(folder, 'Bjo\u0308rk/a.mp3', 4);
  const onDisk = await findScanFolders(folder, ['Bj\u00f6rk'], '');
  expect(onDisk.map((path) => path.normalize('NFC'))).toEqual(['Bj\u00f6rk']);
  expect(await findScanFolders(folder, ['Bjo\u0308rk'], '')).toEqual(onDisk);
});

test('for a folder that was removed, or became a link, before its scan, the parent is scanned', async () => {
  const folder = musicFolder();
  const outsideDir = mkdtempSync(join(base, 'outside-'));
  expect(await findExistingFolders(folder, [])).toEqual(['']);
  expect(await findExistingFolders(folder, ['Artist/Album', 'Artist (live)'])).toEqual([
    'Artist/Album',
    'Artist (live)',
  ]);
  rmSync(join(folder, 'Artist/Album'), { recursive: true });
  renameSync(join(folder, 'Artist (live)'), join(folder, 'away'));
  symlinkSync(outsideDir, join(folder, 'Artist (live)'));
  expect(await findExistingFolders(folder, ['Artist/Album/Disc 1'])).toEqual(['Artist']);
  expect(await findExistingFolders(folder, ['Artist/Album', 'Artist/Other'])).toEqual(['Artist']);
  expect(await findExistingFolders(folder, ['Artist (live)'])).toEqual(['']);
  expect(await findExistingFolders(folder, ['Artist (live)/below'])).toEqual(['']);
});

test('a folder that is deleted after the scan was queued is found to be missing', async () => {
  const { server, folder, ids } = await openScanned();
  rmSync(join(folder, 'Artist/Album'), { recursive: true });
  const { id } = await server.app.jobs.enqueue(SCAN_LOCAL_FOLDER, { paths: ['Artist/Album'] });
  await server.app.drain();
  expect(server.app.jobs.get(id).result).toMatchObject({ folders: ['Artist'], missing: 1 });
  expect(await state(server)).toContainEqual([A, ids[A], 'missing']);
});

test('the command line takes the music folder or a folder in it, and no other', async () => {
  const folder = musicFolder();
  const data = ['--data-dir', mkdtempSync(join(base, 'data-'))];
  const env = { LOCAL_MEDIA_IMPORT_MODE: 'reference' };
  const runScanCommand = async (...args: string[]) => {
    const { code, stdout, stderr } = await runServer([...args, ...data], env);
    return { code, text: `${stdout}${stderr}` };
  };
  expect(await runScanCommand('scan', join(folder, 'Artist'), '--import', folder)).toEqual({
    code: 0,
    text: expect.stringMatching(/2 files, 2 new/),
  });
  expect(await runScanCommand('scan', folder)).toEqual({
    code: 0,
    text: expect.stringMatching(/3 files, 1 new, 2 unchanged/),
  });
  // the server remembers the folder
  expect(await runScanCommand('scan', join(folder, 'Artist'))).toEqual({
    code: 0,
    text: expect.stringContaining('2 files'),
  });
  expect(await runScanCommand('scan', base, '--import', folder)).toEqual({
    code: 1,
    text: expect.stringContaining('is not in the music folder'),
  });
  expect(await runScanCommand('scan', join(folder, 'Nowhere'), '--import', folder)).toEqual({
    code: 1,
    text: expect.stringContaining('does not exist'),
  });
});
