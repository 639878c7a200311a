// An HTTP proxy in front of an object store that causes faults on request. It forwards the Host header, so that
// signatures stay valid.
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A request, and its number among requests of its kind. */
export interface ProxyAsk {
  method: string;
  isList: boolean;
  /** Whether the request has a checksum of the object's content. */
  hasChecksum: boolean;
  /** The URL's path and query. */
  url: string;
  nth: number;
}

export type ProxyFault =
  | 'refuse' // the connection ends without a response
  | 'cut request' // the connection ends in the middle of the request
  | 'cut answer'
  | 'lost answer' // the connection ends after the store has processed the request
  | 'slow'
  | 'other etag'
  | 'old list' // repeats the first response to the same list
  | { status: number; code: string; date?: Date };

export interface FaultProxy {
  url: string;
  requests: number;
  /** Bytes of request bodies that were sent to the store. */
  bytesSent: number;
  /** Number of requests with a fault. */
  broken: number;
  fault: (ask: ProxyAsk) => ProxyFault | undefined;
  close(): Promise<void>;
}

const SLOW_MS = 40;
const CHECKSUM = /^x-amz-(?:checksum-|sdk-checksum|trailer)/;

export async function startFaultProxy(endpoint: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const lists = new Map<string, { status: number; body: Buffer }>();
  const proxy: FaultProxy = { url: '', requests: 0, bytesSent: 0, broken: 0, fault: () => undefined, close };

  const server = createServer((req, res) => {
    const { method = 'GET', url = '/' } = req;
    const isList = method === 'GET' && url.includes('list-type=2');
    const hasChecksum = Object.keys(req.headers).some((name) => CHECKSUM.test(name));
    const fault = proxy.fault({ method, isList, hasChecksum, url, nth: ++proxy.requests });
    if (fault !== undefined) proxy.broken++;
    req.on('error', () => undefined);
    req.on('data', (chunk: Buffer) => (proxy.bytesSent += chunk.length));
    res.on('error', () => undefined);
    if (fault === 'refuse') return void req.socket.destroy();
    if (typeof fault === 'object') return answer(req, res, fault);
    const oldList = isList && fault === 'old list' ? lists.get(listKey(url)) : undefined;
    if (oldList) return void res.writeHead(oldList.status, { 'content-type': 'application/xml' }).end(oldList.body);
    const upstreamRequest = request({ hostname, port, method, path: url, headers: req.headers, agent });
    upstreamRequest.on('error', () => req.socket.destroy());
    upstreamRequest.on('response', (reply) => void pass(req, res, reply, fault, isList ? listKey(url) : undefined));
    if (fault === 'cut request') {
      const length = Number(req.headers['content-length'] ?? 0);
      let passedBytes = 0;
      req.on('data', (chunk: Buffer) => {
        const part = chunk.subarray(0, Math.max(0, Math.floor(length / 2) - passedBytes));
        passedBytes += chunk.length;
        upstreamRequest.write(part);
        if (passedBytes * 2 < length) return;
        upstreamRequest.destroy();
        req.socket.destroy();
      });
      req.on('end', () => req.socket.destroy());
    } else req.pipe(upstreamRequest);
  });

  async function pass(
    req: IncomingMessage,
    res: ServerResponse,
    reply: IncomingMessage,
    fault: ProxyFault | undefined,
    list: string | undefined,
  ): Promise<void> {
    if (fault === 'lost answer') {
      reply.resume().on('end', () => req.socket.destroy());
      return;
    }
    const headers = { ...reply.headers, ...(fault === 'other etag' && reply.headers.etag && { etag: '"lie"' }) };
    res.writeHead(reply.statusCode ?? 502, headers);
    const length = Number(reply.headers['content-length'] ?? 0);
    const pieces: Buffer[] = [];
    let passedBytes = 0;
    reply.on('error', () => req.socket.destroy());
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      if (list !== undefined && !lists.has(list)) pieces.push(chunk);
      if (fault === 'cut answer' && (passedBytes + chunk.length) * 2 >= length) {
        res.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => req.socket.destroy());
        return;
      }
      passedBytes += chunk.length;
      if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      if (!res.write(chunk)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
    }
    if (list !== undefined && !lists.has(list))
      lists.set(list, { status: reply.statusCode ?? 502, body: Buffer.concat(pieces) });
    res.end();
  }

  async function close(): Promise<void> {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

const listKey = (url: string): string => new URL(url, 'http://store').searchParams.get('prefix') ?? '';

function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { status, code, date }: { status: number; code: string; date?: Date },
): void {
  req.resume();
  res.sendDate = false;
  res.writeHead(status, { 'content-type': 'application/xml', date: (date ?? new Date()).toUTCString() });
  res.end(
    req.method === 'HEAD' ? undefined : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>x</Message></Error>`,
  );
}
