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
import { createAudioRepair, type Heal } from './audio-repair.ts';
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
    checkFolders: ProblemsDeps['checkFolders'];
    isServing: () => boolean;
    isScanning: () => boolean;
    tuning: MaintenanceTuning;
  };

export function maintenanceModule({
  config,
  log,
  inPlace,
  checkFolders,
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
  const dailyVerify = createDailyVerify({ db, now, settings, storage, jobs });
  const musicRoots = musicFolders.roots;
  const { heal } = backups;
  const repair = createAudioRepair({ db, musicRoots, storage, heal, cachedCopy: streaming.cachedCopy });
  const { verify, mendTrack } = createVerify({
    db,
    now,
    settings,
    musicRoots,
    storage,
    audioStore,
    reader,
    repair,
    proveCover: covers.verifyCover,
    provePicture: covers.verifyArtistPicture,
    onMissing: audio.markLost,
    onReturned: audio.markReturned,
    listMissing: audio.listMissing,
    recheckAudio: audio.recheckAudio,
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
    checkFolders,
    log,
    nowForAges,
  });
  return {
    offers: { dailyVerify, problems },
    routes: maintenanceRoutes({
      jobs,
      problems,
      believeClock: nowForAges.trustClock,
      testStore: createStoreTest({ config, settings }),
    }),
    tasks: [
      handledBy(VERIFY_STORAGE, verify),
      handledBy(MEND_TRACK, mendTrack),
      handledBy(COLLECT_GARBAGE, garbageTask({ db, nowForAges, storage, leases, onOrphanedCovers })),
    ],
    start(): void {
      dailyVerify.start();
      problems.report().catch((err: unknown) => log.error({ err }, 'checking for problems failed'));
    },
    stop: dailyVerify.close,
  } satisfies Module;
}
