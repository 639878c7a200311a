// Measures and checks an upload while its source is read.
import { createHash, hash as hashOf } from 'node:crypto';
import { Readable } from 'node:stream';
import { changedMeanwhile } from './file-errors.ts';
import type { KnownContent } from './storage.ts';

interface Measured {
  body: Readable | Buffer;
  size(): number;
  /** The error of the source or the abort signal, if that is what ended the upload. */
  fault(): unknown;
}

/** All of a small object, which then takes neither a stream nor parts. Fails for other content than `known`. */
export async function whole(
  source: Readable,
  known: KnownContent,
  signal: AbortSignal | undefined,
): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of source as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    if ((size += piece.length) > known.size) throw changedMeanwhile();
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  if (size !== known.size || hashOf('sha256', bytes) !== known.sha256) throw changedMeanwhile();
  return bytes;
}

/** Fails at the end of content other than `known`, so that nothing is stored under a wrong hash. */
export function measured(
  source: Readable | Buffer,
  known: KnownContent | undefined,
  signal: AbortSignal | undefined,
): Measured {
  if (Buffer.isBuffer(source)) return { body: source, size: () => source.length, fault: () => undefined };
  const hash = known && createHash('sha256');
  let size = 0;
  let fault: unknown;
  let isReading = true; // otherwise an error is what ended the upload, thrown into the generator at its yield
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of source as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        hash?.update(piece);
        size += piece.length;
        isReading = false;
        yield piece;
        isReading = true;
      }
      signal?.throwIfAborted();
      if (known && (size !== known.size || hash?.digest('hex') !== known.sha256)) throw changedMeanwhile();
    } catch (error) {
      if (isReading) fault = error;
      throw error;
    }
  }
  return { body: Readable.from(pieces(), { objectMode: false }), size: () => size, fault: () => fault };
}
