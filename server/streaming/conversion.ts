// Runs one conversion. ffmpeg writes to a file, many times faster than the music plays, and each listener reads that
// file from any place, or waits until it is written: a slow client blocks nobody, and nothing is buffered in memory.
// While nobody listens, ffmpeg waits; it is ended when nobody has come back after a while.
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { headLength } from '../media/stream-heads.ts';
import { announceLength, startTranscode, type RunningTranscode, type TranscodeOrder } from '../media/transcode.ts';
import type { ByteRange } from '../http/ranges.ts';
import type { Need, Turns } from './turns.ts';

interface ConversionDeps {
  ffmpeg: string;
  input: string | Buffer;
  order: TranscodeOrder;
  /** Path of the growing file. */
  partPath: string;
  /** Path of a complete result in the cache; absent for a result that is not cached. */
  finalPath?: string | undefined;
  /** Length of a complete result; null when it is not known. */
  expectedMs: number | null;
  turns: Turns;
  /** Time in milliseconds after which it is given up when nobody has come back. */
  idleMs: number;
  /** Called once, when ffmpeg has ended; `cachedBytes` is the size of the file at its final path, 0 without one. */
  onEnd: (outcome: { cachedBytes: number; complaint: string }) => void;
  /** Called once, from when on this conversion cannot be joined: it failed, was given up, or is a file of the cache. */
  onClosed: () => void;
}

export type Conversion = ReturnType<typeof createConversion>;

const READ_BUFFER_BYTES = 128 << 10;
/** A listener rather waits this long for the conversion to reach a place than for a second one to begin there. */
const NEAR_MS = 500;
/** Compares durations with a tolerance: encoders add and drop a few samples; tags and containers round the duration. */
const isComplete = (outputMs: number, expectedMs: number | null): boolean =>
  expectedMs === null || Math.abs(outputMs - expectedMs) <= Math.max(1_500, expectedMs * 0.01);

