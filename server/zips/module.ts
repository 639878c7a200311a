import type { Base, Module } from '../module.ts';
import type { PlaylistService } from '../playlists/service.ts';
import type { StreamingService } from '../streaming/service.ts';
import { zipRoutes } from './routes.ts';
import { createZipService } from './service.ts';

type ZipsModuleDeps = Base & { playlists: PlaylistService; streaming: StreamingService };

export function zipsModule({ db, playlists, streaming }: ZipsModuleDeps) {
  const zips = createZipService({ db, playlists, streaming });
  return { offers: zips, routes: zipRoutes(zips) } satisfies Module;
}
