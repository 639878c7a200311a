// No scan fills the disk: a music folder that does not fit is refused before anything is copied, later files are
// refused one by one, and files that need no space do not count.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { TrackPage } from '../../server/library/wire.ts';
import { startFakeS3 } from '../fakes/s3.ts';
import { flac, vorbisComment } from '../support/audio-bytes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const DISK_MB = 64;
const MIN_FREE_BYTES = 8 << 20;
const FILE_BYTES = 1 << 20;
/** This number of files exceeds the disk. */
const MANY_FILES = 70;
const FEW_FILES = 20;

let base: string;
let music: string;
let disk: ReturnType<typeof mountSmallDisk>;
let server: TestServer;
const open: TestServer[] = [];
const small = (): string => join(base, 'disk');
const storage = (): string => join(small(), 'data', 'library');

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-room-'));
  disk = mountSmallDisk(small(), DISK_MB);
});
afterAll(() => {
  disk?.unmount();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  music = mkdtempSync(join(base, 'music-'));
});
afterEach(async () => {
  for (const openServer of open.splice(0)) await openServer.close();
  rmSync(join(small(), 'data'), { recursive: true, force: true });
  disk?.free();
});

/** Writes files of one size, each with different content. */
function write(folder: string, count: number): void {
  mkdirSync(join(music, folder), { recursive: true });
  for (let n = 0; n < count; n++) {
    const tags = [`ALBUM=${folder}`, `TITLE=Track ${n}`, 'ARTIST=The Quays'];
    const bytes = flac([4, vorbisComment(...tags)], [1, Buffer.alloc(FILE_BYTES - 70_000)]);
    bytes.write(`${folder}/${n}`, bytes.length - 100);
    writeFileSync(join(music, folder, `${n}.flac`), bytes);
  }
}

async function start(env: Record<string, string> = {}): Promise<void> {
  const dir = join(small(), 'data');
  mkdirSync(dir, { recursive: true });
  const commonEnv = { LOCAL_MEDIA_IMPORT_PATH: music, MIN_FREE_BYTES: String(MIN_FREE_BYTES) };
  server = await startServer({ dir, env: { ...commonEnv, ...env } });
  open.push(server);
}

async function scan(query = ''): Promise<JobOut> {
  const { body } = await server.api<JobOut>(`/sources/local_folder/scan${query}`, { method: 'POST' });
  await server.app.drain();
  return (await server.api<JobOut>(`/jobs/${body.id}`)).body;
}

const tracks = async (): Promise<TrackPage> => (await server.api<TrackPage>('/tracks?limit=200')).body;
const countRows = (table: string): number =>
  server.app.db.$client.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? NaN;
