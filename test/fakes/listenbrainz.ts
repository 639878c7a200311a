// ListenBrainz as a local server: tokens, rate limits, rejections. Tests can make it busy, broken or unreachable.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { serve, stop } from './serve.ts';

interface SubmittedListen {
  listened_at?: number;
  track_metadata: {
    artist_name: string;
    track_name: string;
    release_name?: string;
    additional_info?: Record<string, unknown>;
  };
}
interface Submission {
  listen_type: string;
  payload: SubmittedListen[];
  token: string;
}

export type FakeListenBrainz = Awaited<ReturnType<typeof startListenBrainz>>;

const MAX_LISTENS = 1_000;
const EARLIEST_S = 1_033_430_400;
const LONGEST_TRACK_MS = 24 * 86_400_000;
const MBID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function startListenBrainz() {
  const tokens = new Map([['good-token', 'ann_lb']]);
  const submissions: Submission[] = [];
  const requests: string[] = [];
  const userAgents = new Set<string>();
  /** The next responses, whatever is requested. */
  const nextAnswers: { status: number; body?: unknown; headers?: Record<string, string> }[] = [];
  /** `left` is the number of submissions that are accepted without a response. */
  const silences = { left: 0 };
  /** Loved recordings by mbid. */
  const lovedTracks = new Map<string, { track_name: string; artist_name: string }>();
  const refusedTitles = new Set<string>();
  /** Titles of listens that make a request fail. */
  const brokenTitles = new Set<string>();
  const submissionWaiters: ((submission: Submission) => void)[] = [];

  function send(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
    res
      .writeHead(status, {
        'content-type': 'application/json',
        'x-ratelimit-limit': '30',
        'x-ratelimit-remaining': '29',
        'x-ratelimit-reset-in': '10',
        ...headers,
      })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    requests.push(`${req.method} ${req.url}`);
    userAgents.add(req.headers['user-agent'] ?? '');
    const plannedAnswer = nextAnswers.shift();
    if (plannedAnswer)
      return send(
        res,
        plannedAnswer.status,
        plannedAnswer.body ?? { code: plannedAnswer.status, error: 'told to' },
        plannedAnswer.headers,
      );
    const [, token = ''] = /^Token (.+)$/.exec(req.headers.authorization ?? '') ?? [];
    if (req.method === 'GET' && req.url === '/1/validate-token') {
      const name = tokens.get(token);
      return send(
        res,
        200,
        name
          ? { code: 200, message: 'Token valid.', valid: true, user_name: name }
          : { code: 200, message: 'Token invalid.', valid: false },
      );
    }
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://fake');
    if (pathname === '/1/user/ann_lb/listens') return send(res, 200, listensBetween(searchParams));
    if (pathname === '/1/feedback/user/ann_lb/get-feedback') return send(res, 200, feedback(searchParams));
    if (pathname === '/1/feedback/recording-feedback') {
      if (!tokens.has(token)) return send(res, 401, { code: 401, error: 'Invalid authorization token.' });
      const { recording_mbid: mbid, score } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
        recording_mbid: string;
        score: number;
      };
      if (score === 1) lovedTracks.set(mbid, { track_name: `Song ${mbid}`, artist_name: 'Somebody' });
      else lovedTracks.delete(mbid);
      return send(res, 200, { status: 'ok' });
    }
    if (req.method !== 'POST' || req.url !== '/1/submit-listens')
      return send(res, 404, { code: 404, error: 'Not found' });
    if (!tokens.has(token)) return send(res, 401, { code: 401, error: 'Invalid authorization token.' });
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Omit<Submission, 'token'>;
    const fault = faultOf(body);
    if (fault) return send(res, 400, { code: 400, error: fault });
    if (body.payload.some(({ track_metadata: { track_name: title } }) => brokenTitles.has(title)))
      return send(res, 500, '<html>Internal Server Error</html>');
    const submission = { ...body, token };
    submissions.push(submission);
    submissionWaiters.splice(0).forEach((resolve) => resolve(submission));
    if (silences.left > 0) {
      silences.left--;
      return void res.destroy();
    }
    return send(res, 200, { status: 'ok' });
  }

  const allListens = (): SubmittedListen[] =>
    submissions.filter(({ listen_type }) => listen_type !== 'playing_now').flatMap(({ payload }) => payload);

  /** Returns the listens between two exclusive limits, newest first. */
  function listensBetween(params: URLSearchParams) {
    const [min, max] = [Number(params.get('min_ts')), Number(params.get('max_ts'))];
    const listens = allListens()
      .filter(({ listened_at: listenedAt = 0 }) => listenedAt > min && listenedAt < max)
      .sort((a, b) => (b.listened_at ?? 0) - (a.listened_at ?? 0))
      .slice(0, Number(params.get('count')));
    return { payload: { count: listens.length, user_id: 'ann_lb', listens } };
  }

  function feedback(params: URLSearchParams) {
    const [offset, count] = [Number(params.get('offset')), Number(params.get('count'))];
    const allLoved = [...lovedTracks].map(([recording_mbid, track_metadata]) => ({
      recording_mbid,
      score: 1,
      track_metadata,
    }));
    return { feedback: allLoved.slice(offset, offset + count), count, total_count: allLoved.length, offset };
  }

  function faultOf({ listen_type: type, payload }: Omit<Submission, 'token'>): string | undefined {
    if (payload.length === 0) return 'JSON document does not contain any listens';
    if (!['single', 'import', 'playing_now'].includes(type)) return 'JSON document requires a valid listen_type key.';
    if (type !== 'import' && payload.length > 1)
      return 'JSON document contains more than listen for a single/playing_now. It should contain only one.';
    if (payload.length > MAX_LISTENS)
      return `Too many listens. You may not submit more than ${MAX_LISTENS} listens at once.`;
    for (const listen of payload) {
      const fault = faultOfListen(listen, type);
      if (fault) return fault;
    }
    return undefined;
  }

  function faultOfListen(
    { listened_at: listenedAt, track_metadata: track, ...otherFields }: SubmittedListen,
    type: string,
  ): string | undefined {
    if (Object.keys(otherFields).length > 0)
      return 'JSON document may only contain listened_at and track_metadata top level keys';
    if (type === 'playing_now' && listenedAt !== undefined)
      return 'JSON document must not contain listened_at while submitting playing_now.';
    if (type !== 'playing_now') {
      if (listenedAt === undefined) return 'JSON document must contain the key listened_at at the top level.';
      if (!Number.isInteger(listenedAt)) return 'JSON document must contain an int value for listened_at.';
      if (listenedAt < EARLIEST_S)
        return 'Value for key listened_at is too low. listened_at timestamp should be greater than 1033410600 (2002-10-01 00:00:00 UTC).';
    }
    for (const key of ['track_name', 'artist_name', 'release_name'] as const) {
      const value: unknown = track[key];
      if (value === undefined && key !== 'release_name')
        return `JSON document does not contain required field track_metadata.${key}.`;
      if (value !== undefined && typeof value !== 'string') return `track_metadata.${key} must be a single string.`;
      if (value?.trim() === '') return `field track_metadata.${key} is empty.`;
    }
    const { duration_ms: duration, recording_mbid: mbid } = track.additional_info ?? {};
    if (duration !== undefined && !(Number(duration) >= 1))
      return 'Value for duration_ms is invalid, should be a positive integer.';
    if (Number(duration ?? 1) > LONGEST_TRACK_MS)
      return `Value for duration_ms is too large, max permitted value is ${LONGEST_TRACK_MS}`;
    if (mbid !== undefined && !(typeof mbid === 'string' && MBID_PATTERN.test(mbid)))
      return 'recording_mbid MBID format invalid.';
    if (refusedTitles.has(track.track_name)) return `Listen of ${track.track_name} is not acceptable.`;
    return undefined;
  }

  const server = createServer((req, res) => void answer(req, res));
  const url = await serve(server);

  return {
    url,
    tokens,
    submissions,
    requests,
    userAgents,
    next: nextAnswers,
    refusedTitles,
    brokenTitles,
    /** All accepted listens, in order. */
    listens: allListens,
    silences,
    loved: lovedTracks,
    nextSubmission: (): Promise<Submission> =>
      new Promise((resolve) => {
        submissionWaiters.push(resolve);
      }),
    close: () => stop(server),
    /** Accepts no connection until `comeBack`. */
    goAway: () => stop(server),
    comeBack: async (): Promise<void> => void (await serve(server, Number(new URL(url).port))),
  };
}
