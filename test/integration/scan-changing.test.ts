// Files that are still being written during a scan: an incomplete file is never imported.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReaderPool, type ReaderPool } from '../../server/files/reader-pool.ts';
import { mtimeUsOf } from '../../server/files/file-stamp.ts';
import type { ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { startWriter } from '../support/growing-files.ts';
import { paths } from '../support/product.ts';
import { allTracks } from '../support/served-library.ts';
import { quiet, startServer, type TestServer } from '../support/server.ts';

let base: string;
let reader: ReaderPool;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-changing-'));
  reader = createReaderPool({ workerUrl: paths.workers.reader, log: quiet });
});
afterAll(async () => {
  await reader.close();
  rmSync(base, { recursive: true, force: true });
});

const song = (title: string, frames: number): Buffer =>
  Buffer.concat([id3([id3Frame('TIT2', utf8Text(title))]), silentMp3(frames)]);

async function scan(server: TestServer): Promise<ScanResult> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  return (await server.api<JobOut & { result: ScanResult }>(`/jobs/${body.id}`)).body.result;
}

test('a new file is left for the next scan, a known one keeps its track, and both are complete later', async () => {
  const folder = join(base, 'music');
  mkdirSync(folder);
  writeFileSync(join(folder, 'known.mp3'), song('Known', 100));
  const server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'copy' } });
  await scan(server);
  const [knownTrack] = await allTracks(server);

  writeFileSync(join(folder, 'new.mp3'), song('New', 100));
  writeFileSync(join(folder, 'a long one.mp3'), song('Long', 150_000)); // reading this file of 63 MB takes time
  const writer = await startWriter([join(folder, 'known.mp3'), join(folder, 'new.mp3')]);
  const scanDuringChange = await scan(server);
  expect(scanDuringChange).toMatchObject({ added: 1, updated: 0, failed: [], failed_count: 0, changing_count: 2 });
  expect(scanDuringChange.changing.toSorted()).toEqual(['known.mp3', 'new.mp3']);
  const tracks = await allTracks(server);
  expect(tracks.map((track) => track.source_id).toSorted()).toEqual(['a long one.mp3', 'known.mp3']);
  expect(tracks.find((track) => track.id === knownTrack?.id)).toEqual(knownTrack);
  expect(readdirSync(join(server.dir, 'library', 'tmp'))).toEqual([]);

  await writer.stop();
  expect(await scan(server)).toMatchObject({ added: 1, updated: 1, failed_count: 0, changing_count: 0, changing: [] });
  for (const track of await allTracks(server))
    expect([track.source_id, track.size_bytes]).toEqual([
      track.source_id,
      statSync(join(folder, track.source_id)).size,
    ]);
  expect(await scan(server)).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
  await server.close();
});

const changes: [string, (file: string) => void][] = [
  ['longer', (file) => appendFileSync(file, silentMp3(1))],
  ['shorter', (file) => writeFileSync(file, song('x', 10))],
  ['written to without another length', (file) => utimesSync(file, 1_600_000_000, 1_600_000_000)],
  ['no audio any more', (file) => writeFileSync(file, 'half a file')],
  ['gone', (file) => rmSync(file)],
  [
    'another file',
    (file) => {
      writeFileSync(`${file}.new`, song('another', 100));
      utimesSync(`${file}.new`, 1, 1);
      renameSync(`${file}.new`, file);
    },
  ],
];

test.each(['copy', 'reference'] as const)('a file is read only as it was listed (%s)', async (mode) => {
  const dir = mkdtempSync(join(base, 'listed-'));
  const copyTo = mode === 'copy' ? join(dir, 'library') : null;
  const expectedPaths = ['untouched', ...changes.map(([title]) => title)].map((what) => {
    writeFileSync(join(dir, `${what}.mp3`), song(what, 100));
    utimesSync(join(dir, `${what}.mp3`), 1_500_000_000, 1_500_000_000);
    const stat = statSync(join(dir, `${what}.mp3`));
    return { path: `${what}.mp3`, sizeBytes: stat.size, mtimeUs: mtimeUsOf(stat) };
  });
  for (const [title, change] of changes) change(join(dir, `${title}.mp3`));
  const results = await reader.read({ root: dir, paths: expectedPaths, copyTo, hashLarge: true });
  expect(results.map((result, i) => [expectedPaths[i]?.path, result.ok || (result.changing ?? result.reason)])).toEqual(
    expectedPaths.map(({ path }) => [path, true]),
  );
  expect(results.map((result) => result.ok)).toEqual(expectedPaths.map((_, i) => i === 0));
  if (copyTo) expect(readdirSync(join(copyTo, 'tmp'))).toEqual([]);
});

test.each(['copy', 'reference'] as const)(
  'a copy of a known file that a scan saw half written is that copy when it is whole, in %s mode',
  async (mode) => {
    const folder = mkdtempSync(join(base, 'half-'));
    const wholeSong = song('Known', 400);
    writeFileSync(join(folder, 'known.mp3'), wholeSong);
    const server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: mode } });
    await scan(server);
    writeFileSync(join(folder, 'copy.mp3'), wholeSong.subarray(0, wholeSong.length / 2));
    expect(await scan(server)).toMatchObject({ added: 1, changing_count: 0 });
    const partialTracks = await allTracks(server);
    writeFileSync(join(folder, 'copy.mp3'), wholeSong);
    expect(await scan(server)).toMatchObject({ added: 0, updated: 1, missing: 0, changing_count: 0 });
    const now = await allTracks(server);
    expect(now.map(({ id, source_id: path, availability }) => [id, path, availability])).toEqual(
      partialTracks.map(({ id, source_id: path }) => [id, path, 'available']),
    );
    expect(new Set(now.map((track) => track.duration_ms)).size).toBe(1);
    await server.close();
  },
);
