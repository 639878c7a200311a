// Sends requests to machines that the administrator did not set up; no other code does this. The configured base may be
// in the local network; every redirect must lead to the open internet. Times and sizes have limits. Each exchange has
// its own connection: a connection that was allowed for a base is never reused for another address.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { PassThrough, pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { connectToIcy } from './icy-connection.ts';
import { isForeignAddress, otherScheme, privateAddress, publicLookup } from './public-addresses.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';

export interface GuardedOptions {
  /** Address of the service as it was configured; its host and port may be private. */
  base: URL;
  /** True if the administrator did not choose the base, which then must not be private either. */
  publicOnly?: boolean;
  method?: 'GET' | 'HEAD' | 'POST';
  /** Request headers, with lower-case names. Other hosts than the base's only receive headers without secrets. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** True if the server may be one of internet radio, as old as SHOUTcast 1. */
  icy?: boolean;
  /** Time limit of the whole exchange, redirects and body included. */
  timeoutMs: number;
  /** Longest time without any data; timeoutMs when absent. */
  stallMs?: number;
  /** Size limit of the body, compressed and decompressed. */
  maxBytes: number;
  maxRedirects?: number;
  signal?: AbortSignal | undefined;
}

export interface GuardedHead {
  status: number;
  headers: Headers;
  /** The address that answered, after all redirects. */
  url: URL;
}
export interface GuardedAnswer extends GuardedHead {
  bytes: Uint8Array;
}
/**
 * A response with its body as a stream, which must be read or destroyed; it throws OutboundError. The silence limit
 * does not count while nobody reads.
 */
export interface GuardedStream extends GuardedHead {
  body: Readable;
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const DEFAULT_MAX_REDIRECTS = 5;
const SAFE_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'icy-metadata',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'range',
  'user-agent',
]);

