// Measures scans of 100,000 tracks, or BENCH_TRACKS: the first scan while a user is active, a rescan without changes,
// and a rescan after a folder was renamed.
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, measure, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';
import { percentile, whileUsed } from '../while-used.ts';
import { walkLoop } from './scan.ts';

const TRACK_COUNT = Number(process.env['BENCH_TRACKS'] ?? 100_000);
const TRACK_COUNT_LABEL = TRACK_COUNT.toLocaleString('en');
const LIMIT_MB = 250;

export async function rescanSuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'music-100k');
  makeSettledLibrary({ tracks: TRACK_COUNT, seed: 'rescan' }, music);
  const product = await startProduct(join(dir, 'rescan'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
  });
  await eventLoopDelayMs(product); // measures from here on
  const usedFigures = await whileUsed(product, () => product.scan());
  const delay = await eventLoopDelayMs(product);
  process.stderr.write(
    `${TRACK_COUNT_LABEL} tracks: first scan ${Math.round(usedFigures.result.ms / 1000)} s, ${usedFigures.result.result['added']} added, ${usedFigures.latencies.length} likes meanwhile\n`,
  );

  const unchangedTimes = await inTurn(
    5,
    () => walkLoop(music),
    async () => rescanMs(product, 0),
  );
  const artist = readdirSync(music)[0] as string;
  const album = readdirSync(join(music, artist))[0] as string;
  mkdirSync(join(music, 'Renamed'));
  let albumDir = join(music, artist, album);
  const renameTimes = await inTurn(
    4,
    async () => rescanMs(product, 0),
    async (round) => {
      const nextDir = join(music, 'Renamed', `${album} ${round}`);
      renameSync(albumDir, nextDir);
      albumDir = nextDir;
      const { result } = await product.scan();
      if (!result['moved'] || result['added'])
        throw new Error(`renaming a folder: ${result['moved']} moved, ${result['added']} added`);
      return result['duration_ms'] as number;
    },
  );
  await product.stop();

  return [
    measure({
      suite: 'rescan',
      name: `highest RSS, first scan of ${TRACK_COUNT_LABEL}`,
      unit: 'MB',
      product: usedFigures.rss,
      bound: { name: 'limit', value: LIMIT_MB },
      goal: { op: '<=', value: 1 },
    }),
    measure({
      suite: 'rescan',
      name: 'POST /likes during it, p99',
      unit: 'ms',
      product: percentile(usedFigures.latencies, 0.99),
      bound: { name: 'limit', value: 100 },
      goal: { op: '<=', value: 1 },
    }),
    measure({
      suite: 'rescan',
      name: 'event loop delay during it, p99',
      unit: 'ms',
      product: delay,
      bound: { name: 'limit', value: 50 },
      goal: { op: '<=', value: 1 },
    }),
    measure({
      suite: 'rescan',
      name: `nothing changed, ${TRACK_COUNT_LABEL}`,
      unit: 'ms',
      product: unchangedTimes.product,
      bound: { name: 'bare walk + stat', value: unchangedTimes.bound },
      goal: { op: '<=', value: 1.3 },
    }),
    measure({
      suite: 'rescan',
      name: `one folder renamed, ${TRACK_COUNT_LABEL}`,
      unit: 'ms',
      product: renameTimes.product,
      bound: { name: 'nothing changed', value: renameTimes.bound },
      goal: { op: '<=', value: 1.3 },
    }),
  ];
}

async function eventLoopDelayMs(product: Product): Promise<number> {
  const text = await (
    await fetch(`${product.url}/api/v1/metrics`, { headers: { Authorization: `Bearer ${product.token}` } })
  ).text();
  return Number(/^nodejs_eventloop_delay_p99_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN) * 1000;
}

async function rescanMs(product: Product, changes: number): Promise<number> {
  const { result } = await product.scan();
  if (result['added'] !== changes || result['updated'] !== changes) throw new Error('the rescan found something new');
  return result['duration_ms'] as number;
}
