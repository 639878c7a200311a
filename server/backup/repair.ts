// Repairs damaged or missing objects of the storage from the backup. The bytes are verified while they are copied; a
// damaged object is replaced only by the right content.
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { MAX_COVER_BYTES } from '../covers/picture.ts';
import { isCoverKey } from './column-rules.ts';
import { DamagedObject } from './encryption.ts';
import { limitBytes } from './object-source.ts';
import type { Repository } from './repository.ts';
import { spaceOfDisk } from './restore-files.ts';

type RepairOutcome = 'healed' | 'not_in_backup' | 'damaged_in_backup';

/**
 * The backup stays open for this time, because opening it reads its header and its index, which is too much for each of
 * many objects.
 */
const CACHE_MS = 60_000;

interface RepairerDeps {
  storage: Pick<Storage, 'put' | 'diskUsage'>;
  /** Opens the configured backup. Its errors are thrown by `heal`. */
  open: () => Promise<Pick<Repository, 'read'>>;
  now: () => Date;
  minFreeBytes: () => number;
}

export function createRepairer({ storage, open, now, minFreeBytes }: RepairerDeps) {
  let timer: NodeJS.Timeout | undefined;
  let cachedRepo: { repo: Promise<Pick<Repository, 'read'>>; expiresAt: number } | undefined;

  function openCached(): Promise<Pick<Repository, 'read'>> {
    if (!cachedRepo || cachedRepo.expiresAt < now().getTime())
      cachedRepo = { repo: open(), expiresAt: now().getTime() + CACHE_MS };
    clearTimeout(timer);
    // an open repository keeps packs in memory, so it is dropped after a while
    timer = setTimeout(() => (cachedRepo = undefined), CACHE_MS).unref();
    const { repo } = cachedRepo;
    void repo.catch(() => {
      cachedRepo = undefined;
    });
    return repo;
  }

  async function copy(key: string, hash: string, signal: AbortSignal | undefined): Promise<RepairOutcome> {
    const repo = await openCached();
    const space = await spaceOfDisk('The disk of the library', () => storage.diskUsage(), minFreeBytes()).reserve();
    try {
      const bytes = limitBytes(repo.read(hash), { size: isCoverKey(key) ? MAX_COVER_BYTES : Infinity, space });
      await storage.put(key, Readable.from(bytes, { objectMode: false }), signal && { signal });
      return 'healed';
    } catch (error) {
      if (error instanceof DamagedObject) return 'damaged_in_backup';
      if (error instanceof AppError && error.code === 'not_found') return 'not_in_backup';
      throw error;
    } finally {
      space.release();
    }
  }

  return {
    /**
     * Replaces a damaged or missing object by its copy in the backup. `hash` is the SHA-256 in the key of audio, or the
     * etag of a cover. Throws `unavailable` when the backup or the storage cannot be reached.
     */
    async heal(key: string, hash: string, signal?: AbortSignal): Promise<RepairOutcome> {
      const wasOpen = cachedRepo !== undefined;
      const outcome = await copy(key, hash, signal);
      if (outcome === 'healed' || !wasOpen) return outcome;
      cachedRepo = undefined; // a backup or a check may have rewritten the packs since the repository was opened
      return copy(key, hash, signal);
    },
  };
}
