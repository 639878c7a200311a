// Conversions: taken from the cache, shared while they run, or started. A complete result stays in the cache, where it
// is sent like any file, until it is the least recently used and the cache is full.
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
  /** They are in `transcodes/` below it. */
  cacheDir: string;
  /** Path of ffmpeg; undefined when there is none. Throws when the one that is set does not work. */
  ffmpeg: () => Promise<string | undefined>;
  /** How many may run at the same time. */
  atOnce: () => number;
  cacheBytes: () => number;
}

export interface Wanted {
  /** Changes whenever the track's audio changes. */
  identity: string;
  file: StoredFile;
  order: TranscodeOrder;
  durationMs: number | null;
}

/** A complete file, or one that is being made. Call `leave` at the end. */
export type Transcoded = { etag: string; leave: () => void } & ({ path: string } | { run: TranscodeRun });

const MOST_WAITING = 200;

export type Transcodes = ReturnType<typeof createTranscodes>;

export function createTranscodes({ log, now, cacheDir, ffmpeg, atOnce, cacheBytes }: TranscodesDeps) {
  const dir = join(cacheDir, 'transcodes');
  const runs = new Map<string, Promise<TranscodeRun>>();
  const living = new Set<TranscodeRun>();
  const gate = createConcurrencyLimit({ atOnce, mostWaiting: MOST_WAITING });
  const folder = createCacheFolder({ dir, mostBytes: cacheBytes, now, log });

  const keyOf = ({ identity, order }: Wanted): string =>
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

  async function begin(key: string, wanted: Wanted): Promise<TranscodeRun> {
    const program = await ffmpeg();
    if (program === undefined) throw new AppError('unavailable', 'The server cannot transcode: it has no ffmpeg.');
    const { order, durationMs } = wanted;
    const partPath = join(dir, `${key}-${randomBytes(4).toString('hex')}.part`);
    const input = await inputOf(wanted.file, partPath);
    const run = createTranscodeRun({
      ffmpeg: program,
      input: input.path,
      order,
      partPath,
      enter: gate.enter,
      finalPath: order.startMs === 0 ? pathOf(key, order) : undefined,
      expectedMs: durationMs === null ? null : Math.max(0, durationMs - order.startMs),
      onEnd({ keptBytes: bytes, complaint }) {
        runs.delete(key);
        living.delete(run);
        input.done();
        if (complaint !== '')
          log.warn({ profile: order.profile, complaint }, 'ffmpeg reported an error; the result is not kept');
        if (bytes > 0) folder.added(bytes);
      },
    });
    living.add(run);
    return run;
  }

  /** ffmpeg needs a file that it can seek in; an object of a store is copied to one for the time. */
  async function inputOf(file: StoredFile, partPath: string): Promise<{ path: string | Buffer; done: () => void }> {
    if (file.path !== undefined) return { path: file.path, done: () => undefined };
    const path = partPath.replace(/part$/, 'input');
    const { stream } = await file.open();
    await pipeline(stream, createWriteStream(path));
    return { path, done: () => void rm(path, { force: true }).catch(() => undefined) };
  }

  return {
    isPossible: async (): Promise<boolean> => (await ffmpeg().catch(() => undefined)) !== undefined,

    /** From the cache; undefined when it would have to be made. */
    async find(wanted: Wanted): Promise<{ path: string; etag: string } | undefined> {
      const key = keyOf(wanted);
      const path = pathOf(key, wanted.order);
      return (await folder.touch(path)) ? { path, etag: key } : undefined;
    },

    /** Throws `unavailable` when it cannot be made, or too many are requested. */
    async open(wanted: Wanted): Promise<Transcoded> {
      await folder.ready();
      const key = keyOf(wanted);
      for (;;) {
        const path = pathOf(key, wanted.order);
        if (!runs.has(key) && (await folder.touch(path))) return { etag: key, path, leave: () => undefined };
        const starting = runs.get(key) ?? begin(key, wanted);
        runs.set(key, starting);
        const run = await starting.catch((error: unknown) => {
          if (runs.get(key) === starting) runs.delete(key);
          throw error;
        });
        if (!run.isOver()) return { etag: key, run, leave: run.join() };
        await run.finished; // its last listener left just now
      }
    },

    /** How many run or wait. */
    running: (): number => living.size,

    async close(): Promise<void> {
      const ending = [...living].map((run) => {
        run.stop();
        return run.finished;
      });
      await Promise.all(ending);
      await folder.close();
    },
  };
}
