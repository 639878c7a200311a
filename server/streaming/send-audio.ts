// Sends a converted track: a complete file like any file, an unfinished one while it is converted. A request for a
// range of an unfinished file waits until it is complete: iPhones first request two bytes, and play nothing unless they
// get them. A request with an unknown length waits, too.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sendBytes, type BytesSource, type SendOptions } from '../http/send-bytes.ts';
import { parseRange } from '../http/ranges.ts';
import type { TranscodeRun } from './transcode-run.ts';
import type { Transcoded } from './transcode-cache.ts';

export interface ConversionSendOptions {
  contentType: string;
  disposition: string;
  /** True to announce a length, for players that need it to show progress. */
  withLength: boolean;
  /** The estimated length, if there is one; exactly this many bytes are sent. */
  estimatedBytes: number | undefined;
}

const CACHE_CONTROL = 'private, no-cache';

export async function sendTranscoded(
  req: IncomingMessage,
  res: ServerResponse,
  conversion: Transcoded,
  options: ConversionSendOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    if ('path' in conversion) return await sendFinished(req, res, conversion.path, conversion.etag, options);
    const isLive = !asksForPart(req) && (!options.withLength || options.estimatedBytes !== undefined);
    if (isLive) return await sendLive(res, conversion.run, options, signal);
    const path = await conversion.run.waitForFile(signal);
    await sendFinished(req, res, path, conversion.etag, options);
  } catch (error) {
    if (!signal.aborted) throw error; // if aborted, the client has disconnected
  } finally {
    conversion.leave();
  }
}

/** Sends a complete conversion; with an announced length, it sends the same bytes as during the conversion. */
export async function sendFinished(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  etag: string,
  options: ConversionSendOptions,
): Promise<void> {
  const { contentType, disposition, withLength, estimatedBytes } = options;
  const isExact = withLength && estimatedBytes !== undefined;
  const source: BytesSource = isExact ? exactSource(path, estimatedBytes) : { path };
  const sendOptions: SendOptions = {
    contentType,
    disposition,
    etag: isExact ? `${etag}-${estimatedBytes}` : etag,
    cacheControl: CACHE_CONTROL,
  };
  await sendBytes(req, res, source, sendOptions);
}

const exactSource = (path: string, size: number): BytesSource => ({
  stat: async () => ({ size, modifiedAt: (await stat(path)).mtime }),
  open: (range = { start: 0, end: size - 1 }) =>
    Promise.resolve({ stream: Readable.from(fitToLength(createReadStream(path, range), range.end - range.start + 1)) }),
});

/** Sends only the headers and starts no conversion. */
export function sendLiveHead(res: ServerResponse, options: ConversionSendOptions): void {
  writeLiveHeaders(res, options);
  res.end();
}

/** Returns whether the request needs a range. A range from 0 without an end is the whole file, which need not wait. */
const asksForPart = (req: IncomingMessage): boolean => {
  const range = parseRange(req.headers.range, Number.MAX_SAFE_INTEGER);
  return typeof range === 'object' && !(range.start === 0 && range.end === Number.MAX_SAFE_INTEGER - 1);
};

async function sendLive(
  res: ServerResponse,
  run: TranscodeRun,
  options: ConversionSendOptions,
  signal: AbortSignal,
): Promise<void> {
  await run.waitForBytes(signal);
  writeLiveHeaders(res, options);
  const { withLength, estimatedBytes } = options;
  const chunks =
    withLength && estimatedBytes !== undefined ? fitToLength(run.chunks(signal), estimatedBytes) : run.chunks(signal);
  await pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 64 << 10 }), res);
}

function writeLiveHeaders(
  res: ServerResponse,
  { contentType, disposition, withLength, estimatedBytes }: ConversionSendOptions,
): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Disposition', disposition);
  res.setHeader('Cache-Control', CACHE_CONTROL);
  res.setHeader('Accept-Ranges', 'none');
  if (withLength && estimatedBytes !== undefined) res.setHeader('Content-Length', estimatedBytes);
}

const PADDING = Buffer.alloc(16 << 10);

/** Cuts or pads the audio to this many bytes: a cut loses the last hundredths of a second, and players skip zeros. */
async function* fitToLength(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let remainingBytes = bytes;
  for await (const chunk of chunks) {
    if (remainingBytes === 0) return;
    yield chunk.subarray(0, remainingBytes);
    remainingBytes -= Math.min(remainingBytes, chunk.length);
  }
  for (; remainingBytes > 0; remainingBytes -= Math.min(remainingBytes, PADDING.length))
    yield PADDING.subarray(0, remainingBytes);
}
