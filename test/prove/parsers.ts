// Files of 300 MB that try to exhaust their parser, through every import, one after the other on one server: each is
// rejected without an effect on the server's memory or the latency of /health.
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchHealth } from '../bench/health.ts';
import { startProduct, type Product } from '../bench/product.ts';
import { makeLibrary } from '../support/library.ts';

const BODY_BYTES = 300 << 20;
const CHUNK_BYTES = 1 << 16;
const MOST_MEMORY_MB = 50;
const MOST_HEALTH_MS = 100;
const LOOK_EVERY_MS = 10;
const HEALTH_EVERY_MS = 20;
/** The memory that a refused import leaves is measured after this time. */
const REST_MS = 3_000;

interface Content {
  start: Buffer;
  /** Text that is repeated to the end. */
  repeatedText: string;
}

const text = (start: string, repeatedText: string): Content => ({ start: Buffer.from(start), repeatedText });
/** The head of an ID3 tag that declares one text of 255 MB. */
const ID3 = Buffer.concat([Buffer.from('ID3\u0004\0\0'), size(255 << 20), Buffer.from('TIT2'), size(254 << 20)]);
/** The stream announces blocks of comments of 8 MB, one after the other. */
const FLAC_HEADER = Buffer.concat([Buffer.from('fLaC'), Buffer.from([0, 0, 0, 34]), Buffer.alloc(34)]);

const HOSTILE_CONTENTS: Record<string, Content> = {
  brackets: text('', '['),
  'brackets of plays': text('{"listens":', '[{"a":'),
  cells: text('', 'a,'),
  'one line': text('', 'x'),
  'one quoted cell': text('artist,title,date\n"', 'a\n'),
  'one XML tag': text('<?xml version="1.0"?>\n<playlist><track ', 'a'),
  'nested elements': text('<playlist>', '<track>'),
  'short lines': text('#EXTM3U\n', 'a\n'),
  'one ID3 tag': { start: ID3, repeatedText: 'a' },
  'FLAC comments': { start: FLAC_HEADER, repeatedText: '\u0004\u007F\u007F\u007F' },
};

/** Encodes a size as ID3 does: four bytes of seven bits each. */
function size(bytes: number): Buffer {
  return Buffer.from([bytes >> 21, bytes >> 14, bytes >> 7, bytes].map((byte) => byte & 127));
}

interface Import {
  method: 'POST' | 'PUT';
  path: string;
  /** Field of the multipart form; undefined if the body is JSON. */
  field?: string;
  file?: string;
  contents: readonly string[];
}

const CONTENT_NAMES = Object.keys(HOSTILE_CONTENTS);
const importsOf = (track: number, album: number): Import[] => [
  { method: 'POST', path: '/history/import', field: 'file', file: 'history.json', contents: CONTENT_NAMES },
  { method: 'POST', path: '/playlists/import', field: 'file', file: 'list.m3u8', contents: CONTENT_NAMES },
  { method: 'PUT', path: `/albums/${album}/cover`, field: 'file', file: 'cover.jpg', contents: ['one line'] },
  { method: 'POST', path: '/tracks/upload', field: 'files', file: 'song.mp3', contents: ['one line', 'one ID3 tag'] },
  { method: 'POST', path: '/tracks/upload', field: 'files', file: 'song.flac', contents: ['FLAC comments'] },
  { method: 'POST', path: '/tracks/upload', field: 'files', file: 'song.cue', contents: ['one line', 'short lines'] },
  { method: 'PUT', path: `/tracks/${track}/lyrics`, contents: ['brackets', 'one line'] },
  { method: 'POST', path: '/playlists', contents: ['brackets'] },
];

/**
 * Sends the whole content, or as much as the server accepts. Resolves to the status, or 0 if the server ended the
 * connection.
 */
