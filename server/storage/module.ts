import { rm } from 'node:fs/promises';
import { AppError, messageOf } from '../errors.ts';
import type { Base, Module } from '../module.ts';
import { createAudioStore } from './audio-store.ts';
import type { StoreLimits } from './backend.ts';
import { openStorage } from './backends.ts';
import { createLeases } from './leases.ts';
import { createOwnedStorage, type OwnerOptions } from './library-mark.ts';

export interface StorageTuning {
  storeLimits?: Partial<StoreLimits>;
}

export type StorageOffer = Awaited<ReturnType<typeof storageModule>>['offers'];

type StorageModuleDeps = Base & { owner: OwnerOptions; tuning: StorageTuning };

/**
 * Opens the storage. Throws `conflict` when it belongs to another library. Storage that may be down is marked at its
 * first change.
 */
export async function storageModule({ config, log, now, musicFolders, owner, tuning }: StorageModuleDeps) {
  const storage = createOwnedStorage(await openStorage(config, { now, ...tuning }), owner);
  if (!storage.backend.mayBeDown)
    await storage.claim().catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'conflict') throw error;
      log.warn({ reason: messageOf(error) }, 'cannot mark the storage with its library');
    });
  await rm(config.paths.tmp, { recursive: true, force: true }); // removes leftovers of a killed process
  return {
    offers: {
      storage,
      leases: createLeases(),
      audioStore: createAudioStore({ storage, musicRoots: musicFolders.roots }),
    },
  } satisfies Module;
}
