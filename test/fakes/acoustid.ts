// AcoustID as a local server: the real protocol, responses by fingerprint.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { serve, stop } from './serve.ts';

interface FakeArtist {
  id: string;
  name: string;
  joinphrase?: string;
}
interface FakeRelease {
  id: string;
  title?: string;
  country?: string;
  date?: { year?: number; month?: number; day?: number };
  track_count?: number;
  artists?: FakeArtist[];
  mediums?: unknown[];
}
export interface FakeGroup {
  id: string;
  title?: string;
  type?: string;
  secondarytypes?: string[];
  artists?: FakeArtist[];
  releases?: FakeRelease[];
}
export interface FakeRecording {
  id: string;
  title?: string;
  duration?: number;
  sources?: number;
  artists?: FakeArtist[];
  releasegroups?: FakeGroup[];
}
interface FakeResult {
  id: string;
  score: number;
  recordings?: FakeRecording[];
}

/** A request as received. */
export interface Lookup {
  timeMs: number;
  client: string | null;
  duration: number;
  fingerprint: string;
  meta: string;
  userAgent: string;
  gzipped: boolean;
}

export type Answer =
  | { results: FakeResult[] }
  /** A raw response. */
  | { status: number; body: string; headers?: Record<string, string> }
  | 'hang';

export interface FakeAcoustId {
  url: string;
  lookups: Lookup[];
  /** Responses to the next look-ups, in order; later look-ups use `answer`. */
  next: Answer[];
  /** Returns the response by fingerprint and length in seconds; by default there is no match. */
  answer: (lookup: Lookup) => Answer;
  /** Awaited before each response, so that a test can act during a look-up. */
  before: () => Promise<unknown>;
  /** Called when the fake leaves a request without a response. */
  onSilence: () => void;
  close(): Promise<void>;
}

const error = (status: number, code: number, message: string): Answer => ({
  status,
  body: JSON.stringify({ status: 'error', error: { code, message } }),
});
const invalidKey = error(400, 4, 'invalid API key');
export const rateLimited = error(429, 14, 'rate limit exceeded');
export const internalError = error(500, 5, 'internal error');
export const invalidFingerprint = error(400, 3, 'invalid fingerprint');

export async function startFakeAcoustId(): Promise<FakeAcoustId> {
  const server = createServer((request, response) => void handle(request, response));
  const fake: FakeAcoustId = {
    url: '',
    lookups: [],
    next: [],
    answer: () => ({ results: [] }),
    before: () => Promise.resolve(),
    onSilence: () => undefined,
    close: () => stop(server),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '/', 'http://fake');
    const isGzipped = request.headers['content-encoding'] === 'gzip';
    let form: URLSearchParams;
    try {
      form =
        request.method === 'POST'
          ? new URLSearchParams((isGzipped ? gunzipSync(Buffer.concat(chunks)) : Buffer.concat(chunks)).toString())
          : url.searchParams;
    } catch {
      return send(response, { status: 400, body: '<html><body>Bad Request</body></html>' });
    }
    if (url.pathname !== '/v2/lookup') return send(response, { status: 404, body: 'Not Found' });
    const duration = form.get('duration') ?? '';
    if (!form.get('client')) return send(response, error(400, 2, 'missing required parameter "client"'));
    if (!/^\d+$/.test(duration)) return send(response, error(400, 2, 'missing required parameter "duration"'));
    if (form.get('client') === 'bad-key') return send(response, invalidKey);
    const lookup: Lookup = {
      timeMs: receivedAt,
      client: form.get('client'),
      duration: Number(duration),
      fingerprint: form.get('fingerprint') ?? '',
      meta: form.get('meta') ?? '',
      userAgent: request.headers['user-agent'] ?? '',
      gzipped: isGzipped,
    };
    fake.lookups.push(lookup);
    const answer = fake.next.shift() ?? fake.answer(lookup);
    await fake.before();
    if (answer === 'hang') return fake.onSilence();
    send(response, answer);
  }

  fake.url = await serve(server);
  return fake;
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return;
  if ('results' in answer)
    response
      .writeHead(200, { 'Content-Type': 'application/json; charset=UTF-8' })
      .end(JSON.stringify({ results: answer.results, status: 'ok' }));
  else
    response
      .writeHead(answer.status, {
        'Content-Type': answer.body.startsWith('{') ? 'application/json' : 'text/html',
        ...answer.headers,
      })
      .end(answer.body);
}
