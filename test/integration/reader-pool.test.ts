// The reading thread: a file that makes it hang or die fails, and all other files are read nevertheless.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createReaderPool, type ReaderPool, type ReaderPoolDeps } from '../../server/files/reader-pool.ts';
import type { ReadResult } from '../../server/files/reader-worker.ts';
import { flac, silentMp3, vorbisComment } from '../support/audio-bytes.ts';
import { damageBytes, randomNumbers } from '../support/damage.ts';
import { fallbackAttacks, foreignAudio } from '../support/fallback-attacks.ts';
import { makeLibrary, pathOf } from '../support/library.ts';
import { paths } from '../support/product.ts';
import { quiet } from '../support/server.ts';
import { PATIENCE_MS } from '../support/until.ts';

let dir: string;
let storage: string;
const pools: ReaderPool[] = [];

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-pool-'));
  storage = join(dir, 'storage');
  for (let i = 0; i < 10; i++) writeFileSync(join(dir, `good${i}.mp3`), Buffer.concat([silentMp3(100 + i)]));
  writeFileSync(join(dir, 'hangs.mka'), makeAttack('nuls.mka'));
  // 120,000 different letters in 400 names: a megabyte and a half in memory
  writeFileSync(
    join(dir, 'wordy.flac'),
    flac([
      4,
      vorbisComment(
        ...Array.from({ length: 200 }, (_, i) => [
          `ARTIST=${i}${'字'.repeat(1200)}`,
          `GENRE=${i}${'字'.repeat(1200)}`,
        ]).flat(),
      ),
    ]),
  );
});
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const makeAttack = (name: string): Buffer =>
  fallbackAttacks.find((attack) => attack.name === name)?.makeFile() ?? Buffer.alloc(0);

function openPool(deps: Partial<ReaderPoolDeps> = {}): ReaderPool {
  const pool = createReaderPool({
    workerUrl: paths.workers.reader,
    log: quiet,
    ...deps,
  });
  pools.push(pool);
  return pool;
}

const readFiles = (pool: ReaderPool, paths: string[], copyTo: string | null = null): Promise<ReadResult[]> =>
  pool.read({ root: dir, paths, copyTo, hashLarge: true });
const outcomes = (results: ReadResult[]): string[] => results.map((result) => (result.ok ? 'ok' : result.reason));
const ok = (count: number): string[] => Array.from({ length: count }, () => 'ok');

/** A time limit that is long enough for good files on any machine. */
const LIMIT_MS = 2_000;
const TOO_LONG = 'reading it took longer than 2 s';

test('a file that hangs the parser fails, and the rest of its group is read', async () => {
  const pool = openPool({ parseLimitMs: LIMIT_MS });
  expect(outcomes(await readFiles(pool, ['good1.mp3', 'hangs.mka', 'good2.mp3']))).toEqual(['ok', TOO_LONG, 'ok']);
});

test('queued groups are read too, and several hanging files each fail', async () => {
  const pool = openPool({ parseLimitMs: LIMIT_MS });
  const groups = await Promise.all([
    readFiles(pool, ['good1.mp3', 'good2.mp3']),
    readFiles(pool, ['hangs.mka', 'good3.mp3', 'hangs.mka']),
    readFiles(pool, ['good4.mp3']),
    readFiles(pool, ['good5.mp3', 'good6.mp3', 'hangs.mka']),
    readFiles(pool, ['good7.mp3']),
  ]);
  expect(groups.map(outcomes)).toEqual([ok(2), [TOO_LONG, 'ok', TOO_LONG], ok(1), ['ok', 'ok', TOO_LONG], ok(1)]);
});

test('results stay with their files', async () => {
  const pool = openPool({ parseLimitMs: LIMIT_MS });
  const paths = ['good1.mp3', 'hangs.mka', 'good5.mp3', 'nowhere.mp3', 'good3.mp3'];
  const results = await readFiles(pool, paths);
  const frames = results.map((result) =>
    result.ok ? Math.round(result.content.facts.durationMs / (1152 / 44.1)) : null,
  );
  expect(frames).toEqual([101, null, 105, null, 103]);
  expect(outcomes(results)[3]).toBe('the file was removed while it was read');
});

test('in copy mode a thread that is stopped leaves no unfinished copies, and every good file is stored', async () => {
  const pool = openPool({ parseLimitMs: LIMIT_MS });
  const paths = ['good1.mp3', 'good2.mp3', 'hangs.mka', 'good3.mp3', 'good4.mp3', 'hangs.mka', 'good5.mp3'];
  const results = await readFiles(pool, paths, storage);
  expect(outcomes(results)).toEqual(['ok', 'ok', TOO_LONG, 'ok', 'ok', TOO_LONG, 'ok']);
  for (const [i, result] of results.entries()) {
    if (result.ok)
      expect(
        (await readFile(join(storage, result.stored?.key ?? ''))).equals(await readFile(join(dir, paths[i] as string))),
      ).toBe(true);
  }
  await expect.poll(() => readdirSync(join(storage, 'tmp'))).toEqual([]);
});

