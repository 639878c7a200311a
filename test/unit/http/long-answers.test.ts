// Tests that long responses take turns.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { sendText } from '../../../server/http/streamed-lists.ts';
import { until } from '../../support/until.ts';

const CHUNK = 'x'.repeat(10_000);
/** More chunks than the system buffers for a caller that does not read. */
const CHUNK_COUNT = 2_000;

test('callers that do not read delay nobody, and every caller gets the whole response', async () => {
  const sentChunks = new Map<string, number>();
  async function* generateChunks(caller: string): AsyncGenerator<string> {
    for (let n = 1; n <= CHUNK_COUNT; n++) {
      sentChunks.set(caller, n);
      yield CHUNK;
    }
  }
  const server = createServer((req, res) => void sendText(res, generateChunks(req.url ?? '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stalledSockets = ['/a', '/b', '/c'].map((path) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));
    return socket.pause().on('error', () => undefined);
  });
  try {
    await until(() => ['/a', '/b', '/c'].every((path) => sentChunks.has(path)));
    const lengths = await Promise.all(
      ['/d', '/e', '/f'].map(async (path) => (await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).length),
    );
    expect(lengths).toEqual([1, 2, 3].map(() => CHUNK_COUNT * CHUNK.length));
    expect(Math.max(...['/a', '/b', '/c'].map((path) => sentChunks.get(path) ?? 0))).toBeLessThan(CHUNK_COUNT);
    for (const socket of stalledSockets) socket.resume();
    await until(() => ['/a', '/b', '/c'].every((path) => sentChunks.get(path) === CHUNK_COUNT));
  } finally {
    for (const socket of stalledSockets) socket.destroy();
    server.close();
  }
});

test('a caller that disconnects while the next chunk is generated ends the response', async () => {
  const state = { isDone: false, isEnded: false };
  const server = createServer((_req, res) => {
    async function* parts(): AsyncGenerator<string> {
      try {
        yield CHUNK.repeat(4);
        await once(res, 'close');
        for (let n = 0; n < 100; n++) yield CHUNK.repeat(4);
      } finally {
        state.isEnded = true;
      }
    }
    void sendText(res, parts()).then(() => (state.isDone = true));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
  socket.once('data', () => socket.destroy());
  await until(() => state.isDone);
  expect(state.isEnded).toBe(true);
  server.close();
});

test('a page does not wait for a long response', async () => {
  const release = Promise.withResolvers<void>();
  const waitingCallers = new Set<string>();
  async function* generateChunks(caller: string): AsyncGenerator<string> {
    for (let n = 0; n < 50; n++) yield CHUNK;
    waitingCallers.add(caller);
    await release.promise;
  }
  async function* page(): AsyncGenerator<string> {
    for (let n = 0; n < 10; n++) yield CHUNK;
  }
  const server = createServer(
    (req, res) => void sendText(res, req.url === '/page' ? page() : generateChunks(req.url ?? '')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetchText = async (path: string): Promise<string> => (await fetch(url + path)).text();
  const longTexts = ['/a', '/b'].map(fetchText);
  try {
    await until(() => waitingCallers.size === 2);
    expect(await fetchText('/page')).toBe(CHUNK.repeat(10));
  } finally {
    release.resolve();
    await Promise.all(longTexts);
    server.close();
  }
});
