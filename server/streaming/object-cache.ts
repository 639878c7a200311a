// Caches audio of an object store on the disk: a played track is read ahead completely, so that neither a seek nor a
// second play needs the store. The hash is compared at the end, which also detects objects that the store damaged.
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
  /** The cached files are in `objects/` below this folder. */
  cacheDir: string;
  /** Returns the size limit of the cache; 0 caches nothing. */
  cacheBytes: () => number;
}

/** While this many objects are read ahead, others are read directly from the store. */
const MAX_CONCURRENT_FILLS = 8;
/** A listener who is further ahead of the written bytes reads from the store instead of waiting. */
const MAX_AHEAD_BYTES = 4 << 20;
const READ_BUFFER_BYTES = 256 << 10;
/**
 * Reading ahead stops after this time without a listener, so that skipping a track does not cost the transfer of all of
 * it.
 */
const ABANDON_AFTER_MS = 10_000;

export type ObjectCache = ReturnType<typeof createObjectCache>;

export function createObjectCache({ log, now, cacheDir, cacheBytes }: ObjectCacheDeps) {
  const dir = join(cacheDir, 'objects');
  const fills = new Map<string, Promise<Fill>>();
  const folder = createCacheFolder({ dir, maxBytes: cacheBytes, now, log });
  const pathOf = (hash: string): string => join(dir, hash);

  function findOrStartFill(
    hash: string,
    file: StoredFile,
    modifiedAt: Date,
    onDamaged: () => void,
  ): Promise<Fill> | undefined {
    const runningFill = fills.get(hash);
    if (runningFill ?? fills.size >= MAX_CONCURRENT_FILLS) return runningFill;
    const newFill = createFill();
    fills.set(hash, newFill);
    return newFill;

    async function createFill(): Promise<Fill> {
      try {
        await folder.prepare();
        const partPath = join(dir, `${hash}-${randomBytes(4).toString('hex')}.part`);
        const fill = await startFill({ file, partPath, hash });
        void fill.outcome
          .then(async (outcome) => {
            if (outcome === 'whole') {
              await utimes(partPath, now(), modifiedAt);
              await rename(partPath, pathOf(hash));
              folder.countAdded(fill.size);
            } else {
              await rm(partPath, { force: true });
              if (outcome === 'damaged') onDamaged();
            }
          })
          .catch(logUnusable)
          .finally(() => fills.delete(hash));
        return fill;
      } catch (error) {
        fills.delete(hash);
        throw error;
      }
    }
  }

  const logUnusable = (error: unknown): void => log.warn({ reason: messageOf(error) }, 'cannot use the audio cache');

  return {
    /** Returns the path of a complete copy of the audio with this hash. */
    find: (hash: string): string | undefined => (existsSync(pathOf(hash)) ? pathOf(hash) : undefined),

    /** Returns the same audio, read through the cache if it is an object of a store. */
    async withCache(file: StoredFile, hash: string | null, onDamaged: () => void): Promise<StoredFile> {
      if (file.path !== undefined || !file.immutable || hash === null || cacheBytes() === 0) return file;
      if (await folder.touch(pathOf(hash))) return { ...file, path: pathOf(hash), ...readFromDisk(pathOf(hash), file) };
      let statPromise: Promise<ObjectStat> | undefined;
      const stat = (): Promise<ObjectStat> => (statPromise ??= file.stat());
      return {
        ...file,
        stat,
        async open(range) {
          const { size, modifiedAt } = await stat();
          if (size > cacheBytes() / 2) return file.open(range);
          let fill: Fill | undefined;
          try {
            fill = await findOrStartFill(hash, file, modifiedAt, onDamaged);
          } catch (error) {
            if (error instanceof AppError) throw error; // an error of the store
            logUnusable(error);
          }
          return fill?.isNearWritten(range?.start ?? 0) ? fill.open(range) : file.open(range);
        },
      };
    },

    async close(): Promise<void> {
      for (const runningFill of fills.values()) {
        const fill = await runningFill.catch(() => undefined);
        fill?.stop();
        await fill?.outcome;
      }
      await folder.close();
    },
  };
}

/**
 * Opens the copy on the disk, or the store if the copy has been removed meanwhile: a zip is sent long after its files
 * were looked up.
 */
