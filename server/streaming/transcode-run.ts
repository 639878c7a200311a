// One conversion and its listeners. ffmpeg writes to a file at its own speed, many times faster than the music plays,
// and each listener reads that file: a slow client blocks nobody, and nothing is buffered in memory. When the last
// listener leaves, ffmpeg is ended.
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { announceLength, startTranscode, type RunningTranscode, type TranscodeOrder } from '../media/transcode.ts';

interface RunDeps {
  ffmpeg: string;
  input: string | Buffer;
  order: TranscodeOrder;
  /** While it grows. */
  partPath: string;
  /** Where a complete result is kept; absent for one that is not worth it. */
  finalPath?: string | undefined;
  /** Length of a complete result; null when not known. */
  expectedMs: number | null;
  /** Resolves with a function to leave when another ffmpeg may start. */
  enter: (signal: AbortSignal) => Promise<() => void>;
  /** Called once; `keptBytes` is the size of the file at its final path, 0 when it is not there. */
  onEnd: (outcome: { keptBytes: number; complaint: string }) => void;
}

export type TranscodeRun = ReturnType<typeof createTranscodeRun>;

const READ_BYTES = 128 << 10;
/** Encoders add and drop a little; tags and containers round. */
const isWhole = (outputMs: number, expectedMs: number | null): boolean =>
  expectedMs === null || Math.abs(outputMs - expectedMs) <= Math.max(1_500, expectedMs * 0.01);

export function createTranscodeRun({ ffmpeg, input, order, partPath, finalPath, expectedMs, enter, onEnd }: RunDeps) {
  const abandon = new AbortController();
  let listeners = 0;
  let written = 0;
  let state: 'growing' | 'done' | 'failed' = 'growing';
  let path = partPath;
  let failure: unknown;
  let news = Promise.withResolvers<void>();
  let running: RunningTranscode | undefined;
  let isStopped = false;

  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  const finished = produce()
    .catch((error: unknown) => {
      state = 'failed';
      failure = error;
      return { keptBytes: 0, complaint: '' };
    })
    .then(async (outcome) => {
      if (listeners === 0 || isStopped) await discard();
      onEnd(outcome);
      tell();
    });

  async function produce(): Promise<{ keptBytes: number; complaint: string }> {
    const leave = await enter(abandon.signal);
    let handle: FileHandle | undefined;
    try {
      handle = await open(partPath, 'w');
      running = startTranscode(ffmpeg, input, order);
      if (abandon.signal.aborted) running.kill();
      for await (const chunk of running.output as AsyncIterable<Buffer>) {
        if (written === 0) announceLength(chunk, order, expectedMs ?? 0);
        await handle.write(chunk);
        written += chunk.length;
        tell();
      }
      const end = await running.end;
      abandon.signal.throwIfAborted();
      if (written === 0)
        throw new AppError('unavailable', 'This track could not be converted. Try the original.', {
          cause: new Error(end.complaint),
        });
      const kept = finalPath !== undefined && end.isClean && isWhole(end.outputMs, expectedMs);
      if (kept) {
        await handle.sync();
        await handle.close();
        handle = undefined;
        await rename(partPath, finalPath);
        path = finalPath;
      }
      state = 'done';
      return { keptBytes: kept ? written : 0, complaint: end.isClean ? '' : end.complaint };
    } finally {
      running?.kill();
      await running?.end;
      await handle?.close();
      leave();
    }
  }

  /** A result that is not kept is removed with its last listener. */
  async function discard(): Promise<void> {
    if (path === partPath) await rm(partPath, { force: true }).catch(() => undefined);
  }

  return {
    /** Adds a listener; gives the function to leave, which must be called. */
    join(): () => void {
      listeners++;
      let isHere = true;
      return () => {
        if (!isHere) return;
        isHere = false;
        if (--listeners > 0) return;
        if (state === 'growing') {
          abandon.abort(new Error('nobody listens any more'));
          running?.kill();
        } else void discard();
      };
    },

    /** Failed or ended early: nobody may join. */
    isOver: (): boolean => state === 'failed' || abandon.signal.aborted,

    /** Resolves with the first bytes. Throws why there are none, and when aborted. */
    async begun(signal: AbortSignal): Promise<void> {
      while (written === 0 && state === 'growing') await orAborted(news.promise, signal);
      if (state === 'failed') throw failure;
    },

    /** Resolves with the path of the finished file. Throws like `begun`. */
    async whole(signal: AbortSignal): Promise<string> {
      while (state === 'growing') await orAborted(news.promise, signal);
      if (state === 'failed') throw failure;
      return path;
    },

    /** Everything from the beginning, as it is made. Throws at its end when the conversion failed. */
    async *chunks(signal: AbortSignal): AsyncGenerator<Buffer> {
      const handle = await open(path, 'r');
      try {
        for (let position = 0; ;) {
          if (position === written) {
            if (state !== 'growing') break;
            await orAborted(news.promise, signal);
            continue;
          }
          const { buffer, bytesRead } = await handle.read(
            Buffer.allocUnsafe(Math.min(READ_BYTES, written - position)),
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

    /** Resolves at the end, kept or not. */
    finished,
    /** Ends it despite listeners. */
    stop(): void {
      isStopped = true;
      abandon.abort(new Error('the server is stopping'));
      running?.kill();
    },
  };
}

async function orAborted(news: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([news, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
