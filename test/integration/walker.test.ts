// The walking thread finds each file of a large library once, delivers as much as is requested, and an aborted walk
// does not affect the next one.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WalkOrder } from '../../server/scan/walk/walk-worker.ts';
import { createWalker } from '../../server/scan/walk/walker.ts';
import type { FolderBatch } from '../../server/scan/walk/compare-folder.ts';
import { paths } from '../support/product.ts';
import { migratedDatabase } from '../support/temp-database.ts';

const FOLDER_COUNT = 1_200;

let dir: string;
let music: string;
let order: WalkOrder;
const walker = createWalker(paths.workers.walk);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-walker-'));
  music = join(dir, 'music');
  for (let i = 0; i < FOLDER_COUNT; i++) makeFile(`${i % 40}/${i}/track.mp3`);
  const databasePath = join(dir, 'known.db');
  migratedDatabase(databasePath);
  order = {
    root: music,
    folders: [''],
    closedKeys: [],
    ignoredNames: '',
    readsPlaylists: true,
    ownFolders: { data: join(dir, 'data'), storageRoot: join(dir, 'stored') },
    restore: false,
    canSplit: true,
    databasePath,
    source: 'local_folder',
  };
  remember(databasePath, await walkBatches());
});
afterAll(async () => {
  await walker.close();
  rmSync(dir, { recursive: true, force: true });
});

function makeFile(file: string): void {
  mkdirSync(dirname(join(music, file)), { recursive: true });
  writeFileSync(join(music, file), file);
}

/** Writes the rows that a scan would have written. */
function remember(databasePath: string, batches: FolderBatch[]): void {
  const db = new Database(databasePath);
  const folder = db.prepare('INSERT INTO source_folders (source, path, signature) VALUES (?, ?, ?)');
  const file = db.prepare(
    `INSERT INTO source_files (folder_id, name, size_bytes, mtime_us, dev, ino, state)
      VALUES (?, ?, ?, ?, ?, ?, 'track')`,
  );
  db.transaction(() =>
    batches.forEach(({ path, signature, candidates }) => {
      const { lastInsertRowid: id } = folder.run('local_folder', path, signature);
      for (const { name, sizeBytes, mtimeUs, dev, ino } of candidates) file.run(id, name, sizeBytes, mtimeUs, dev, ino);
    }),
  )();
  db.close();
}

async function walkBatches(
  walkOrder: WalkOrder = order,
  signal = new AbortController().signal,
): Promise<FolderBatch[]> {
  const walkedBatches: FolderBatch[] = [];
  for await (const { batches } of walker.walk(walkOrder, signal)) walkedBatches.push(...batches);
  return walkedBatches;
}

const countUnchanged = (batches: FolderBatch[]): number =>
  batches.reduce((sum, batch) => sum + batch.unchangedCount, 0);
const goneIn = (batches: FolderBatch[]): string[] =>
  batches.flatMap(({ path, goneFiles }) => goneFiles.map(({ name }) => `${path}/${name}`)).toSorted();

test('a large walk that found nothing new counts every file once', async () => {
  expect(countUnchanged(await walkBatches())).toBe(FOLDER_COUNT);
});

test('what is new, gone and moved is found once', async () => {
  rmSync(join(music, '7'), { recursive: true });
  rmSync(join(music, '33/1193/track.mp3'));
  renameSync(join(music, '12'), join(music, 'moved'));
  makeFile('new/track.mp3');
  const foundBatches = await walkBatches();
  const thirty = (firstNumber: number): string[] =>
    Array.from({ length: 30 }, (_, i) => `${firstNumber}/${firstNumber + 40 * i}/track.mp3`);
  expect(goneIn(foundBatches)).toEqual([...thirty(7), ...thirty(12), '33/1193/track.mp3'].toSorted());
  expect(foundBatches.flatMap(({ path, candidates }) => candidates.map(() => path)).toSorted()).toEqual(
    [...thirty(12).map((path) => path.replace('12/', 'moved/').replace('/track.mp3', '')), 'new'].toSorted(),
  );
  expect(countUnchanged(foundBatches)).toBe(FOLDER_COUNT - 61);
});

test('a walk that is broken off says nothing is gone, and the next one is whole', async () => {
  const abortController = new AbortController();
  abortController.abort(new Error('cancelled'));
  await expect(walkBatches(order, abortController.signal)).rejects.toThrow('cancelled');
  const unknownSourceOrder = { ...order, source: 'another' };
  for await (const { isLast } of walker.walk(unknownSourceOrder, new AbortController().signal)) {
    expect(isLast).toBe(false);
    break;
  }
  expect(countUnchanged(await walkBatches())).toBe(FOLDER_COUNT - 61);
});

test('a first walk gives some hundred files at a time, and the next when it is asked', async () => {
  const sizes: number[] = [];
  const unknown = { ...order, source: 'another' };
  for await (const { batches } of walker.walk(unknown, new AbortController().signal))
    sizes.push(batches.reduce((sum, { candidates }) => sum + candidates.length, 0));
  expect(sizes.reduce((sum, size) => sum + size)).toBe(FOLDER_COUNT - 30);
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThan(500);
});

test('two walks at once find the same', async () => {
  const [firstWalk, secondWalk] = await Promise.all([walkBatches(), walkBatches()]);
  expect(countUnchanged(firstWalk)).toBe(FOLDER_COUNT - 61);
  expect(goneIn(firstWalk)).toHaveLength(61);
  expect(goneIn(secondWalk)).toEqual(goneIn(firstWalk));
});

test('a database that cannot be read ends the walk with a sentence', async () => {
  await expect(walkBatches({ ...order, databasePath: join(dir, 'nowhere.db') })).rejects.toThrow(
    /^The music folder cannot be walked: /,
  );
});