const readFromDisk = (path: string, file: StoredFile): Pick<StoredFile, 'open'> => ({
  async open(range) {
    const handle = await open(path, 'r').catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
      return undefined;
    });
    if (!handle) return file.open(range);
    const { size } = await handle.stat();
    return { size, stream: createReadStream('', { fd: handle, highWaterMark: READ_BUFFER_BYTES, ...range }) };
  },
});

interface Fill {
  size: number;
  /** Resolves at the end; never rejects. */
  outcome: Promise<'whole' | 'damaged' | 'stopped'>;
  isNearWritten(start: number): boolean;
  open(range?: ByteRange): { size: number; stream: Readable };
  stop(): void;
}

interface FillOptions {
  file: StoredFile;
  partPath: string;
  hash: string;
}

/** Writes an object to the disk while any number of listeners read it from there. */
async function startFill({ file, partPath, hash }: FillOptions): Promise<Fill> {
  const { size, stream: source } = await file.open();
  const handle = await open(partPath, 'wx+').catch((error: unknown) => {
    source.destroy();
    throw error;
  });
  let writtenBytes = 0;
  let state: 'growing' | 'whole' | 'broken' | 'damaged' = 'growing';
  let isClosed = false;
  let change = Promise.withResolvers<void>();
  let listeners = 0;
  let abandonTimer: NodeJS.Timeout | undefined;
  const notifyListeners = (): void => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const stop = (): void => void source.destroy(new Error('the last listener has left'));

  async function fill(): Promise<'whole' | 'damaged' | 'stopped'> {
    const hasher = createHash('sha256');
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        hasher.update(chunk);
        const { bytesWritten } = await handle.write(chunk, 0, chunk.length, writtenBytes);
        if (bytesWritten < chunk.length) throw new Error('the disk is full');
        writtenBytes += chunk.length;
        notifyListeners();
      }
      if (writtenBytes < size) return 'stopped';
      if (hasher.digest('hex') !== hash) return (state = 'damaged');
      await handle.sync(); // a file with its final name is never checked again, so it must survive a power cut
      return (state = 'whole');
    } catch (error) {
      return error instanceof DamagedObjectError ? (state = 'damaged') : 'stopped';
    } finally {
      if (state === 'growing') state = 'broken';
      source.destroy();
      clearTimeout(abandonTimer);
      notifyListeners();
      if (listeners === 0) await close();
    }
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await handle.close();
  }

  function removeListener(): void {
    listeners--;
    if (listeners > 0) return;
    if (state !== 'growing') void close();
    else if (writtenBytes < size / 2) abandonTimer = setTimeout(stop, ABANDON_AFTER_MS).unref();
  }

  /**
   * Waits for bytes that are not on the disk yet, and reads them from the store itself when reading ahead has ended.
   */
  async function* readChunks(start: number, end: number): AsyncGenerator<Buffer> {
    let position = start;
    while (position <= end) {
      // the last byte is held back until the hash has been compared: damaged audio must not look complete
      const availableBytes = state === 'growing' && writtenBytes === size ? size - 1 : writtenBytes;
      if (state === 'damaged') throw new DamagedObjectError(new Error('its hash is wrong'));
      if (position < availableBytes) {
        const length = Math.min(READ_BUFFER_BYTES, availableBytes - position, end + 1 - position);
        const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (state === 'growing') await change.promise;
      else {
        const remainder = await file.open({ start: position, end });
        for await (const chunk of remainder.stream as AsyncIterable<Buffer>) {
          position += chunk.length;
          yield chunk;
        }
        return;
      }
    }
  }

  return {
    size,
    outcome: fill(),
    isNearWritten: (start) =>
      !isClosed && (state === 'growing' || state === 'whole') && start <= writtenBytes + MAX_AHEAD_BYTES,
    open(range) {
      const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? size - 1, size - 1)];
      listeners++;
      clearTimeout(abandonTimer);
      const stream = Readable.from(readChunks(start, end), { objectMode: false, highWaterMark: READ_BUFFER_BYTES });
      return { size, stream: stream.once('close', removeListener) };
    },
    stop,
  };
}
