import type { PlayId, UserId } from '../db/ids.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import type { Base, Module } from '../module.ts';
import type { ReserveSpace } from '../storage/arriving-space.ts';
import { createHistoryImports } from './imports.ts';
import { matchHistoryTask } from './match-task.ts';
import { createNowPlaying } from './now-playing.ts';
import { historyRoutes } from './routes.ts';
import { createHistoryService } from './service.ts';
import { createTagPlays } from './tag-plays.ts';
import { createPlayMerge } from './track-merge.ts';
import { IMPORT_HISTORY, MATCH_HISTORY } from './tasks.ts';
import { handledBy } from '../jobs/tasks.ts';

/** A listener of modules that pass plays on to other services. */
interface PlayListener {
  /** Called in the transaction that recorded the plays. */
  onRecorded: (userId: UserId, ids: readonly PlayId[]) => void;
  /** Called after the transaction that recorded the plays. */
  afterRecorded: (userId: UserId) => void;
}
type PlayingListener = (userId: UserId, track: TrackSummary) => void;

export type HistoryOffer = ReturnType<typeof historyModule>['offers'];

type HistoryModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'changes' | 'readAside' | 'onMerge'> & {
    quota: { reserve: ReserveSpace<UserId>; assertQuota: (userId: UserId, bytes: number) => void };
  };

export function historyModule({
  config,
  log,
  now,
  db,
  settings,
  events,
  jobs,
  library,
  changes,
  readAside,
  onMerge,
  quota,
}: HistoryModuleDeps) {
  const playListeners: PlayListener[] = [];
  const playingListeners: PlayingListener[] = [];
  const history = createHistoryService({
    db,
    now,
    log,
    events,
    library,
    readAside,
    onRecorded: (userId, ids) => playListeners.forEach(({ onRecorded }) => onRecorded(userId, ids)),
    afterRecorded: (userId) => playListeners.forEach(({ afterRecorded }) => afterRecorded(userId)),
  });
  const nowPlaying = createNowPlaying({
    now,
    events,
    library,
    onStart: (userId, track) => playingListeners.forEach((listener) => listener(userId, track)),
  });
  const imports = createHistoryImports({
    db,
    now,
    history,
    jobs,
    dir: config.paths.imports,
    maxBytes: () => settings.get('MAX_UPLOAD_BYTES'),
    reserve: quota.reserve,
    assertQuota: quota.assertQuota,
  });
  onMerge(createPlayMerge({ db }));
  const { mergePart, ...tagPlays } = createTagPlays({ db, now });
  onMerge(mergePart);
  changes.onAdded(() => {
    if (history.hasUnmatchedPlays()) void jobs.tryEnqueue(MATCH_HISTORY, {});
  });

  return {
    offers: {
      history,
      nowPlaying,
      tagPlays,
      onPlays: (listener: PlayListener): void => void playListeners.push(listener),
      /** Adds a listener that is called when a track starts. */
      onPlaying: (listener: PlayingListener): void => void playingListeners.push(listener),
    },
    routes: historyRoutes({ history, nowPlaying, imports }),
    tasks: [
      handledBy(IMPORT_HISTORY, imports.task, imports.putAside),
      handledBy(MATCH_HISTORY, matchHistoryTask({ db })),
    ],
  } satisfies Module;
}
