// Sends a converted track: a complete file like any file, others while they are converted. docs/CONVERSIONS.md tells
// which bytes are sent when.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseRange, type ByteRange } from '../http/ranges.ts';
import { NO_DATE, sendBytes } from '../http/send-bytes.ts';
import type { ProfileName } from '../media/transcode.ts';
import type { Conversion } from './conversion.ts';
import { keyOf, type ConversionRequest, type Conversions, type OpenConversion } from './conversions.ts';
import { padding, promisedBytes, timeOfByte } from './promised-length.ts';
import type { SentPlaces } from './sent-places.ts';

export interface ConversionSendOptions {
  contentType: string;
  disposition: string;
  /** True to announce a length, for players that need it to show progress. */
  withLength: boolean;
  /** True for a download, whose bytes are those of the whole conversion, however long it takes. */
  isDownload: boolean;
  /** Names who listens, and with what. */
  listener: string;
}

interface Answer {
  req: IncomingMessage;
  res: ServerResponse;
  request: ConversionRequest;
  key: string;
  options: ConversionSendOptions;
  signal: AbortSignal;
}

interface SendDeps {
  conversions: Conversions;
  sentPlaces: SentPlaces;
}

const CACHE_CONTROL = 'private, no-cache';
/**
 * Browsers must not store what is played while it is converted: with a part in its cache, Chromium sends If-Range for
 * every other place, which waits until that place is converted.
 */
const PLAYED_CACHE_CONTROL = 'no-store';

export async function sendConversion(
  deps: SendDeps,
  req: IncomingMessage,
  res: ServerResponse,
  request: ConversionRequest,
  options: ConversionSendOptions,
  signal: AbortSignal,
): Promise<void> {
  const answer: Answer = { req, res, request, key: keyOf(request), options, signal };
  const endCaching =
    request.order.startMs > 0 ? await deps.conversions.continueForCache(wholeOf(request)) : () => undefined;
  try {
    await chooseAndSend(deps, answer);
  } finally {
    endCaching();
  }
}

/** Returns the request for the whole of the track from a part of which another one begins. */
const wholeOf = (request: ConversionRequest): ConversionRequest => ({
  ...request,
  order: { ...request.order, startMs: 0 },
});

async function chooseAndSend({ conversions, sentPlaces }: SendDeps, answer: Answer): Promise<void> {
  const { req, res, request, key, options } = answer;
  const listening = `${options.listener} ${key}`;
  const path = await conversions.find(request);
  const promised = promisedBytes(request.order, request.durationMs);
  const isPromised =
    promised !== undefined &&
    asksForPromise(answer, promised, path !== undefined, () => sentPlaces.isListening(listening));
  if (isPromised) return sendPromised({ conversions, sentPlaces }, answer, promised, listening);
  if (path !== undefined) return sendFile(answer, path);
  if (req.method === 'HEAD') {
    setHeaders(answer);
    res.setHeader('Accept-Ranges', 'none');
    return void res.end();
  }
  await sendUnpromised(answer, await conversions.open(request));
}

const promiseTag = (key: string, promised: number): string => `${key}-${promised}`;

/**
 * Returns whether the answer has the promised length. A complete file has its own, unless the promise was made to this
 * listener: players stop when a length changes.
 */
function asksForPromise(
  { req, key, options }: Answer,
  promised: number,
  isComplete: boolean,
  wasPromised: () => boolean,
): boolean {
  const conditions = [req.headers['if-range'], req.headers['if-match'], req.headers['if-none-match']];
  if (conditions.some((condition) => typeof condition === 'string' && condition.includes(promiseTag(key, promised))))
    return true;
  const asksForRange = parseRange(req.headers.range, promised) !== 'whole';
  if (!isComplete) return asksForRange || options.withLength;
  return asksForRange && req.headers['if-range'] === undefined && wasPromised();
}

/** Sends a complete file with its own length. */
function sendFile({ req, res, key, options: { contentType, disposition } }: Answer, path: string): Promise<void> {
  return sendBytes(req, res, { path }, { contentType, disposition, etag: key, cacheControl: CACHE_CONTROL });
}

