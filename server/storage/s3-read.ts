// Streams the body of an object. When the connection breaks, or the store closes it because a listener paused, a new
// one continues at the same position.
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { DamagedInStore } from './file-errors.ts';
import { asStoreError } from './s3-errors.ts';

/** Connections in a row without a byte. */
const TRIES = 3;
const PIECE_BYTES = 64 << 10;

interface ReadPlan {
  /** Both ends included. */
  start: number;
  end: number;
  /** Opens the rest of the object, with a checksum when that is the whole object; rejects with an AppError. */
  reopen(start: number, signal: AbortSignal): Promise<Readable>;
  /** Aborted when the stream is closed, to close the connections. */
  ended: AbortController;
}

export function readResuming(first: Readable, plan: ReadPlan): Readable {
  let body = quieted(first);
  const stream = Readable.from(pieces(), { objectMode: false, highWaterMark: PIECE_BYTES });
  stream.once('close', () => {
    plan.ended.abort();
    body.destroy();
  });
  return stream;

  async function* pieces(): AsyncGenerator<Buffer> {
    let at = plan.start;
    for (let tries = TRIES; ;) {
      const before = at;
      // holds back the last piece until the SDK has compared the checksum: damaged audio must not look complete
      let held: Buffer | undefined;
      let fault: unknown = new Error('the connection ended early');
      try {
        for await (const piece of body as AsyncIterable<Buffer>) {
          if (held) yield held;
          at += held?.length ?? 0;
          held = piece;
        }
        if (held) yield held;
        at += held?.length ?? 0;
        held = undefined;
      } catch (error) {
        fault = error;
      }
      if (at > plan.end) return;
      const isDamaged = isMismatch(fault) || (held !== undefined && at + held.length > plan.end);
      if (isDamaged && at > plan.start) throw new DamagedInStore(fault); // part of it has been sent already
      tries = at > before ? TRIES : tries - 1;
      if (tries === 0 || plan.ended.signal.aborted) throw isDamaged ? new DamagedInStore(fault) : asStoreError(fault);
      body = quieted(await plan.reopen(at, plan.ended.signal));
    }
  }
}

/** The SDK compares the checksum of a whole object at its end, and then discards what it has buffered. */
const isMismatch = (fault: unknown): boolean => fault instanceof Error && fault.message.startsWith('Checksum mismatch');

/** Without a listener an error would end the process; the next reader gets it anyway. */
const quieted = (body: Readable): Readable => body.on('error', () => undefined);

/** `bytes 5-9/100` → 100 */
export function sizeInRange(contentRange: string | undefined): number {
  const size = Number(/\/(\d+)$/.exec(contentRange ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(size)) throw new AppError('unavailable', 'The object store does not support ranges.');
  return size;
}
