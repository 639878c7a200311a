// Provides conversions: taken from the cache, shared while they run, or started. A complete result stays in the cache,
// from where it is sent like a file, until it is evicted.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { PROFILES, type TranscodeOrder } from '../media/transcode.ts';
import type { StoredFile } from '../storage/audio-store.ts';
import { createCacheFolder } from './cache-folder.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import { createTranscodeRun, type TranscodeRun } from './transcode-run.ts';

interface TranscodesDeps {
  log: Log;
  now: () => Date;
  /** The cached files are in `transcodes/` below this folder. */
  cacheDir: string;
  /** Returns the path of ffmpeg; undefined when there is none. Throws when the configured program does not work. */
  ffmpeg: () => Promise<string | undefined>;
  /** Returns how many conversions may run at the same time. */
  maxRunning: () => number;
  cacheBytes: () => number;
}

export interface ConversionRequest {
  /** Identifies the track's audio; changes whenever the audio changes. */
  identity: string;
  file: StoredFile;
  order: TranscodeOrder;
  durationMs: number | null;
}

/** A complete file, or a file that is being converted. `leave` has to be called at the end. */
export type Transcoded = { etag: string; leave: () => void } & ({ path: string } | { run: TranscodeRun });

const MAX_WAITING_CONVERSIONS = 200;

export type Transcodes = ReturnType<typeof createTranscodes>;

export function createTranscodes({ log, now, cacheDir, ffmpeg, maxRunning, cacheBytes }: TranscodesDeps) {
  const dir = join(cacheDir, 'transcodes');
  const runsByKey = new Map<string, Promise<TranscodeRun>>();
  const activeRuns = new Set<TranscodeRun>();
  const limit = createConcurrencyLimit({ maxRunning, maxWaiting: MAX_WAITING_CONVERSIONS });
  const folder = createCacheFolder({ dir, maxBytes: cacheBytes, now, log });

  const keyOf = ({ identity, order }: ConversionRequest): string =>
    createHash('sha256')
      .update(
        JSON.stringify([
          identity,
          order.profile,
          order.bitrateKbps,
          order.startMs,
          order.section?.start ?? 0,
          order.section?.end ?? 0,
          order.channels ?? 0,
          order.sampleRateHz ?? 0,
        ]),
      )
      .digest('hex')
      .slice(0, 40);
  const pathOf = (key: string, { profile }: TranscodeOrder): string =>
    join(dir, `${key}.${PROFILES[profile].extension}`);

  async function startRun(key: string, conversion: ConversionRequest): Promise<TranscodeRun> {
    const ffmpegPath = await ffmpeg();
    if (ffmpegPath === undefined) throw new AppError('unavailable', 'The server cannot transcode: it has no ffmpeg.');
    const { order, durationMs } = conversion;
    const partPath = join(dir, `${key}-${randomBytes(4).toString('hex')}.part`);
    const input = await inputOf(conversion.file, partPath);
    const run = createTranscodeRun({
      ffmpeg: ffmpegPath,
      input: input.path,
      order,
      partPath,
      enter: limit.enter,
      finalPath: order.startMs === 0 ? pathOf(key, order) : undefined,
      expectedMs: durationMs === null ? null : Math.max(0, durationMs - order.startMs),
      onEnd({ keptBytes: bytes, complaint }) {
        runsByKey.delete(key);
        activeRuns.delete(run);
        input.cleanUp();
        if (complaint !== '')
          log.warn({ profile: order.profile, complaint }, 'ffmpeg reported an error; the result is not cached');
        if (bytes > 0) folder.countAdded(bytes);
      },
    });
    activeRuns.add(run);
    return run;
  }

  /**
   * Returns the input for ffmpeg, which needs a file in which it can seek; an object of a store is copied to a
   * temporary file.
   */
  async function inputOf(file: StoredFile, partPath: string): Promise<{ path: string | Buffer; cleanUp: () => void }> {
    if (file.path !== undefined) return { path: file.path, cleanUp: () => undefined };
    const path = partPath.replace(/part$/, 'input');
    const { stream } = await file.open();
    await pipeline(stream, createWriteStream(path));
    return { path, cleanUp: () => void rm(path, { force: true }).catch(() => undefined) };
  }

  return {
    isPossible: async (): Promise<boolean> => (await ffmpeg().catch(() => undefined)) !== undefined,

    /** Returns the cached file; undefined when it would have to be converted. */
    async find(conversion: ConversionRequest): Promise<{ path: string; etag: string } | undefined> {
      const key = keyOf(conversion);
      const path = pathOf(key, conversion.order);
      return (await folder.touch(path)) ? { path, etag: key } : undefined;
    },

    /**
     * Returns or starts a conversion. Throws `unavailable` when the track cannot be converted, or when too many
     * conversions are waiting.
     */
    async open(conversion: ConversionRequest): Promise<Transcoded> {
      await folder.prepare();
      const key = keyOf(conversion);
      for (;;) {
        const path = pathOf(key, conversion.order);
        if (!runsByKey.has(key) && (await folder.touch(path))) return { etag: key, path, leave: () => undefined };
        const runPromise = runsByKey.get(key) ?? startRun(key, conversion);
        runsByKey.set(key, runPromise);
        const run = await runPromise.catch((error: unknown) => {
          if (runsByKey.get(key) === runPromise) runsByKey.delete(key);
          throw error;
        });
        if (!run.isOver()) return { etag: key, run, leave: run.addListener() };
        await run.finished; // the run is ending, because its last listener has just left
      }
    },

    /** Returns the number of conversions that run or wait. */
    running: (): number => activeRuns.size,

    async close(): Promise<void> {
      const runEnds = [...activeRuns].map((run) => {
        run.stop();
        return run.finished;
      });
      await Promise.all(runEnds);
      await folder.close();
    },
  };
}
