import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { statsRoutes } from './routes.ts';
import { createStatsService } from './service.ts';
import { createStorageStats } from './storage-stats.ts';

type StatsModuleDeps = Base & Pick<StorageOffer, 'storage'> & Pick<LibraryOffer, 'library'>;

export function statsModule({ db, storage, library }: StatsModuleDeps) {
  const stats = createStatsService({ db });
  const storageStats = createStorageStats({ db, storage, library });
  return { offers: stats, routes: statsRoutes({ stats, storageStats }) } satisfies Module;
}
