// Measures what the analysis costs users: requests in bursts and scans, in turn on a server that analyzes its audio and
// on one with the same music that does not. Between bursts nobody sends requests, so that the analysis has begun a
// track when the first request arrives. While the other server is measured, the analysis is paused.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeLibrary } from '../../support/library.ts';
import { measure, median, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';
import { openQuietClient } from '../quiet-client.ts';
import { ffmpeg } from './hear.ts';

const LONG_TRACKS = 200;
const ROUND_COUNT = 12;
const REQUEST_COUNT = 300;
const SCAN_COUNT = 6;
const SCANNED_TRACK_COUNT = 1_000;
/** The analysis begins half a minute after the start, and checks every two seconds whether the server is in use. */
const UNTIL_PASS_MS = 35_000;
const PAUSE_MS = 4_000;
const REQUEST_PATHS = [
  '/api/v1/tracks?limit=50',
  '/api/v1/albums?limit=50',
  '/api/v1/artists?limit=50',
  '/api/v1/search/library?q=love',
];

/** Runs the measurements. `piece` is repeated into tracks of four minutes, each with different audio. */
export async function steppingAside(dir: string, piece: string): Promise<Measure[]> {
  const music = join(dir, 'aside', 'music');
  makeLibrary({ tracks: 2_000, seed: 'aside' }, join(music, 'short'));
  mkdirSync(join(music, 'long'));
  const sourcePath = join(dir, 'aside', 'whole.mp3');
  ffmpeg('-stream_loop', '11', '-i', piece, '-ac', '1', '-b:a', '64k', '-write_xing', '0', sourcePath);
  const bytes = readFileSync(sourcePath);
  for (let n = 0; n < LONG_TRACKS; n++) writeFileSync(join(music, 'long', `${n}.mp3`), bytes.subarray(n * 500));

  const start = (name: string, hasAnalysis: boolean): Promise<Product> =>
    startProduct(join(dir, 'aside', name), {
      LOCAL_MEDIA_IMPORT_PATH: music,
      LOCAL_MEDIA_IMPORT_MODE: 'reference',
      ANALYSIS_ENABLED: String(hasAnalysis),
      ANALYSIS_ON_BATTERY: 'true',
    });
  const [serverWith, serverWithout] = [await start('on', true), await start('off', false)];
  for (const product of [serverWith, serverWithout]) await product.scan();
  await sleep(UNTIL_PASS_MS);

  const times = { on: [] as number[], off: [] as number[] };
  const scans = { on: [] as number[], off: [] as number[] };
  const takeTurn = async (name: 'on' | 'off', work: (product: Product) => Promise<void>): Promise<void> => {
    if (name === 'off') process.kill(serverWith.pid, 'SIGSTOP');
    await sleep(PAUSE_MS);
    await work(name === 'on' ? serverWith : serverWithout);
    if (name === 'off') process.kill(serverWith.pid, 'SIGCONT');
  };
  const inTurn = async (
    round: number,
    work: (product: Product, name: 'on' | 'off') => Promise<void>,
  ): Promise<void> => {
    for (const name of round % 2 ? (['on', 'off'] as const) : (['off', 'on'] as const))
      await takeTurn(name, (product) => work(product, name));
  };
  for (let round = 0; round < ROUND_COUNT; round++)
    await inTurn(round, async ({ url, token }, name) => {
      const client = await openQuietClient(url, token);
      for (let n = 0; n < REQUEST_COUNT; n++)
        times[name].push(await client.timeRequest(REQUEST_PATHS[n % REQUEST_PATHS.length] as string));
      client.close();
    });
  for (let round = 0; round < SCAN_COUNT; round++) {
    makeLibrary({ tracks: SCANNED_TRACK_COUNT, seed: `aside ${round}` }, join(music, `more ${round}`));
    await inTurn(round, async (product, name) => {
      scans[name].push((await product.scan()).ms);
    });
  }
  const { steps } = await serverWith.api<{ steps: { name: string; done: number }[] }>('/analysis');
  console.error(`ear: ${steps.find(({ name }) => name === 'loudness')?.done} tracks were heard between requests`);
  await Promise.all([serverWith.stop(), serverWithout.stop()]);

  const row = (name: string, product: number, value: number): Measure =>
    measure({
      suite: 'ear',
      name,
      unit: 'ms',
      product,
      bound: { name: 'without', value },
      goal: { op: '<=', value: 1.1 },
    });
  const percentile = (values: readonly number[], share: number): number =>
    values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] as number;
  return [
    row(
      `${REQUEST_COUNT * ROUND_COUNT} requests in bursts while the pass works, p99`,
      percentile(times.on, 0.99),
      percentile(times.off, 0.99),
    ),
    row('the same, p50', percentile(times.on, 0.5), percentile(times.off, 0.5)),
    row(`scan of ${SCANNED_TRACK_COUNT} new files while the pass works`, median(scans.on), median(scans.off)),
  ];
}
