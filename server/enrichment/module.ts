import type { FilesOffer } from '../files/module.ts';
import type { LibraryOffer } from '../library/module.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import type { MediaOffer } from '../media/module.ts';
import { createHearing } from './hearing.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createCharsets } from './album-charset.ts';
import { albumMatchRoutes } from './album-match-routes.ts';
import { charsetRoutes } from './charset-routes.ts';
import { duplicateRoutes } from './duplicate-routes.ts';
import { createDuplicateService } from './duplicates.ts';

import { enrichmentRoutes } from './routes.ts';
import { createEnrichment, type EnrichmentDeps } from './service.ts';
import { enrichLibraryTask, enrichTask } from './task-handlers.ts';
import { ENRICH_LIBRARY, ENRICH_TASK } from './tasks.ts';
import { createDismissalMerge } from './track-merge.ts';
import { handledBy } from '../jobs/tasks.ts';

export interface EnrichmentTuning {
  /** Maximum number of requests per second to MusicBrainz, which allows one. */
  musicBrainzPerSecond?: number;
}

type EnrichmentModuleDeps = Base &
  Pick<StorageOffer, 'audioStore'> &
  Pick<MediaOffer, 'fingerprinter'> &
  Pick<LibraryOffer, 'library' | 'editing' | 'tracks' | 'merges' | 'changes' | 'onMerge'> &
  Pick<FilesOffer, 'readTags'> & { covers: { resolveCover: EnrichmentDeps['findCover'] }; tuning: EnrichmentTuning };

export function enrichmentModule({
  library,
  editing,
  merges,
  changes,
  onMerge,
  covers,
  tuning,
  ...deps
}: EnrichmentModuleDeps) {
  const { config, now, db, jobs } = deps;
  const libraryChanged = changes.announceChange;
  const hearing = createHearing({ ...deps, tmpDir: config.paths.tmp });
  const enrichment = createEnrichment({
    ...deps,
    hearTrack: hearing.ofTrack,
    tmpDir: config.paths.tmp,
    findCover: covers.resolveCover,
    noteUnsaved: library.noteUnsaved,
    musicBrainzPerSecond: tuning.musicBrainzPerSecond ?? 1,
    history: library.editHistory,
    libraryChanged,
    libraryEdited: changes.announceEdit,
  });
  const duplicates = createDuplicateService({ db, library, merges, onMerged: changes.announceDeleted, now });
  onMerge(createDismissalMerge({ db }));
  // While the restored track was in the trash, its duplicate may have been added, so its fingerprint is paired again.
  changes.onRestored((id) => {
    const sound = hearing.findStored(id);
    if (sound) hearing.store(id, sound);
  });
  const charsets = createCharsets({ ...deps, tmpDir: config.paths.tmp, libraryChanged });
  changes.onAudioAdded((ids) => void enrichment.enrichAdded(ids));

  return {
    offers: {
      hearing,
      musicBrainz: enrichment.musicBrainz,
    },
    routes: [
      ...charsetRoutes({ charsets, editing }),
      ...albumMatchRoutes({ musicBrainz: enrichment.musicBrainz, library, editing }),
      ...duplicateRoutes({ duplicates, editing, libraryChanged }),
      ...enrichmentRoutes({
        reviews: enrichment.reviews,
        editing,
        jobs,
        now,
        trackOut: library.trackOut,
        tracksOut: (user, ids) => library.tracksById(user.id, ids).map(toTrackOut),
      }),
    ],
    tasks: [
      handledBy(ENRICH_TASK, enrichTask(enrichment.runs)),
      handledBy(ENRICH_LIBRARY, enrichLibraryTask(enrichment.runs)),
    ],
    start: () => void enrichment.resume(),
    stop: enrichment.close,
  } satisfies Module;
}
