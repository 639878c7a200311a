// Sends a converted track: like a file when it is complete, otherwise as it is made. A request for a range of an
// unfinished one waits until it is complete: iPhones first ask for two bytes, and play nothing unless they get them. So
// does one for a length that nobody knows before.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sendBytes, type BytesSource, type SendOptions } from '../http/send-bytes.ts';
import { parseRange } from '../http/ranges.ts';
import type { TranscodeRun } from './transcode-run.ts';
import type { Transcoded } from './transcode-cache.ts';

export interface LiveOptions {
  contentType: string;
  disposition: string;
  /** Announce a length, for players that need one to show progress. */
  withLength: boolean;
  /** The length, as far as it is known before; exactly as much is sent. */
  estimate: number | undefined;
}

const CACHE_CONTROL = 'private, no-cache';

export async function sendTranscoded(
  req: IncomingMessage,
  res: ServerResponse,
  transcoded: Transcoded,
  options: LiveOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    if ('path' in transcoded) return await sendMade(req, res, transcoded.path, transcoded.etag, options);
    const isLive = !asksForPart(req) && (!options.withLength || options.estimate !== undefined);
    if (isLive) return await sendLive(res, transcoded.run, options, signal);
    const path = await transcoded.run.whole(signal);
    await sendMade(req, res, path, transcoded.etag, options);
  } catch (error) {
    if (!signal.aborted) throw error; // aborted: the client is gone
  } finally {
    transcoded.leave();
  }
}

/** A complete one; with an announced length, the same bytes as while it was made. */
export async function sendMade(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  etag: string,
  options: LiveOptions,
): Promise<void> {
  const { contentType, disposition, withLength, estimate } = options;
  const isExact = withLength && estimate !== undefined;
  const source: BytesSource = isExact ? exactSource(path, estimate) : { path };
  const known: SendOptions = {
    contentType,
    disposition,
    etag: isExact ? `${etag}-${estimate}` : etag,
    cacheControl: CACHE_CONTROL,
  };
  await sendBytes(req, res, source, known);
}

const exactSource = (path: string, size: number): BytesSource => ({
  stat: async () => ({ size, modifiedAt: (await stat(path)).mtime }),
  open: (range = { start: 0, end: size - 1 }) =>
    Promise.resolve({ stream: Readable.from(exactly(createReadStream(path, range), range.end - range.start + 1)) }),
});

/** Only the headers; starts no conversion. */
export function sendLiveHead(res: ServerResponse, options: LiveOptions): void {
  startLive(res, options);
  res.end();
}

/** A range without an end from 0 on is the whole, which need not wait. */
const asksForPart = (req: IncomingMessage): boolean => {
  const range = parseRange(req.headers.range, Number.MAX_SAFE_INTEGER);
  return typeof range === 'object' && !(range.start === 0 && range.end === Number.MAX_SAFE_INTEGER - 1);
};

async function sendLive(
  res: ServerResponse,
  run: TranscodeRun,
  options: LiveOptions,
  signal: AbortSignal,
): Promise<void> {
  await run.begun(signal);
  startLive(res, options);
  const { withLength, estimate } = options;
  const chunks = withLength && estimate !== undefined ? exactly(run.chunks(signal), estimate) : run.chunks(signal);
  await pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 64 << 10 }), res);
}

function startLive(res: ServerResponse, { contentType, disposition, withLength, estimate }: LiveOptions): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Disposition', disposition);
  res.setHeader('Cache-Control', CACHE_CONTROL);
  res.setHeader('Accept-Ranges', 'none');
  if (withLength && estimate !== undefined) res.setHeader('Content-Length', estimate);
}

const ZEROS = Buffer.alloc(16 << 10);

/** So many bytes: what is too much are the last hundredths of a second, and players skip zeros. */
async function* exactly(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left === 0) return;
    yield chunk.subarray(0, left);
    left -= Math.min(left, chunk.length);
  }
  for (; left > 0; left -= Math.min(left, ZEROS.length)) yield ZEROS.subarray(0, left);
}
