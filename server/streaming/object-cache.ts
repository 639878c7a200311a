// Audio of an object store on the disk: what is played is read ahead as a whole, so that a seek and a second play ask
// the store for nothing. Its hash is compared at the end, which also finds what is damaged in the store.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { AppError, messageOf } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { StoredFile } from '../storage/audio-store.ts';
import { DamagedObjectError, isAbsent } from '../storage/file-errors.ts';
import type { ByteRange, ObjectStat } from '../storage/storage.ts';
import { createCacheFolder } from './cache-folder.ts';

interface ObjectCacheDeps {
  log: Log;
  now: () => Date;
  /** They are in `objects/` below it. */
  cacheDir: string;
  /** 0: nothing is kept. */
  cacheBytes: () => number;
}

/** Others are read from the store as they are sent. */
const MOST_AT_ONCE = 8;
/** A listener who is further ahead is not worth waiting for. */
const AHEAD_BYTES = 4 << 20;
const READ_BYTES = 256 << 10;
/** Without a listener for so long, reading ahead stops: who skips a track does not pay for all of it. */
const ABANDONED_MS = 10_000;

export type ObjectCache = ReturnType<typeof createObjectCache>;

export function createObjectCache({ log, now, cacheDir, cacheBytes }: ObjectCacheDeps) {
  const dir = join(cacheDir, 'objects');
  const fills = new Map<string, Promise<Fill>>();
  const folder = createCacheFolder({ dir, mostBytes: cacheBytes, now, log });
  const pathOf = (hash: string): string => join(dir, hash);

  function fill(hash: string, file: StoredFile, modifiedAt: Date, onDamaged: () => void): Promise<Fill> | undefined {
    const running = fills.get(hash);
    if (running ?? fills.size >= MOST_AT_ONCE) return running;
    const starting = begin();
    fills.set(hash, starting);
    return starting;

    async function begin(): Promise<Fill> {
      try {
        await folder.ready();
        const part = join(dir, `${hash}-${randomBytes(4).toString('hex')}.part`);
        const filled = await startFill({ file, part, hash });
        void filled.ended
          .then(async (outcome) => {
            if (outcome === 'whole') {
              await utimes(part, now(), modifiedAt);
              await rename(part, pathOf(hash));
              folder.added(filled.size);
            } else {
              await rm(part, { force: true });
              if (outcome === 'damaged') onDamaged();
            }
          })
          .catch(noted)
          .finally(() => fills.delete(hash));
        return filled;
      } catch (error) {
        fills.delete(hash);
        throw error;
      }
    }
  }

  const noted = (error: unknown): void => log.warn({ reason: messageOf(error) }, 'the cache of audio cannot be used');

  return {
    /** The path of a whole copy of the audio with that hash. */
    find: (hash: string): string | undefined => (existsSync(pathOf(hash)) ? pathOf(hash) : undefined),

    /** The same audio, over the cache where it is an object of a store. */
    async over(file: StoredFile, hash: string | null, onDamaged: () => void): Promise<StoredFile> {
      if (file.path !== undefined || !file.immutable || hash === null || cacheBytes() === 0) return file;
      if (await folder.touch(pathOf(hash))) return { ...file, path: pathOf(hash), ...fromDisk(pathOf(hash), file) };
      let known: Promise<ObjectStat> | undefined;
      const stat = (): Promise<ObjectStat> => (known ??= file.stat());
      return {
        ...file,
        stat,
        async open(range) {
          const { size, modifiedAt } = await stat();
          if (size > cacheBytes() / 2) return file.open(range);
          let filling: Fill | undefined;
          try {
            filling = await fill(hash, file, modifiedAt, onDamaged);
          } catch (error) {
            if (error instanceof AppError) throw error; // of the store
            noted(error);
          }
          return filling?.isNear(range?.start ?? 0) ? filling.open(range) : file.open(range);
        },
      };
    },

    async close(): Promise<void> {
      for (const starting of fills.values()) {
        const filling = await starting.catch(() => undefined);
        filling?.stop();
        await filling?.ended;
      }
      await folder.close();
    },
  };
}

