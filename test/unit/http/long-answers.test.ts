// Long answers take turns.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { sendText } from '../../../server/http/streamed-lists.ts';
import { until } from '../../support/until.ts';

const PART = 'x'.repeat(10_000);
/** More than the system keeps for somebody who does not read. */
const PARTS = 2_000;

test('callers who take nothing keep nobody waiting, and all get everything', async () => {
  const sent = new Map<string, number>();
  async function* parts(who: string): AsyncGenerator<string> {
    for (let n = 1; n <= PARTS; n++) {
      sent.set(who, n);
      yield PART;
    }
  }
  const server = createServer((req, res) => void sendText(res, parts(req.url ?? '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stalled = ['/a', '/b', '/c'].map((path) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));
    return socket.pause().on('error', () => undefined);
  });
  try {
    await until(() => ['/a', '/b', '/c'].every((path) => sent.has(path)));
    const taken = await Promise.all(
      ['/d', '/e', '/f'].map(async (path) => (await (await fetch(`http://127.0.0.1:${port}${path}`)).text()).length),
    );
    expect(taken).toEqual([1, 2, 3].map(() => PARTS * PART.length));
    expect(Math.max(...['/a', '/b', '/c'].map((path) => sent.get(path) ?? 0))).toBeLessThan(PARTS);
    for (const socket of stalled) socket.resume();
    await until(() => ['/a', '/b', '/c'].every((path) => sent.get(path) === PARTS));
  } finally {
    for (const socket of stalled) socket.destroy();
    server.close();
  }
});

test('a caller who goes while the next part is read ends the answer', async () => {
  const state = { isDone: false, isEnded: false };
  const server = createServer((_req, res) => {
    async function* parts(): AsyncGenerator<string> {
      try {
        yield PART.repeat(4);
        await once(res, 'close');
        for (let n = 0; n < 100; n++) yield PART.repeat(4);
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

test('a page waits for no long answer', async () => {
  const rest = Promise.withResolvers<void>();
  const waiting = new Set<string>();
  async function* parts(who: string): AsyncGenerator<string> {
    for (let n = 0; n < 50; n++) yield PART;
    waiting.add(who);
    await rest.promise;
  }
  async function* page(): AsyncGenerator<string> {
    for (let n = 0; n < 10; n++) yield PART;
  }
  const server = createServer((req, res) => void sendText(res, req.url === '/page' ? page() : parts(req.url ?? '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const textOf = async (path: string): Promise<string> => (await fetch(url + path)).text();
  const long = ['/a', '/b'].map(textOf);
  try {
    await until(() => waiting.size === 2);
    expect(await textOf('/page')).toBe(PART.repeat(10));
  } finally {
    rest.resolve();
    await Promise.all(long);
    server.close();
  }
});
