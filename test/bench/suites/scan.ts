// Measures the first scan and the rescan of 5,000 mixed files. Bounds: a bare loop that reads, hashes, writes and
// flushes; music-metadata file by file; a bare directory walk.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { parseFile } from 'music-metadata';
import { inTurn, measure, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';

const TRACK_COUNT = 5_000;
const ROUND_COUNT = 3;

export async function scanSuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'music');
  const { files } = makeSettledLibrary({ tracks: TRACK_COUNT, seed: 'bench' }, music);
  const paths = files.map((file) => join(music, file.path));
  const perSecond = (ms: number): number => (files.length / ms) * 1000;

  const firstScan = async (mode: string, round: number): Promise<number> => {
    const product = await startProduct(join(dir, `${mode}-${round}`), {
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOCAL_MEDIA_IMPORT_MODE: mode,
    });
    try {
      const { ms, result } = await product.scan();
      if (result['added'] !== files.length) throw new Error(`${result['added']} of ${files.length} files were added`);
      return perSecond(ms);
    } finally {
      await product.stop();
    }
  };
  const copy = await inTurn(
    ROUND_COUNT,
    (round) => perSecond(copyLoop(paths, join(dir, `bare-${round}`))),
    (round) => firstScan('copy', round),
  );
  const reference = await inTurn(
    ROUND_COUNT,
    async () => perSecond(await parseLoop(paths)),
    (round) => firstScan('reference', round),
  );

  const scannedProduct = await startProduct(join(dir, 'reference-0'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
  });
  const rescan = await inTurn(
    7,
    () => perSecond(walkLoop(music)),
    async () => perSecond(await rescanMs(scannedProduct)),
  );
  await scannedProduct.stop();

  return [
    measure({
      suite: 'scan',
      name: 'first scan, copy',
      unit: 'files/s',
      product: copy.product,
      bound: { name: 'read + sha256 + write + fdatasync', value: copy.bound },
      goal: { op: '>=', value: 0.3 },
    }),
    measure({
      suite: 'scan',
      name: 'first scan, reference',
      unit: 'files/s',
      product: reference.product,
      bound: { name: 'sequential parseFile', value: reference.bound },
      goal: { op: '>=', value: 3 },
    }),
    measure({
      suite: 'scan',
      name: 'rescan, nothing changed',
      unit: 'files/s',
      product: rescan.product,
      bound: { name: 'readdir + stat', value: rescan.bound },
      goal: { op: '>=', value: 0.5 },
    }),
  ];
}

async function rescanMs(product: Product): Promise<number> {
  const { result } = await product.scan();
  if (result['added'] !== 0 || result['updated'] !== 0) throw new Error('the rescan found something new');
  return Math.max(1, result['duration_ms'] as number);
}

function copyLoop(paths: string[], target: string): number {
  fs.mkdirSync(target);
  const startedAt = performance.now();
  const buffer = Buffer.allocUnsafe(1 << 20);
  paths.forEach((path, i) => {
    const from = fs.openSync(path, 'r');
    const to = fs.openSync(join(target, String(i)), 'w');
    const hash = createHash('sha256');
    for (let count; (count = fs.readSync(from, buffer)) > 0;) {
      hash.update(buffer.subarray(0, count));
      fs.writeSync(to, buffer, 0, count);
    }
    hash.digest('hex');
    fs.fdatasyncSync(to);
    fs.closeSync(from);
    fs.closeSync(to);
  });
  return performance.now() - startedAt;
}

async function parseLoop(paths: string[]): Promise<number> {
  const startedAt = performance.now();
  for (const path of paths) await parseFile(path);
  return performance.now() - startedAt;
}

export function walkLoop(dir: string): number {
  const startedAt = performance.now();
  const pendingDirs = [dir];
  for (let folder; (folder = pendingDirs.pop()) !== undefined;) {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) pendingDirs.push(`${folder}/${entry.name}`);
      else fs.statSync(`${folder}/${entry.name}`);
    }
  }
  return performance.now() - startedAt;
}