const freeBytes = (): number => {
  const { bsize, bavail } = statfsSync(small());
  return bsize * bavail;
};
const storedFiles = (): string[] =>
  readdirSync(storage(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'library.json')
    .map(({ name }) => name);

test('a music folder that does not fit is refused before anything is copied, and can be indexed instead', async () => {
  if (!disk) return;
  write('Harbour', MANY_FILES);
  await start();
  for (const part of ['', '?path=Harbour']) {
    const job = await scan(part);
    expect(job).toMatchObject({ status: 'failed', result: null });
    expect(job.error).toMatch(/Nothing .* was copied: its 70 files need 7\d\.\d MB, and 5\d\.\d MB are available/);
    expect(job.error).toMatch(
      /MIN_FREE_BYTES keeps 8\.4 MB free.*only index them.*--index.*--data-dir or STORAGE_ROOT/,
    );
    expect([storedFiles(), countRows('tracks'), countRows('source_files'), countRows('source_folders')]).toEqual([
      [],
      0,
      0,
      0,
    ]);
  }
  await server.api('/music-folders/1', { method: 'PATCH', body: { mode: 'reference' } });
  expect(await scan()).toMatchObject({ status: 'succeeded' });
  expect((await tracks()).total).toBe(MANY_FILES);
  expect(storedFiles()).toEqual([]);
});

test('later scans copy what fits, refuse the rest, and go on when there is room', async () => {
  if (!disk) return;
  write('Harbour', FEW_FILES);
  await start();
  expect(await scan()).toMatchObject({ status: 'succeeded', result: { added: FEW_FILES } });
  const previousTracks = (await tracks()).items;
  disk.fill(MIN_FREE_BYTES + FEW_FILES * (FILE_BYTES / 2));
  write('Nets', FEW_FILES);
  const job = await scan();
  const { total, items } = await tracks();
  expect(job.status).toBe('failed');
  expect(job.error).toContain(`${2 * FEW_FILES - total} files were not copied: they need `);
  expect(total).toBeGreaterThan(FEW_FILES);
  expect(freeBytes()).toBeGreaterThan(MIN_FREE_BYTES - FILE_BYTES);
  expect(freeBytes()).toBeLessThan(MIN_FREE_BYTES + 2 * FILE_BYTES);
  expect(storedFiles()).toHaveLength(total);
  expect(countRows('source_files')).toBe(total);
  expect(items).toEqual(expect.arrayContaining(previousTracks));

  disk.free();
  expect(await scan()).toMatchObject({ status: 'succeeded', result: { added: 2 * FEW_FILES - total } });
});

test('files whose content is stored need no room', async () => {
  if (!disk) return;
  write('Harbour', FEW_FILES);
  await start();
  await scan();
  disk.fill(MIN_FREE_BYTES / 2);
  const otherDate = new Date('2001-01-01');
  for (let n = 0; n < 5; n++) utimesSync(join(music, 'Harbour', `${n}.flac`), otherDate, otherDate);
  mkdirSync(join(music, 'Copies'));
  copyFileSync(join(music, 'Harbour', '7.flac'), join(music, 'Copies', '7.flac'));
  expect(await scan()).toMatchObject({ status: 'succeeded', result: { added: 1, updated: 5 } });
  write('Nets', 1);
  expect((await scan()).error).toMatch(/^1 file was not copied: it needs 1\.\d MB, and 0 bytes are available/);
  expect((await tracks()).total).toBe(FEW_FILES + 1);
});

test('a library without its database counts what is stored as stored', async () => {
  if (!disk) return;
  write('Harbour', 40);
  await start();
  await scan();
  server.app.db.$client.exec('DELETE FROM source_files; DELETE FROM source_folders; DELETE FROM tracks');
  expect(await scan()).toMatchObject({ status: 'succeeded', result: { added: 40 } });
});

test('a folder that does not fit leaves the others as they are scanned', async () => {
  if (!disk) return;
  write('Harbour', FEW_FILES);
  await start();
  await scan();
  const firstLibrary = music;
  music = mkdtempSync(join(base, 'music-'));
  write('Nets', MANY_FILES);
  await server.api('/music-folders', { method: 'POST', body: { name: 'Vinyl', path: music, mode: 'copy' } });
  await server.app.drain();
  music = firstLibrary;
  write('Alone', 2);
  expect((await scan()).error).toMatch(/Nothing of the music folder “Vinyl” was copied: its 70 files/);
  expect((await tracks()).total).toBe(FEW_FILES + 2);
});

test('nothing is compared where the storage is an object store', async () => {
  const s3 = await startFakeS3();
  write('Harbour', 2);
  await start({ ...s3.settings, STORAGE_BACKEND: 's3', MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) });
  expect(await scan()).toMatchObject({ status: 'succeeded', result: { added: 2 } });
  await s3.close();
});

test('a disk with less than MIN_FREE_BYTES takes no copy', async () => {
  write('Harbour', 1);
  await start({ MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) });
  const { error } = await scan();
  expect(error).toMatch(/its file needs 1\.\d MB, and 0 bytes are available/);
  expect(storedFiles()).toEqual([]);
});
