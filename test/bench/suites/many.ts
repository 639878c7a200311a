// Measures many clients at once: 200 phones that synchronize, 50 listeners, 20 pages that scroll, a scan and a backup;
// what each kind gets alone, and what all get together. Phones send the next request as soon as they have a response,
// pages every fifth of a second, listeners read 256 KB/s of a large file. No kind may starve: the bound is what a kind
// got when only the phones ran beside it, since they already keep the server busy. Runs only when named.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeLibrary } from '../../support/library.ts';
import { measure, type Measure } from '../measure.ts';
import { meterOf } from '../peers/process-tree.ts';
import { startProduct, type Product } from '../product.ts';
import { makeSettledLibrary } from '../settled-library.ts';
import { credentialsFor } from '../subsonic-credentials.ts';
import { wav } from './streaming.ts';

const TRACK_COUNT = Number(process.env['BENCH_TRACKS'] ?? 10_000);
const [PHONE_COUNT, LISTENER_COUNT, PAGE_COUNT] = [200, 50, 20];
const ALONE_MS = 10_000;
const SCROLL_MS = 200;
const LISTEN_BYTES_PER_S = 256 << 10;
const TICK_MS = 100;

interface Kind {
  name: string;
  /** Sends requests until `stop` returns true; notes the duration of each. */
  runUntil(stop: () => boolean, note: (ms: number) => void): Promise<void>;
}
interface LoadFigures {
  perSecond: number;
  p50: number;
  p99: number;
}

export async function manySuite(dir: string): Promise<Measure[]> {
  const music = join(dir, 'music');
  makeSettledLibrary({ tracks: TRACK_COUNT, seed: 'many' }, music);
  writeFileSync(join(music, 'long.wav'), wav(50_000_000));
  const laterMusic = join(dir, 'later');
  makeLibrary({ tracks: TRACK_COUNT / 2, seed: 'later' }, laterMusic);
  mkdirSync(join(dir, 'backup'));
  const product = await startProduct(join(dir, 'many'), {
    LOCAL_MEDIA_IMPORT_PATH: music,
    LOCAL_MEDIA_IMPORT_MODE: 'reference',
    BACKUP_TARGET: join(dir, 'backup'),
  });
  const firstScan = await product.scan();
  const meter = meterOf(product.pid);
  const kinds = await kindsOf(product);
  const [phones, listeners, pages] = kinds;

  const ratesAlone = { listeners: await measureFor(listeners, ALONE_MS), pages: await measureFor(pages, ALONE_MS) };
  const [besidePhones, phonesOnly] = await Promise.all([measureFor(pages, ALONE_MS), measureFor(phones, ALONE_MS)]);
  meter.peakRssMb();

  renameSync(laterMusic, join(music, 'later'));
  const startedAt = performance.now();
  const background = Promise.all([
    product.api<{ id: number }>('/sources/local_folder/scan', 'POST').then((job) => waitForJob(product, job.id)),
    product.api<{ id: number }>('/backups', 'POST', {}).then((job) => waitForJob(product, job.id)),
  ]);
  let isBackgroundDone = false;
  const backgroundEnd = background.finally(() => {
    isBackgroundDone = true;
  });
  const stop = (): boolean => isBackgroundDone && performance.now() - startedAt > ALONE_MS;
  const [figuresTogether, [scanMs, backupMs]] = await Promise.all([
    Promise.all(kinds.map((kind) => measureUntil(kind, stop))),
    backgroundEnd,
  ]);
  const [phonesGot, listenersGot, pagesGot] = figuresTogether as [LoadFigures, LoadFigures, LoadFigures];
  const peak = meter.peakRssMb();
  meter.close();
  agent.destroy();
  await product.stop();

  const printFigures = (name: string, { perSecond, p50, p99 }: LoadFigures): void =>
    void process.stderr.write(
      `many: ${name}: ${perSecond.toFixed(0)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms\n`,
    );
  printFigures('pages alone', ratesAlone.pages);
  printFigures('pages beside phones', besidePhones);
  printFigures('phones beside pages', phonesOnly);
  printFigures('pages, all together', pagesGot);
  printFigures('phones, all together', phonesGot);
  process.stderr.write(
    `many: scan of ${TRACK_COUNT / 2} more ${Math.round(scanMs)} ms (first, of ${TRACK_COUNT}: ${firstScan.ms}), ` +
      `backup ${Math.round(backupMs)} ms\n`,
  );
  const suite = 'many';
  const row = (name: string, unit: string, figure: number, bound: Measure['bound'], goal: Measure['goal']): Measure =>
    measure({ suite, name, unit, product: figure, bound, goal });
  return [
    row('pages, p99 with all others', 'ms', pagesGot.p99, { name: 'with phones', value: besidePhones.p99 }, atMost(2)),
    row('phones, p99 with all', 'ms', phonesGot.p99, { name: 'without', value: phonesOnly.p99 }, atMost(2)),
    row(
      'phones, requests a second with all',
      '',
      phonesGot.perSecond,
      { name: 'without scan, backup and listeners', value: phonesOnly.perSecond },
      { op: '>=', value: 0.5 },
    ),
    row(
      'listeners, ticks without what they take',
      '%',
      100 - listenersGot.perSecond,
      { name: 'limit', value: 1 },
      atMost(1),
    ),
    row('highest RSS', 'MB', peak, { name: 'limit', value: 300 }, atMost(1)),
  ];
}

