// Measures and checks an upload while its source is read.
import { createHash, hash as hashOf } from 'node:crypto';
import { Readable } from 'node:stream';
import { fileChangedError } from './file-errors.ts';
import type { ExpectedContent } from './storage.ts';

interface MeasuredSource {
  body: Readable | Buffer;
  size(): number;
  /** Returns the error of the source or the abort signal, if that is what ended the upload. */
  fault(): unknown;
}

/**
 * Reads all of a small object, which then needs neither a stream nor parts. Throws if the content is not the expected
 * one.
 */
export async function readWhole(
  source: Readable,
  expected: ExpectedContent,
  signal: AbortSignal | undefined,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    if ((size += chunk.length) > expected.size) throw fileChangedError();
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (size !== expected.size || hashOf('sha256', bytes) !== expected.sha256) throw fileChangedError();
  return bytes;
}

/**
 * Wraps a source, measuring and checking it. The resulting body fails at the end of unexpected content, so that nothing
 * is stored under a wrong hash.
 */
export function measureSource(
  source: Readable | Buffer,
  expected: ExpectedContent | undefined,
  signal: AbortSignal | undefined,
): MeasuredSource {
  if (Buffer.isBuffer(source)) return { body: source, size: () => source.length, fault: () => undefined };
  const hash = expected && createHash('sha256');
  let size = 0;
  let fault: unknown;
  let isReading = true; // false when the upload ended with an error, which is thrown into the generator at its yield
  async function* readChunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        hash?.update(chunk);
        size += chunk.length;
        isReading = false;
        yield chunk;
        isReading = true;
      }
      signal?.throwIfAborted();
      if (expected && (size !== expected.size || hash?.digest('hex') !== expected.sha256)) throw fileChangedError();
    } catch (error) {
      if (isReading) fault = error;
      throw error;
    }
  }
  return { body: Readable.from(readChunks(), { objectMode: false }), size: () => size, fault: () => fault };
}
