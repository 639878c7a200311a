// Sends stored bytes (audio, covers): conditional requests, ranges, HEAD, exact lengths. Files are sent by a loop with
// few large buffers instead of a piped stream: about three times as fast, and slow clients take no more memory, since
// nothing is read before the client has taken what was read last.
import { close, fstat, open, read, type Stats } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { AppError } from '../errors.ts';
import { PLAIN_READ } from '../runtime/plain-files.ts';
import {
  checkConditions,
  hasCurrentCopy,
  ifRangeHolds,
  parseRange,
  type ByteRange,
  type Validators,
} from './ranges.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const statOpenFile = promisify<number, Stats>(fstat);

/** Of slow clients, of whom there may be hundreds. */
const SMALL_BYTES = 256 << 10;
/** Of fast ones: each buffer costs a way to another thread and back, which takes longer than reading it. */
const LARGE_BYTES = 512 << 10;
const MOST_LARGE = 64;
/** A client is fast when it takes each buffer within this time (5 or 10 MB/s). */
const QUICK_WRITE_MS = 50;
/** For longer than the socket buffers last. */
const QUICK_BYTES = 8 << 20;
/** Buffers of finished responses, for reuse. */
const freeBuffers: Record<number, Buffer[]> = { [SMALL_BYTES]: [], [LARGE_BYTES]: [] };
const MOST_FREE = 8;
let largeInUse = 0;

interface Stamp {
  size: number;
  modifiedAt: Date;
}

export type BytesSource =
  | { path: string | Buffer }
  | { bytes: Buffer; modifiedAt: Date }
  | { stat(): Promise<Stamp>; open(range?: ByteRange): Promise<{ stream: Readable }> };

export interface SendOptions {
  contentType: string;
  cacheControl: string;
  /** Strong ETag without quotes; a function when it depends on the file. */
  etag: string | ((stamp: Stamp) => string);
  disposition?: string;
}

/**
 * Answers a GET or HEAD with 200, 206, 304 or 412; throws `range_not_satisfiable` with Content-Range set. System errors
 * of opening the file are thrown before anything is sent; later ones close the connection, so that no client takes a
 * part for the whole.
 */
export async function sendBytes(
  req: IncomingMessage,
  res: ServerResponse,
  source: BytesSource,
  options: SendOptions,
): Promise<void> {
  if (typeof options.etag === 'string' && hasCurrentCopy(req.headers, `"${options.etag}"`)) {
    res.setHeader('ETag', `"${options.etag}"`);
    res.setHeader('Cache-Control', options.cacheControl);
    return endEmpty(res, 304);
  }
  if ('path' in source) return sendFile(req, res, source.path, options);
  if ('bytes' in source) return sendBuffer(req, res, source, options);
  const plan = planAnswer(req, res, await source.stat(), options);
  if (!plan) return;
  const { stream } = await source.open(plan.isWhole ? undefined : plan.range);
  startAnswer(res, plan);
  await pipeline(stream, res).catch(ignoreAbort);
}

async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  path: string | Buffer,
  options: SendOptions,
): Promise<void> {
  const fd = await openFile(path, PLAIN_READ);
  try {
    const stats = await statOpenFile(fd);
    if (!stats.isFile()) throw new AppError('unavailable', 'The stored audio or image is not a file.');
    const plan = planAnswer(req, res, { size: stats.size, modifiedAt: stats.mtime }, options);
    if (!plan) return;
    startAnswer(res, plan);
    await pump(fd, plan.range, res);
  } finally {
    await closeFile(fd);
  }
}

function sendBuffer(
  req: IncomingMessage,
  res: ServerResponse,
  { bytes, modifiedAt }: Extract<BytesSource, { bytes: Buffer }>,
  options: SendOptions,
): void {
  const plan = planAnswer(req, res, { size: bytes.length, modifiedAt }, options);
  if (!plan) return;
  startAnswer(res, plan);
  res.end(bytes.subarray(plan.range.start, plan.range.end + 1));
}

interface Plan {
  range: ByteRange;
  isWhole: boolean;
  size: number;
  options: SendOptions;
  validators: Validators;
}

