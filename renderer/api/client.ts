// The only module that uses fetch (audio, images and events get their URLs from urls.ts). This module adds the token,
// turns every failure into an ApiError, and ends the session on 401; the window then displays the sign-in page, which
// leads back.
import i18next from 'i18next';
import { ApiError, isUnreachable, parseProblem } from './problem.ts';
import { noteReachable } from './reachability.ts';
import { noteLastEvent } from './last-event.ts';
import type { Routes } from './routes.ts';
import { getSession, signOut } from './session.ts';

type ScalarValue = string | number | boolean | null | undefined;
export type QueryValue = ScalarValue | readonly ScalarValue[];

/** A method and a path of the REST API, such as `GET /tracks/{id}`. */
export type Route = keyof Routes;
export type Reply<R extends Route> = Routes[R]['reply'];
export type Input<R extends Route> = Routes[R]['input'];

interface RequestOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}
type Options<R extends Route> = Input<R> & RequestOptions;
type OptionsArgument<R extends Route> = object extends Input<R> ? [options?: Options<R>] : [options: Options<R>];

interface RequestParts extends RequestOptions {
  path?: Record<string, string | number>;
  query?: Record<string, QueryValue>;
  body?: unknown;
}

export const API = '/api/v1';

/** Returns a query string. Empty values are omitted, and each value of a list becomes its own parameter. */
export function toQueryString(query: Record<string, QueryValue>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    [value].flat().flatMap((item) => (item === undefined || item === null || item === '' ? [] : [[key, String(item)]])),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** Returns the URL of a route, without its query. */
export function pathOfRoute(route: Route, values: Record<string, string | number> = {}): string {
  const path = route.slice(route.indexOf(' ') + 1);
  return API + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** Requests a route, whose input and reply are typed by routes.ts. Throws an ApiError. */
export async function request<R extends Route>(route: R, ...[options]: OptionsArgument<R>): Promise<Reply<R>> {
  const { path = {}, query = {}, body, headers = {}, signal } = (options ?? {}) as RequestParts;
  const session = getSession();
  const response = await fetch(pathOfRoute(route, path) + toQueryString(query), {
    method: route.slice(0, route.indexOf(' ')),
    headers: {
      Accept: 'application/json',
      ...(session ? { Authorization: `Bearer ${session.token}` } : {}),
      ...(body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    noteReachable(false);
    throw new ApiError(0, i18next.t('error.unreachable'));
  });
  noteReachable(true);
  noteLastEvent(response.headers.get('X-Last-Event-Id'));
  if (response.ok) return response.status === 204 ? undefined : parseNamed(await response.text());
  if (response.status === 401 && session && getSession()?.token === session.token) signOut();
  throw parseProblem(response.status, response.statusText, await response.json().catch(() => null));
}

const ASK_AGAIN_MS = 2_000;
let waiting: Promise<void> | undefined;

/** Asks the server every few seconds. Resolves when it answers. */
export const waitForServer = (): Promise<void> => (waiting ??= askUntilAnswered().finally(() => (waiting = undefined)));

async function askUntilAnswered(): Promise<void> {
  const isUnanswered = (): Promise<boolean> => request('GET /auth/status').then(() => false, isUnreachable);
  while (await isUnanswered())
    await new Promise((resolve) => {
      setTimeout(resolve, ASK_AGAIN_MS);
    });
}

const UNNAMED_ERROR: Record<string, () => string> = {
  '[Unknown Album]': () => i18next.t('library.noAlbum'),
  '[Unknown Artist]': () => i18next.t('library.unknownArtist'),
};

/** Parses JSON, and translates the placeholder names of unknown albums and artists. */
export const parseNamed = (text: string): unknown =>
  JSON.parse(
    text,
    text.includes('"[Unknown A')
      ? (_, value: unknown) => (typeof value === 'string' ? (UNNAMED_ERROR[value]?.() ?? value) : value)
      : undefined,
  );

/**
 * Fetches a track's audio for decoding; an error status is returned, not thrown. `kbps` is the maximum bit rate, 0 for
 * no limit.
 */
export function fetchStream(trackId: number, signal: AbortSignal, kbps = 0, format = 'playable'): Promise<Response> {
  const session = getSession();
  return fetch(`${API}/stream/${trackId}${toQueryString({ format, max_bitrate: kbps || undefined })}`, {
    headers: session ? { Authorization: `Bearer ${session.token}` } : {},
    signal,
  });
}

/** Probes time out, because a request on a silently lost connection never ends. */
const PROBE_PATIENCE_MS = 10_000;

/**
 * Requests one byte of a track's audio and returns the status, or 0 without a response. A media element does not tell
 * why it failed.
 */
export async function probeStream(trackId: number): Promise<number> {
  const session = getSession();
  const response = await fetch(`${API}/stream/${trackId}`, {
    headers: { Range: 'bytes=0-0', ...(session ? { Authorization: `Bearer ${session.token}` } : {}) },
    signal: AbortSignal.timeout(PROBE_PATIENCE_MS),
  }).catch(() => null);
  await response?.body?.cancel();
  return response?.status ?? 0;
}

const MAX_PARALLEL_REQUESTS = 4;

/**
 * Runs `work` on a few items at a time, so that a thousand requests do not crowd out all others. Rejects with the first
 * error.
 */
export async function forEachLimit<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = [...items];
  const workOnQueue = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_REQUESTS }, workOnQueue));
}
