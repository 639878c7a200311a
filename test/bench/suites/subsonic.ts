// The phone door over a large library: how long each call of a first sync takes beside a bare `ping`, which is the same request, the same
// credentials and an empty answer. What phones feel beside it (p99, bytes, memory) goes to stderr.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import sharp from 'sharp';
import { fillLibrary } from '../large-library.ts';
import { measure, median, type Measure } from '../measure.ts';
import { startProduct, type Product } from '../product.ts';

const TRACKS = Number(process.env['BENCH_TRACKS'] ?? 100_000);
const ROUNDS = 40;
const FEW_ROUNDS = 5;

/** Name, address, and how many times as long as a ping it may take. Most of it is bytes: 500 albums are half a megabyte of JSON. */
const CALLS: [string, string, number, number?][] = [
  ...['random', 'newest', 'highest', 'frequent', 'recent', 'alphabeticalByName', 'alphabeticalByArtist', 'starred', 'byYear&fromYear=1990&toYear=2005', 'byGenre&genre=Jazz']
    .map((type): [string, string, number] => [`getAlbumList2 ${type.replace(/&.*/, '')}, 500`, `getAlbumList2?type=${type}&size=500`, 60]),
  ['search3, everything, first 500', 'search3?query=&songCount=500&albumCount=0&artistCount=0', 80],
  ['search3, everything, 500 from the middle', `search3?query=&songCount=500&songOffset=${TRACKS / 2}&albumCount=0&artistCount=0`, 80],
  ['search3, a word', 'search3?query=moon&songCount=20', 40],
  ['getArtists', 'getArtists', 3_000, FEW_ROUNDS],
  ['getAlbum', 'getAlbum?id=al-7', 10],
  ['getRandomSongs, 500', 'getRandomSongs?size=500', 80],
  ['getCoverArt, 300, cached', 'getCoverArt?id=al-7&size=300', 5],
];

export async function subsonicSuite(dir: string): Promise<Measure[]> {
  const dataDir = join(dir, 'subsonic');
  await (await startProduct(dataDir)).stop(); // the database and the account
  const client = new Database(join(dataDir, 'tonearm.db'));
  const userId = (client.prepare('SELECT min(id) AS id FROM users').get() as { id: number }).id;
  fillLibrary(client, { tracks: TRACKS, userId, likeEvents: TRACKS / 50, plays: TRACKS / 10 });
  client.close();

  const product = await startProduct(dataDir);
  await putCover(product);
  const credentials = await credentialsOf(product);
  const before = product.rss();
  const ping = await times(product, `ping?${credentials}`, ROUNDS);
  const measures: Measure[] = [];
  for (const [name, address, goal, rounds = ROUNDS] of CALLS) {
    const taken = await times(product, `${address}${address.includes('?') ? '&' : '?'}${credentials}`, rounds);
    console.error(`  ${name}: p50 ${taken.p50.toFixed(1)} ms, p99 ${taken.p99.toFixed(1)} ms, ${taken.bytes.toLocaleString('en')} bytes`);
    measures.push(measure({ suite: 'subsonic', name, unit: 'ms', product: taken.p50, bound: { name: 'ping', value: ping.p50 }, goal: { op: '<=', value: goal } }));
  }
  console.error(`  memory: ${before.toFixed(0)} MB before, ${product.rss().toFixed(0)} MB after`);
  await product.stop();
  return measures;
}

async function credentialsOf({ api }: Product): Promise<string> {
  const { username, password } = await api<{ username: string; password: string }>('/users/me/subsonic-password');
  const salt = 'c19b2d';
  return new URLSearchParams({ u: username, s: salt, t: createHash('md5').update(password + salt).digest('hex'), v: '1.16.1', c: 'bench', f: 'json' }).toString();
}

async function putCover({ url, token }: Product): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await sharp({ create: { width: 1_000, height: 1_000, channels: 3, background: '#357' } }).jpeg().toBuffer())]), 'cover.jpg');
  const response = await fetch(`${url}/api/v1/albums/7/cover`, { method: 'PUT', headers: { Authorization: `Bearer ${token}` }, body: form });
  if (!response.ok) throw new Error(`the cover was not taken: ${response.status} ${await response.text()}`);
}

async function times({ url }: Product, address: string, rounds: number): Promise<{ p50: number; p99: number; bytes: number }> {
  const taken: number[] = [];
  let bytes = 0;
  for (let round = -2; round < rounds; round++) {
    const started = performance.now();
    const response = await fetch(`${url}/rest/${address}`);
    const body = await response.arrayBuffer();
    if (round >= 0) taken.push(performance.now() - started);
    bytes = body.byteLength;
    if (response.status !== 200 || Buffer.from(body).toString('latin1', 0, 200).includes('"failed"')) throw new Error(`${address}: ${Buffer.from(body).toString('utf8', 0, 300)}`);
  }
  return { p50: median(taken), p99: taken.sort((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? Number.NaN, bytes };
}
