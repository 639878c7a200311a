// What scans and the watch leave out: bins, previews and snapshots as systems leave them, hidden names, and what ignore
// files say; and names with dots that are music.
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ScanResult } from '../../server/scan/wire.ts';
import { makeSongs, type Songs } from '../support/identity-table.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import type { JobOut } from '../../server/jobs/wire.ts';

let base: string;
let songs: Songs;
const servers: TestServer[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-ignored-'));
  songs = makeSongs(join(base, 'all'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const MUSIC = [
  'Artist/Album/01 Song.mp3',
  '...And Justice for All/01.mp3',
  'Slipknot/.5 The Gray Chapter/02.mp3',
  'Britney/...Baby One More Time.mp3',
  'Nektar/Recycled/03.mp3',
  'RECYCLER AND FRIENDS/04.mp3',
  'Lost and Found/05.mp3',
];
/** By the system that leaves them in a shared folder. */
const NOT_MUSIC = {
  Synology: ['#recycle/a.mp3', 'Artist/@eaDir/01 Song.mp3/SYNOAUDIO.mp3', '#snapshot/GMT-01/b.mp3', '@tmp/c.mp3'],
  QNAP: ['@Recycle/a.mp3', '@Recently-Snapshot/b/c.mp3', 'Artist/.@__thumb/d.mp3'],
  TrueNAS: ['.zfs/snapshot/auto/a.mp3', '.recycle/user/b.mp3'],
  Windows: ['$RECYCLE.BIN/S-1-5-21/$R1.mp3', 'RECYCLER/S-1-5-21/Dc1.mp3', 'System Volume Information/a.mp3'],
  macOS: ['.Trashes/501/a.mp3', '__MACOSX/Artist/._01 Song.mp3', 'Artist/Album/._01 Song.mp3', '.TemporaryItems/b.mp3'],
  Linux: ['lost+found/#1234.mp3', '.Trash-1000/files/a.mp3', '.snapshots/1/snapshot/b.mp3'],
};

function put(folder: string, path: string, song: number): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  copyFileSync(songs.mp3[song % songs.mp3.length] as string, join(folder, path));
}

function makeTree(): string {
  const folder = mkdtempSync(join(base, 'music-'));
  [...MUSIC, ...Object.values(NOT_MUSIC).flat()].forEach((path, song) => put(folder, path, song));
  return folder;
}

async function start(folder: string, env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference', ...env },
    watchTiming: { quietMs: 50, maxWaitMs: 500, folderCheckMs: 200, scanCheckMs: 20 },
  });
  servers.push(server);
  return server;
}

async function scan(server: TestServer): Promise<ScanResult> {
  const { body, status, text } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  expect(status, text).toBe(202);
  await server.app.drain();
  const job = (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body;
  expect([job.status, job.error]).toEqual(['succeeded', null]);
  return job.result;
}

const availableTracks = async (server: TestServer): Promise<string[]> =>
  (await allTracks(server))
    .filter(({ availability }) => availability === 'available')
    .map(({ source_id }) => source_id)
    .toSorted();

test.each(['reference', 'copy'])('in mode %s a scan finds the music and nothing that a system left', async (mode) => {
  const server = await start(makeTree(), { LOCAL_MEDIA_IMPORT_MODE: mode });
  const result = await scan(server);
  expect(await availableTracks(server)).toEqual(MUSIC.toSorted());
  expect(result.added).toBe(MUSIC.length);
  expect(result.skipped.map(({ reason }) => reason)).toContain(
    'left out, because the setting LOCAL_MEDIA_IGNORE contains #recycle',
  );
});

test.each(['folders', 'chokidar'] as const)('the watch of kind "%s" finds the same', async (backend) => {
  const folder = mkdtempSync(join(base, 'watched-'));
  put(folder, 'First/song.mp3', 8);
  const server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference', LOCAL_MEDIA_WATCH: '' },
    watchTiming: { quietMs: 50, maxWaitMs: 500, folderCheckMs: 200, scanCheckMs: 20, backend },
  });
  servers.push(server);
  await expect.poll(() => availableTracks(server)).toEqual(['First/song.mp3']);
  Object.values(NOT_MUSIC)
    .flat()
    .forEach((path, song) => put(folder, path, song));
  MUSIC.forEach((path, song) => put(folder, path, song));
  await expect.poll(() => availableTracks(server)).toEqual([...MUSIC, 'First/song.mp3'].toSorted());
});

test('a song that a NAS moves into its bin becomes missing, and the better file that replaces it keeps its likes', async () => {
  const folder = makeTree();
  const server = await start(folder);
  await scan(server);
  const track = (await allTracks(server)).find(({ source_id }) => source_id === MUSIC[0]);
  await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: track?.id, liked: true } });
  const song = join(folder, MUSIC[0] as string);
  renameSync(song, join(folder, '#recycle/01 Song.mp3'));
  await scan(server);
  expect((await server.api<{ availability: string }>(`/tracks/${track?.id}`)).body.availability).toBe('missing');
  renameSync(join(folder, '#recycle/01 Song.mp3'), song);
  await scan(server);
  expect((await server.api(`/tracks/${track?.id}`)).body).toMatchObject({ availability: 'available', liked: true });
});

test('a changed list takes effect: what it names becomes missing, and what it no longer names is music', async () => {
  const folder = makeTree();
  const server = await start(folder);
  await scan(server);
  const setNames = async (value: string | null): Promise<number> =>
    (await server.api('/settings', { method: 'PATCH', body: { local_media_ignore: value } })).status;
  expect(await setNames('Nektar, *Friends')).toBe(200);
  await scan(server);
  const tracks = await availableTracks(server);
  expect(tracks).not.toContain('Nektar/Recycled/03.mp3');
  expect(tracks).not.toContain('RECYCLER AND FRIENDS/04.mp3');
  expect(tracks).toContain('#recycle/a.mp3');
  expect(await setNames(null)).toBe(200);
  await scan(server);
  expect(await availableTracks(server)).toEqual(MUSIC.toSorted());
});

describe('ignore files', () => {
  test('patterns leave out files and folders below, and a file that cannot be read changes nothing', async () => {
    const folder = makeTree();
    put(folder, 'Artist/Album/01 Song (Demo).mp3', 9);
    put(folder, 'Artist/Demos/10.mp3', 10);
    put(folder, 'Artist/Demos/Best/11.mp3', 11);
    writeFileSync(join(folder, 'Artist/.ndignore'), '# not finished\n*(demo).mp3\nDemos/\n');
    const server = await start(folder);
    const result = await scan(server);
    expect(await availableTracks(server)).toEqual(MUSIC.toSorted());
    expect(result.skipped).toContainEqual({
      source_id: 'Artist/Demos',
      reason: 'left out by the pattern Demos/ in .ndignore',
    });
    writeFileSync(join(folder, 'Artist/.ndignore'), 'x'.repeat(70_000));
    const secondResult = await scan(server);
    expect(secondResult.missing).toBe(0);
    expect(JSON.stringify(secondResult)).toContain('an ignore file in the folder cannot be read');
    rmSync(join(folder, 'Artist/.ndignore'));
    await scan(server);
    expect(await availableTracks(server)).toEqual(
      [...MUSIC, 'Artist/Album/01 Song (Demo).mp3', 'Artist/Demos/10.mp3', 'Artist/Demos/Best/11.mp3'].toSorted(),
    );
  });
});