async function send(
  { url, token }: Product,
  { method, path, field, file }: Import,
  content: Content,
  bytes = BODY_BYTES,
): Promise<number> {
  const boundary = 'b0undary';
  const [head, tail] =
    field === undefined
      ? ['', '']
      : [
          `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${file}"\r\n` +
            'Content-Type: application/octet-stream\r\n\r\n',
          `\r\n--${boundary}--\r\n`,
        ];
  const outgoing = request(`${url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': field === undefined ? 'application/json' : `multipart/form-data; boundary=${boundary}`,
      'Content-Length': Buffer.byteLength(head) + bytes + tail.length,
    },
  });
  let isDone = false;
  const answerStatus = new Promise<number>((resolve) => {
    outgoing.once('response', (answer) => {
      isDone = true;
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.once('error', () => {
      isDone = true;
      resolve(0);
    });
  });
  const chunk = Buffer.from(content.repeatedText.repeat(Math.ceil(CHUNK_BYTES / content.repeatedText.length)));
  outgoing.write(head);
  outgoing.write(content.start);
  for (let remainingBytes = bytes - content.start.length; remainingBytes > 0 && !isDone; remainingBytes -= chunk.length)
    if (!outgoing.write(chunk.subarray(0, Math.min(remainingBytes, chunk.length))))
      await Promise.race([new Promise((resolve) => outgoing.once('drain', resolve)), answerStatus]);
  if (!isDone) outgoing.end(tail);
  const status = await answerStatus;
  outgoing.destroy();
  return status;
}

/** Waits for the jobs of accepted imports. */
async function untilIdle({ api }: Product): Promise<void> {
  for (;;) {
    const { items } = await api<{ items: { status: string }[] }>('/jobs?limit=50');
    if (items.every(({ status }) => !['queued', 'running'].includes(status))) return;
    await sleep(LOOK_EVERY_MS);
  }
}

export async function proveParsers(): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'tonearm-parsers-'));
  const music = makeLibrary({ tracks: 8, seed: '1' }, join(dir, 'music')).dir;
  const product = await startProduct(join(dir, 'data'), { LOCAL_MEDIA_IMPORT_PATH: music });
  const faults: string[] = [];
  try {
    await product.scan();
    const { items } = await product.api<{ items: { id: number; album_id: number }[] }>('/tracks?limit=1');
    const imports = importsOf(items[0]?.id ?? 0, items[0]?.album_id ?? 0);
    // sends a little to each import first, so that its code is loaded
    for (const importer of imports) await send(product, importer, HOSTILE_CONTENTS['one line'] as Content, CHUNK_BYTES);
    await untilIdle(product);
    await sleep(REST_MS);
    const restingRss = product.rss();
    for (const importer of imports)
      for (const name of importer.contents) {
        const health = await watchHealth(product.url, HEALTH_EVERY_MS);
        let maxRss = 0;
        const rssTimer = setInterval(() => (maxRss = Math.max(maxRss, product.rss())), LOOK_EVERY_MS);
        const began = performance.now();
        const status = await send(product, importer, HOSTILE_CONTENTS[name] as Content);
        await untilIdle(product);
        const ms = performance.now() - began;
        clearInterval(rssTimer);
        const { max } = await health.stop();
        const extra = maxRss - restingRss;
        const line =
          `${importer.method} ${importer.path} ${importer.file ?? ''} of ${name}: ${status}, ${(ms / 1_000).toFixed(1)} s, ` +
          `${extra.toFixed(0)} MB above rest, /health at most ${max.toFixed(0)} ms`;
        console.log(line);
        if (extra > MOST_MEMORY_MB || max > MOST_HEALTH_MS || status >= 500) faults.push(line);
        await sleep(REST_MS);
      }
    console.log(`at rest ${restingRss.toFixed(0)} MB before and ${product.rss().toFixed(0)} MB after`);
  } finally {
    await product.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  for (const fault of faults) console.log(`FAULT ${fault}`);
  return faults.length === 0;
}
