// A folder of cached files with a bound: those that were used longest ago go first. Their size is looked up once and
// then counted, so that a new one costs the same however many there are.
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log/log.ts';

interface CacheFolderDeps {
  dir: string;
  mostBytes: () => number;
  now: () => Date;
  log: Log;
}

/** All files are looked at to remove the oldest, so several go at once. */
const FILLED_AFTER_EVICTION = 0.9;
/** Unfinished files belong to who writes them. */
const isUnfinished = (name: string): boolean => name.endsWith('.part') || name.endsWith('.input');

export function createCacheFolder({ dir, mostBytes, now, log }: CacheFolderDeps) {
  let ready: Promise<void> | undefined;
  let evicting: Promise<void> | undefined;
  let keptBytes = 0;

  async function prepare(): Promise<void> {
    await mkdir(dir, { recursive: true });
    for (const name of await readdir(dir)) if (isUnfinished(name)) await rm(join(dir, name), { force: true });
    keptBytes = (await kept()).reduce((sum, { size }) => sum + size, 0);
  }

  async function kept(): Promise<{ path: string; size: number; usedAt: number }[]> {
    const names = (await readdir(dir)).filter((name) => !isUnfinished(name));
    return Promise.all(
      names.map(async (name) => {
        const path = join(dir, name);
        const found = await stat(path).catch(() => undefined);
        return { path, size: found?.size ?? 0, usedAt: found?.atimeMs ?? 0 };
      }),
    );
  }

  /** Removes the least recently used until there is room for more than the next one. */
  async function evict(): Promise<void> {
    const files = await kept();
    keptBytes = files.reduce((sum, { size }) => sum + size, 0);
    const most = mostBytes() * FILLED_AFTER_EVICTION;
    for (const { path, size } of files.sort((a, b) => a.usedAt - b.usedAt)) {
      if (keptBytes <= most) return;
      await rm(path, { force: true });
      keptBytes -= size;
    }
  }

  return {
    /** Creates the folder, and removes what a killed process left unfinished. Once, before the first file. */
    ready: (): Promise<void> => (ready ??= prepare()),

    /** Notes when a file was used, and leaves alone when it was changed; false when there is none. */
    async touch(path: string): Promise<boolean> {
      const found = await stat(path).catch(() => undefined);
      if (!found) return false;
      await utimes(path, now(), found.mtime).catch(() => undefined);
      return true;
    },

    /** A file is there, under its final name. */
    added(bytes: number): void {
      keptBytes += bytes;
      if (keptBytes <= mostBytes()) return;
      evicting ??= evict()
        .catch((error: unknown) => log.warn({ err: error, dir }, 'cache not cleaned up'))
        .finally(() => (evicting = undefined));
    },

    close: async (): Promise<void> => evicting,
  };
}
