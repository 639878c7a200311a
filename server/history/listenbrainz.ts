// Client of the ListenBrainz API (https://listenbrainz.readthedocs.io/en/latest/users/api/).
import { z } from 'zod';
import { guardedFetch } from '../outbound/guarded-fetch.ts';
import type { TokenBucket } from '../outbound/token-bucket.ts';

export interface ListenOut {
  title: string;
  artistName: string;
  albumTitle: string | null;
  recordingMbid: string | null;
  durationMs: number | null;
  /** Milliseconds since 1970; sent in whole seconds. */
  playedAt: number;
}

/**
 * `busy`: rate limited, retry after `waitMs` · `down`: a server error · `bad_token`: the token is not accepted ·
 * `refused`: the content is not accepted.
 */
export type Outcome =
  | { kind: 'ok'; waitMs: number }
  | { kind: 'busy'; waitMs: number; reason: string }
  | { kind: 'down' | 'bad_token' | 'refused'; reason: string };

/** The service accepts up to 1,000; with fewer, less has to be sent again when one is refused. */
export const LISTENS_AT_ONCE = 100;
/** The service refuses earlier times (the start of Last.fm). */
export const EARLIEST_LISTEN_MS = 1_033_430_400_000;
const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const LONGEST_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 10_000;
/** The service refuses a listen with a length of zero or more than 24 days. */
const LONGEST_TRACK_MS = 24 * 86_400_000;

const Validity = z.object({ valid: z.boolean(), user_name: z.string().max(500).optional() });
const Complaint = z.object({ error: z.string() });

export interface ListenBrainzDeps {
  baseUrl: () => string;
  version: string;
  /** With a contact, as the service requires. */
  userAgent: () => string;
  /** One request per second for the whole server. */
  bucket: TokenBucket;
}

export function createListenBrainz({ baseUrl, version, userAgent, bucket }: ListenBrainzDeps) {
  async function ask(
    path: string,
    token: string,
    { body, signal }: { body?: unknown; signal?: AbortSignal | undefined } = {},
  ) {
    const base = new URL(`${baseUrl()}/`);
    const headers = {
      authorization: `Token ${token}`,
      accept: 'application/json',
      'user-agent': userAgent(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const {
      status,
      headers: answered,
      bytes,
    } = await bucket.run(
      () =>
        guardedFetch(new URL(`1/${path}`, base), {
          base,
          method: body === undefined ? 'GET' : 'POST',
          headers,
          timeoutMs: TIMEOUT_MS,
          maxBytes: MAX_ANSWER_BYTES,
          signal,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      signal,
    );
    return { status, headers: answered, answer: parse(bytes) };
  }

  const payload = ({ title, artistName, albumTitle, recordingMbid, durationMs }: Omit<ListenOut, 'playedAt'>) => ({
    artist_name: artistName,
    track_name: title,
    ...(albumTitle !== null && { release_name: albumTitle }),
    additional_info: {
      media_player: 'Tonearm',
      submission_client: 'Tonearm',
      submission_client_version: version,
      ...(recordingMbid !== null && { recording_mbid: recordingMbid }),
      ...(durationMs !== null && durationMs > 0 && durationMs <= LONGEST_TRACK_MS && { duration_ms: durationMs }),
    },
  });

  async function send(
    token: string,
    listenType: 'single' | 'import' | 'playing_now',
    entries: object[],
    signal?: AbortSignal,
  ): Promise<Outcome> {
    const { status, headers, answer } = await ask('submit-listens', token, {
      body: { listen_type: listenType, payload: entries },
      signal,
    });
    const reason = Complaint.safeParse(answer).data?.error.slice(0, 300) ?? `it answered ${status}`;
    if (status === 401 || status === 403) return { kind: 'bad_token', reason };
    if (status === 429) return { kind: 'busy', waitMs: resetMs(headers), reason };
    if (status >= 500) return { kind: 'down', reason };
    if (status < 200 || status > 299) return { kind: 'refused', reason };
    return { kind: 'ok', waitMs: headers.get('x-ratelimit-remaining') === '0' ? resetMs(headers) : 0 };
  }

  return {
    /** The account name of a token; undefined for an unknown token. Throws when the service cannot be asked. */
    async accountOf(token: string): Promise<string | undefined> {
      const { status, answer } = await ask('validate-token', token);
      const validity = Validity.safeParse(answer);
      if (status === 401 || (validity.success && !validity.data.valid)) return undefined;
      if (status !== 200 || !validity.success) throw new Error(`it answered ${status}`);
      return validity.data.user_name ?? '';
    },

    submit: (token: string, listens: readonly ListenOut[], signal?: AbortSignal): Promise<Outcome> =>
      send(
        token,
        listens.length === 1 ? 'single' : 'import',
        listens.map((listen) => ({
          listened_at: Math.floor(listen.playedAt / 1_000),
          track_metadata: payload(listen),
        })),
        signal,
      ),

    playingNow: (token: string, song: Omit<ListenOut, 'playedAt'>): Promise<Outcome> =>
      send(token, 'playing_now', [{ track_metadata: payload(song) }]),
  };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined; // such as the error page of a proxy
  }
}

/** How long to wait, from the headers of the answer. */
function resetMs(headers: Headers): number {
  const seconds = Number(headers.get('x-ratelimit-reset-in') ?? headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, LONGEST_WAIT_MS) : DEFAULT_WAIT_MS;
}
