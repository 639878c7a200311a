import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { guardedFetch, guardedStream, type GuardedOptions } from '../../server/outbound/guarded-fetch.ts';
import type { OutboundErrorKind } from '../../server/outbound/outbound-error.ts';
import { holdLimit, type HeldLimit } from '../support/held-limit.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function serve(handler: RequestListener): Promise<URL> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

const limits = { timeoutMs: 600_001, stallMs: 600_002, maxBytes: 1_000_000 };
const heldLimits: HeldLimit[] = [];
afterEach(() => heldLimits.splice(0).forEach(({ release }) => release()));

function holdTestLimit(ms: number): HeldLimit {
  heldLimits.push(holdLimit(ms));
  return heldLimits[0] as HeldLimit;
}
const fetchGuarded = (base: URL, path = '/', options: Partial<GuardedOptions> = {}) =>
  guardedFetch(new URL(path, base), { base, ...limits, ...options });
const outboundError = (kind: OutboundErrorKind) =>
  expect.objectContaining({
    name: 'OutboundError',
    kind,
    message: expect.stringMatching(/^\S.*\S$/) as string,
  }) as Error;
const sendTo =
  (location: string | (() => string), status = 307): RequestListener =>
  (_req, res) =>
    void res
      .writeHead(status, { location: typeof location === 'string' ? location : location() })
      .end('See: elsewhere');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

it('a response of any status is returned whole, with its headers', async () => {
  const base = await serve((_req, res) => void res.writeHead(404, { 'x-note': ['a', 'b'] }).end('not here'));
  const { status, headers, bytes, url } = await fetchGuarded(base, '/x?y=1');
  expect({ status, note: headers.get('x-note'), body: text(bytes), url: url.href }).toEqual({
    status: 404,
    note: 'a, b',
    body: 'not here',
    url: `${base.href}x?y=1`,
  });
});

it('method, headers and body are sent unchanged', async () => {
  const base = await serve((req, res) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const chunk of req as AsyncIterable<Buffer>) parts.push(chunk);
      res.end(`${req.method} ${String(req.headers['x-key'])} ${Buffer.concat(parts).toString()}`);
    })();
  });
  const { bytes } = await fetchGuarded(base, '/', { method: 'POST', headers: { 'x-key': 'k' }, body: 'a=1' });
  expect(text(bytes)).toBe('POST k a=1');
});

it('redirects of the base to itself are followed, and more than five are not', async () => {
  const hops: RequestListener = (req, res) => {
    const remainingRedirects = Number(req.url?.slice(1));
    if (remainingRedirects === 0) res.end('there');
    else res.writeHead(302, { location: `/${remainingRedirects - 1}` }).end();
  };
  const base = await serve(hops);
  expect(text((await fetchGuarded(base, '/5')).bytes)).toBe('there');
  await expect(fetchGuarded(base, '/6')).rejects.toEqual(outboundError('redirects'));
  await expect(fetchGuarded(base, '/3', { maxRedirects: 2 })).rejects.toEqual(outboundError('redirects'));
});

it('a redirect into the own network is refused before anything connects, however the address is written', async () => {
  let visits = 0;
  const inner = await serve((_req, res) => {
    visits++;
    res.end('secret');
  });
  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '127.1',
    '0.0.0.0',
  ]) {
    const base = await serve(sendTo(`http://${host}:${inner.port}/`));
    await expect(fetchGuarded(base), host).rejects.toEqual(outboundError('private_address'));
  }
  expect(visits).toBe(0);
});

it('another host than the base is refused when it is private, also without a redirect', async () => {
  const inner = await serve((_req, res) => void res.end('secret'));
  await expect(guardedFetch(inner, { base: new URL('https://example.org/'), ...limits })).rejects.toEqual(
    outboundError('private_address'),
  );
});

it.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,x', 'javascript:1'])(
  'a redirect to %s is refused',
  async (location) => {
    await expect(fetchGuarded(await serve(sendTo(location)))).rejects.toEqual(outboundError('scheme'));
  },
);

it('a redirect to an invalid URL is refused', async () => {
  await expect(fetchGuarded(await serve(sendTo('http://[')))).rejects.toEqual(outboundError('redirects'));
});

it('a POST is not redirected', async () => {
  const base: URL = await serve((req, res) => (req.url === '/' ? sendTo('/there')(req, res) : res.end('there')));
  await expect(fetchGuarded(base, '/', { method: 'POST', body: 'key=1' })).rejects.toEqual(outboundError('redirects'));
});

it.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
] as const)('%s is decoded, and a bomb is stopped at the limit', async (encoding, pack) => {
  const base = await serve(
    (req, res) =>
      void res
        .writeHead(200, { 'content-encoding': encoding })
        .end(pack(req.url === '/bomb' ? Buffer.alloc(50_000_000) : Buffer.from('words'))),
  );
  expect(text((await fetchGuarded(base)).bytes)).toBe('words');
  await expect(fetchGuarded(base, '/bomb')).rejects.toEqual(outboundError('too_large'));
});

