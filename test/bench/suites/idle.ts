// Measures memory and processor time of a server that nobody uses, with a library of 100,000 directly inserted tracks:
// freshly started, and after a user has read and searched. Bounds: an empty node:http server in the same minute, and
// our own limits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { fillLibrary } from '../large-library.ts';
import { measure, type Measure } from '../measure.ts';
import { processorMs, rssOf, startProduct, type Product } from '../product.ts';

const TRACK_COUNT = 100_000;
const SETTLE_MS = 20_000;
const REST_MS = 60_000;
const LIMIT_MB = 130;
const LIMIT_CPU_MS = 200;
const EMPTY_SERVER_CODE = `import { createServer } from 'node:http';
createServer((req, res) => res.end('ok')).listen(0, '127.0.0.1', () => console.log('listening'));`;

export async function idleSuite(dir: string): Promise<Measure[]> {
  const dataDir = join(dir, 'idle');
  await (await startProduct(dataDir)).stop(); // creates the database and the account
  const client = new Database(join(dataDir, 'tonearm.db'));
  fillLibrary(client, { tracks: TRACK_COUNT, userId: 1, likeEvents: 10_000, plays: 50_000 });
  client.pragma('wal_checkpoint(TRUNCATE)');
  client.close();
  const settlingProduct = await startProduct(dataDir);
  await untilIdle(settlingProduct); // waits for the search for covers and the identification of tracks
  await settlingProduct.stop();

  const emptyServer = await startEmpty(dir);
  const product = await startProduct(dataDir);
  try {
    await sleep(SETTLE_MS);
    const memoryAtStart = product.rss();
    const [emptyRss, previousProcessorMs, startedAt] = [
      rssOf(emptyServer.pid),
      processorMs(product.pid),
      performance.now(),
    ];
    await sleep(REST_MS);
    const cpuPerMinute = ((processorMs(product.pid) - previousProcessorMs) * 60_000) / (performance.now() - startedAt);
    await visit(product);
    await sleep(REST_MS);
    const visitedRss = product.rss();
    console.error(`idle: an empty node:http server has ${emptyRss.toFixed(0)} MB`);
    return [
      measure({
        suite: 'idle',
        name: 'memory at rest, 100,000 tracks',
        unit: 'MB',
        product: memoryAtStart,
        bound: { name: 'limit', value: LIMIT_MB },
        goal: { op: '<=', value: 1 },
      }),
      measure({
        suite: 'idle',
        name: 'memory beside an empty server',
        unit: 'MB',
        product: memoryAtStart,
        bound: { name: 'empty node:http', value: emptyRss },
        goal: { op: '<=', value: 2 },
      }),
      measure({
        suite: 'idle',
        name: 'memory a minute after a visit',
        unit: 'MB',
        product: visitedRss,
        bound: { name: 'at rest before', value: memoryAtStart },
        goal: { op: '<=', value: 1.75 },
      }),
      measure({
        suite: 'idle',
        name: 'processor time at rest, per minute',
        unit: 'ms',
        product: cpuPerMinute,
        bound: { name: 'limit', value: LIMIT_CPU_MS },
        goal: { op: '<=', value: 1 },
      }),
    ];
  } finally {
    await Promise.all([product.stop(), emptyServer.stop()]);
  }
}

async function untilIdle({ api }: Product): Promise<void> {
  const countJobs = async (status: string): Promise<number> =>
    (await api<{ total: number }>(`/jobs?status=${status}`)).total;
  do await sleep(SETTLE_MS);
  while ((await countJobs('queued')) + (await countJobs('running')) + (await countJobs('waiting')) > 0);
}

/** Simulates a few minutes of use: pages of every list, some searches, storage and genres. */
async function visit({ api }: Product): Promise<void> {
  for (let page = 0; page < 40; page++)
    for (const listName of ['tracks', 'albums', 'artists']) await api(`/${listName}?limit=50&offset=${page * 50}`);
  for (const needle of ['a', 'th', 'moon', 'river', 'love song'])
    await api(`/search/library?q=${encodeURIComponent(needle)}`);
  for (const path of ['/storage', '/genres', '/history', '/tracks?sort=random&seed=7']) await api(path);
}

async function startEmpty(dir: string): Promise<{ pid: number; stop(): Promise<void> }> {
  const file = join(dir, 'empty.mjs');
  writeFileSync(file, EMPTY_SERVER_CODE);
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    pid: child.pid as number,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
