// Puts an object of the library right that is damaged or gone, from the backup. What the backup has is checked while it
// is copied; the library's object is replaced only by bytes that are what they should be.
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { DamagedObject } from './encryption.ts';
import type { Repository } from './repository.ts';

export type RepairOutcome = 'healed' | 'not_in_backup' | 'damaged_in_backup';

export interface RepairerDeps {
  storage: Pick<Storage, 'put'>;
  /** The backup as it is set now. Its errors come out of `heal`. */
  open: () => Promise<Repository>;
}

export type Repairer = ReturnType<typeof createRepairer>;

export function createRepairer({ storage, open }: RepairerDeps) {
  return {
    /**
     * `hash`: sha256 of the content, which audio has in its key; of a cover its etag. Throws when one of the two places
     * cannot be reached.
     */
    async heal(key: string, hash: string, signal?: AbortSignal): Promise<RepairOutcome> {
      const repo = await open();
      try {
        await storage.put(key, Readable.from(repo.read(hash), { objectMode: false }), signal && { signal });
        return 'healed';
      } catch (error) {
        if (error instanceof DamagedObject) return 'damaged_in_backup';
        if (error instanceof AppError && error.code === 'not_found') return 'not_in_backup';
        throw error;
      }
    },
  };
}
