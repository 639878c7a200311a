// The index of sounds finds nearly everything that a full comparison finds, and reads only a part of the records.
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECORD_BYTES, RECORD_ID_OFFSET, VECTOR_SIZE, writeRecord } from '../../../server/dsp/sound-vector.ts';
import { indexRecords } from '../../../server/likeness/build-index.ts';
import {
  createHeaderReader,
  createTop,
  openSoundIndex,
  type SoundIndex,
} from '../../../server/likeness/sound-index.ts';
import { madeUpSounds } from '../../support/made-up-sounds.ts';

const TRACK_COUNT = 40_000;
let dir: string;
let index: SoundIndex;
let records: Uint8Array<ArrayBuffer>;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-sounds-'));
  records = madeUpSounds(TRACK_COUNT, 5);
  indexRecords(join(dir, 'sounds.index'), records, TRACK_COUNT);
  index = openSoundIndex(join(dir, 'sounds.index')) as SoundIndex;
});
afterAll(() => {
  index.close();
  rmSync(dir, { recursive: true });
});

const record = (n: number): Uint8Array => records.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES);

test('every track is found by its id', () => {
  for (const position of [0, 1, 777, TRACK_COUNT - 1]) {
    const foundRecord = index.find(position + 1) as Uint8Array<ArrayBuffer>;
    expect(new DataView(foundRecord.buffer).getInt32(RECORD_ID_OFFSET, true)).toBe(position + 1);
    expect(index.likenessOf(foundRecord, record(position))).toBeCloseTo(1, 3);
  }
  expect(index.find(TRACK_COUNT + 1)).toBeUndefined();
});

test('at least 95 % of the 20 nearest are found in a twelfth of the records', () => {
  let [foundCount, wantedCount] = [0, 0];
  for (let n = 0; n < TRACK_COUNT; n += 997) {
    const exact = new Set(index.nearest(record(n), 20, 1).ids);
    for (const id of index.nearest(record(n), 20, 1 / 12, 0).ids) if (exact.has(id)) foundCount++;
    wantedCount += 20;
  }
  expect(foundCount / wantedCount).toBeGreaterThanOrEqual(0.95);
});

test('ranks counted in a part of the records differ from those among all by a hundredth at most', () => {
  for (const position of [3, 9_000, 31_000]) {
    const findRank = index.ranksFor(record(position));
    const { likeness } = index.nearest(record(position), TRACK_COUNT, 1);
    for (const place of [100, 1_000, 4_000, 10_000]) {
      const value = likeness[place] as number;
      if (value > 0) expect(Math.abs(findRank(value) - place / (TRACK_COUNT - 1))).toBeLessThan(0.01);
    }
  }
  expect(index.ranksFor(record(3))(0)).toBe(1);
});

test('a damaged index is not used', () => {
  const path = join(dir, 'damaged.index');
  const readHeader = createHeaderReader(path);
  copyFileSync(join(dir, 'sounds.index'), path);
  expect(readHeader()?.tracks).toBe(TRACK_COUNT);
  truncateSync(path, statSync(path).size - 8);
  expect([readHeader(), openSoundIndex(path)]).toEqual([undefined, undefined]);
  writeFileSync(path, 'x'.repeat(10_000));
  expect([readHeader(), openSoundIndex(path)]).toEqual([undefined, undefined]);
});

test('a record takes 64 bytes, and only the direction of a vector counts', () => {
  const [firstRecord, secondRecord] = [new Uint8Array(RECORD_BYTES), new Uint8Array(RECORD_BYTES)];
  const values = Float64Array.from({ length: VECTOR_SIZE }, (_, i) => Math.sin(i));
  writeRecord(values, 1, new DataView(firstRecord.buffer), 0);
  writeRecord(
    values.map((value) => value * 9),
    2,
    new DataView(secondRecord.buffer),
    0,
  );
  expect(index.likenessOf(firstRecord, secondRecord)).toBeCloseTo(1, 5);
});

test('the given number of best values is kept, best first', () => {
  const bestThree = createTop(3);
  [0.2, 0.9, 0.1, 0.5, 0.7].forEach((value, id) => bestThree.add(id, value));
  const { ids, likeness } = bestThree.finish();
  expect([...ids]).toEqual([1, 4, 3]);
  expect([...likeness].map((value) => Math.round(value * 10))).toEqual([9, 7, 5]);
});
