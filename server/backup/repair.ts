// Repairs damaged or missing objects of the storage from the backup. The bytes are verified while they are copied; a
// damaged object is only replaced by the right one.
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { MAX_COVER_BYTES } from '../covers/picture.ts';
import { isCoverKey } from './column-rules.ts';
import { DamagedObject } from './encryption.ts';
import { arriving } from './object-source.ts';
import type { Repository } from './repository.ts';
import { spaceOn } from './restore-files.ts';

type RepairOutcome = 'healed' | 'not_in_backup' | 'damaged_in_backup';

/** Opening a backup asks for its header and reads its index, which is much for each of many objects. */
const REPOSITORY_CACHE_MS = 60_000;

interface RepairerDeps {
  storage: Pick<Storage, 'put' | 'diskUsage'>;
  /** Opens the configured backup. `heal` throws its errors. */
  open: () => Promise<Pick<Repository, 'read'>>;
  now: () => Date;
  minFreeBytes: () => number;
}

export function createRepairer({ storage, open, now, minFreeBytes }: RepairerDeps) {
  let timer: NodeJS.Timeout | undefined;
  let kept: { repo: Promise<Pick<Repository, 'read'>>; until: number } | undefined;

  function opened(): Promise<Pick<Repository, 'read'>> {
    if (!kept || kept.until < now().getTime()) kept = { repo: open(), until: now().getTime() + REPOSITORY_CACHE_MS };
    clearTimeout(timer);
    timer = setTimeout(() => (kept = undefined), REPOSITORY_CACHE_MS).unref(); // it holds packs that were read
    const { repo } = kept;
    void repo.catch(() => {
      kept = undefined;
    });
    return repo;
  }

  async function copy(key: string, hash: string, signal: AbortSignal | undefined): Promise<RepairOutcome> {
    const repo = await opened();
    const space = await spaceOn('The disk of the library', () => storage.diskUsage(), minFreeBytes()).reserve();
    try {
      const bytes = arriving(repo.read(hash), { size: isCoverKey(key) ? MAX_COVER_BYTES : Infinity, space });
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
     * `hash`: SHA-256 of the content, which is in the key of audio; the etag of a cover. Throws `unavailable` when the
     * backup or the storage cannot be reached.
     */
    async heal(key: string, hash: string, signal?: AbortSignal): Promise<RepairOutcome> {
      const wasOpen = kept !== undefined;
      const outcome = await copy(key, hash, signal);
      if (outcome === 'healed' || !wasOpen) return outcome;
      kept = undefined; // a backup or a check may have written its packs anew meanwhile
      return copy(key, hash, signal);
    },
  };
}