test('files that need too much memory only together are all read, one by one', async () => {
  const lostFileLines: unknown[] = [];
  const pool = openPool({
    heapLimitMb: 40,
    log: {
      ...quiet,
      warn: (line: unknown) => {
        lostFileLines.push(line);
      },
    },
  });
  const groups = await Promise.all([
    readFiles(
      pool,
      Array.from({ length: 60 }, () => 'wordy.flac'),
    ),
    readFiles(pool, ['good1.mp3', 'good2.mp3']),
  ]);
  expect(groups.map(outcomes)).toEqual([ok(60), ok(2)]);
  expect(lostFileLines.length).toBeGreaterThan(0); // the test proves nothing unless some files were lost
});

test('a file that needs too much memory fails, and the others are read', async () => {
  writeFileSync(join(dir, 'heavy.mp3'), silentMp3(100));
  // no known file fills the heap, so this worker fills the heap when it opens the file
  const greedy = join(dir, 'greedy-worker.mjs');
  writeFileSync(
    greedy,
    `import fs from 'node:fs';
    const { openSync } = fs;
    fs.openSync = (path, ...rest) => {
      const kept = [];
      while (String(path).endsWith('heavy.mp3')) kept.push({});
      return openSync(path, ...rest);
    };
    await import(${JSON.stringify(paths.workers.reader.href)});`,
  );
  const pool = openPool({ workerUrl: pathToFileURL(greedy), heapLimitMb: 30, parseLimitMs: PATIENCE_MS });
  expect(outcomes(await readFiles(pool, ['good1.mp3', 'heavy.mp3', 'good2.mp3']))).toEqual([
    'ok',
    'reading it needs too much memory',
    'ok',
  ]);
  expect(outcomes(await readFiles(pool, ['good3.mp3']))).toEqual(['ok']);
});

test('a thread that cannot start fails every read with a reason, and is not retried forever', async () => {
  const pool = openPool({ workerUrl: pathToFileURL(join(dir, 'no-such-worker.ts')) });
  await expect(readFiles(pool, ['good1.mp3', 'good2.mp3'])).rejects.toThrow(
    'The files cannot be read now: the reading thread does not start.',
  );
  await expect(readFiles(pool, ['good1.mp3'])).rejects.toMatchObject({ code: 'unavailable' });
});

test('an idle thread starts again', async () => {
  const pool = openPool({ idleMs: 1 });
  for (let i = 0; i < 5; i++) expect(outcomes(await readFiles(pool, ['good1.mp3']))).toEqual(['ok']);
});

test('closing rejects queued and later reads, also while a file hangs', async () => {
  const pool = openPool();
  const pendingReads = [readFiles(pool, ['good1.mp3', 'hangs.mka']), readFiles(pool, ['good2.mp3'])].map((promise) =>
    promise.catch((error: Error) => error.message),
  );
  await pool.close();
  expect(await Promise.all(pendingReads)).toEqual(['The reader was closed.', 'The reader was closed.']);
  await expect(readFiles(pool, ['good1.mp3'])).rejects.toThrow('The reader was closed.');
});

// Runs a small part of `npm run prove -- mutations`.
test('600 damaged copies of good files are read or rejected with a reason', async () => {
  const manifest = makeLibrary({ tracks: 60, even: true, seed: 'pool' }, join(dir, 'music'));
  const goodFiles = [
    ...(await Promise.all(manifest.files.map((file) => readFile(pathOf(manifest, file))))),
    ...foreignAudio.map((file) => file.bytes),
  ];
  const randomBelow = randomNumbers(20_261_121);
  const deaths: unknown[] = [];
  const pool = openPool({
    log: {
      ...quiet,
      warn: (line: unknown) => {
        deaths.push(line);
      },
    },
  });
  const folder = join(dir, 'damaged');
  mkdirSync(folder);
  let sound = 0;
  for (let group = 0; group < 12; group++) {
    const names = Array.from({ length: 50 }, (_, i) => `damaged/${i}.bin`);
    for (const name of names)
      writeFileSync(join(dir, name), damageBytes(goodFiles[randomBelow(goodFiles.length)] as Buffer, randomBelow));
    for (const result of await readFiles(pool, names)) {
      if (!result.ok) expect(result.reason).toMatch(/^[\w][^\n/\\]{5,250}$/);
      else {
        sound++;
        expectSound(result, group);
      }
    }
  }
  expect(deaths).toEqual([]);
  expect(sound).toBeGreaterThan(90);
  expect(existsSync(folder)).toBe(true);
});

function expectSound({ content: { facts, tags }, sizeBytes }: Extract<ReadResult, { ok: true }>, group: number): void {
  const { durationMs, bitrateKbps, sampleRateHz, channels } = facts;
  expect(
    Number.isInteger(durationMs) && durationMs > 0 && durationMs <= 48 * 3_600_000,
    `group ${group}: plays ${durationMs} ms`,
  ).toBe(true);
  if (sizeBytes > 2000)
    expect((sizeBytes * 8000) / durationMs, `group ${group}: ${sizeBytes} bytes for ${durationMs} ms`).toBeGreaterThan(
      100,
    );
  expect(Number.isFinite(bitrateKbps) && bitrateKbps >= 0).toBe(true);
  expect(sampleRateHz).toBeGreaterThan(0);
  expect(channels).toBeGreaterThan(0);
  // matches half a surrogate pair, or control characters
  expect(JSON.stringify(tags)).not.toMatch(/\\u(d[89a-f]|00(0[0-8bcef]|1))/);
}
