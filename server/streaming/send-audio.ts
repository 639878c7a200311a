// A converted track as an answer: like a file when it is whole; as it comes while it is made. A player that asks for a
// certain range of one that is still being made waits for the whole: iPhones begin with the first two bytes and play
// nothing without a proper answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sendBytes, type SendOptions } from '../http/send-bytes.ts';
import { parseRange } from '../http/ranges.ts';
import type { TranscodeRun } from './transcode-run.ts';
import type { Transcoded } from './transcodes.ts';

export interface LiveOptions {
  contentType: string;
  disposition: string;
  /**
   * Announce so many bytes and send exactly as many, though nobody can know; for old players that show progress by it.
   */
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
    if ('path' in transcoded)
      return await sendBytes(req, res, { path: transcoded.path }, fileOptions(transcoded.etag, options));
    if (!asksForPart(req)) return await sendLive(res, transcoded.run, options, signal);
    const path = await transcoded.run.whole(signal);
    await sendBytes(req, res, { path }, fileOptions(transcoded.etag, options));
  } catch (error) {
    if (!signal.aborted) throw error; // the caller is gone: there is nobody to tell
  } finally {
    transcoded.leave();
  }
}

/** The headers of one that would have to be made. Nothing is begun. */
export function sendLiveHead(res: ServerResponse, options: LiveOptions): void {
  startLive(res, options);
  res.end();
}

export const fileOptions = (etag: string, { contentType, disposition }: LiveOptions): SendOptions => ({
  contentType,
  disposition,
  etag,
  cacheControl: CACHE_CONTROL,
});

/** From the beginning to wherever it ends is the whole, and need not wait. */
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
  const chunks = options.estimate === undefined ? run.chunks(signal) : exactly(run.chunks(signal), options.estimate);
  await pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 64 << 10 }), res);
}

function startLive(res: ServerResponse, { contentType, disposition, estimate }: LiveOptions): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Disposition', disposition);
  res.setHeader('Cache-Control', CACHE_CONTROL);
  res.setHeader('Accept-Ranges', 'none');
  if (estimate === undefined) return;
  res.setHeader('Content-Length', estimate);
  res.setHeader('Connection', 'close'); // when it was less, the end of the connection is the end of the music
}

/** Never more than was announced. */
async function* exactly(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left === 0) return;
    yield chunk.subarray(0, left);
    left -= Math.min(left, chunk.length);
  }
}