const atMost = (value: number): Measure['goal'] => ({ op: '<=', value });

async function kindsOf(product: Product): Promise<[Kind, Kind, Kind]> {
  // two accounts, because an account may have only 250 pending requests
  const [ofPhones, token] = [await signIn(product, 'phones'), await signIn(product, 'pages')];
  const { items } = await product.api<{ items: { id: number }[] }>('/tracks?q=long&sort=duration&order=desc');
  const stream = `/stream/${items[0]?.id}?token=${product.token}`;
  const password = await fetch(`${product.url}/api/v1/users/me/subsonic-password`, {
    headers: { Authorization: `Bearer ${ofPhones}` },
  });
  const credentials = credentialsFor((await password.json()) as { username: string; password: string });
  return [
    {
      name: 'phones',
      runUntil: (stop, note) =>
        runCrowd(PHONE_COUNT, async (n) => {
          for (let at = n * 37; !stop(); at += 50) {
            const offset = at % TRACK_COUNT;
            const path =
              n % 2 ? `search3?query=&songCount=50&songOffset=${offset}` : `getAlbumList2?type=newest&size=50`;
            note(await timeRequest(`${product.url}/rest/${path}&${credentials}`));
          }
        }),
    },
    {
      name: 'listeners',
      runUntil: (stop, note) => runCrowd(LISTENER_COUNT, () => listen(product.url, stream, stop, note)),
    },
    {
      name: 'pages',
      runUntil: (stop, note) =>
        runCrowd(PAGE_COUNT, async (n) => {
          for (let page = n; !stop(); page++) {
            const path = `/api/v1/tracks?sort=title&limit=50&offset=${(page * 50) % TRACK_COUNT}`;
            note(await timeRequest(product.url + path, token));
            await sleep(SCROLL_MS);
          }
        }),
    },
  ];
}

const agent = new Agent({ keepAlive: true });

/** Returns the milliseconds until the whole response has arrived. */
function timeRequest(address: string, token = ''): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    get(address, { agent, headers: token ? { Authorization: `Bearer ${token}` } : {} }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - startedAt);
        else reject(new Error(`${address}: ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}

/** Creates an account; returns its token. */
async function signIn(product: Product, username: string): Promise<string> {
  const account = { username, password: `password of ${username}` };
  await product.api('/users', 'POST', account);
  const login = await fetch(`${product.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  });
  return ((await login.json()) as { access_token: string }).access_token;
}

const runCrowd = async (count: number, runClient: (n: number) => Promise<void>): Promise<void> =>
  void (await Promise.all(Array.from({ length: count }, (_, n) => runClient(n))));

/** Reads a fixed number of bytes per tick; notes 1 for a tick in which all of them had arrived, otherwise 0. */
function listen(url: string, path: string, stop: () => boolean, note: (isComplete: number) => void): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const share = (LISTEN_BYTES_PER_S * TICK_MS) / 1_000;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    let ticks = 0;
    const timer = setInterval(() => {
      if (stop() || socket.destroyed) {
        clearInterval(timer);
        socket.destroy();
        return resolve();
      }
      const isShareRead = socket.readableLength >= share && socket.read(share) !== null;
      if (ticks++ > 20) note(isShareRead ? 1 : 0); // not in the first seconds, in which a player fills its buffer
    }, TICK_MS);
    socket.on('readable', () => undefined).on('error', reject);
  });
}

async function measureFor(kind: Kind, ms: number): Promise<LoadFigures> {
  const endsAt = performance.now() + ms;
  return measureUntil(kind, () => performance.now() > endsAt);
}

/**
 * Measures a kind of client. For listeners, `perSecond` is the percentage of ticks in which their bytes had arrived.
 */
async function measureUntil(kind: Kind, stop: () => boolean): Promise<LoadFigures> {
  const [startedAt, times]: [number, number[]] = [performance.now(), []];
  await kind.runUntil(stop, (ms) => void times.push(ms));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sortedTimes = times.toSorted((a, b) => a - b);
  const perSecond =
    kind.name === 'listeners'
      ? (100 * times.filter((tick) => tick === 1).length) / times.length
      : times.length / seconds;
  return {
    perSecond,
    p50: sortedTimes[sortedTimes.length >> 1] ?? 0,
    p99: sortedTimes[Math.floor(sortedTimes.length * 0.99)] ?? 0,
  };
}

/** Waits for the job; returns its duration in milliseconds. */
async function waitForJob(product: Product, id: number): Promise<number> {
  for (;;) {
    const job = await product.api<{
      status: string;
      error: string | null;
      started_at: string;
      finished_at: string | null;
    }>(`/jobs/${id}`);
    if (job.finished_at !== null) {
      if (job.status !== 'succeeded') throw new Error(`job ${id} ${job.status}: ${job.error}`);
      return Date.parse(job.finished_at) - Date.parse(job.started_at);
    }
    await sleep(1_000);
  }
}
