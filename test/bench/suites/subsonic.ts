// Measures the Subsonic API with a large library. Each call of a client's first sync is compared with a bare server that
// returns as many rows of the same table as JSON, without joins. A call with a small response is compared with `ping`:
// the same request with an empty response. A song or album of the protocol has twice the fields of its row, with names,
// likes and plays from other tables. With these fields a bare server takes two to three times as long, and the goals
// for lists are twice that. Other figures (p99, bytes, memory) go to stderr.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import sharp from 'sharp';
import { applyPragmas } from '../../../server/db/client.ts';
import { compressedCopies } from '../compressed-copies.ts';
import { fillLibrary } from '../large-library.ts';
import { measure, median, type Measure } from '../measure.ts';
import { openPhone } from '../../support/phone.ts';
import { SYNCS } from '../../support/phone-syncs.ts';
import { startProduct, type Product } from '../product.ts';
import { credentialsFor } from '../subsonic-credentials.ts';

const TRACK_COUNT = Number(process.env['BENCH_TRACKS'] ?? 100_000);
const ROUND_COUNT = 40;
const FEW_ROUNDS = 5;

type Table = 'tracks' | 'albums' | 'artists';
interface CallOf {
  name: string;
  address: string;
  goal: number;
  bound: 'ping' | { rows: number; table: Table };
  rounds?: number;
}

const lists = [
  'random',
  'newest',
  'highest',
  'frequent',
  'recent',
  'alphabeticalByName',
  'alphabeticalByArtist',
  'starred',
  'byYear&fromYear=1990&toYear=2005',
  'byGenre&genre=Jazz',
];
const songs = { goal: 5, bound: { rows: 500, table: 'tracks' } } as const;

const MEASURED_CALLS: CallOf[] = [
  ...lists.map((type): CallOf => ({
    name: `getAlbumList2 ${type.replace(/&.*/, '')}, 500`,
    address: `getAlbumList2?type=${type}&size=500`,
    goal: 5,
    bound: { rows: 500, table: 'albums' },
  })),
  {
    name: 'search3, everything, first 500',
    address: 'search3?query=&songCount=500&albumCount=0&artistCount=0',
    ...songs,
  },
  {
    name: 'search3, everything, 500 from the middle',
    address: `search3?query=&songCount=500&songOffset=${TRACK_COUNT / 2}&albumCount=0&artistCount=0`,
    ...songs,
  },
  { name: 'getRandomSongs, 500', address: 'getRandomSongs?size=500', ...songs },
  { name: 'search3, a word', address: 'search3?query=moon&songCount=20', goal: 8, bound: 'ping' },
  {
    name: 'getArtists',
    address: 'getArtists',
    goal: 10,
    bound: { rows: Math.ceil(TRACK_COUNT * 0.044), table: 'artists' },
    rounds: FEW_ROUNDS,
  },
  { name: 'getAlbum', address: 'getAlbum?id=al-7', goal: 4, bound: 'ping' },
  { name: 'getCoverArt, 300, cached', address: 'getCoverArt?id=al-7&size=300', goal: 3, bound: 'ping' },
];
/** Maximum memory after all calls, when the cover was scaled and everything was read once. */
const MOST_MEMORY_MB = 300;

export async function subsonicSuite(dir: string): Promise<Measure[]> {
  const dataDir = join(dir, 'subsonic');
  await (await startProduct(dataDir)).stop(); // creates the database and the account
  const client = new Database(join(dataDir, 'tonearm.db'));
  const userId = (client.prepare('SELECT min(id) AS id FROM users').get() as { id: number }).id;
  fillLibrary(client, { tracks: TRACK_COUNT, userId, likeEvents: TRACK_COUNT / 50, plays: TRACK_COUNT / 10 });
  client.close();

  const product = await startProduct(dataDir);
  await putCover(product);
  const credentials = credentialsFor(await product.api('/users/me/subsonic-password'));
  const bareServer = await startBare(join(dataDir, 'tonearm.db'));
  const rssBefore = product.rss();
  const pingTimes = { name: 'ping', ...(await times(`${product.url}/rest/ping?${credentials}`, ROUND_COUNT)) };
  const measures: Measure[] = [];
  for (const { name, address, goal, bound, rounds = ROUND_COUNT } of MEASURED_CALLS) {
    const compareWith =
      bound === 'ping'
        ? pingTimes
        : {
            name: `${bound.rows.toLocaleString('en')} bare rows`,
            ...(await times(`${bareServer.url}/${bound.table}/${bound.rows}`, rounds)),
          };
    const callTimes = await times(
      `${product.url}/rest/${address}${address.includes('?') ? '&' : '?'}${credentials}`,
      rounds,
    );
    console.error(
      `  ${name}: p50 ${callTimes.p50.toFixed(1)} ms, p99 ${callTimes.p99.toFixed(1)} ms, ${callTimes.bytes.toLocaleString('en')} bytes`,
    );
    measures.push(
      measure({
        suite: 'subsonic',
        name,
        unit: 'ms',
        product: callTimes.p50,
        bound: { name: compareWith.name, value: compareWith.p50 },
        goal: { op: '<=', value: goal },
      }),
    );
  }
  measures.push(...(await syncs(product, bareServer.url)));
  if (TRACK_COUNT >= 20_000) measures.push(...(await compressedCopies(product.url, credentials)));
  bareServer.close();
  const rssAfter = product.rss();
  console.error(`  memory: ${rssBefore.toFixed(0)} MB before, ${rssAfter.toFixed(0)} MB after`);
  measures.push(
    measure({
      suite: 'subsonic',
      name: 'RSS after all calls',
      unit: 'MB',
      product: rssAfter,
      bound: { name: 'limit', value: MOST_MEMORY_MB },
      goal: { op: '<=', value: 1 },
    }),
  );
  await product.stop();
  return measures;
}

