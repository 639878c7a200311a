import type { LibraryOffer } from '../library/module.ts';
import type { MediaOffer } from '../media/module.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createObjectCache } from './object-cache.ts';
import { streamingRoutes } from './routes.ts';
import { createStreamingService } from './service.ts';
import { createConversions } from './conversions.ts';

type StreamingModuleDeps = Base &
  Pick<StorageOffer, 'audioStore'> &
  Pick<MediaOffer, 'findTool'> &
  Pick<LibraryOffer, 'audio'>;

export function streamingModule({
  config,
  log,
  now,
  db,
  settings,
  musicFolders,
  audioStore,
  findTool,
  audio,
}: StreamingModuleDeps) {
  const conversions = createConversions({
    log,
    now,
    cacheDir: config.paths.cache,
    ffmpeg: async () => (await findTool('ffmpeg', settings.get('FFMPEG_PATH')))?.path,
    maxWorking: () => settings.get('TRANSCODE_PROCESSES'),
    cacheBytes: () => settings.get('TRANSCODE_CACHE_BYTES'),
  });
  const objects = createObjectCache({
    log,
    now,
    cacheDir: config.paths.cache,
    cacheBytes: () => settings.get('STORE_CACHE_BYTES'),
  });
  const deps = {
    db,
    audioStore,
    onGone: audio.noteLost,
    onUnreadable: musicFolders.recheck,
    recheckAudio: audio.recheckAudio,
    onDamaged: audio.noteDamaged,
    conversions,
    objects,
  };
  const routes = streamingRoutes(deps);
  return {
    offers: { ...createStreamingService(deps), cachedCopy: objects.find },
    routes,
    rootRoutes: routes,
    async close() {
      await conversions.close();
      await objects.close();
    },
  } satisfies Module;
}
