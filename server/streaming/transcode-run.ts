// One conversion and its listeners. ffmpeg writes to a file at its own speed, many times faster than the music plays,
// and each listener reads that file: a slow client blocks nobody, and nothing is buffered in memory. ffmpeg is ended
// when the last listener leaves.
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { announceLength, startTranscode, type RunningTranscode, type TranscodeOrder } from '../media/transcode.ts';

interface RunDeps {
  ffmpeg: string;
  input: string | Buffer;
  order: TranscodeOrder;
  /** Path of the growing file. */
  partPath: string;
  /** Path of a complete result in the cache; absent for a result that is not cached. */
  finalPath?: string | undefined;
  /** Length of a complete result; null when it is not known. */
  expectedMs: number | null;
  /** Resolves when another ffmpeg may start, with a function to call at its end. */
  enter: (signal: AbortSignal) => Promise<() => void>;
  /** Called once; `keptBytes` is the size of the file at its final path, 0 when there is none. */
  onEnd: (outcome: { keptBytes: number; complaint: string }) => void;
}

export type TranscodeRun = ReturnType<typeof createTranscodeRun>;

const READ_BUFFER_BYTES = 128 << 10;
/** Compares durations with a tolerance: encoders add and drop a few samples; tags and containers round the duration. */
const isComplete = (outputMs: number, expectedMs: number | null): boolean =>
  expectedMs === null || Math.abs(outputMs - expectedMs) <= Math.max(1_500, expectedMs * 0.01);

export function createTranscodeRun({ ffmpeg, input, order, partPath, finalPath, expectedMs, enter, onEnd }: RunDeps) {
  const controller = new AbortController();
  let listeners = 0;
  let writtenBytes = 0;
  let state: 'growing' | 'done' | 'failed' = 'growing';
  let path = partPath;
  let failure: unknown;
  let change = Promise.withResolvers<void>();
  let transcode: RunningTranscode | undefined;
  let isStopped = false;

  const notifyListeners = (): void => {
    change.resolve();
    change = Promise.withResolvers<void>();
  };
  const whenFinished = produce()
    .catch((error: unknown) => {
      state = 'failed';
      failure = error;
      return { keptBytes: 0, complaint: '' };
    })
    .then(async (outcome) => {
      if (listeners === 0 || isStopped) await discard();
      onEnd(outcome);
      notifyListeners();
    });

  async function produce(): Promise<{ keptBytes: number; complaint: string }> {
    const leave = await enter(controller.signal);
    let handle: FileHandle | undefined;
    try {
      handle = await open(partPath, 'w');
      transcode = startTranscode(ffmpeg, input, order);
      if (controller.signal.aborted) transcode.kill();
      for await (const chunk of transcode.output as AsyncIterable<Buffer>) {
        if (writtenBytes === 0) announceLength(chunk, order, expectedMs ?? 0);
        await handle.write(chunk);
        writtenBytes += chunk.length;
        notifyListeners();
      }
      const end = await transcode.end;
      controller.signal.throwIfAborted();
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
      return { keptBytes: isCached ? writtenBytes : 0, complaint: end.isClean ? '' : end.complaint };
    } finally {
      transcode?.kill();
      await transcode?.end;
      await handle?.close();
      leave();
    }
  }

  /** Removes a result that is not cached, once its last listener has left. */
  async function discard(): Promise<void> {
    if (path === partPath) await rm(partPath, { force: true }).catch(() => undefined);
  }

  return {
    /** Adds a listener; returns the function to leave, which must be called. */
    addListener(): () => void {
      listeners++;
      let isListening = true;
      return () => {
        if (!isListening) return;
        isListening = false;
        if (--listeners > 0) return;
        if (state === 'growing') {
          controller.abort(new Error('the last listener has left'));
          transcode?.kill();
        } else void discard();
      };
    },

    /** Returns true when the run has failed or was ended early: no listener may be added. */
    isOver: (): boolean => state === 'failed' || controller.signal.aborted,

    /** Resolves when there are bytes. Throws the reason why there are none, or the abort reason. */
    async waitForBytes(signal: AbortSignal): Promise<void> {
      while (writtenBytes === 0 && state === 'growing') await raceAbort(change.promise, signal);
      if (state === 'failed') throw failure;
    },

    /** Resolves with the path of the finished file. Throws the same errors as `waitForBytes`. */
    async waitForFile(signal: AbortSignal): Promise<string> {
      while (state === 'growing') await raceAbort(change.promise, signal);
      if (state === 'failed') throw failure;
      return path;
    },

    /** Yields all bytes from the beginning, while they are written. Throws at the end when the conversion failed. */
    async *chunks(signal: AbortSignal): AsyncGenerator<Buffer> {
      const handle = await open(path, 'r');
      try {
        for (let position = 0; ;) {
          if (position === writtenBytes) {
            if (state !== 'growing') break;
            await raceAbort(change.promise, signal);
            continue;
          }
          const { buffer, bytesRead } = await handle.read(
            Buffer.allocUnsafe(Math.min(READ_BUFFER_BYTES, writtenBytes - position)),
            0,
            undefined,
            position,
          );
          position += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
      if (state === 'failed') throw failure;
    },

    /** Resolves at the end of the run, with any outcome. */
    finished: whenFinished,
    /** Ends the run even if it has listeners. */
    stop(): void {
      isStopped = true;
      controller.abort(new Error('the server is stopping'));
      transcode?.kill();
    },
  };
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
