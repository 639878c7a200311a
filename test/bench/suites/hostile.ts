// Sends requests that are as large and as awkward as allowed, one at a time, and measures how long the event loop
// stops, the latency of /health meanwhile, and the memory. Bounds: 50 ms, 50 ms more than the quiet server, 50 MB.
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { watchHealth } from '../health.ts';
import { fillLibrary } from '../large-library.ts';
import { measure, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';

const TRACK_COUNT = Number(process.env['BENCH_TRACKS'] ?? 50_000);
const MAX_INCREASE = 50;
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const HEALTH_EVERY_MS = 10;
const RSS_EVERY_MS = 5;

interface Attack {
  name: string;
  attack: () => Promise<void>;
}

export async function hostileSuite(dir: string): Promise<Measure[]> {
  const dataDir = join(dir, 'hostile');
  await (await startProduct(dataDir)).stop(); // creates the database and the account
  const client = new Database(join(dataDir, 'tonearm.db'));
  const userId = (client.prepare('SELECT min(id) AS id FROM users').get() as { id: number }).id;
  fillLibrary(client, { tracks: TRACK_COUNT, userId, likeEvents: TRACK_COUNT, plays: TRACK_COUNT });
  client.close();

  const product = await startProduct(dataDir);
  const measures: Measure[] = [];
  const quietFigures = await quietServer(product.url);
  for (const { name, attack } of await attacks(product)) {
    await loopDelay(product);
    const rssBefore = product.rss();
    const { p99, peak } = await healthWhile(product.url, attack, () => product.rss());
    const stop = await loopDelay(product);
    const values: [string, string, number, number][] = [
      ['longest stop', 'ms', stop, MAX_INCREASE],
      ['/health p99', 'ms', p99, quietFigures + MAX_INCREASE],
      ['extra memory', 'MB', Math.max(0, peak - rssBefore), MAX_INCREASE],
    ];
    for (const [measureName, unit, value, bound] of values)
      measures.push(
        measure({
          suite: 'hostile',
          name: `${name}: ${measureName}`,
          unit,
          product: value,
          bound: { name: 'limit', value: bound },
          goal: { op: '<=', value: 1 },
        }),
      );
  }
  await product.stop();
  return measures;
}

/** Returns the longest delay of the event loop since the last call, in ms. */
async function loopDelay({ url, token }: Product): Promise<number> {
  const response = await fetch(`${url}/api/v1/metrics`, { headers: { Authorization: `Bearer ${token}` } });
  const seconds = /^nodejs_eventloop_delay_max_seconds (\S+)$/m.exec(await response.text())?.[1];
  return Number(seconds ?? 0) * 1_000;
}

async function healthWhile(
  url: string,
  work: () => Promise<void>,
  rss: () => number = () => 0,
): Promise<{ p99: number; peak: number }> {
  const health = await watchHealth(url, HEALTH_EVERY_MS);
  let peak = rss();
  const timer = setInterval(() => (peak = Math.max(peak, rss())), RSS_EVERY_MS);
  await work().finally(() => clearInterval(timer));
  const { p99 } = await health.stop();
  return { p99, peak };
}

/** Returns the lowest p99 of three quiet stretches, so that work after the start is not counted. */
async function quietServer(url: string): Promise<number> {
  let minimum = Infinity;
  for (let n = 0; n < 3; n++) minimum = Math.min(minimum, (await healthWhile(url, () => sleep(2_000))).p99);
  return minimum;
}

async function attacks({ url, token, api }: Product): Promise<Attack[]> {
  const { username, password } = await api<{ username: string; password: string }>('/users/me/subsonic-password');
  const salt = 'c19b2d';
  const md5 = createHash('md5').update(`${password}${salt}`).digest('hex');
  const credentials = new URLSearchParams({ u: username, s: salt, t: md5, v: '1.16.1', c: 'bench', f: 'json' });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const drain = async (response: Response): Promise<void> => {
    for await (const _ of response.body ?? []);
  };
  const json = async (method: string, path: string, body?: unknown): Promise<void> =>
    drain(
      await fetch(`${url}/api/v1${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  const callSubsonic = async (endpoint: string, params: [string, string][] = []): Promise<void> =>
    drain(
      await fetch(`${url}/rest/${endpoint}`, {
        method: 'POST',
        body: new URLSearchParams([...credentials, ...params]).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      }),
    );
  const ids = (count: number): number[] => Array.from({ length: count }, (_, n) => 1 + (n % TRACK_COUNT));
  const namedIds = (name: string, count: number): [string, string][] => ids(count).map((id) => [name, `tr-${id}`]);
  const playlistResponse = await fetch(`${url}/api/v1/playlists?entries=false`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'long', track_ids: ids(40_000) }),
  });
  const { id } = (await playlistResponse.json()) as { id: number };

  return [
    { name: 'star 20,000 times the same song', attack: () => callSubsonic('star', times(20_000, ['id', 'tr-100'])) },
    { name: 'star 60,000 songs', attack: () => callSubsonic('star', namedIds('id', 60_000)) },
    { name: 'unstar 60,000 songs', attack: () => callSubsonic('unstar', namedIds('id', 60_000)) },
    {
      name: 'savePlayQueue, 100,000',
      attack: () => callSubsonic('savePlayQueue', [...namedIds('id', 100_000), ['current', 'tr-5']]),
    },
    { name: 'getPlayQueue, 100,000', attack: () => callSubsonic('getPlayQueue') },
    { name: 'getPlayQueue as XML, 100,000', attack: () => callSubsonic('getPlayQueue', [['f', 'xml']]) },
    { name: 'PUT /queue, 200,000', attack: () => json('PUT', '/queue', { track_ids: ids(200_000) }) },
    {
      name: 'createPlaylist, 60,000',
      attack: () => callSubsonic('createPlaylist', [['name', 'x'], ...namedIds('songId', 60_000)]),
    },
    {
      name: 'createPlaylist over one of 40,000',
      attack: () =>
        callSubsonic('createPlaylist', [['playlistId', `pl-${id}`], ...namedIds('songId', 60_000).toReversed()]),
    },
    { name: 'GET /playlists/{id}, 60,000', attack: () => json('GET', `/playlists/${id}`) },
    {
      name: 'scrobble 20,000 plays',
      attack: () =>
        callSubsonic('scrobble', [
          ...namedIds('id', 20_000),
          ...ids(20_000).map((n): [string, string] => ['time', `${n * 1_000_000}`]),
        ]),
    },
    {
      name: 'createShare, 1,000 long playlists',
      attack: () => callSubsonic('createShare', times(1_000, ['id', `pl-${id}`])),
    },
    {
      name: 'search3, the whole library',
      attack: () =>
        callSubsonic('search3', [
          ['query', ''],
          ['songCount', '100000'],
        ]),
    },
    { name: 'getStarred2 after 60,000 stars', attack: () => callSubsonic('getStarred2') },
    { name: 'getArtists', attack: () => callSubsonic('getArtists') },
    {
      name: 'a form of 10 MB',
      attack: () => callSubsonic('ping', times(240_000, ['x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'])),
    },
    { name: 'an address of 250 KB', attack: () => json('GET', `/tracks?${'a&'.repeat(125_000)}`) },
    { name: 'JSON of half a million lists', attack: () => json('PUT', '/queue', { track_ids: times(300_000, []) }) },
    { name: '2,000 requests in one piece', attack: () => sendPipelined(url) },
    {
      name: '20 times a list of 60,000 at once',
      attack: async () => void (await Promise.all(Array.from({ length: 20 }, () => json('GET', `/playlists/${id}`)))),
    },
  ];
}

function sendPipelined(url: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(2_000)),
    );
    socket
      .on('data', () => undefined)
      .on('error', () => undefined)
      .on('close', () => resolve());
  });
}
