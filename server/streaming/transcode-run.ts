// One conversion and all who listen to it. ffmpeg writes into a file at its own speed, which is many times that of
// music, and every listener reads that file at theirs: a slow phone holds up nobody and nothing piles up in memory.
// When the last one leaves, ffmpeg goes.
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { startTranscode, type RunningTranscode, type TranscodeOrder } from '../media/transcode.ts';

export interface RunDeps {
  ffmpeg: string;
  input: string | Buffer;
  order: TranscodeOrder;
  /** While it grows. */
  partPath: string;
  /** Where it is kept when it came out whole; absent for what is not worth keeping. */
  finalPath?: string | undefined;
  /** What whole means; null when nobody knows. */
  expectedMs: number | null;
  /** Resolves with the way out when there is room for another ffmpeg. */
  enter: (signal: AbortSignal) => Promise<() => void>;
  /** Told once: `kept` when the file is at its final place. */
  onEnd: (outcome: { kept: boolean; complaint: string }) => void;
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
      return { kept: false, complaint: '' };
    })
    .then(async (outcome) => {
      if (listeners === 0 || isStopped) await discard();
      onEnd(outcome);
      tell();
    });

  async function produce(): Promise<{ kept: boolean; complaint: string }> {
    const leave = await enter(abandon.signal);
    let handle: FileHandle | undefined;
    try {
      handle = await open(partPath, 'w');
      running = startTranscode(ffmpeg, input, order);
      if (abandon.signal.aborted) running.kill();
      for await (const chunk of running.output as AsyncIterable<Buffer>) {
        await handle.write(chunk);
        written += chunk.length;
        tell();
      }
      const end = await running.ended;
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
      return { kept, complaint: end.isClean ? '' : end.complaint };
    } finally {
      running?.kill();
      await running?.ended;
      await handle?.close();
      leave();
    }
  }

  /** What is not kept goes with the last listener. */
  async function discard(): Promise<void> {
    if (path === partPath) await rm(partPath, { force: true }).catch(() => undefined);
  }

  return {
    /** Says that somebody listens; they must leave. */
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

    /** True when it will not become anything: nobody may join. */
    isOver: (): boolean => state === 'failed' || abandon.signal.aborted,

    /** Resolves when there is something to hear. Throws why there is nothing, and when the signal says so. */
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

    /** Everything from the beginning, as it comes. Ends early when the conversion breaks off. */
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

    /** After the end, kept or not. Never rejects. */
    finished,
    /** Ends it whoever listens. */
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
