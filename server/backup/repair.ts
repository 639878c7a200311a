// Repairs damaged or missing objects of the storage from the backup. The bytes are verified while they are copied; a
// damaged object is only replaced by the right one.
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import { DamagedObject } from './encryption.ts';
import type { Repository } from './repository.ts';

export type RepairOutcome = 'healed' | 'not_in_backup' | 'damaged_in_backup';

export interface RepairerDeps {
  storage: Pick<Storage, 'put'>;
  /** Opens the configured backup. `heal` throws its errors. */
  open: () => Promise<Repository>;
}

export type Repairer = ReturnType<typeof createRepairer>;

export function createRepairer({ storage, open }: RepairerDeps) {
  return {
    /**
     * `hash`: SHA-256 of the content, which is in the key of audio; the etag of a cover. Throws `unavailable` when the
     * backup or the storage cannot be reached.
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
