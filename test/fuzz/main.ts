// npm run fuzz -- --requests 100000 --seed 1: sends requests with bad values to its own server, according to the
// OpenAPI document and to the Subsonic API, as callers of every kind. Exits with 1 if a response is a 5xx other than an
// expected 503, has a status that its operation does not list, violates its schema or reveals internals; if /health
// takes over 50 ms longer than on the quiet server at the 99th percentile; or if memory is not released.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import Database from 'better-sqlite3';
import { fillLibrary } from '../bench/large-library.ts';
import { watchHealth } from '../bench/health.ts';
import { root, startProduct } from '../bench/product.ts';
import { seededRandom } from '../support/test-random.ts';
import type { OpenApiDocument, Operation } from '../../server/http/openapi.ts';
import { makeCallers, type Caller } from './callers.ts';
import { parseFeed, UnreadableFeed } from '../../server/podcasts/feed.ts';
import { feedFile, randomImportFile } from './files.ts';
import { oddText, pick, valueFor, type JsonSchema } from './values.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    tracks: { type: 'string', default: '2000' },
  },
});
const [requests, seed, tracks] = [Number(values.requests), Number(values.seed), Number(values.tracks)];
const AT_ONCE = 4;
const HEALTH_EVERY_MS = 20;
const QUIET_MS = 5_000;
const MOST_HEALTH_MS = 50;
const MOST_MEMORY_MB = 50;
const INTERNAL_DETAILS = /node_modules|\bat \S+ \(|\.ts:\d+:\d+|SQLITE_|SqliteError|\/server\/\w+\//;
/** Operations that are not called, because they delete the calling account or end the server. */
const LEFT_OUT = new Set([
  'PATCH /users/{id}',
  'DELETE /users/{id}',
  'PATCH /settings',
  'PUT /network/sharing',
  'POST /auth/logout',
  'DELETE /users/me/sessions',
  'DELETE /users/me/sessions/{id}',
]);
/** Operations that end the caller's credentials, which would sign the account out for the rest of the run. */
const ENDS_CREDENTIALS = new Set([
  'PATCH /users/me',
  'POST /users/me/subsonic-password',
  'DELETE /users/me/subsonic-password',
  'POST /users/{id}/subsonic-password',
]);
/**
 * Number of feeds per hundred requests that this process reads, because a server reads feeds only from the internet.
 */
const FEED_COUNT = 10;
const REST_NAMES = [
  'id',
  'albumId',
  'artistId',
  'songId',
  'playlistId',
  'songIdToAdd',
  'songIndexToRemove',
  'name',
  'query',
  'size',
  'offset',
  'count',
  'songCount',
  'albumCount',
  'artistCount',
  'songOffset',
  'type',
  'genre',
  'fromYear',
  'toYear',
  'musicFolderId',
  'rating',
  'time',
  'submission',
  'position',
  'current',
  'currentIndex',
  'index',
  'action',
  'gain',
  'comment',
  'description',
  'expires',
  'username',
  'password',
  'email',
  'maxBitRate',
  'format',
  'timeOffset',
  'bitRate',
  'artist',
  'title',
  'streamUrl',
  'homepageUrl',
  'public',
  'mediaId',
  'mediaType',
  'positionMs',
  'state',
  'playbackRate',
  'ifModifiedSince',
  'enhanced',
  'f',
  'callback',
  'v',
  'c',
];

interface SentRequest {
  requestName: string;
  caller: string;
  url: string;
  init: RequestInit;
  operation?: Operation;
}
const faults = new Map<string, { count: number; example: string }>();
const statuses = new Map<number, number>();
/** Number of requests that were refused by rate limits (429) or without an account (401), by caller. */
const refusalCounts = new Map<429 | 401, Map<string, number>>([
  [429, new Map()],
  [401, new Map()],
]);

const random = seededRandom(seed);

async function fuzz(): Promise<boolean> {
  const product = await startProduct(dir, { TRUSTED_PROXIES: '127.0.0.1' });
  const callers = await makeCallers(product);
  const document = await product.api<OpenApiDocument>('/openapi.json');
  const healthWatch = await watchHealth(product.url, HEALTH_EVERY_MS);
  await sleep(QUIET_MS);
  const quietLatency = await healthWatch.stop();
  const memoryBefore = product.rss();
  const makers = [restMaker(product.url), apiMaker(product.url, document)];
  const judge = createJudge(document);

  let remainingRequests = requests;
  const work = async (): Promise<void> => {
    while (remainingRequests-- > 0) await sendAndJudge(pick(random, makers)(pick(random, callers)), judge);
  };
  const health = await watchHealth(product.url, HEALTH_EVERY_MS);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const busyLatency = await health.stop();
  await readFeeds(Math.round((requests * FEED_COUNT) / 100));
  let memory = product.rss();
  // threads end after five idle minutes
  for (let tries = 0; tries < 72 && memory > memoryBefore + MOST_MEMORY_MB; tries++) {
    await sleep(5_000);
    memory = product.rss();
  }
  await product.stop();

  const extraMs = busyLatency.p99 - quietLatency.p99;
  console.log(`seed ${seed}: ${requests} requests in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  console.log(
    `statuses: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, n]) => `${status}: ${n}`)
      .join(', ')}`,
  );
  for (const [status, byCaller] of refusalCounts)
    console.log(
      `${status}: ${((100 * (statuses.get(status) ?? 0)) / requests).toFixed(2)} %${[...byCaller].map(([caller, n]) => `, ${caller}: ${n}`).join('')}`,
    );
  console.log(
    `/health: p99 ${busyLatency.p99.toFixed(1)} ms, longest ${busyLatency.max.toFixed(1)} ms (quiet: ${quietLatency.p99.toFixed(1)}, ${quietLatency.max.toFixed(1)})`,
  );
  console.log(`memory: ${memoryBefore.toFixed(0)} MB before, ${memory.toFixed(0)} MB at the end`);
  for (const [fault, { count, example }] of faults) console.log(`FAULT ${fault} (${count} times), as ${example}`);
  return faults.size === 0 && extraMs <= MOST_HEALTH_MS && memory <= memoryBefore + MOST_MEMORY_MB;
}

/** Returns a random client address, because the limits per address would refuse a third of the requests. */
const anyAddress = (): string => `198.18.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`;

async function readFeeds(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const feed = feedFile(random);
    await parseFeed(Buffer.from(feed), null, new URL('https://feeds.example/')).catch((error: unknown) => {
      if (!(error instanceof UnreadableFeed))
        faults.set(`a feed: ${String(error)}`, { count: 1, example: feed.slice(0, 300) });
    });
  }
}

async function sendAndJudge(
  { requestName, caller, url, init, operation }: SentRequest,
  judge: ReturnType<typeof createJudge>,
): Promise<void> {
  const note = (fault: string): void => {
    const knownFault = faults.get(`${requestName}: ${fault}`);
    const body = typeof init.body === 'string' ? init.body.slice(0, 300) : '';
    faults.set(`${requestName}: ${fault}`, {
      count: (knownFault?.count ?? 0) + 1,
      example: knownFault?.example ?? `${caller}: ${init.method} ${url.slice(0, 300)} ${body}`,
    });
  };
  try {
    const headers = { ...(init.headers as Record<string, string>), 'X-Forwarded-For': anyAddress() };
    const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(60_000) });
    const { status } = response;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const byCaller = status === 429 || status === 401 ? refusalCounts.get(status) : undefined;
    byCaller?.set(caller, (byCaller.get(caller) ?? 0) + 1);
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) return void (await response.body?.cancel());
    const text = await response.text();
    if (status >= 500 && !(status === 503 && response.headers.has('retry-after')))
      note(`answers ${status}: ${text.slice(0, 200)}`);
    if (INTERNAL_DETAILS.test(text) && !type.includes('html')) note('tells of internals');
    for (const fault of judge({ status, type, text, operation })) note(fault);
  } catch (error) {
    note(`no answer: ${String(error)}`);
  }
}

/** Returns a function that lists how a response violates the document. */
function createJudge(document: OpenApiDocument) {
  const ajv = new Ajv({ strict: false, allErrors: false });
  (addFormats as unknown as (to: Ajv) => void)(ajv);
  ajv.addSchema(document, 'api');
  const checks = new Map<unknown, ValidateFunction>();
  return ({
    status,
    type,
    text,
    operation,
  }: {
    status: number;
    type: string;
    text: string;
    operation?: Operation | undefined;
  }): string[] => {
    if (!operation) return type.includes('json') && !isJson(text) ? ['is no JSON'] : [];
    const documentedResponse = operation.responses[String(status)];
    if (!documentedResponse) return [`does not list ${status}`];
    const schema = documentedResponse.content?.[type.replace(/;.*/, '')]?.schema;
    if (!schema || Object.keys(schema).length === 0 || text === '') return [];
    if (!isJson(text)) return ['is no JSON'];
    const isValid =
      checks.get(schema) ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object);
    checks.set(schema, isValid);
    if (isValid(JSON.parse(text))) return [];
    return (isValid.errors ?? [])
      .slice(0, 1)
      .map(
        (schemaError) =>
          `breaks its schema at ${schemaError.instancePath.replace(/\d+/g, 'n')}: ${schemaError.message}`,
      );
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function apiMaker(base: string, document: OpenApiDocument): (caller: Caller) => SentRequest {
  const resolve = (ref: string): JsonSchema =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document) as JsonSchema;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const nameOf = ({ path, method }: { path: string; method: string }) => `${method} ${path.replace('/api/v1', '')}`;
  const allowedOperations = operations.filter((operation) => !LEFT_OUT.has(nameOf(operation)));
  const harmlessOperations = allowedOperations.filter((operation) => !ENDS_CREDENTIALS.has(nameOf(operation)));
  const imports = allowedOperations.filter(({ path }) => /\/(?:import|restore)/.test(path));
  return (caller) => {
    const { path, method, operation } = pick(
      random,
      random() < 0.08 ? imports : caller.isSignedIn ? harmlessOperations : allowedOperations,
    );
    let address = path;
    const query = new URLSearchParams();
    for (const parameter of operation.parameters) {
      const value = (): string => {
        const generatedValue = valueFor(parameter.schema, random, resolve);
        return typeof generatedValue === 'string' ? generatedValue : JSON.stringify(generatedValue);
      };
      if (parameter.in === 'path')
        address = address.replace(`{${parameter.name}}`, encodeURIComponent(segment(value())) || '0');
      else if (random() < 0.5)
        for (let n = pick(random, [1, 1, 1, 2, 50]); n > 0; n--) query.append(parameter.name, value());
    }
    if (random() < 0.02) query.append(oddText(random), oddText(random));
    if (caller.token !== undefined) query.append('token', caller.token);
    const headers: Record<string, string> = { ...(caller.bearer && { Authorization: `Bearer ${caller.bearer}` }) };
    if (random() < 0.05)
      headers['Range'] = pick(random, ['bytes=0-', 'bytes=-1', 'bytes=9999999-', 'bytes=5-1', 'x=1', 'bytes=0-1,3-4']);
    if (random() < 0.05)
      headers[pick(random, ['If-Match', 'If-None-Match', 'If-Range'])] = pick(random, ['"x"', '*', 'W/"x"', 'junk']);
    const init: RequestInit = { method: random() < 0.02 && method === 'GET' ? 'HEAD' : method, headers };
    const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
    if (type === 'multipart/form-data') {
      const form = new FormData();
      form.append(
        pick(random, ['file', 'files', 'x']),
        new Blob([randomImportFile(random)]),
        pick(random, ['a.mp3', '../b.m3u8', 'c.png', 'x']),
      );
      init.body = form;
    } else if (type && content) {
      headers['Content-Type'] = random() < 0.97 ? type : 'text/plain';
      init.body =
        random() < 0.97
          ? (JSON.stringify(valueFor(content.schema, random, resolve)) ?? 'null')
          : pick(random, ['', '{', '[1', 'null', '"x"', '{"a":1}{']);
    }
    const search = query.size > 0 ? `?${query}` : '';
    return { requestName: `${method} ${path}`, caller: caller.name, url: base + address + search, init, operation };
  };
}

/**
 * Returns a path segment. Segments of dots are replaced, because the client itself resolves them and would call another
 * operation.
 */
const segment = (value: string): string => (/^\.{1,2}$/.test(value) ? '0' : value.toWellFormed());

/** Returns the names in the tables of endpoints. */
const restEndpoints = (): string[] =>
  readdirSync(join(root, 'server', 'subsonic', 'endpoints')).flatMap((file) =>
    [
      ...readFileSync(join(root, 'server', 'subsonic', 'endpoints', file), 'utf8').matchAll(
        /^ {2,4}(\w+): (?:user|superuser|open|bytes|needs)\b/gm,
      ),
    ].map(([, name]) => name as string),
  );

function restMaker(base: string): (caller: Caller) => SentRequest {
  const endpoints = restEndpoints().filter((name) => !['deleteUser', 'updateUser', 'changePassword'].includes(name));
  return (caller) => {
    const endpoint = pick(random, endpoints);
    const params = new URLSearchParams(caller.rest);
    for (const name of REST_NAMES) {
      if (random() > 0.12) continue;
      for (let n = pick(random, [1, 1, 1, 2, 40]); n > 0; n--)
        params.append(
          name,
          random() < 0.4
            ? `${pick(random, ['tr', 'al', 'ar', 'pl', 'dir', 'sh', 'ir'])}-${Math.floor(random() * 50)}`
            : oddText(random),
        );
    }
    const isForm = random() < 0.3;
    const address = `${base}/rest/${endpoint}${pick(random, ['', '.view'])}`;
    return {
      requestName: `/rest/${endpoint}`,
      caller: caller.name,
      url: isForm ? address : `${address}?${params}`,
      init: isForm
        ? { method: 'POST', body: params.toString(), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
        : { method: 'GET' },
    };
  };
}

const dir = mkdtempSync(join(tmpdir(), 'tonearm-fuzz-'));
try {
  await (await startProduct(dir)).stop();
  const client = new Database(join(dir, 'tonearm.db'));
  const userId = (client.prepare('SELECT min(id) AS id FROM users').get() as { id: number }).id;
  fillLibrary(client, { tracks, userId, likeEvents: tracks, plays: tracks });
  client.close();
  process.exitCode = (await fuzz()) ? 0 : 1;
} finally {
  rmSync(dir, { recursive: true, force: true });
}