/**
 * Sends a conversion without announcing its length: from the beginning while it is converted; a range as soon as its
 * last byte is converted, or, when the range has no end, as soon as all is.
 */
async function sendUnpromised(answer: Answer, opened: OpenConversion): Promise<void> {
  const { req, res, signal, key } = answer;
  try {
    if ('path' in opened) return await sendFile(answer, opened.path);
    const { conversion } = opened;
    const range = parseRange(req.headers.range, Number.MAX_SAFE_INTEGER);
    const isWhole = typeof range !== 'object' || (range.start === 0 && range.end === Number.MAX_SAFE_INTEGER - 1);
    await conversion.waitFor(isWhole ? 0 : range.end, signal);
    const isGrowing = isWhole || conversion.writtenBytes() > range.end;
    if (!isGrowing) return await sendFile(answer, await conversion.waitForFile(signal));
    setHeaders(answer);
    if (isWhole) res.setHeader('Accept-Ranges', 'none');
    else {
      res.statusCode = 206;
      res.setHeader('ETag', `"${key}"`);
      res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/*`);
      res.setHeader('Content-Length', range.end + 1 - range.start);
    }
    const sentRange = isWhole ? { start: 0, end: Infinity } : range;
    await pipeline(asStream(conversion.bytes(sentRange, signal)), res);
  } catch (error) {
    if (!signal.aborted) throw error; // if aborted, the client has disconnected
  } finally {
    opened.leave();
  }
}

function setHeaders({ res, options: { contentType, disposition } }: Answer): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Disposition', disposition);
  res.setHeader('Cache-Control', CACHE_CONTROL);
}

/** Sends a conversion with the promised length: the whole, or a stream that begins at the place that was asked for. */
async function sendPromised(deps: SendDeps, answer: Answer, promised: number, listening: string): Promise<void> {
  const { conversions, sentPlaces } = deps;
  const { req, res, request, key, options, signal } = answer;
  const leaves = [await conversions.continueForCache(request)];
  let placeSignal: AbortSignal | undefined;
  try {
    const beginning = await chooseBeginning(deps, answer, promised, listening, leaves);
    const part = beginning === 0 ? request : partFrom(request, promised, beginning);
    if (beginning > 0) {
      const place = sentPlaces.moveTo(listening, beginning, part && keyOf(part));
      placeSignal = place.signal;
      if (place.leftKey !== undefined) await conversions.abandon(place.leftKey);
    } else leaves.push(sentPlaces.startWholeAnswer(listening));
    const readSignal = placeSignal ? AbortSignal.any([signal, placeSignal]) : signal;

    async function openStream({ start, end }: ByteRange = { start: 0, end: promised - 1 }) {
      const opened = part && (await conversions.open(part));
      if (opened) leaves.push(opened.leave);
      const audio = opened && ('path' in opened ? await audioOf(opened.path) : opened.conversion);
      const range = { start: start - beginning, end: end - beginning };
      await audio?.waitFor(range.start, readSignal);
      const bytes = keepPromise(audio, range, promised - beginning, request.order.profile, readSignal);
      const noteSent = (sentStart: number, sentEnd: number) =>
        sentPlaces.noteSent(listening, beginning, beginning + sentStart, beginning + sentEnd);
      return { stream: asStream(noting(bytes, range.start, noteSent)) };
    }

    const tag = promiseTag(key, promised);
    const modifiedAt = beginning === 0 ? (await request.file.stat()).modifiedAt : NO_DATE;
    await sendBytes(
      req,
      res,
      { stat: () => Promise.resolve({ size: promised, modifiedAt }), open: openStream },
      {
        contentType: options.contentType,
        disposition: options.disposition,
        etag: beginning === 0 ? tag : `${tag}-${beginning}`,
        cacheControl: options.isDownload ? CACHE_CONTROL : PLAYED_CACHE_CONTROL,
      },
    );
  } catch (error) {
    if (placeSignal?.aborted) res.destroy();
    else if (!signal.aborted) throw error; // if aborted, the client has disconnected
  } finally {
    for (const leave of leaves) leave();
  }
}

/**
 * Returns the byte at which the stream begins from which the range is sent; 0 is the whole conversion. Another stream
 * only begins for a listener who is playing this conversion and goes to a place that is not converted yet.
 */
async function chooseBeginning(
  { conversions, sentPlaces }: SendDeps,
  { req, request, key, options: { isDownload }, signal }: Answer,
  promised: number,
  listening: string,
  leaves: (() => void)[],
): Promise<number> {
  const range = parseRange(req.headers.range, promised);
  if (req.method === 'HEAD' || typeof range !== 'object' || range.start === 0) return 0;
  const ifRange = req.headers['if-range'];
  if (typeof ifRange === 'string') {
    const namedByte = ifRange.startsWith(`"${promiseTag(key, promised)}-`) ? Number(/-(\d+)"$/.exec(ifRange)?.[1]) : 0;
    return namedByte <= range.start ? namedByte : 0;
  }
  const sentFrom = sentPlaces.beginningOf(listening, range.start);
  if (sentFrom !== undefined) return sentFrom;
  if (isDownload || !sentPlaces.isListening(listening)) return 0;
  const opened = await conversions.open(request);
  try {
    leaves.push(await conversions.continueForCache(request));
    const isNear = (): boolean => 'path' in opened || opened.conversion.isNear(range.start);
    if (isNear()) return 0;
    if (isForMediaElement(req)) return range.start;
    while (await sentPlaces.isReadingOn(listening, signal)) {
      if (range.end < promised - 1 || isNear()) return 0;
    }
    return range.start;
  } finally {
    opened.leave();
  }
}

/**
 * Returns whether an `<audio>` or `<video>` of a web page asks. It never downloads in several parts: what else is read
 * at the same time is another element, such as the one that loads the next song. Browsers say so over HTTPS and to
 * localhost.
 */
const isForMediaElement = ({ headers }: IncomingMessage): boolean =>
  ['audio', 'video'].includes(String(headers['sec-fetch-dest']));

/** The last bytes of the audio that make the end of the padding; the longest page of Ogg has fewer. */
const AUDIO_END_BYTES = 64 << 10;

/** Yields a range of the audio as it is converted, and then padding up to the promised size. */
async function* keepPromise(
  audio: Audio | undefined,
  range: ByteRange,
  promised: number,
  profile: ProfileName,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let position = range.start;
  for await (const chunk of audio?.bytes(range, signal) ?? []) {
    position += chunk.length;
    yield chunk;
  }
  if (position > range.end) return;
  const audioSize = audio?.writtenBytes() ?? 0;
  const end: Buffer[] = [];
  const endRange = { start: Math.max(0, audioSize - AUDIO_END_BYTES), end: audioSize - 1 };
  for await (const chunk of audio?.bytes(endRange, signal) ?? []) end.push(chunk);
  yield* padding(profile, promised - audioSize, {
    start: position - audioSize,
    end: range.end + 1 - audioSize,
    audioEnd: Buffer.concat(end),
  });
}

async function* noting(
  bytes: AsyncIterable<Buffer>,
  start: number,
  noteSent: (start: number, end: number) => void,
): AsyncGenerator<Buffer> {
  let position = start;
  for await (const chunk of bytes) {
    noteSent(position, position + chunk.length);
    position += chunk.length;
    yield chunk;
  }
}

/** Returns the request for what follows a byte of the promised length; undefined where only padding is left. */
function partFrom(request: ConversionRequest, promised: number, byte: number): ConversionRequest | undefined {
  const { order, durationMs } = request;
  const ms = timeOfByte(order, durationMs ?? 0, promised, byte);
  return ms === undefined
    ? undefined
    : { ...request, order: { ...order, startMs: order.startMs + ms, continuesAtMs: ms } };
}

type Audio = Pick<Conversion, 'writtenBytes' | 'waitFor' | 'bytes'>;

async function audioOf(path: string): Promise<Audio> {
  const { size } = await stat(path);
  return {
    writtenBytes: () => size,
    waitFor: () => Promise.resolve(),
    async *bytes({ start, end }) {
      if (start < size) yield* createReadStream(path, { start, end: Math.min(end, size - 1) });
    },
  };
}

const asStream = (bytes: AsyncIterable<Buffer>): Readable =>
  Readable.from(bytes, { objectMode: false, highWaterMark: 64 << 10 });