/** Number of songs per page of a copy. */
const PAGE_SIZE = 500;
/**
 * Goals by sync method. A copy by albums or folders sends a request for each of them, and receives each album twice: in
 * its list and with its songs.
 */
const SYNC_GOALS: Record<keyof typeof SYNCS, number> = { search3: 5, albums: 20, folders: 20 };

/** Measures a first copy of the whole library, compared with a bare server that sends as many rows in pages. */
async function syncs(product: Product, bareUrl: string): Promise<Measure[]> {
  const phone = await openPhone({ url: product.url, api: async (path) => ({ body: await product.api(path) }) });
  const { p50 } = await times(`${bareUrl}/tracks/${PAGE_SIZE}`, FEW_ROUNDS);
  const pages = Math.ceil(TRACK_COUNT / PAGE_SIZE);
  const measures: Measure[] = [];
  for (const name of Object.keys(SYNCS) as (keyof typeof SYNCS)[]) {
    const startedAt = performance.now();
    const { songs, requests } = await SYNCS[name](phone, PAGE_SIZE);
    const durationMs = performance.now() - startedAt;
    if (new Set(songs).size !== TRACK_COUNT) throw new Error(`a copy by ${name} has ${new Set(songs).size} songs`);
    measures.push(
      measure({
        suite: 'subsonic',
        name: `first copy by ${name}, ${requests.toLocaleString('en')} requests`,
        unit: 'ms',
        product: durationMs,
        bound: { name: `${pages} pages of bare rows`, value: p50 * pages },
        goal: { op: '<=', value: SYNC_GOALS[name] },
      }),
    );
  }
  return measures;
}

async function putCover({ url, token }: Product): Promise<void> {
  const form = new FormData();
  form.set(
    'file',
    new Blob([
      new Uint8Array(
        await sharp({ create: { width: 1_000, height: 1_000, channels: 3, background: '#357' } })
          .jpeg()
          .toBuffer(),
      ),
    ]),
    'cover.jpg',
  );
  const response = await fetch(`${url}/api/v1/albums/7/cover`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}` },
    body: form,
  });
  if (!response.ok) throw new Error(`the cover was not taken: ${response.status} ${await response.text()}`);
}

async function times(address: string, rounds: number): Promise<{ p50: number; p99: number; bytes: number }> {
  const durations: number[] = [];
  let bytes = 0;
  for (let round = -2; round < rounds; round++) {
    const startedAt = performance.now();
    const response = await fetch(address);
    const body = await response.arrayBuffer();
    if (round >= 0) durations.push(performance.now() - startedAt);
    bytes = body.byteLength;
    if (response.status !== 200 || Buffer.from(body).toString('latin1', 0, 200).includes('"failed"'))
      throw new Error(`${address}: ${Buffer.from(body).toString('utf8', 0, 300)}`);
  }
  return {
    p50: median(durations),
    p99: durations.sort((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? Number.NaN,
    bytes,
  };
}

/** Starts a server that returns bare rows by their ids: `/tracks/500` returns 500 rows. */
async function startBare(path: string): Promise<{ url: string; close: () => void }> {
  const db = new Database(path, { readonly: true });
  applyPragmas(db);
  const server = createServer((req, res) => {
    const [, table, rows] = (req.url ?? '').split('/');
    const ids = Array.from({ length: Number(rows) }, (_, n) => n + 1);
    res
      .setHeader('Content-Type', 'application/json')
      .end(
        JSON.stringify(
          db.prepare(`SELECT t.* FROM json_each(?) i CROSS JOIN ${table} t ON t.id = i.value`).all(JSON.stringify(ids)),
        ),
      );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
      db.close();
    },
  };
}
