import { rm } from 'node:fs/promises';
import type { Base, Module } from '../module.ts';
import { createAudioStore } from './audio-store.ts';
import type { StoreLimits } from './backend.ts';
import { openStorage } from './backends.ts';
import { createLeases } from './leases.ts';

export interface StorageTuning {
  storeLimits?: Partial<StoreLimits>;
}

export type StorageOffer = Awaited<ReturnType<typeof storageModule>>['offers'];

export async function storageModule({ config, now, musicFolders, tuning }: Base & { tuning: StorageTuning }) {
  const storage = await openStorage(config, { now, ...tuning });
  await rm(config.paths.tmp, { recursive: true, force: true }); // leftovers of a killed process
  return {
    offers: {
      storage,
      leases: createLeases(),
      audioStore: createAudioStore({ storage, musicRoots: musicFolders.roots }),
    },
  } satisfies Module;
}
