// What goes to the object store, looked at while it is read: how much it was, that it is what it was said to be, and
// whose fault an error is.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { changedMeanwhile } from './file-errors.ts';
import type { KnownContent } from './storage.ts';

export interface Measured {
  body: Readable | Buffer;
  size(): number;
  /** An error of the source, or of whoever ended the upload: it is passed on as it is. */
  fault(): unknown;
}

/** With content that is known, the end of any other is an error: nothing is stored under a wrong name. */
export function measured(
  source: Readable | Buffer,
  known: KnownContent | undefined,
  signal: AbortSignal | undefined,
): Measured {
  if (Buffer.isBuffer(source)) return { body: source, size: () => source.length, fault: () => undefined };
  const hash = known && createHash('sha256');
  let size = 0;
  let fault: unknown;
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of source as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        hash?.update(piece);
        size += piece.length;
        yield piece;
      }
      signal?.throwIfAborted();
      if (known && (size !== known.size || hash?.digest('hex') !== known.sha256)) throw changedMeanwhile();
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  return { body: Readable.from(pieces(), { objectMode: false }), size: () => size, fault: () => fault };
}
