// The interface of scrobbling services, and how requests are sent to them.
import type { z } from 'zod';
import { guardedFetch } from '../outbound/guarded-fetch.ts';
import type { TokenBucket } from '../outbound/token-bucket.ts';
import { trimEnd } from '../runtime/trim-text.ts';
import { parseLimitedJson } from '../runtime/text-limits.ts';

export const SCROBBLERS = ['lastfm', 'librefm', 'listenbrainz', 'maloja'] as const;
export type ScrobblerName = (typeof SCROBBLERS)[number];

export interface ScrobbleAccount {
  /** User token, session key or API key. */
  token: string;
  username: string;
  /** Address of the user's own server; null for services with a common server. */
  url: string | null;
  /** True if the user's server may be in a private network. */
  mayBePrivate: boolean;
}

export interface SongOut {
  title: string;
  artistName: string;
  albumTitle: string | null;
  recordingMbid: string | null;
  durationMs: number | null;
}
export interface ListenOut extends SongOut {
  /** Milliseconds since 1970; services store whole seconds. */
  playedAt: number;
  /** True if the listen was sent before, and may have arrived. */
  mayBeThere: boolean;
}
/** A listen that the service has, spelled as the service does. */
export interface KnownListen {
  title: string;
  playedAt: number;
}
export interface LovedSong {
  title: string | null;
  artistName: string | null;
  recordingMbid: string | null;
}

/**
 * `busy`: rate limited, retry after `waitMs`. `down`: retry later. `bad_token`: the user has to sign in again.
 * `refused`: the content is not accepted.
 */
export type Outcome =
  | {
      kind: 'ok';
      waitMs: number;
      /** Indexes of listens that the service will never accept, with its reason. */
      refusedReasons?: ReadonlyMap<number, string>;
      /** Indexes of listens that the service did not accept today. */
      laterIndexes?: ReadonlySet<number>;
    }
  | { kind: 'busy'; waitMs: number; reason: string }
  | { kind: 'down'; reason: string }
  | { kind: 'bad_token'; reason: string }
  | { kind: 'refused'; reason: string };

export interface Scrobbler {
  /** Name of the service in messages. */
  title: string;
  /** Maximum number of listens in one request. */
  atOnce: number;
  /** Tracks have to be longer than this to be sent. */
  longerThanMs: number;
  /** How users sign in. With `own_server` the user also enters the address of the server. */
  signIn: 'token' | 'page' | 'own_server';
  isEnabled: () => boolean;
  /** Returns the address of the page on which the user allows access, and the token that the user allows there. */
  startSignIn?: () => Promise<{ token: string; url: string }>;
  /**
   * Returns the account that the token belongs to; undefined when the token is not accepted. Throws when the service
   * cannot be asked.
   */
  finishSignIn(account: Omit<ScrobbleAccount, 'username'>): Promise<{ token: string; username: string } | undefined>;
  submit(account: ScrobbleAccount, listens: readonly ListenOut[], signal: AbortSignal): Promise<Outcome>;
  playingNow?: (account: ScrobbleAccount, song: SongOut) => Promise<Outcome>;
  /**
   * Returns the listens that the service has between two times (milliseconds, both inclusive); undefined when the
   * service cannot say. Throws when the service cannot be asked.
   */
  listensBetween?: (
    account: ScrobbleAccount,
    from: number,
    to: number,
    signal: AbortSignal,
  ) => Promise<KnownListen[] | undefined>;
  setLoved?: (account: ScrobbleAccount, song: SongOut, isLoved: boolean, signal: AbortSignal) => Promise<Outcome>;
  /** True if the service identifies loved songs by recording mbid only. */
  lovesByMbid?: boolean;
  /** Returns all loved songs. Throws when the list is incomplete. */
  lovedSongs?: (account: ScrobbleAccount, signal: AbortSignal) => Promise<LovedSong[]>;
}

const REQUEST_TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 4 << 20;
export const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 10_000;
/** Maximum number of pages that are read from a service whose list never ends. */
export const MAX_PAGES = 200;

export interface ServiceAnswer {
  status: number;
  headers: Headers;
  /**
   * The parsed body; undefined when it is not JSON, such as the error page of a proxy or the sign-in page of a network.
   */
  body: unknown;
}
interface ServiceRequest {
  json?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  publicOnly?: boolean;
  signal?: AbortSignal | undefined;
}
export type AskService = (base: URL, path: string, request?: ServiceRequest) => Promise<ServiceAnswer>;

/** Creates a function that sends a request. It throws OutboundError or the reason of `signal`. */
export const createAskService =
  ({ userAgent, bucket }: { userAgent: () => string; bucket: TokenBucket }): AskService =>
  async (base, path, { json, form, headers = {}, publicOnly = false, signal } = {}) => {
    const type = json !== undefined ? 'application/json' : form && 'application/x-www-form-urlencoded';
    const content = json !== undefined ? JSON.stringify(json) : form && new URLSearchParams(form).toString();
    const {
      status,
      headers: answerHeaders,
      bytes,
    } = await bucket.run(
      () =>
        guardedFetch(new URL(`${trimEnd(base.href, /\//)}/${path}`), {
          base,
          publicOnly,
          method: content === undefined ? 'GET' : 'POST',
          headers: {
            accept: 'application/json',
            'user-agent': userAgent(),
            ...(type !== undefined && { 'content-type': type }),
            ...headers,
          },
          timeoutMs: REQUEST_TIMEOUT_MS,
          maxBytes: MAX_ANSWER_BYTES,
          signal,
          ...(content !== undefined && { body: content }),
        }),
      signal,
    );
    return { status, headers: answerHeaders, body: parse(bytes) };
  };

function parse(bytes: Uint8Array): unknown {
  try {
    return parseLimitedJson(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns how long to wait, in milliseconds, from the headers of the answer. */
export function resetMs(headers: Headers, fallbackMs = DEFAULT_WAIT_MS): number {
  const seconds = Number(headers.get('x-ratelimit-reset-in') ?? headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, MAX_WAIT_MS) : fallbackMs;
}

/** Returns why a service did not accept something: in its own words, if there are any. */
export const reasonOf = (complaint: string | undefined, status: number): string =>
  complaint?.slice(0, 300) || `it answered ${status}`;

/** Parses the body of an answer. Throws when it has another form. */
export function parseAnswer<T extends z.ZodType>(form: T, { status, body }: ServiceAnswer): z.output<T> {
  const { data } = form.safeParse(body);
  if (status !== 200 || data === undefined) throw new Error(`it answered ${status}`);
  return data;
}

/** Returns the fields that have a value, because services refuse fields without one. */
export const withoutNulls = <T>(fields: Record<string, T | null>): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, T] => field[1] !== null));

/** Reads all pages of a list. Throws when the list ends before its total. */
export async function readAll<T>(
  readPage: (page: number, readCount: number) => Promise<{ items: T[]; total: number }>,
): Promise<T[]> {
  const allItems: T[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { items, total } = await readPage(page, allItems.length);
    allItems.push(...items);
    if (allItems.length >= total) return allItems;
    if (items.length === 0) break;
  }
  throw new Error('it sent an incomplete list');
}
