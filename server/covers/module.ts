import type { Secrets } from '../config/secrets.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createChosenPictureMoves } from './chosen-picture-moves.ts';
import { createCoverArchive, type ArchivePace } from './cover-archive.ts';
import { createPlaceholderCovers, type PlaceholderCoverDeps } from './placeholder-covers.ts';
import { coverRoutes, signedPictureRoute } from './routes.ts';
import { createCoverService } from './service.ts';
import { createSignedPictures } from './signed-pictures.ts';
import { COVER_ARCHIVE_TASK, COVER_TASK, coverArchiveTask, coverTask } from './tasks.ts';
import { handledBy } from '../jobs/tasks.ts';

export interface CoversTuning {
  /** Rate and time limits of requests to the cover archive. */
  archivePace?: Partial<ArchivePace>;
}

export type CoversOffer = ReturnType<typeof coversModule>['offers'];

type CoversModuleDeps = Base &
  Pick<StorageOffer, 'storage' | 'audioStore'> &
  Pick<LibraryOffer, 'changes' | 'editing' | 'onAnnotationsMove'> & {
    quota: { assertFree: (bytes: number) => Promise<void> };
    catalogue: { cover: PlaceholderCoverDeps['fetchPicture'] };
    secrets: Pick<Secrets, 'jwtSecret'>;
    tuning: CoversTuning;
  };

export function coversModule({
  config,
  paths,
  version,
  log,
  now,
  nowForAges,
  db,
  settings,
  jobs,
  storage,
  audioStore,
  changes,
  editing,
  onAnnotationsMove,
  quota,
  catalogue,
  secrets,
  tuning,
}: CoversModuleDeps) {
  const cacheDir = config.paths.cache;
  const archive = createCoverArchive({ settings, version, log, now, pace: tuning.archivePace ?? {} });
  const covers = createCoverService({
    db,
    log,
    now,
    nowForAges,
    storage,
    audioStore,
    archive,
    asksCommons: () => settings.get('ARTIST_INFO_ENABLED'),
    assertFree: quota.assertFree,
    cacheDir,
    workerUrl: paths.workers.cover,
    onCover: changes.announceChange,
    onArtistPicture: changes.announceChange,
  });
  const placeholders = createPlaceholderCovers({
    db,
    cacheDir,
    now,
    fetchPicture: catalogue.cover,
    readEmbedded: covers.readEmbedded,
  });
  const pictures = createSignedPictures({ secret: secrets.jwtSecret, now });
  const enqueueCoverTask = (): void => void jobs.tryEnqueue(COVER_TASK, {});
  /** Set while a task waits for the end of the transaction that moves annotations. */
  let scheduledTask: NodeJS.Immediate | undefined;
  const enqueueAfterMoves = (): void => {
    scheduledTask ??= setImmediate(() => {
      scheduledTask = undefined;
      enqueueCoverTask();
    });
  };
  onAnnotationsMove(createChosenPictureMoves({ client: db.$client, now, onCoverMoved: enqueueAfterMoves }));
  changes.onAudioAdded(enqueueCoverTask);
  covers.artistPictures.onLost(enqueueCoverTask);
  let highestAlbumId = covers.highestAlbumId();
  changes.onEdited(() => {
    const previousHighest = highestAlbumId;
    highestAlbumId = covers.highestAlbumId();
    if (highestAlbumId > previousHighest || covers.hasFormer()) enqueueCoverTask();
  });
  settings.onChange(['COVERART_ENABLED', 'COVERART_BASE_URL'], () => {
    archive.reset();
    covers.forgetLookups();
    enqueueCoverTask();
  });

  return {
    offers: { covers, placeholders, pictures },
    routes: coverRoutes(covers, placeholders, editing),
    rootRoutes: [signedPictureRoute(covers, pictures)],
    tasks: [
      handledBy(COVER_TASK, coverTask({ covers, jobs })),
      handledBy(COVER_ARCHIVE_TASK, coverArchiveTask({ covers })),
    ],
    resume(): void {
      // after a crash a chosen cover may still be waiting
      if (covers.hasDueRetry() || covers.hasFormer()) enqueueCoverTask();
    },
    close(): Promise<void> {
      clearImmediate(scheduledTask);
      return covers.close();
    },
  } satisfies Module;
}