/** What to send; undefined when a response without a body has been sent already. */
function planAnswer(req: IncomingMessage, res: ServerResponse, stamp: Stamp, options: SendOptions): Plan | undefined {
  const etag = typeof options.etag === 'string' ? options.etag : options.etag(stamp);
  const validators: Validators = { etag: `"${etag}"`, modifiedAt: stamp.modifiedAt };
  const whole: Plan = {
    range: { start: 0, end: stamp.size - 1 },
    isWhole: true,
    size: stamp.size,
    options,
    validators,
  };

  const verdict = checkConditions(req.headers, validators);
  if (verdict === 'precondition_failed') return endEmpty(res, 412);
  if (verdict === 'not_modified') {
    setValidators(res, whole);
    return endEmpty(res, 304);
  }
  if (req.method === 'HEAD') {
    // ranges are defined for GET only
    startAnswer(res, whole);
    res.end();
    return undefined;
  }
  const range = ifRangeHolds(req.headers['if-range'] as string | undefined, validators)
    ? parseRange(req.headers.range, stamp.size)
    : 'whole';
  if (range === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${stamp.size}`);
    throw new AppError('range_not_satisfiable', `The range is outside the file's ${stamp.size} bytes.`);
  }
  return range === 'whole' ? whole : { ...whole, range, isWhole: false };
}

function endEmpty(res: ServerResponse, status: number): undefined {
  res.statusCode = status;
  res.end();
}

function setValidators(res: ServerResponse, { options, validators }: Plan): void {
  res.setHeader('ETag', validators.etag);
  res.setHeader('Last-Modified', validators.modifiedAt.toUTCString());
  res.setHeader('Cache-Control', options.cacheControl);
}

function startAnswer(res: ServerResponse, plan: Plan): void {
  const { range, isWhole, size, options } = plan;
  setValidators(res, plan);
  res.statusCode = isWhole ? 200 : 206;
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('Content-Type', options.contentType);
  res.setHeader('Content-Length', range.end - range.start + 1);
  if (!isWhole) res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  if (options.disposition !== undefined) res.setHeader('Content-Disposition', options.disposition);
}

/**
 * Reads into one buffer while the other is being sent. A slow client gets a single small one. Returns when all is
 * written or the client has disconnected.
 */
async function pump(fd: number, range: ByteRange, res: ServerResponse): Promise<void> {
  const all = range.end + 1 - range.start;
  let buffer = takeBuffer(all > SMALL_BYTES);
  let other: Buffer | undefined;
  let writing: Promise<number | undefined> = Promise.resolve(0);
  let isQuick = true;
  let quickBytes = 0;
  let isSent = false;
  try {
    for (let position = range.start; position <= range.end;) {
      if (!other && !isQuick && isLarge(buffer)) {
        giveBuffer(buffer);
        buffer = takeBuffer(false);
      }
      const count = await readInto(fd, buffer, Math.min(buffer.length, range.end + 1 - position), position);
      const ms = await writing; // from here on `other` is free
      if (ms === undefined) return;
      if (count === 0) return void res.destroy(); // the file shrank after its length was sent
      position += count;

      isQuick = ms <= QUICK_WRITE_MS;
      quickBytes = isQuick ? quickBytes + count : 0;
      if (quickBytes > QUICK_BYTES && position <= range.end) other ??= takeBuffer(true);
      else if (other) other = giveBuffer(other);
      writing = write(res, buffer.subarray(0, count));
      if (other) [buffer, other] = [other, buffer];
      else if ((await writing) === undefined) return; // before a buffer is given back that it may still use
    }
    isSent = (await writing) !== undefined;
  } finally {
    // a broken connection may still use its buffers: they are not used again
    for (const one of [buffer, other]) if (one) giveBuffer(one, isSent);
  }
  if (isSent) res.end();
}

const isLarge = (buffer: Buffer): boolean => buffer.length === LARGE_BYTES;

function takeBuffer(large: boolean): Buffer {
  const bytes = large && largeInUse < MOST_LARGE ? LARGE_BYTES : SMALL_BYTES;
  if (bytes === LARGE_BYTES) largeInUse++;
  return freeBuffers[bytes]?.pop() ?? Buffer.allocUnsafeSlow(bytes);
}

function giveBuffer(buffer: Buffer, isFree = true): undefined {
  if (isLarge(buffer)) largeInUse--;
  const free = freeBuffers[buffer.length];
  if (isFree && free && free.length < MOST_FREE) free.push(buffer);
  if (largeInUse === 0 && freeBuffers[LARGE_BYTES]) freeBuffers[LARGE_BYTES].length = 0; // nothing is kept at rest
}

const readInto = (fd: number, buffer: Buffer, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, buffer, 0, length, position, (error, count) => (error ? reject(error) : resolve(count)));
  });

/** Milliseconds until the chunk was handed to the system; undefined when the connection is gone. */
const write = (res: ServerResponse, chunk: Buffer): Promise<number | undefined> =>
  new Promise((resolve) => {
    if (res.destroyed) return resolve(undefined);
    const started = performance.now();
    const onClose = (): void => resolve(undefined);
    res.once('close', onClose);
    res.write(chunk, (error) => {
      res.off('close', onClose);
      resolve(error ? undefined : performance.now() - started);
    });
  });

/** A client that disconnects is not an error. */
function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
}