/** From the store where the copy was removed meanwhile: a zip is sent long after its files were looked up. */
const fromDisk = (path: string, file: StoredFile): Pick<StoredFile, 'open'> => ({
  async open(range) {
    const handle = await open(path, 'r').catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
      return undefined;
    });
    if (!handle) return file.open(range);
    const { size } = await handle.stat();
    return { size, stream: createReadStream('', { fd: handle, highWaterMark: READ_BYTES, ...range }) };
  },
});

interface Fill {
  size: number;
  /** Never rejects. */
  ended: Promise<'whole' | 'damaged' | 'stopped'>;
  isNear(start: number): boolean;
  open(range?: ByteRange): { size: number; stream: Readable };
  stop(): void;
}

interface FillOptions {
  file: StoredFile;
  part: string;
  hash: string;
}

/** Writes an object to the disk while it is read from there by any number of listeners. */
async function startFill({ file, part, hash }: FillOptions): Promise<Fill> {
  const { size, stream: source } = await file.open();
  const handle = await open(part, 'wx+').catch((error: unknown) => {
    source.destroy();
    throw error;
  });
  let written = 0;
  let state: 'growing' | 'whole' | 'broken' | 'damaged' = 'growing';
  let isClosed = false;
  let news = Promise.withResolvers<void>();
  let listeners = 0;
  let abandoned: NodeJS.Timeout | undefined;
  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const stop = (): void => void source.destroy(new Error('nobody listens any more'));

  async function run(): Promise<'whole' | 'damaged' | 'stopped'> {
    const sum = createHash('sha256');
    try {
      for await (const piece of source as AsyncIterable<Buffer>) {
        sum.update(piece);
        const { bytesWritten } = await handle.write(piece, 0, piece.length, written);
        if (bytesWritten < piece.length) throw new Error('the disk is full');
        written += piece.length;
        tell();
      }
      if (written < size) return 'stopped';
      if (sum.digest('hex') !== hash) return (state = 'damaged');
      await handle.sync(); // nobody looks into it again: its name has to mean that it is whole, after a power cut too
      return (state = 'whole');
    } catch (error) {
      return error instanceof DamagedObjectError ? (state = 'damaged') : 'stopped';
    } finally {
      if (state === 'growing') state = 'broken';
      source.destroy();
      clearTimeout(abandoned);
      tell();
      if (listeners === 0) await close();
    }
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await handle.close();
  }

  function leave(): void {
    listeners--;
    if (listeners > 0) return;
    if (state !== 'growing') void close();
    else if (written < size / 2) abandoned = setTimeout(stop, ABANDONED_MS).unref();
  }

  /** What is not on the disk yet is waited for, and read from the store itself when reading ahead has ended. */
  async function* pieces(start: number, end: number): AsyncGenerator<Buffer> {
    let at = start;
    while (at <= end) {
      // the last byte is held back until the hash has been compared: damaged audio must not look complete
      const there = state === 'growing' && written === size ? size - 1 : written;
      if (state === 'damaged') throw new DamagedObjectError(new Error('its hash is wrong'));
      if (at < there) {
        const wanted = Math.min(READ_BYTES, there - at, end + 1 - at);
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (state === 'growing') await news.promise;
      else {
        const rest = await file.open({ start: at, end });
        for await (const piece of rest.stream as AsyncIterable<Buffer>) {
          at += piece.length;
          yield piece;
        }
        return;
      }
    }
  }

  return {
    size,
    ended: run(),
    isNear: (start) => !isClosed && (state === 'growing' || state === 'whole') && start <= written + AHEAD_BYTES,
    open(range) {
      const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? size - 1, size - 1)];
      listeners++;
      clearTimeout(abandoned);
      const stream = Readable.from(pieces(start, end), { objectMode: false, highWaterMark: READ_BYTES });
      return { size, stream: stream.once('close', leave) };
    },
    stop,
  };
}