/** Resolves with a response of any status. Throws OutboundError, or the signal's reason. */
export async function guardedFetch(url: URL, options: GuardedOptions): Promise<GuardedAnswer> {
  const { body, ...head } = await guardedStream(url, {
    ...options,
    headers: { 'accept-encoding': 'gzip', ...options.headers },
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return { ...head, bytes: Buffer.concat(chunks) };
}

/** Does the same as `guardedFetch`, for a body too large for memory. */
export async function guardedStream(url: URL, options: GuardedOptions): Promise<GuardedStream> {
  const watch = startWatch(options, url.host);
  try {
    const { response, finalUrl } = await follow(url, options, watch);
    const headers = new Headers();
    for (const [name, values] of Object.entries(response.headersDistinct))
      values?.forEach((value) => headers.append(name, value));
    const body = Readable.from(readBody(response, finalUrl, options, watch), { objectMode: false });
    body.once('close', () => {
      response.destroy();
      watch.end();
    });
    return { status: response.statusCode ?? 0, headers, url: finalUrl, body };
  } catch (error) {
    watch.end();
    throw watch.signal.aborted ? watch.signal.reason : toOutboundError(error, watch.host);
  }
}

type Watch = ReturnType<typeof startWatch>;

/** Ends the exchange when its time is over, when it is silent for too long, or when the caller gives up. */
function startWatch({ timeoutMs, stallMs = timeoutMs, signal }: GuardedOptions, host: string) {
  const abort = new AbortController();
  const abortWith = (reason: string): void => abort.abort(new OutboundError('timeout', `${watch.host} ${reason}`));
  const giveUp = (): void => abort.abort(signal?.reason);
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  const totalTimer = setTimeout(() => abortWith(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
  const watch = {
    /** The host whose answer is awaited. */
    host,
    signal: abort.signal,
    /** Applies the silence limit to a promise. */
    async progress<T>(work: Promise<T>): Promise<T> {
      const silence = setTimeout(() => abortWith(`sent nothing for ${stallMs / 1000} s`), stallMs);
      try {
        return await work;
      } finally {
        clearTimeout(silence);
      }
    },
    end(): void {
      clearTimeout(totalTimer);
      signal?.removeEventListener('abort', giveUp);
    },
  };
  return watch;
}

async function follow(
  url: URL,
  options: GuardedOptions,
  watch: Watch,
): Promise<{ response: IncomingMessage; finalUrl: URL }> {
  const { method = 'GET', maxRedirects = DEFAULT_MAX_REDIRECTS } = options;
  let currentUrl = url;
  for (let count = 0; ; count++) {
    const response = await watch.progress(send(currentUrl, options, watch.signal));
    // thrown when the body times out before anybody reads it; a later reader gets the error
    response.on('error', () => undefined);
    const { location } = response.headers;
    if (!REDIRECT_STATUSES.has(response.statusCode ?? 0) || location === undefined)
      return { response, finalUrl: currentUrl };
    response.destroy();
    if (count === maxRedirects)
      throw new OutboundError('redirects', `${url.host} redirected more than ${maxRedirects} times`);
    const nextUrl = URL.canParse(location, currentUrl.href) ? new URL(location, currentUrl) : undefined;
    if (!nextUrl) throw new OutboundError('redirects', `${currentUrl.host} redirected to an invalid address`);
    if (method === 'POST')
      throw new OutboundError(
        'redirects',
        `${currentUrl.host} sent us on to ${nextUrl.origin}, where a key must not go by itself`,
      );
    currentUrl = nextUrl;
    watch.host = currentUrl.host;
  }
}

async function send(
  url: URL,
  { base, publicOnly = false, method = 'GET', headers = {}, body, icy = false }: GuardedOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw otherScheme(url.protocol);
  // a redirect from http to https is followed; in the other direction, a key would be sent unencrypted
  const isBase = url.host === base.host && (url.protocol === base.protocol || url.protocol === 'https:');
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const mayBePrivate = isBase && !publicOnly;
  if (!mayBePrivate && isIP(hostname) > 0 && !isForeignAddress(hostname)) throw privateAddress(url.host);
  // imported on demand, because it takes 9 ms of a start
  const request = url.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
  return new Promise((resolve, reject) => {
    request({
      hostname,
      port: url.port,
      path: url.pathname + url.search,
      method,
      signal,
      ...(icy && url.protocol === 'http:' ? { createConnection: connectToIcy } : { agent: false }),
      headers: isBase
        ? headers
        : Object.fromEntries(Object.entries(headers).filter(([name]) => SAFE_HEADERS.has(name))),
      ...(isBase &&
        url.username !== '' && { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
      ...(!mayBePrivate && { lookup: publicLookup }),
    })
      .on('response', resolve)
      .on('error', reject)
      .end(body);
  });
}

async function* readBody(
  response: IncomingMessage,
  url: URL,
  { method, maxBytes }: GuardedOptions,
  watch: Watch,
): AsyncGenerator<Uint8Array> {
  const check = (size: number): void => {
    if (size > maxBytes) throw new OutboundError('too_large', `${url.host} sent more than ${inWords(maxBytes)}`);
  };
  try {
    if (method !== 'HEAD') check(Number(response.headers['content-length'] ?? 0));
    const chunks = pipeline(response, createUnpacker(response, method), () => undefined)[
      Symbol.asyncIterator
    ]() as AsyncIterator<Buffer>;
    let size = 0;
    for (;;) {
      const nextChunk = await watch.progress(chunks.next());
      if (nextChunk.done) return;
      check((size += nextChunk.value.length));
      yield nextChunk.value;
    }
  } catch (error) {
    throw watch.signal.aborted ? watch.signal.reason : toOutboundError(error, url.host);
  }
}

function createUnpacker({ headers, statusCode }: IncomingMessage, method: GuardedOptions['method']): Transform {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || method === 'HEAD' || statusCode === 204 || statusCode === 304)
    return new PassThrough();
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  throw new OutboundError('network', `the answer is packed in a way that is not known (${encoding.slice(0, 40)})`);
}

const inWords = (bytes: number): string =>
  bytes >= 1e6 ? `${Math.floor(bytes / 1e6)} MB` : `${Math.ceil(bytes / 1e3)} KB`;
