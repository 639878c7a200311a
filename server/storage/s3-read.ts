// Streams the body of an object. When the connection breaks, or the store closes it because a listener paused, a new
// connection continues at the same position.
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { DamagedObjectError } from './file-errors.ts';
import { asStoreError } from './s3-errors.ts';

/** The number of connections in a row that may fail without receiving a byte. */
const MAX_FAILED_CONNECTIONS = 3;
const STREAM_BUFFER_BYTES = 64 << 10;

interface ReadPlan {
  /** Range of the object, both ends included. */
  start: number;
  end: number;
  /** Opens the rest of the object, with a checksum if that is the whole object; rejects with an AppError. */
  reopen(start: number, signal: AbortSignal): Promise<Readable>;
  /** Aborted when the stream is closed, to close the connections. */
  controller: AbortController;
}

export function createResumingStream(firstBody: Readable, plan: ReadPlan): Readable {
  let body = ignoreErrors(firstBody);
  const stream = Readable.from(readChunks(), { objectMode: false, highWaterMark: STREAM_BUFFER_BYTES });
  stream.once('close', () => {
    plan.controller.abort();
    body.destroy();
  });
  return stream;

  async function* readChunks(): AsyncGenerator<Buffer> {
    let position = plan.start;
    for (let attemptsLeft = MAX_FAILED_CONNECTIONS; ;) {
      const startPosition = position;
      // the last chunk is held back until the SDK has compared the checksum: damaged audio must not look complete
      let heldChunk: Buffer | undefined;
      let failure: unknown = new Error('the connection ended early');
      try {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          if (heldChunk) yield heldChunk;
          position += heldChunk?.length ?? 0;
          heldChunk = chunk;
        }
        if (heldChunk) yield heldChunk;
        position += heldChunk?.length ?? 0;
        heldChunk = undefined;
      } catch (error) {
        failure = error;
      }
      if (position > plan.end) return;
      const isDamaged = isMismatch(failure) || (heldChunk !== undefined && position + heldChunk.length > plan.end);
      // part of the object has been sent already
      if (isDamaged && position > plan.start) throw new DamagedObjectError(failure);
      attemptsLeft = position > startPosition ? MAX_FAILED_CONNECTIONS : attemptsLeft - 1;
      if (attemptsLeft === 0 || plan.controller.signal.aborted)
        throw isDamaged ? new DamagedObjectError(failure) : asStoreError(failure);
      body = ignoreErrors(await plan.reopen(position, plan.controller.signal));
    }
  }
}

/**
 * Returns whether the checksum was wrong. The SDK compares the checksum of a whole object at its end, and then discards
 * what it has buffered.
 */
const isMismatch = (error: unknown): boolean => error instanceof Error && error.message.startsWith('Checksum mismatch');

/** Adds an error listener, without which an error would end the process; the next reader gets the error anyway. */
const ignoreErrors = (body: Readable): Readable => body.on('error', () => undefined);

/** Returns the size in a Content-Range: `bytes 5-9/100` → 100. */
export function sizeInRange(contentRange: string | undefined): number {
  const size = Number(/\/(\d+)$/.exec(contentRange ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(size)) throw new AppError('unavailable', 'The object store does not support ranges.');
  return size;
}
