// Provides conversions: taken from the cache, shared while they run, or started. A complete result stays in the cache,
// from where it is sent like a file, until it is evicted.
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { seekInMp3 } from '../media/mp3-seek.ts';
import { PROFILES, type TranscodeOrder } from '../media/transcode.ts';
import type { StoredFile } from '../storage/audio-store.ts';
import { createCacheFolder } from './cache-folder.ts';
import { createConversion, type Conversion } from './conversion.ts';
import { createTurns } from './turns.ts';

interface ConversionsDeps {
  log: Log;
  now: () => Date;
  /** The cached files are in `transcodes/` below this folder. */
  cacheDir: string;
  /** Returns the path of ffmpeg; undefined when there is none. Throws when the configured program does not work. */
  ffmpeg: () => Promise<string | undefined>;
  /** Returns how many conversions may work at the same time. */
  maxWorking: () => number;
  cacheBytes: () => number;
  /** Time in milliseconds after which a conversion to which nobody listens is given up. */
  idleMs?: number;
}

export interface ConversionRequest {
  /** Identifies the track's audio; changes whenever the audio changes. */
  identity: string;
  file: StoredFile;
  order: TranscodeOrder;
  durationMs: number | null;
  /** True for an MP3 file, of which the order has the whole. */
  isMp3: boolean;
}

/** What `open` returns: a complete file, or a conversion. The caller must call `leave` at the end. */
export type OpenConversion = { leave: () => void } & ({ path: string } | { conversion: Conversion });

const MAX_WAITING = 200;
/** From here on, a place in an MP3 file is found sooner by this server than by ffmpeg. */
const FAR_MS = 20 * 60_000;
/** Players close a connection before they open the next one. */
const IDLE_MS = 10_000;

export type Conversions = ReturnType<typeof createConversions>;

/** Returns the key of a conversion, which is different for different bytes. */
export const keyOf = ({ identity, order }: ConversionRequest): string =>
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
        ...(order.continuesAtMs === undefined ? [] : [order.continuesAtMs]),
      ]),
    )
    .digest('hex')
    .slice(0, 40);

export function createConversions({
  log,
  now,
  cacheDir,
  ffmpeg,
  maxWorking,
  cacheBytes,
  idleMs = IDLE_MS,
}: ConversionsDeps) {
  const dir = join(cacheDir, 'transcodes');
  /** The conversions that can be joined. */
  const joinable = new Map<string, Promise<Conversion>>();
  /** The conversions whose program works or waits. */
  const unfinished = new Set<Conversion>();
  const turns = createTurns({ maxWorking, maxWaiting: MAX_WAITING });
  const folder = createCacheFolder({ dir, maxBytes: cacheBytes, now, log });

  const pathOf = (key: string, { profile }: TranscodeOrder): string =>
    join(dir, `${key}.${PROFILES[profile].extension}`);

  async function start(key: string, request: ConversionRequest): Promise<Conversion> {
    const ffmpegPath = await ffmpeg();
    if (ffmpegPath === undefined) throw new AppError('unavailable', 'The server cannot transcode: it has no ffmpeg.');
    if (turns.isFull()) for (const conversion of unfinished) if (conversion.isIdle()) conversion.abandon();
    const { order, durationMs } = request;
    const partPath = join(dir, `${key}-${randomBytes(4).toString('hex')}.part`);
    const firstFrameByte =
      request.isMp3 && order.startMs >= FAR_MS
        ? await seekInMp3(request.file, order.startMs, { unnamedDelay: 0 })
        : undefined;
    const input = await inputOf(request.file, partPath);
    const conversion = createConversion({
      ffmpeg: ffmpegPath,
      input: input.path,
      order: { ...order, firstFrameByte },
      partPath,
      turns,
      idleMs,
      finalPath: order.startMs === 0 ? pathOf(key, order) : undefined,
      expectedMs: durationMs === null ? null : Math.max(0, durationMs - order.startMs),
      onEnd({ cachedBytes, complaint }) {
        unfinished.delete(conversion);
        input.cleanUp();
        if (complaint !== '')
          log.warn({ profile: order.profile, complaint }, 'ffmpeg reported an error; the result is not cached');
        if (cachedBytes > 0) folder.countAdded(cachedBytes);
      },
      onClosed: () => joinable.delete(key),
    });
    unfinished.add(conversion);
    return conversion;
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

    /** Returns the path of the cached file; undefined when it would have to be converted. */
    async find(request: ConversionRequest): Promise<string | undefined> {
      const path = pathOf(keyOf(request), request.order);
      return (await folder.touch(path)) ? path : undefined;
    },

    /**
     * Returns or starts a conversion. Throws `unavailable` when the track cannot be converted, or when too many
     * conversions are waiting.
     */
    async open(request: ConversionRequest): Promise<OpenConversion> {
      await folder.prepare();
      const key = keyOf(request);
      for (;;) {
        const path = pathOf(key, request.order);
        if (!joinable.has(key) && (await folder.touch(path))) return { path, leave: () => undefined };
        const pendingConversion = joinable.get(key) ?? start(key, request);
        joinable.set(key, pendingConversion);
        const conversion = await pendingConversion.catch((error: unknown) => {
          if (joinable.get(key) === pendingConversion) joinable.delete(key);
          throw error;
        });
        if (!conversion.isClosed()) return { conversion, leave: conversion.join('listener') };
        await conversion.finished; // it has just been given up, or become a file of the cache
      }
    },

    /**
     * Lets a conversion go on for the cache, after those that somebody listens to, if there is one. Returns the
     * function to end that, which must be called.
     */
    async continueForCache(request: ConversionRequest): Promise<() => void> {
      const conversion = await joinable.get(keyOf(request))?.catch(() => undefined);
      return conversion && !conversion.isClosed() ? conversion.join('cache') : () => undefined;
    },

    /** Gives up a conversion as soon as nobody listens to it. */
    async abandon(key: string): Promise<void> {
      (await joinable.get(key)?.catch(() => undefined))?.abandon();
    },

    /** Returns the number of conversions that work or wait. */
    running: (): number => unfinished.size,

    async close(): Promise<void> {
      const pending = await Promise.allSettled(joinable.values());
      const conversions = pending.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      await Promise.all([...new Set([...unfinished, ...conversions])].map((conversion) => conversion.stop()));
      await folder.close();
    },
  };
}
