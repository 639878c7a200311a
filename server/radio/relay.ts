// Sends what a station plays, for as long as somebody listens. The station must be on the open internet, unless an
// administrator entered its address. Tonearm reads the station's titles, and inserts them at its own interval for
// players that request them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RadioStationId, UserId } from '../db/ids.ts';
import { ACCOUNT_LIMITS } from '../db/rights.ts';
import { AppError } from '../errors.ts';
import { guardedStream, type GuardedStream } from '../outbound/guarded-fetch.ts';
import type { Principal } from '../http/route.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import { createIcyJoiner, createIcySplitter, intervalOf, IcyIntervalError } from './icy.ts';
import type { PlayableStation } from './service.ts';
import { bindContext } from '../runtime/bind-context.ts';

interface RelayDeps {
  version: string;
  contact: () => string | undefined;
  /** Address of a test station, which may be on this machine. */
  testStation?: URL | undefined;
  /** Called when the title of a station has changed. */
  onChange: () => void;
}

type Listener = Pick<Principal, 'id' | 'maxBitrateKbps'>;

const MAX_STREAMS_PER_USER = 8;
const MAX_STREAM_MS = 24 * 3_600_000;
const STALL_TIMEOUT_MS = 30_000;
/** Maximum size of a stream: a day of uncompressed stereo. */
const MAX_STREAM_BYTES = 16e9;
const MAX_PLAYLIST_BYTES = 64 << 10;
/** Interval of the titles that Tonearm sends; most servers use the same. */
const TITLE_INTERVAL_BYTES = 16_000;
const AUDIO_TYPE = /^(?:audio\/[\w.+-]{1,60}|application\/ogg)$/;
const PLAYLIST_TYPE =
  /^(?:audio\/x-scpls|application\/pls\+xml|audio\/(?:x-)?mpegurl|application\/(?:x-|vnd\.apple\.)mpegurl)$/;
const FORWARDED_HEADERS = ['icy-name', 'icy-genre', 'icy-br'];

const typeOf = ({ headers }: GuardedStream): string =>
  (headers.get('content-type') ?? 'audio/mpeg').replace(/;.*/s, '').trim().toLowerCase();

export type Relay = ReturnType<typeof createRelay>;

export function createRelay(deps: RelayDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { titleOf }),
    async send(
      req: IncomingMessage,
      res: ServerResponse,
      station: PlayableStation,
      listener: Listener,
      signal: AbortSignal,
    ): Promise<void> {
      if ((context.ofAccount.get(listener.id) ?? 0) >= MAX_STREAMS_PER_USER)
        throw new AppError(
          'too_many_requests',
          `Your account is already listening to ${MAX_STREAMS_PER_USER} stations.`,
          {
            retryAfter: 10,
          },
        );
      add(context.ofAccount, listener.id, 1);
      add(context.listeners, station.id, 1);
      try {
        await send(context, req, res, station, listener, signal);
      } catch (error) {
        if (res.destroyed) return; // the player has disconnected
        throw error instanceof OutboundError ? new AppError('unavailable', error.message, { cause: error }) : error;
      } finally {
        add(context.ofAccount, listener.id, -1);
        if (add(context.listeners, station.id, -1) === 0) setTitle(context, station.id, undefined);
      }
    },
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ version, contact, testStation, onChange }: RelayDeps) {
  /** Current titles of stations that somebody listens to. */
  const titles = new Map<RadioStationId, string>();
  const listeners = new Map<RadioStationId, number>();
  const ofAccount = new Map<UserId, number>();
  return { version, contact, testStation, onChange, titles, listeners, ofAccount };
}

function add<K>(counts: Map<K, number>, key: K, by: number): number {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
  return count;
}

function setTitle(context: Context, id: RadioStationId, title: string | undefined): void {
  // a title that arrives after the last listener has left is ignored
  if (context.titles.get(id) === title || (title !== undefined && !context.listeners.has(id))) return;
  if (title === undefined) context.titles.delete(id);
  else context.titles.set(id, title);
  context.onChange();
}

const openUrl = (
  { testStation, version, contact }: Context,
  url: URL,
  { station, withTitles, signal }: { station: PlayableStation; withTitles: boolean; signal: AbortSignal },
): Promise<GuardedStream> =>
  guardedStream(url, {
    ...(testStation ? { base: testStation } : { base: new URL(station.streamUrl), publicOnly: !station.mayBePrivate }),
    headers: {
      'user-agent': userAgentOf(version, contact()),
      accept: '*/*',
      ...(withTitles && { 'icy-metadata': '1' }),
    },
    icy: true,
    timeoutMs: MAX_STREAM_MS,
    stallMs: STALL_TIMEOUT_MS,
    maxBytes: MAX_STREAM_BYTES,
    signal,
  });

