// Tests which connections are closed, and when, with real sockets and a clock that the test moves.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { CONNECTION_LIMITS, createConnections, type ConnectionLimits } from '../../../server/lan/connections.ts';
import { turns, until } from '../../support/until.ts';

const LARGE_BYTES = 30 << 20;
let openedServer: { server: Server; sockets: Socket[]; end: () => void } | undefined;
afterEach(async () => {
  for (const socket of openedServer?.sockets ?? []) socket.destroy();
  openedServer?.server.closeAllConnections();
  await new Promise((resolve) => openedServer?.server.close(resolve));
  openedServer?.end();
});

interface Caller {
  socket: Socket;
  text: () => string;
  isClosed: () => boolean;
}

async function open(limits: Partial<ConnectionLimits> = {}, isProxy: () => boolean = () => false) {
  const clock = { now: 0 };
  const receivedRequests: IncomingMessage[] = [];
  let parsedCount = 0;
  let runningRequests = 0;
  let maxRunning = 0;
  const connections = createConnections({ limits: { checkMs: 5, ...limits }, isProxy, now: () => clock.now });
  const server = createServer(
    { headersTimeout: limits.headMs ?? 20_000, connectionsCheckingInterval: 20 },
    connections.inTurn((req, res) => {
      receivedRequests.push(req);
      maxRunning = Math.max(maxRunning, ++runningRequests);
      res.once('close', () => runningRequests--);
      if (req.url === '/audio' || req.url === '/list') {
        res.setHeader('Content-Type', req.url === '/audio' ? 'audio/flac' : 'application/json');
        return void res.end(Buffer.alloc(LARGE_BYTES));
      }
      if (req.url === '/early') return void res.end('early;');
      let size = 0;
      req
        .on('data', (chunk: Buffer) => void (size += chunk.length))
        .on('end', () => setImmediate(() => res.end(`${req.url} ${size};`)));
    }),
  );
  connections.watch(server);
  server.on('request', () => parsedCount++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets: Socket[] = [];
  openedServer = { server, sockets, end: connections.end };
  const { port } = server.address() as AddressInfo;

  async function call(text: string, { reads = true } = {}): Promise<Caller> {
    let [receivedText, isClosed] = ['', false];
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined).on('close', () => (isClosed = true));
    if (reads) socket.on('data', (chunk) => void (receivedText += chunk.toString('latin1')));
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(text);
    return { socket, text: () => receivedText, isClosed: () => isClosed };
  }
  /** Waits until a check has run: sends a body that stalls, which the next check ends. */
  async function waitForCheck(): Promise<void> {
    const witnessCaller = await call('POST /witness HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx');
    await until(() => receivedRequests.some(({ url, destroyed }) => url === '/witness' && !destroyed));
    const previousNow = clock.now;
    clock.now += CONNECTION_LIMITS.stallMs + 1;
    await until(witnessCaller.isClosed);
    clock.now = previousNow;
  }
  return {
    clock,
    asked: receivedRequests,
    parsed: () => parsedCount,
    call,
    checked: waitForCheck,
    most: () => maxRunning,
    port,
  };
}

const REQUEST_HEAD = 'HTTP/1.1\r\nHost: a\r\n';

test('a head that never ends and a connection that sends nothing are answered with 408 and closed', async () => {
  const { call } = await open({ headMs: 50 });
  const [halfHead, silentCaller] = [await call('GET / HTTP/1.1\r\nHost: a\r\nX-Half:'), await call('')];
  await until(() => halfHead.isClosed() && silentCaller.isClosed());
  expect(halfHead.text()).toMatch(/^HTTP\/1\.1 408 .*application\/problem\+json.*"status":408/s);
});

test('a body that stalls is answered with 408 and closed', async () => {
  const { call, clock, asked: requests } = await open();
  const { text, isClosed } = await call(`POST / ${REQUEST_HEAD}Content-Length: 100\r\n\r\nhalf`);
  await until(() => requests.length === 1);
  clock.now += CONNECTION_LIMITS.stallMs + 1;
  await until(isClosed);
  expect(text()).toMatch(/^HTTP\/1\.1 408 .*"status":408/s);
});

test('a body that comes at 1 kB/s lives for an hour', async () => {
  const { call, clock, asked: requests } = await open({ checkMs: 1 });
  const chunk = Buffer.alloc(60_000);
  const { socket, text, isClosed } = await call(
    `POST /slow ${REQUEST_HEAD}Content-Length: ${60 * chunk.length}\r\n\r\n`,
  );
  await until(() => requests.length === 1);
  for (let minute = 1; minute <= 60; minute++) {
    socket.write(chunk);
    await until(() => (requests[0]?.socket.bytesRead ?? 0) >= minute * chunk.length);
    clock.now += CONNECTION_LIMITS.stallMs;
    await turns(10);
  }
  await until(
    () => [text(), isClosed(), requests[0]?.socket.bytesRead],
    ([line]) => String(line).includes('/slow'),
  );
  expect(text()).toContain('/slow 3600000;');
});

