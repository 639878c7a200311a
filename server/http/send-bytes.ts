// Sends stored bytes (audio, covers): conditional requests, ranges, HEAD, exact lengths. The pieces of a file are read
// into one buffer and written from it one after another: fifty concurrent streams take less than half the time of piped
// streams, and 140 MB less.
import { open, type FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { PLAIN_READ_FLAGS } from '../runtime/plain-files.ts';
import {
  checkConditions,
  hasCurrentCopy,
  ifRangeHolds,
  parseRange,
  type ByteRange,
  type Validators,
} from './ranges.ts';

/** Size of a read. Each read is a round trip to another thread, which takes longer than the reading itself. */
const READ_BYTES = 256 << 10;

interface Stamp {
  size: number;
  /** `NO_DATE` when only the ETag tells whether the bytes are the same. */
  modifiedAt: Date;
}

export const NO_DATE = new Date(NaN);

export type BytesSource =
  | { path: string | Buffer }
  | { bytes: Buffer; modifiedAt: Date }
  | { stat(): Promise<Stamp>; open(range?: ByteRange): Promise<{ stream: Readable }> };

export interface SendOptions {
  contentType: string;
  cacheControl: string;
  /** Strong ETag without quotes; a function if it depends on the file. */
  etag: string | ((stamp: Stamp) => string);
  disposition?: string;
}

/**
 * Answers a GET or HEAD with 200, 206, 304 or 412. Throws `range_not_satisfiable` with Content-Range set. System errors
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
  const { stream } = await source.open(plan.isComplete ? undefined : plan.range);
  startAnswer(res, plan);
  await pipeline(stream, res).catch(ignoreAbort);
}

async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  path: string | Buffer,
  options: SendOptions,
): Promise<void> {
  await using handle = await open(path, PLAIN_READ_FLAGS);
  const stats = await handle.stat();
  if (!stats.isFile()) throw new AppError('unavailable', 'The stored audio or image is not a file.');
  const plan = planAnswer(req, res, { size: stats.size, modifiedAt: stats.mtime }, options);
  if (!plan) return;
  startAnswer(res, plan);
  await copyRange(handle, plan.range, res);
}

/**
 * Sends a range of a file. The next piece is read after the system has taken the last one, so that a slow client uses
 * one buffer.
 */
async function copyRange(file: FileHandle, { start, end }: ByteRange, res: ServerResponse): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, end + 1 - start));
  for (let position = start; position <= end;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end + 1 - position), position);
    if (bytesRead === 0) return void res.destroy(); // the file has become shorter after its length was sent
    position += bytesRead;
    if (!(await write(res, buffer.subarray(0, bytesRead)))) return;
  }
  res.end();
}

/** Resolves when the chunk was passed to the system; with false when the connection is gone. */
const write = (res: ServerResponse, chunk: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    if (res.destroyed) return resolve(false);
    const onClose = (): void => resolve(false);
    res.once('close', onClose);
    res.write(chunk, (error) => {
      res.off('close', onClose);
      resolve(!error);
    });
  });

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

interface AnswerPlan {
  range: ByteRange;
  isComplete: boolean;
  size: number;
  options: SendOptions;
  validators: Validators;
}

/** Returns what to send; undefined when a response without a body was already sent. */
function planAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  stamp: Stamp,
  options: SendOptions,
): AnswerPlan | undefined {
  const etag = typeof options.etag === 'string' ? options.etag : options.etag(stamp);
  const validators: Validators = { etag: `"${etag}"`, modifiedAt: stamp.modifiedAt };
  const wholePlan: AnswerPlan = {
    range: { start: 0, end: stamp.size - 1 },
    isComplete: true,
    size: stamp.size,
    options,
    validators,
  };

  const verdict = checkConditions(req.headers, validators);
  if (verdict === 'precondition_failed') return endEmpty(res, 412);
  if (verdict === 'not_modified') {
    setValidators(res, wholePlan);
    return endEmpty(res, 304);
  }
  if (req.method === 'HEAD') {
    // HEAD is answered for the whole file, because ranges are defined for GET only
    startAnswer(res, wholePlan);
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
  return range === 'whole' ? wholePlan : { ...wholePlan, range, isComplete: false };
}

function endEmpty(res: ServerResponse, status: number): undefined {
  res.statusCode = status;
  res.end();
}

function setValidators(res: ServerResponse, { options, validators }: AnswerPlan): void {
  res.setHeader('ETag', validators.etag);
  if (validators.modifiedAt !== NO_DATE) res.setHeader('Last-Modified', validators.modifiedAt.toUTCString());
  res.setHeader('Cache-Control', options.cacheControl);
}

function startAnswer(res: ServerResponse, plan: AnswerPlan): void {
  const { range, isComplete, size, options } = plan;
  setValidators(res, plan);
  res.statusCode = isComplete ? 200 : 206;
  res.setHeader('Accept-Ranges', 'bytes');
  res.setHeader('Content-Type', options.contentType);
  res.setHeader('Content-Length', range.end - range.start + 1);
  if (!isComplete) res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  if (options.disposition !== undefined) res.setHeader('Content-Disposition', options.disposition);
}

/** Ignores the error of a client that disconnected. */
function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
}
