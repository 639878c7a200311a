// What a first scan spends its processor time on, per file and stage. Each stage runs alone and in this process, for all
// files at once; what triggers, the search tables and the indexes cost is the difference to a database without them.
// Runs only when it is named; --files N.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import pino from 'pino';
import { openDatabase, type MainDb } from '../../../server/db/client.ts';
import { readFile, type ReadFile } from '../../../server/files/read-file.ts';
import { createTrackWriter } from '../../../server/library/track-writer.ts';
import { openByteSource } from '../../../server/media/byte-source.ts';
import { hashPayload } from '../../../server/media/payload-hash.ts';
import { readAudioSync } from '../../../server/media/read.ts';
import type { FolderBatch } from '../../../server/scan/compare-folder.ts';
import type { ScanOp } from '../../../server/scan/decide.ts';
import { openKnownFiles } from '../../../server/scan/known-files.ts';
import { createScanRecord } from '../../../server/scan/scan-record.ts';
import { walk } from '../../../server/scan/walk.ts';
import { createScanWriter } from '../../../server/scan/writer.ts';
import { createTrash } from '../../../server/library/trash.ts';
import { median, type Measure } from '../measure.ts';
import { root } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';

const ROUNDS = 3;
const SOURCE = 'local_folder';
const BATCH_MS = 50;

export async function scanStagesSuite(dir: string, { files }: { files: number }): Promise<Measure[]> {
  const music = join(dir, 'music');
  makeSettledLibrary({ tracks: files, seed: 'stages' }, music);
  const stages = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    const times = await stagesOf(music, join(dir, `stages-${round}`));
    if (round > 0)
      // the first only compiles
      for (const [name, us] of Object.entries(times)) stages.set(name, [...(stages.get(name) ?? []), us]);
  }
  console.log(['| stage | µs a file | spread |', '|---|---|---|'].join('\n'));
  for (const [name, all] of stages)
    console.log(
      `| ${name} | ${median(all).toFixed(1)} | ${Math.min(...all).toFixed(1)}–${Math.max(...all).toFixed(1)} |`,
    );
  return [];
}

async function stagesOf(music: string, dir: string): Promise<Record<string, number>> {
  fs.mkdirSync(dir);
  const migrated = openAt(dir, 'empty.db');
  const known = openKnownFiles(join(dir, 'empty.db'), SOURCE, new SharedArrayBuffer(1));
  let batches: FolderBatch[] = [];
  const place = { root: music, folders: [''], notWalked: { keys: [], paths: [] }, share: () => {} };
  const walked = cpuUs(() => (batches = [...walk({ ...place, known, restore: false, canSplit: false })]));
  known.close();
  migrated.$client.close();
  const found = batches.flatMap(({ path, candidates }) => candidates.map((candidate) => ({ path, candidate })));
  const paths = found.map(({ path, candidate }) => join(music, path, candidate.name));
  const count = paths.length;

  const opened = cpuUs(() => paths.forEach((path) => openByteSource(path).close()));
  const parsed = cpuUs(() =>
    paths.forEach((path) => {
      const source = openByteSource(path);
      readAudioSync(source);
      source.close();
    }),
  );
  const hashed = cpuUs(() =>
    paths.forEach((path) => {
      const source = openByteSource(path);
      const read = readAudioSync(source);
      if (read) hashPayload(source, read.facts);
      source.close();
    }),
  );
  const copies = join(dir, 'copies');
  fs.mkdirSync(copies);
  const copy = (flush: boolean): number =>
    cpuUs(() => {
      const buffer = Buffer.allocUnsafe(1 << 20);
      paths.forEach((path, i) => {
        const bytes = buffer.subarray(0, readInto(path, buffer));
        createHash('sha256').update(bytes).digest('hex');
        const to = fs.openSync(join(copies, `${i}${flush}`), 'w');
        fs.writeSync(to, bytes);
        if (flush) fs.fdatasyncSync(to);
        fs.closeSync(to);
      });
    });
  const [copied, flushed] = [copy(false), copy(true)];

  const results: ReadFile[] = [];
  for (const path of paths)
    results.push(await readFile(path, { target: undefined, hashLarge: false, stage: () => {} }));
  const sent = cpuUs(() => {
    for (let i = 0; i < results.length; i += 64) deserialize(serialize(results.slice(i, i + 64)));
  });
  const ops = (): ScanOp[] =>
    batches.flatMap(({ candidates, ...batch }): ScanOp[] => [
      { kind: 'folder', batch, files: candidates.length },
      ...candidates.map((candidate): ScanOp => {
        const i = found.findIndex((one) => one.candidate === candidate);
        return {
          kind: 'file',
          path: batch.path,
          candidate,
          is: 'place',
          result: { ok: true, stored: null, ...(results[i] as ReadFile) },
        };
      }),
    ]);
  const all = ops();
  const [everything, noTriggers, noSearch, noIndexes] = (
    [[], [withoutTriggers], [withoutTriggers, withoutSearch], [withoutTriggers, withoutSearch, withoutIndexes]] as ((
      db: MainDb,
    ) => void)[][]
  ).map((cuts, i) => {
    const db = openAt(dir, `rows-${i}.db`);
    cuts.forEach((cut) => cut(db));
    const us = write(db, all);
    db.$client.close();
    return us;
  }) as [number, number, number, number];
  const perFile = {
    walk: walked,
    'open, stat, read': opened,
    parse: parsed - opened,
    hash: hashed - parsed,
    'copy (with sha256)': copied - opened,
    flush: flushed - copied,
    'to the database thread': sent,
    row: noIndexes,
    index: noSearch - noIndexes,
    search: noTriggers - noSearch,
    trigger: everything - noTriggers,
  };
  return Object.fromEntries(Object.entries(perFile).map(([name, us]) => [name, us / count]));
}