test('a list that is not read is cut off; audio may stall for half an hour, and no longer', async () => {
  const { call, clock, asked: requests, checked } = await open();
  const listCaller = await call(`GET /list ${REQUEST_HEAD}\r\n`, { reads: false });
  const audio = await call(`GET /audio ${REQUEST_HEAD}\r\n`, { reads: false });
  await until(() => requests.length === 2);
  await checked();
  clock.now += CONNECTION_LIMITS.pauseMs - 1_000;
  await checked();
  expect(audio.isClosed()).toBe(false);
  clock.now += 60_000;
  await until(() => requests.slice(0, 2).every(({ socket }) => socket.destroyed));
  expect(listCaller.socket.destroyed).toBe(false); // the system reports the close when the socket is read
});

test('when an address has all its connections, idle ones are closed for new ones, busy ones are not', async () => {
  const { call, asked: requests } = await open({ perAddress: 10 });
  const busyCaller = await call(`GET /audio ${REQUEST_HEAD}\r\n`, { reads: false });
  await until(() => requests.length === 1);
  const stalledCallers: Caller[] = [];
  for (let n = 0; n < 30; n++) stalledCallers.push(await call('GET / HTTP/1.1\r\nX-Half:'));
  const phone = await call(`GET /phone ${REQUEST_HEAD}\r\n`);
  await until(() => phone.text().includes('/phone 0;'));
  await until(() => stalledCallers.filter(({ isClosed }) => isClosed()).length >= 21);
  expect(busyCaller.isClosed()).toBe(false);
});

test('when all connections of an address are busy, another one is refused, except through a trusted proxy', async () => {
  for (const [isProxy, isAccepted] of [
    [false, false],
    [true, true],
  ] as const) {
    const { call, asked: requests } = await open({ perAddress: 3 }, () => isProxy);
    for (let n = 0; n < 3; n++) await call(`GET /audio ${REQUEST_HEAD}\r\n`, { reads: false });
    await until(() => requests.length === 3);
    const fourth = await call(`GET /phone ${REQUEST_HEAD}\r\n`);
    await until(() => (isAccepted ? fourth.text().includes('/phone') : fourth.isClosed()));
    for (const socket of openedServer?.sockets ?? []) socket.destroy();
    openedServer?.server.closeAllConnections();
    openedServer?.end();
  }
});

test('requests that come in one piece are answered one after the other, in their order', async () => {
  const { call, most: maxConcurrent } = await open();
  const { text } = await call(Array.from({ length: 50 }, (_, n) => `GET /${n} ${REQUEST_HEAD}\r\n`).join(''));
  await until(() => text().includes('/49 0;'));
  expect([...text().matchAll(/\/(\d+) 0;/g)].map(([, n]) => Number(n))).toEqual(
    Array.from({ length: 50 }, (_, n) => n),
  );
  expect(maxConcurrent()).toBe(1);
});

test('a request that comes together with the rest of a body that was answered early is answered', async () => {
  const { call } = await open();
  const { socket, text } = await call(`POST /early ${REQUEST_HEAD}Content-Length: 10\r\n\r\n12345`);
  await until(() => text().includes('early;'));
  socket.write(`67890GET /first ${REQUEST_HEAD}\r\nGET /second ${REQUEST_HEAD}\r\n`);
  await until(() => text().includes('/second 0;'));
  expect(text()).toMatch(/early;.*\/first 0;.*\/second 0;$/s);
});

test('more requests in one piece than anybody needs end the connection', async () => {
  const { call, asked: requests, parsed } = await open();
  const { isClosed } = await call(`GET / ${REQUEST_HEAD}\r\n`.repeat(2_000));
  await until(isClosed);
  expect(requests.length).toBeLessThan(10);
  expect(parsed()).toBeLessThan(2 * CONNECTION_LIMITS.pipelined); // the rest of the data is not read
});

test.each([
  ['what is no HTTP', 'hello\r\n\r\n', 400],
  ['a broken length', `POST / ${REQUEST_HEAD}Content-Length: x\r\n\r\n`, 400],
  ['two lengths', `POST / ${REQUEST_HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
  ['a head without end', `GET / ${REQUEST_HEAD}X: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
])('%s is a problem', async (_title, text, status) => {
  const { call } = await open();
  const answer = await call(text);
  await until(answer.isClosed);
  expect(answer.text()).toMatch(
    new RegExp(`^HTTP/1.1 ${status} .*Content-Type: application/problem\\+json.*"status":${status}`, 's'),
  );
});