export function createConversion({
  ffmpeg,
  input,
  order,
  partPath,
  finalPath,
  expectedMs,
  turns,
  idleMs,
  onEnd,
  onClosed,
}: ConversionDeps) {
  const controller = new AbortController();
  const counts: Record<Exclude<Need, 'none'>, number> = { listener: 0, cache: 0 };
  let writtenBytes = 0;
  let firstBytesAt = 0;
  let state: 'growing' | 'done' | 'failed' = 'growing';
  let isClosed = false;
  let isAbandoned = false;
  let path = partPath;
  let failure: unknown;
  let change = Promise.withResolvers<void>();
  let transcode: RunningTranscode | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const need = (): Need => (counts.listener > 0 ? 'listener' : counts.cache > 0 ? 'cache' : 'none');
  const notifyListeners = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  const whenFinished = produce()
    .catch((error: unknown) => {
      state = 'failed';
      isAbandoned = true;
      failure = error;
      return { cachedBytes: 0, complaint: '' };
    })
    .then((outcome) => {
      onEnd(outcome);
      if (state === 'failed' || path !== partPath) close();
      if (need() === 'none') startIdleTimer();
      notifyListeners();
    });

  async function produce(): Promise<{ cachedBytes: number; complaint: string }> {
    const turn = await turns.enter(need, controller.signal);
    let handle: FileHandle | undefined;
    try {
      handle = await open(partPath, 'w');
      transcode = startTranscode(ffmpeg, input, order);
      if (controller.signal.aborted) transcode.kill();
      for await (const chunk of withoutHead(transcode.output as AsyncIterable<Buffer>, order)) {
        if (writtenBytes === 0) {
          announceLength(chunk, order, expectedMs ?? 0);
          firstBytesAt = performance.now();
        }
        await handle.writeFile(chunk); // unlike `write`, it writes all or throws, also when the disk is full
        writtenBytes += chunk.length;
        notifyListeners();
        await turn.next(controller.signal);
      }
      const end = await transcode.end;
      controller.signal.throwIfAborted();
      if (end.isKilled)
        throw new AppError('unavailable', 'Converting this track was interrupted. Try again.', { retryAfter: 1 });
      if (writtenBytes === 0)
        throw new AppError('unavailable', 'This track could not be converted. Try the original.', {
          cause: new Error(end.complaint),
        });
      const isCached = finalPath !== undefined && end.isClean && isComplete(end.outputMs, expectedMs);
      if (isCached) {
        await handle.sync();
        await handle.close();
        handle = undefined;
        await rename(partPath, finalPath);
        path = finalPath;
      }
      state = 'done';
      return { cachedBytes: isCached ? writtenBytes : 0, complaint: end.isClean ? '' : end.complaint };
    } finally {
      transcode?.kill();
      await transcode?.end;
      await handle?.close();
      turn.leave();
    }
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    onClosed();
  }

  const removePart = async (): Promise<void> => {
    if (path === partPath) await rm(partPath, { force: true }).catch(() => undefined);
  };

  function startIdleTimer(): void {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(giveUp, isAbandoned ? 0 : idleMs);
    idleTimer.unref();
  }

  function giveUp(): void {
    if (need() !== 'none') return;
    close();
    if (state === 'growing') {
      controller.abort(new Error('nobody listens'));
      transcode?.kill();
    } else void removePart();
  }

  return {
    /**
     * Adds somebody who needs this conversion; `cache` gets turns only when no listener needs any. Returns the function
     * to leave, which must be called.
     */
    join(as: Exclude<Need, 'none'>): () => void {
      counts[as]++;
      clearTimeout(idleTimer);
      idleTimer = undefined;
      turns.reconsider();
      let isJoined = true;
      return () => {
        if (!isJoined) return;
        isJoined = false;
        counts[as]--;
        if (need() === 'none') startIdleTimer();
      };
    },

    /** Returns true when nobody may join: it has failed, was given up, or has become a file of the cache. */
    isClosed: (): boolean => isClosed || controller.signal.aborted,
    isIdle: (): boolean => need() === 'none',

    /** Gives it up as soon as nobody listens, without waiting for anybody to come back. */
    abandon(): void {
      isAbandoned = true;
      if (need() === 'none') giveUp();
    },

    /** Returns how many bytes were written, which are all when it has finished. */
    writtenBytes: (): number => writtenBytes,

    /** Returns whether the byte is written or will be in a moment. */
    isNear(position: number): boolean {
      if (position < writtenBytes || state !== 'growing') return true;
      const bytesPerMs = writtenBytes / Math.max(NEAR_MS, performance.now() - firstBytesAt);
      return (position - writtenBytes) / bytesPerMs < NEAR_MS;
    },

    /**
     * Resolves when the byte at this position was written, or when all were. Throws the reason why there is none, or
     * the abort reason.
     */
    async waitFor(position: number, signal: AbortSignal): Promise<void> {
      while (writtenBytes <= position && state === 'growing') await raceAbort(change.promise, signal);
      if (state === 'failed' && writtenBytes <= position) throw failure;
    },

    /** Resolves with the path of the finished file. Throws the same errors as `waitFor`. */
    async waitForFile(signal: AbortSignal): Promise<string> {
      while (state === 'growing') await raceAbort(change.promise, signal);
      if (state === 'failed') throw failure;
      return path;
    },

    /** Yields the bytes of the range while they are written, up to the end. Throws there when the conversion failed. */
    async *bytes({ start, end }: ByteRange, signal: AbortSignal): AsyncGenerator<Buffer> {
      const handle = await open(path, 'r');
      try {
        for (let position = start; position <= end;) {
          if (position >= writtenBytes) {
            if (state !== 'growing') break;
            await raceAbort(change.promise, signal);
            continue;
          }
          const { buffer, bytesRead } = await handle.read(
            Buffer.allocUnsafe(Math.min(READ_BUFFER_BYTES, writtenBytes - position, end + 1 - position)),
            0,
            undefined,
            position,
          );
          if (bytesRead === 0) throw new Error(`The converted file ends before byte ${position}.`);
          position += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
      if (state === 'failed') throw failure;
    },

    /** Resolves when ffmpeg has ended, with any outcome. */
    finished: whenFinished,
    /** Ends it even if it has listeners. */
    async stop(): Promise<void> {
      clearTimeout(idleTimer);
      close();
      controller.abort(new Error('the server is stopping'));
      transcode?.kill();
      await whenFinished;
      await removePart();
    },
  };
}

/** Leaves out the head of the format when the stream continues another one, which already has it. */
async function* withoutHead(output: AsyncIterable<Buffer>, order: TranscodeOrder): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = order.continuesAtMs === undefined ? undefined : Buffer.alloc(0);
  for await (const chunk of output) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const length = headLength(order.profile, head);
    if (length === undefined) continue;
    if (length < head.length) yield head.subarray(length);
    head = undefined;
  }
}

async function raceAbort(change: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const abortPromise = Promise.withResolvers<never>();
  const onAbort = (): void => abortPromise.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([change, abortPromise.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