/**
 * Opens the stream of a station. Stations often name a short playlist file (.pls, .m3u) with the address of the
 * stream.
 */
async function openStream(
  context: Context,
  station: PlayableStation,
  withTitles: boolean,
  signal: AbortSignal,
): Promise<GuardedStream> {
  const options = { station, withTitles, signal };
  const response = await openUrl(context, new URL(station.streamUrl), options);
  const answer = PLAYLIST_TYPE.test(typeOf(response))
    ? await openUrl(context, await streamUrlOf(response), options)
    : response;
  if (answer.status === 200 && AUDIO_TYPE.test(typeOf(answer)) && !PLAYLIST_TYPE.test(typeOf(answer))) return answer;
  answer.body.destroy();
  throw new AppError(
    'unavailable',
    answer.status === 200
      ? 'The station sends no audio that can be passed on.'
      : `The server of the station answered with status ${answer.status}.`,
  );
}

/** Yields the audio without its titles, until nobody listens. */
async function* streamAudio(
  context: Context,
  firstStream: GuardedStream,
  station: PlayableStation,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { id } = station;
  let { body } = firstStream;
  try {
    try {
      const interval = intervalOf(firstStream.headers.get('icy-metaint'));
      const splitText =
        interval === undefined ? undefined : createIcySplitter(interval, (title) => setTitle(context, id, title));
      for await (const chunk of body as AsyncIterable<Buffer>) {
        if (splitText) yield* splitText(chunk);
        else yield chunk;
      }
    } catch (error) {
      if (!(error instanceof IcyIntervalError)) throw error;
      setTitle(context, id, undefined);
      body.destroy();
      ({ body } = await openStream(context, station, false, signal));
      yield* body as AsyncIterable<Buffer>;
    }
  } finally {
    body.destroy();
  }
}

async function send(
  context: Context,
  req: IncomingMessage,
  res: ServerResponse,
  station: PlayableStation,
  { maxBitrateKbps }: Listener,
  signal: AbortSignal,
): Promise<void> {
  const answer = await openStream(context, station, true, signal);
  try {
    assertWithinLimit(answer.headers.get('icy-br'), maxBitrateKbps);
  } catch (error) {
    answer.body.destroy();
    throw error;
  }
  const asksForTitles = req.headers['icy-metadata'] === '1';
  res.statusCode = 200;
  res.setHeader('Content-Type', typeOf(answer).replace('/aacp', '/aac'));
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Accept-Ranges', 'none');
  if (asksForTitles) {
    res.setHeader('icy-metaint', TITLE_INTERVAL_BYTES);
    for (const name of FORWARDED_HEADERS) {
      const value = answer.headers.get(name);
      if (value !== null) res.setHeader(name, value.slice(0, 200));
    }
  }
  if (req.method === 'HEAD') {
    answer.body.destroy();
    return void res.end();
  }
  const audio = Readable.from(streamAudio(context, answer, station, signal), { objectMode: false });
  const titleNow = (): string => context.titles.get(station.id) ?? '';
  await (asksForTitles ? pipeline(audio, createIcyJoiner(TITLE_INTERVAL_BYTES, titleNow), res) : pipeline(audio, res));
}

/** Returns the current title of a station that somebody listens to. */
const titleOf = ({ titles }: Context, id: RadioStationId): string | undefined => titles.get(id);

async function streamUrlOf(list: GuardedStream): Promise<URL> {
  let text = '';
  for await (const chunk of list.body as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    if (text.length > MAX_PLAYLIST_BYTES) break;
  }
  list.body.destroy();
  const [, address = ''] = /^[ \t]*(?:File\d+\s*=\s*)?(https?:\/\/\S+)/im.exec(text) ?? [];
  if (text.includes('#EXT-X-') || !URL.canParse(address))
    throw new AppError('unavailable', 'The playlist file of the station names no stream that can be passed on.');
  return new URL(address);
}

/** Refuses a station that may exceed the limit, because stations are not converted. */
function assertWithinLimit(bitrate: string | null, maxKbps: number | null): void {
  if (maxKbps === null) return;
  const kbps = /^\d{1,4}$/.test(bitrate ?? '') ? Number(bitrate) : Infinity;
  if (kbps <= maxKbps) return;
  const { name } = ACCOUNT_LIMITS.maxBitrateKbps;
  throw new AppError(
    'forbidden',
    `Your account may listen at up to ${maxKbps} kbps (${name}), and stations are not converted to that.`,
    { fields: [{ field: name, message: `is ${maxKbps}` }] },
  );
}
