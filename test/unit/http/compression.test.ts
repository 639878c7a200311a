import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptsGzip } from '../../../server/http/compression.ts';
import { route } from '../../../server/http/route.ts';
import { Pieces, sendText } from '../../../server/http/streamed-lists.ts';
import { until } from '../../support/until.ts';
import { openBareApp, type BareApp } from './bare-app.ts';

describe('an Accept-Encoding', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['GZip', true],
    ['x-gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['deflate;q=0.5 , gzip ; q=0.001', true],
    ['*', true],
    ['*;q=0.1', true],
    ['identity, *;q=0', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000, *', false],
    ['br, zstd', false],
    ['identity', false],
    ['identity;q=0.5, gzip', true],
    ['identity;q=0, gzip;q=0.2', true],
    ['identity, gzip;q=0.5', false],
    ['gzip;q=2', false],
    ['gzip;q=', false],
    ['gzip;level=9', false],
    ['gzip;q=1;q=1', false],
    ['gzipped', false],
  ])('%j allows gzip: %s', (header, isAllowed) => {
    expect(acceptsGzip(header)).toBe(isAllowed);
  });
});

const ListOut = z.array(z.object({ n: z.int(), title: z.string() }));
const ITEM_COUNT = 5_000;
const itemsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ n: start + i, title: `The title of item ${start + i}` }));
function* partsUntil(end: number): Generator<ReturnType<typeof itemsFrom>> {
  for (let start = 0; start < end; start += 100) yield itemsFrom(start, 100);
}
function* partsWithError(end: number): Generator<ReturnType<typeof itemsFrom>> {
  yield* partsUntil(end);
  throw new Error('the disk is gone');
}

const routes = [
  route(
    { method: 'get', path: '/long', access: 'public', summary: 'a long list', reply: ListOut },
    () => new Pieces(partsUntil(ITEM_COUNT)),
  ),
  route({ method: 'get', path: '/page', access: 'public', summary: 'a page', reply: ListOut }, () => itemsFrom(0, 50)),
  route({ method: 'get', path: '/tiny', access: 'public', summary: 'a short list', reply: ListOut }, () =>
    itemsFrom(0, 3),
  ),
  route({ method: 'get', path: '/secret', access: 'public', summary: 'a secret', reply: ListOut, secret: true }, () =>
    itemsFrom(0, 50),
  ),
  route(
    { method: 'get', path: '/breaks-early', access: 'public', summary: 'fails before it sends', reply: ListOut },
    () => new Pieces(partsWithError(800)),
  ),
  route(
    { method: 'get', path: '/breaks-late', access: 'public', summary: 'fails after it sent', reply: ListOut },
    () => new Pieces(partsWithError(100_000)),
  ),
];

interface RawAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  isComplete: boolean;
}

/** Sends a request without the decoding and the headers that `fetch` adds. */
const ask = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    request(url, { headers, method }, (res) => {
      const chunks: Buffer[] = [];
      res
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', () => undefined)
        .on('close', () =>
          resolve({
            status: res.statusCode ?? 0,
            headers: res.headers,
            bytes: Buffer.concat(chunks),
            isComplete: res.complete,
          }),
        );
    })
      .on('error', reject)
      .end();
  });
const GZIP = { 'Accept-Encoding': 'gzip' };

describe('a response', () => {
  let app: BareApp;
  beforeAll(async () => {
    app = await openBareApp(routes, { checkReplies: false });
  });
  afterAll(() => app.close());

  it.each([
    ['/long', ITEM_COUNT],
    ['/page', 50],
  ])('of %s is compressed for a client that accepts gzip, and has the same text', async (path, count) => {
    const [plain, gzipped] = [await ask(app.url + path), await ask(app.url + path, GZIP)];
    expect([plain.headers['content-encoding'], gzipped.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect([plain.headers.vary, gzipped.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
    expect(gunzipSync(gzipped.bytes).equals(plain.bytes)).toBe(true);
    expect(JSON.parse(plain.bytes.toString())).toHaveLength(count);
    expect(gzipped.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(gzipped.isComplete).toBe(true);
  });

  it('below 1 kB is sent as it is, and says that it could have been compressed', async () => {
    const { headers, bytes } = await ask(`${app.url}/tiny`, GZIP);
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    expect(JSON.parse(bytes.toString())).toHaveLength(3);
  });

  it('with a secret is neither compressed nor stored by caches', async () => {
    const { headers, bytes } = await ask(`${app.url}/secret`, GZIP);
    expect([headers['content-encoding'], headers.vary, headers['cache-control']]).toEqual([
      undefined,
      undefined,
      'no-store',
    ]);
    expect(JSON.parse(bytes.toString())).toHaveLength(50);
  });

  it.each(['/long', '/page'])('to HEAD of %s has no body and no encoding', async (path) => {
    const { status, headers, bytes } = await ask(app.url + path, GZIP, 'HEAD');
    expect([status, headers['content-encoding'], headers.vary, bytes.length]).toEqual([
      200,
      undefined,
      'Accept-Encoding',
      0,
    ]);
  });

  it('that fails before anything is sent is an error in plain text', async () => {
    const { status, headers, bytes } = await ask(`${app.url}/breaks-early`, GZIP);
    expect([status, headers['content-encoding'], headers['content-type']]).toEqual([
      500,
      undefined,
      'application/problem+json',
    ]);
    expect(JSON.parse(bytes.toString())).toMatchObject({ status: 500 });
  });

  it('that fails in the middle does not look complete', async () => {
    const { status, bytes, isComplete } = await ask(`${app.url}/breaks-late`, GZIP);
    expect([status, isComplete]).toEqual([200, false]);
    expect(bytes.length).toBeGreaterThan(0);
    expect(() => gunzipSync(bytes)).toThrow('unexpected end of file');
  });
});

/** Text that gzip cannot make much smaller. */
const RANDOM_TEXT = Buffer.from(crypto.getRandomValues(new Uint8Array(30_000))).toString('hex');
/** More than the system buffers for a caller that does not read. */
const CHUNK_COUNT = 300;

describe('a compressed list', () => {
  it('is read no further than the client takes it, and is complete when the client goes on', async () => {
    let sentCount = 0;
    async function* parts(): AsyncGenerator<string> {
      for (; sentCount < CHUNK_COUNT; sentCount++) yield RANDOM_TEXT;
    }
    const server = createServer((_req, res) => void sendText(res, parts()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await new Promise<IncomingMessage>((resolve) => request({ port, headers: GZIP }, resolve).end());
    try {
      let previousCount = 0;
      const hasStopped = (count: number): boolean => count > 0 && count === [previousCount, (previousCount = count)][0];
      await until(() => sentCount, hasStopped, { everyMs: 200 });
      expect(sentCount).toBeLessThan(CHUNK_COUNT);
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      expect(gunzipSync(Buffer.concat(chunks)).length).toBe(CHUNK_COUNT * RANDOM_TEXT.length);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('is not read further when the client disconnects', async () => {
    const state = { sentCount: 0, isEnded: false, isDone: false };
    async function* parts(): AsyncGenerator<string> {
      try {
        for (; state.sentCount < CHUNK_COUNT; state.sentCount++) yield RANDOM_TEXT;
      } finally {
        state.isEnded = true;
      }
    }
    const server = createServer((_req, res) => void sendText(res, parts()).then(() => (state.isDone = true)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n'),
    );
    try {
      socket.once('data', () => socket.destroy());
      await until(() => state.isDone);
      expect(state.isEnded).toBe(true);
      expect(state.sentCount).toBeLessThan(CHUNK_COUNT);
    } finally {
      server.close();
    }
  });
});
