import type { FilesOffer } from '../files/module.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import { relocationRoutes } from './routes.ts';
import { createFileMerge } from './track-merge.ts';
import { createRelocation } from './service.ts';

type RelocationModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'editing' | 'tracks' | 'merges' | 'changes' | 'onMerge'> &
  Pick<FilesOffer, 'sourceFiles'>;

export function relocationModule({
  db,
  now,
  library,
  editing,
  tracks,
  merges,
  changes,
  onMerge,
  sourceFiles,
}: RelocationModuleDeps) {
  const relocation = createRelocation({ db, now, tracks, library, merges, sourceFiles });
  onMerge(createFileMerge({ sourceFiles }));
  return {
    offers: relocation,
    routes: relocationRoutes({ relocation, editing, libraryChanged: changes.announceChange }),
  } satisfies Module;
}