const openAt = (dir: string, name: string): MainDb =>
  openDatabase({ path: join(dir, name), migrationsDir: join(root, 'migrations'), log: pino({ enabled: false }) });

function cpuUs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function readInto(path: string, buffer: Buffer): number {
  const fd = fs.openSync(path, 'r');
  const bytes = fs.readSync(fd, buffer);
  fs.closeSync(fd);
  return bytes;
}

function write(db: MainDb, ops: ScanOp[]): number {
  const now = (): Date => new Date();
  const tracks = createTrackWriter({ db, now });
  const writeBatch = createScanWriter({
    db,
    tracks,
    trash: createTrash({
      db,
      tracks,
      now,
      restored: () => {},
      lookForFiles: () => Promise.resolve(),
      release: async () => {},
    }),
    divide: () => false,
    storage: { backend: { name: 'local', title: '', verifyDays: 0, mayBeDown: false } },
    source: SOURCE,
    restore: false,
    record: createScanRecord(),
    now,
  });
  return cpuUs(() => {
    for (let done = 0; done < ops.length;) done += writeBatch(ops, done, BATCH_MS);
  });
}

const namesOf = (db: MainDb, type: string): string[] =>
  db.$client
    .prepare<[string], string>("SELECT name FROM sqlite_schema WHERE type = ? AND sql NOT LIKE 'CREATE UNIQUE %'")
    .pluck()
    .all(type);

function withoutTriggers(db: MainDb): void {
  for (const name of namesOf(db, 'trigger')) db.$client.exec(`DROP TRIGGER ${name}`);
}

/** Tables that keep no text. */
function withoutSearch(db: MainDb): void {
  for (const [table, column] of [
    ['search_trigrams', 'text'],
    ['search_grams', 'grams'],
  ])
    db.$client.exec(
      `DROP TABLE ${table}; CREATE TABLE ${table} (${column} TEXT);
      CREATE TRIGGER ${table}_nothing BEFORE INSERT ON ${table} BEGIN SELECT RAISE(IGNORE); END`,
    );
}

/** Unique ones stay, by which a row is found. */
function withoutIndexes(db: MainDb): void {
  for (const name of namesOf(db, 'index')) db.$client.exec(`DROP INDEX ${name}`);
}
