// A folder of cached files with a size limit: the least recently used files are removed first. The sizes are read once
// and then counted, so that adding a file costs the same however many there are.
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log/log.ts';

interface CacheFolderDeps {
  dir: string;
  maxBytes: () => number;
  now: () => Date;
  log: Log;
}

/** Evicting reads the times of all files, so it removes several files at a time. */
const EVICTION_TARGET = 0.9;
/** Unfinished files belong to the process that writes them. */
const isUnfinished = (name: string): boolean => name.endsWith('.part') || name.endsWith('.input');

export function createCacheFolder({ dir, maxBytes, now, log }: CacheFolderDeps) {
  let preparation: Promise<void> | undefined;
  let eviction: Promise<void> | undefined;
  let cachedBytes = 0;

  async function prepareFolder(): Promise<void> {
    await mkdir(dir, { recursive: true });
    for (const name of await readdir(dir)) if (isUnfinished(name)) await rm(join(dir, name), { force: true });
    cachedBytes = (await listFiles()).reduce((sum, { size }) => sum + size, 0);
  }

  async function listFiles(): Promise<{ path: string; size: number; usedAt: number }[]> {
    const names = (await readdir(dir)).filter((name) => !isUnfinished(name));
    return Promise.all(
      names.map(async (name) => {
        const path = join(dir, name);
        const fileStat = await stat(path).catch(() => undefined);
        return { path, size: fileStat?.size ?? 0, usedAt: fileStat?.atimeMs ?? 0 };
      }),
    );
  }

  /** Removes the least recently used files until the target is reached. */
  async function evict(): Promise<void> {
    const files = await listFiles();
    cachedBytes = files.reduce((sum, { size }) => sum + size, 0);
    const targetBytes = maxBytes() * EVICTION_TARGET;
    for (const { path, size } of files.sort((a, b) => a.usedAt - b.usedAt)) {
      if (cachedBytes <= targetBytes) return;
      await rm(path, { force: true });
      cachedBytes -= size;
    }
  }

  return {
    /**
     * Creates the folder and removes unfinished files of a killed process; does so once. Call it before other methods.
     */
    prepare: (): Promise<void> => (preparation ??= prepareFolder()),

    /** Records the use of a file and keeps its modification time; returns false when there is no file. */
    async touch(path: string): Promise<boolean> {
      const fileStat = await stat(path).catch(() => undefined);
      if (!fileStat) return false;
      await utimes(path, now(), fileStat.mtime).catch(() => undefined);
      return true;
    },

    /** Counts a new file under its final name, and evicts others when the limit is exceeded. */
    countAdded(bytes: number): void {
      cachedBytes += bytes;
      if (cachedBytes <= maxBytes()) return;
      eviction ??= evict()
        .catch((error: unknown) => log.warn({ err: error, dir }, 'cannot clean up the cache'))
        .finally(() => (eviction = undefined));
    },

    close: async (): Promise<void> => eviction,
  };
}
