// The body of a stored object on its way to whoever reads it: passed through piece by piece. A connection that breaks,
// or that the store closes because a listener paused, is replaced by another that begins where it ended.
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { asStoreError } from './s3-errors.ts';

/** Connections in a row that bring nothing. */
const TRIES = 3;
const PIECE_BYTES = 64 << 10;

export interface ReadPlan {
  /** Both ends included. */
  start: number;
  end: number;
  /** Opens the rest of the same bytes, with a checksum where that is the whole object; rejects with an AppError. */
  reopen(start: number, signal: AbortSignal): Promise<Readable>;
  /** Ends the connections with the stream. */
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
      // one behind: the SDK compares the checksum at the end, and damaged audio must not look whole
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
      if (isDamaged && at > plan.start) throw damaged(fault); // some of it went out already
      tries = at > before ? TRIES : tries - 1;
      if (tries === 0 || plan.ended.signal.aborted) throw isDamaged ? damaged(fault) : asStoreError(fault);
      body = quieted(await plan.reopen(at, plan.ended.signal));
    }
  }
}

const damaged = (cause: unknown): AppError =>
  new AppError('unavailable', 'The audio came damaged from the object store.', { cause });

/** Of the whole object, which the SDK compares at its end; what it still held is thrown away then. */
const isMismatch = (fault: unknown): boolean => fault instanceof Error && fault.message.startsWith('Checksum mismatch');

/** While nobody reads, an error has no listener and would end the process; whoever reads next is told of it. */
const quieted = (body: Readable): Readable => body.on('error', () => undefined);

/** `bytes 5-9/100` → 100 */
export function sizeInRange(contentRange: string | undefined): number {
  const size = Number(/\/(\d+)$/.exec(contentRange ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(size)) throw new AppError('unavailable', 'The object store does not understand ranges.');
  return size;
}