it('a damaged or unknown content encoding is an error', async () => {
  const base = await serve(
    (req, res) => void res.writeHead(200, { 'content-encoding': req.url === '/' ? 'gzip' : 'rot13' }).end('plain'),
  );
  await expect(fetchGuarded(base)).rejects.toEqual(outboundError('network'));
  await expect(fetchGuarded(base, '/x')).rejects.toEqual(outboundError('network'));
});

it('a body over the limit is aborted: with a length, without, endless', async () => {
  let isCut: () => void;
  const whenCut = new Promise<void>((resolve) => (isCut = resolve));
  const base = await serve((req, res) => {
    if (req.url === '/announced') return void res.writeHead(200, { 'content-length': 200_000_000 }).write('x');
    if (req.url === '/chunked') return void res.end(Buffer.alloc(1_000_001));
    res.on('close', () => isCut());
    pour(res);
  });
  for (const path of ['/announced', '/chunked', '/endless'])
    await expect(fetchGuarded(base, path), path).rejects.toEqual(outboundError('too_large'));
  await whenCut;
  const exact = await serve((_req, res) => void res.end(Buffer.alloc(1_000_000)));
  expect((await fetchGuarded(exact)).bytes).toHaveLength(1_000_000);
});

function pour(res: ServerResponse): void {
  while (!res.destroyed && res.write(Buffer.alloc(65_536)));
  if (!res.destroyed) res.once('drain', () => pour(res));
}

it('the whole exchange has a time limit: no response, a slow response, slow redirects', async () => {
  const limit = holdTestLimit(limits.timeoutMs);
  let signs = 0; // responses and pieces before the time limit ends
  const drip = (res: ServerResponse): void =>
    void (res.destroyed || res.write('x', () => (runOutAfter(20), setImmediate(drip, res))));
  const runOutAfter = (maxSigns: number): void => void (++signs === maxSigns && void limit.runOut());
  const base = await serve((req, res) => {
    if (req.url === '/never') runOutAfter(1);
    if (req.url === '/drip') drip(res);
    if (req.url !== '/loop') return;
    runOutAfter(20);
    res.writeHead(302, { location: '/loop' }).end();
  });
  for (const path of ['/never', '/drip', '/loop']) {
    signs = 0;
    await expect(fetchGuarded(base, path, { maxRedirects: 1_000 }), path).rejects.toEqual(outboundError('timeout'));
  }
  expect(limit.startedCount()).toBe(3);
});

it('a stream has an idle limit that does not count while nobody reads', async () => {
  const base = await serve((req, res) => {
    res.write(Buffer.alloc(200_000));
    if (req.url === '/whole') res.end('end');
  });
  const limit = holdTestLimit(limits.stallMs);
  const silentStream = await guardedStream(base, { base, ...limits });
  const expectation = expect(silentStream.body.toArray()).rejects.toEqual(outboundError('timeout'));
  await limit.runOut();
  await expectation;
  const { status, body } = await guardedStream(new URL('/whole', base), { base, ...limits });
  expect([status, limit.running()]).toEqual([200, 0]);
  expect(Buffer.concat((await body.toArray()) as Buffer[])).toHaveLength(200_003);
});

it('a stream that timed out before it is read fails when it is read', async () => {
  const connectionClosed = Promise.withResolvers<void>();
  const base = await serve((_req, res) => {
    res.on('close', () => connectionClosed.resolve());
    res.write('x');
  });
  const limit = holdTestLimit(limits.timeoutMs);
  const { body } = await guardedStream(base, { base, ...limits });
  await limit.runOut();
  await connectionClosed.promise;
  await expect(body.toArray()).rejects.toEqual(outboundError('timeout'));
});

it('destroying a stream closes the connection', async () => {
  const connectionClosed = Promise.withResolvers<void>();
  const base = await serve((_req, res) => {
    res.on('close', () => connectionClosed.resolve());
    pour(res);
  });
  const { body } = await guardedStream(base, { base, ...limits });
  body.destroy();
  await connectionClosed.promise;
});

it('the caller may abort, before and during the exchange', async () => {
  const caller = new AbortController();
  const base = await serve((_req, res) => {
    res.write('x');
    caller.abort(new Error('enough'));
  });
  await expect(fetchGuarded(base, '/', { signal: caller.signal })).rejects.toThrow('enough');
  await expect(fetchGuarded(base, '/', { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
});

it('a refused connection, a broken response and a response that is not HTTP are distinguished', async () => {
  const base = await serve((req: IncomingMessage, res) => {
    if (req.url === '/cut') res.writeHead(200, { 'content-length': 100 }).write('half', () => req.socket.destroy());
    else req.socket.end('SSH-2.0-x\r\n');
  });
  await expect(fetchGuarded(base, '/cut')).rejects.toEqual(outboundError('network'));
  await expect(fetchGuarded(base, '/ssh')).rejects.toEqual(outboundError('network'));
  closing.splice(0).forEach((close) => close());
  await expect(fetchGuarded(base)).rejects.toEqual(outboundError('refused'));
  await expect(fetchGuarded(new URL('http://nowhere.invalid/'))).rejects.toEqual(outboundError('network'));
});
