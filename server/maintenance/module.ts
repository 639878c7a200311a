import type { CoversOffer } from '../covers/module.ts';
import type { FilesOffer } from '../files/module.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { StorageOffer } from '../storage/module.ts';
import type { InPlace } from '../db/removed-database.ts';
import { createDailyVerify } from './daily-verify.ts';
import { garbageTask } from './garbage-collection.ts';
import { createProblems, type ProblemsDeps } from './problems.ts';
import { maintenanceRoutes } from './routes.ts';
import { createStoreTest, type StoreTestDeps } from './storage-test.ts';
import type { VerifyPace } from './verify-pace.ts';
import { createMend, type Heal } from './mend.ts';
import { createVerify } from './verify.ts';
import { COVER_TASK } from '../covers/tasks.ts';
import { COLLECT_GARBAGE, MEND_TRACK, VERIFY_STORAGE } from './tasks.ts';
import { handledBy } from '../jobs/tasks.ts';

export interface MaintenanceTuning {
  /** Throttling of the daily verification. */
  verifyPace?: Partial<VerifyPace>;
}

type MaintenanceModuleDeps = Base &
  StorageOffer &
  Pick<LibraryOffer, 'audio'> &
  Pick<FilesOffer, 'reader'> &
  Pick<CoversOffer, 'covers'> & {
    settings: StoreTestDeps['settings'];
    backups: { heal: Heal };
    streaming: { cachedCopy: (hash: string) => string | undefined };
    inPlace: InPlace;
    lookAtFolders: ProblemsDeps['lookAtFolders'];
    isServing: () => boolean;
    isScanning: () => boolean;
    tuning: MaintenanceTuning;
  };

export function maintenanceModule({
  config,
  log,
  inPlace,
  lookAtFolders,
  now,
  nowForAges,
  db,
  settings,
  musicFolders,
  jobs,
  storage,
  leases,
  audioStore,
  audio,
  reader,
  covers,
  backups,
  streaming,
  isServing,
  isScanning,
  tuning,
}: MaintenanceModuleDeps) {
  const daily = createDailyVerify({ db, now, settings, storage, jobs });
  const musicRoots = musicFolders.roots;
  const { heal } = backups;
  const mend = createMend({ db, musicRoots, storage, heal, cachedCopy: streaming.cachedCopy });
  const { verify, mendTrack } = createVerify({
    db,
    now,
    settings,
    musicRoots,
    storage,
    audioStore,
    reader,
    mend,
    proveCover: covers.verifyCover,
    provePicture: covers.verifyArtistPicture,
    onGone: audio.lostForGood,
    onReturned: audio.returned,
    listMissing: audio.listMissing,
    lookAgain: audio.lookAgain,
    isBusy: () => isServing() || isScanning(),
    pace: tuning.verifyPace ?? {},
  });
  audio.onFault((trackId) => void jobs.tryEnqueue(MEND_TRACK, { trackId }));
  const onOrphanedCovers = (): void => void jobs.tryEnqueue(COVER_TASK, {});
  const problems = createProblems({
    db,
    inPlace,
    paths: config.paths,
    storage,
    musicFolders,
    lookAtFolders,
    log,
    nowForAges,
  });
  return {
    offers: { dailyVerify: daily, problems },
    routes: maintenanceRoutes({
      jobs,
      problems,
      believeClock: nowForAges.believe,
      testStore: createStoreTest({ config, settings }),
    }),
    tasks: [
      handledBy(VERIFY_STORAGE, verify),
      handledBy(MEND_TRACK, mendTrack),
      handledBy(COLLECT_GARBAGE, garbageTask({ db, nowForAges, storage, leases, onOrphanedCovers })),
    ],
    start(): void {
      daily.start();
      problems.report().catch((err: unknown) => log.error({ err }, 'problems could not be looked for'));
    },
    stop: daily.close,
  } satisfies Module;
}
