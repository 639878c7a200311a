// Sends a converted track: like a file when it is complete, otherwise as it is made. A request for a range of an
// unfinished one waits until it is complete: iPhones first ask for two bytes, and play nothing unless they get them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sendBytes, type SendOptions } from '../http/send-bytes.ts';
import { parseRange } from '../http/ranges.ts';
import type { TranscodeRun } from './transcode-run.ts';
import type { Transcoded } from './transcode-cache.ts';

export interface LiveOptions {
  contentType: string;
  disposition: string;
  /** Announce this estimate as the length, for old players that need one to show progress; never more is sent. */
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
    if (!signal.aborted) throw error; // aborted: the client is gone
  } finally {
    transcoded.leave();
  }
}

/** Only the headers; starts no conversion. */
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
  res.setHeader('Connection', 'close'); // with fewer bytes than announced, its end is the end of the music
}

/** At most so many bytes. */
async function* exactly(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left === 0) return;
    yield chunk.subarray(0, left);
    left -= Math.min(left, chunk.length);
  }
}
