// 100,000 tracks, or BENCH_TRACKS: the first scan while a person uses the server, a rescan without changes, and one after
// a folder was renamed.
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, measure, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';
import { percentile, whileUsed } from '../while-used.ts';
import { walkLoop } from './scan.ts';

const TRACKS = Number(process.env['BENCH_TRACKS'] ?? 100_000);
const MANY = TRACKS.toLocaleString('en');
const LIMIT_MB = 250;

export async function rescanSuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'music-100k');
  makeSettledLibrary({ tracks: TRACKS, seed: 'rescan' }, music);
  const product = await startProduct(join(dir, 'rescan'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
  });
  await eventLoopDelayMs(product); // from here on
  const used = await whileUsed(product, () => product.scan());
  const delay = await eventLoopDelayMs(product);
  process.stderr.write(
    `${MANY} tracks: first scan ${Math.round(used.result.ms / 1000)} s, ${used.result.result['added']} added, ${used.latencies.length} likes meanwhile\n`,
  );

  const unchanged = await inTurn(
    5,
    () => walkLoop(music),
    async () => rescanMs(product, 0),
  );
  const artist = readdirSync(music)[0] as string;
  const album = readdirSync(join(music, artist))[0] as string;
  mkdirSync(join(music, 'Renamed'));
  let at = join(music, artist, album);
  const renamed = await inTurn(
    4,
    async () => rescanMs(product, 0),
    async (round) => {
      const next = join(music, 'Renamed', `${album} ${round}`);
      renameSync(at, next);
      at = next;
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
      name: `highest RSS, first scan of ${MANY}`,
      unit: 'MB',
      product: used.rss,
      bound: { name: 'limit', value: LIMIT_MB },
      goal: { op: '<=', value: 1 },
    }),
    measure({
      suite: 'rescan',
      name: 'POST /likes during it, p99',
      unit: 'ms',
      product: percentile(used.latencies, 0.99),
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
      name: `nothing changed, ${MANY}`,
      unit: 'ms',
      product: unchanged.product,
      bound: { name: 'bare walk + stat', value: unchanged.bound },
      goal: { op: '<=', value: 1.3 },
    }),
    measure({
      suite: 'rescan',
      name: `one folder renamed, ${MANY}`,
      unit: 'ms',
      product: renamed.product,
      bound: { name: 'nothing changed', value: renamed.bound },
      goal: { op: '<=', value: 1.3 },
    }),
  ];
}

async function eventLoopDelayMs(product: Product): Promise<number> {
  const text = await (await fetch(`${product.url}/api/v1/metrics`)).text();
  return Number(/^nodejs_eventloop_delay_p99_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN) * 1000;
}

async function rescanMs(product: Product, changes: number): Promise<number> {
  const { result } = await product.scan();
  if (result['added'] !== changes || result['updated'] !== changes) throw new Error('the rescan found something new');
  return result['duration_ms'] as number;
}
