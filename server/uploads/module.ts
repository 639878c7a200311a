import type { FilesOffer } from '../files/module.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { uploadRoutes } from './routes.ts';
import { createUploadService } from './service.ts';

type UploadsModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'tracks' | 'changes' | 'trash'> &
  Pick<FilesOffer, 'storeFile' | 'quota'> &
  Pick<StorageOffer, 'audioStore'>;

export function uploadsModule({ config, library, changes, ...deps }: UploadsModuleDeps) {
  const uploads = createUploadService({
    ...deps,
    tmpDir: config.paths.tmp,
    releaseAudio: library.releaseAudio,
    onUploaded: changes.announceAudioAdded,
  });
  return { offers: uploads, routes: uploadRoutes({ uploads, trackOut: library.trackOut }) } satisfies Module;
}
