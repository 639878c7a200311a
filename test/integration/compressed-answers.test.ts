// Lists of both APIs are compressed for clients that accept gzip. Bytes, and answers that give access, are not.
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPhone, type Phone } from '../support/phone.ts';
import { request } from 'node:http';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openMigrated } from '../support/temp-database.ts';

let server: TestServer;
let phone: Phone;

beforeAll(async () => {
  server = await startServer();
  const db = openMigrated(join(server.dir, 'tonearm.db'));
  makeSampleLibrary(db, { artists: 20, albums: 25, tracks: 130 }, 4);
  db.$client.close();
  phone = await openPhone(server);
});
afterAll(() => server.close());

interface Sent {
  status: number;
  encoding: string | undefined;
  vary: string | undefined;
  text: string;
}

/** Requests an address as a client that decodes nothing by itself. */
const ask = (address: string, acceptedEncoding: string): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const headers = { 'Accept-Encoding': acceptedEncoding, Authorization: `Bearer ${server.token}` };
    request(address, { headers }, (res) => {
      const chunks: Buffer[] = [];
      res
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const { 'content-encoding': encoding, vary } = res.headers;
          const bytes = Buffer.concat(chunks);
          const text = (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
          resolve({ status: res.statusCode ?? 0, encoding, vary, text });
        });
    })
      .on('error', reject)
      .end();
  });
const ALL_SONGS = { query: '', songCount: 500, albumCount: 0, artistCount: 0 };

test.each([
  ['a list of the API', () => `${server.url}/api/v1/tracks?limit=200`],
  ['the description of the API', () => `${server.url}/api/v1/openapi.json`],
  ['a Subsonic list as XML', () => phone.address('search3', ALL_SONGS)],
  ['a Subsonic list as JSON', () => phone.address('search3', { ...ALL_SONGS, f: 'json' })],
  ['a Subsonic list as JSONP', () => phone.address('search3', { ...ALL_SONGS, f: 'jsonp', callback: 'show' })],
  ['a single answer', () => phone.address('getAlbum', { id: 'al-1', f: 'json' })],
])('%s has the same text with gzip', async (_name, addressOf) => {
  const [plain, compressed] = [await ask(addressOf(), ''), await ask(addressOf(), 'br;q=1, gzip;q=0.8')];
  expect([plain.status, plain.encoding, plain.vary]).toEqual([200, undefined, 'Accept-Encoding']);
  expect([compressed.status, compressed.encoding, compressed.vary]).toEqual([200, 'gzip', 'Accept-Encoding']);
  expect(compressed.text).toBe(plain.text);
});

test('a Subsonic error is sent as it is', async () => {
  const { text, encoding } = await ask(phone.address('getAlbum', { id: 'al-999', f: 'json' }), 'gzip');
  expect([JSON.parse(text)['subsonic-response'].status, encoding]).toEqual(['failed', undefined]);
});

test('links that give access are not compressed', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `tr-${n + 1}`);
  const creation = await ask(phone.address('createShare', { id: ids, f: 'json' }), 'gzip');
  const list = await ask(phone.address('getShares', { f: 'json' }), 'gzip');
  for (const { text, encoding } of [creation, list]) {
    expect(encoding).toBeUndefined();
    expect(text.length).toBeGreaterThan(1_024);
    expect(text).toMatch(/\/share\/[\w-]{10,}/);
  }
  const content = await ask(`${/http[^"]+\/share\/[\w-]+/.exec(list.text)?.[0]}/content`, 'gzip');
  expect([content.status, content.encoding]).toEqual([200, undefined]);
  expect(content.text.length).toBeGreaterThan(1_024);
});

test.each([
  ['a picture', () => phone.address('getCoverArt', { id: 'al-1' })],
  [
    'a playlist file',
    async () => {
      const body = { name: 'Long', track_ids: Array.from({ length: 100 }, (_, n) => n + 1) };
      const { body: playlist } = await server.api<{ id: number }>('/playlists', { method: 'POST', body });
      return `${server.url}/api/v1/playlists/${playlist.id}/export.m3u8`;
    },
  ],
])('%s is sent as it is', async (_name, addressOf) => {
  const { status, encoding } = await ask(await addressOf(), 'gzip');
  expect([status, encoding]).toEqual([200, undefined]);
});
