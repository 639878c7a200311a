// First scan and rescan of 5,000 mixed files. Bounds: a bare read + sha256 + write loop, music-metadata file by file, a
// bare walk.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { parseFile } from 'music-metadata';
import { openByteSource } from '../../../server/media/byte-source.ts';
import { readAudioSync } from '../../../server/media/read.ts';
import { inTurn, measure, type Measure } from '../measure.ts';
import { hasMpd, mpdScanMs } from '../peers/mpd.ts';
import { startProduct, type Product } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';

const TRACKS = 5_000;
const ROUNDS = 3;

export async function scanSuite(dir: string, { peer }: { peer: string | undefined }): Promise<Measure[]> {
  if (peer !== undefined && (peer !== 'mpd' || !hasMpd()))
    throw new Error(`The peer ${peer} is not known or not installed; there is mpd.`);
  const music = join(dir, 'music');
  const { files } = makeSettledLibrary({ tracks: TRACKS, seed: 'bench' }, music);
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
  const tags = await inTurn(
    ROUNDS,
    async () => perSecond(await parseLoop(paths)),
    () => perSecond(readLoop(paths)),
  );
  const copy = await inTurn(
    ROUNDS,
    (round) => perSecond(copyLoop(paths, join(dir, `bare-${round}`))),
    (round) => firstScan('copy', round),
  );
  const safeCopy = await inTurn(
    ROUNDS,
    (round) => perSecond(copyLoop(paths, join(dir, `flushed-${round}`), { flush: true })),
    (round) => firstScan('copy', ROUNDS + round),
  );
  const reference = await inTurn(
    ROUNDS,
    async () => perSecond(await parseLoop(paths)),
    (round) => firstScan('reference', round),
  );

  const besidePeer = async (mode: string) =>
    peer === undefined
      ? undefined
      : inTurn(
          ROUNDS,
          async (round) => perSecond(await mpdScanMs(music, join(dir, `mpd-${mode}-${round}`))),
          (round) => firstScan(mode, 2 * ROUNDS + round),
        );
  const [copyBesidePeer, referenceBesidePeer] = [await besidePeer('copy'), await besidePeer('reference')];

  const known = await startProduct(join(dir, 'reference-0'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
  });
  const rescan = await inTurn(
    7,
    () => perSecond(walkLoop(music)),
    async () => perSecond(await rescanMs(known)),
  );
  await known.stop();

  return [
    measure({
      suite: 'scan',
      name: 'first scan, copy',
      unit: 'files/s',
      product: copy.product,
      bound: { name: 'read + sha256 + write', value: copy.bound },
      goal: { op: '>=', value: 0.4 },
    }),
    measure({
      suite: 'scan',
      name: 'the same, beside a loop whose copies are safe too',
      unit: 'files/s',
      product: safeCopy.product,
      bound: { name: 'read + sha256 + write + fdatasync', value: safeCopy.bound },
      goal: { op: '>=', value: 0.4 },
    }),
    ...(copyBesidePeer
      ? [
          measure({
            suite: 'scan',
            name: 'first scan, copy, beside mpd',
            unit: 'files/s',
            product: copyBesidePeer.product,
            bound: { name: 'mpd, which does not copy', value: copyBesidePeer.bound },
            goal: { op: '>=', value: 1.2 },
          }),
        ]
      : []),
    ...(referenceBesidePeer
      ? [
          measure({
            suite: 'scan',
            name: 'first scan, reference, beside mpd',
            unit: 'files/s',
            product: referenceBesidePeer.product,
            bound: { name: 'mpd', value: referenceBesidePeer.bound },
            goal: { op: '>=', value: 1.2 },
          }),
        ]
      : []),
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
      name: 'tag reading, six formats',
      unit: 'files/s',
      product: tags.product,
      bound: { name: 'sequential parseFile', value: tags.bound },
      goal: { op: '>=', value: 20 },
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

function copyLoop(paths: string[], target: string, { flush = false } = {}): number {
  fs.mkdirSync(target);
  const started = performance.now();
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
    if (flush) fs.fdatasyncSync(to);
    fs.closeSync(from);
    fs.closeSync(to);
  });
  return performance.now() - started;
}

function readLoop(paths: string[]): number {
  const started = performance.now();
  for (const path of paths) {
    const source = openByteSource(path);
    if (!readAudioSync(source)) throw new Error(`${path} needs the fallback`);
    source.close();
  }
  return performance.now() - started;
}

async function parseLoop(paths: string[]): Promise<number> {
  const started = performance.now();
  for (const path of paths) await parseFile(path);
  return performance.now() - started;
}

export function walkLoop(dir: string): number {
  const started = performance.now();
  const pending = [dir];
  for (let folder; (folder = pending.pop()) !== undefined;) {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) pending.push(`${folder}/${entry.name}`);
      else fs.statSync(`${folder}/${entry.name}`);
    }
  }
  return performance.now() - started;
}
