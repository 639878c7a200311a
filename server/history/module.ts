import { createSealer } from '../config/sealed-text.ts';
import type { Secrets } from '../config/secrets.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import { createHistoryImports } from './imports.ts';
import { matchHistoryTask } from './match-task.ts';
import { createNowPlaying } from './now-playing.ts';
import { historyRoutes } from './routes.ts';
import { createScrobbling } from './scrobbling.ts';
import { createHistoryService } from './service.ts';
import { createPlayMerge } from './track-merge.ts';
import { IMPORT_HISTORY, MATCH_HISTORY, SCROBBLE_TASK } from './tasks.ts';
import { handledBy } from '../jobs/tasks.ts';

export interface HistoryTuning {
  /** Requests to ListenBrainz. */
  scrobblesPerSecond?: number;
}

type HistoryModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'changes' | 'readAside' | 'onMerge'> & { secrets: Secrets; tuning: HistoryTuning };

export function historyModule({
  config,
  version,
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
  secrets,
  tuning,
}: HistoryModuleDeps) {
  const scrobbling = createScrobbling({
    db,
    log,
    now,
    settings,
    sealer: createSealer(secrets.compatSecretKey, 'tonearm scrobbling token v1'),
    jobs,
    version,
    perSecond: tuning.scrobblesPerSecond ?? 1,
  });
  const history = createHistoryService({
    db,
    now,
    events,
    library,
    readAside,
    onRecorded: scrobbling.queue,
    afterRecorded: scrobbling.send,
  });
  const nowPlaying = createNowPlaying({
    now,
    events,
    library,
    onStart: (userId, track) => void scrobbling.tryPlayingNow(userId, track),
  });
  const imports = createHistoryImports({
    db,
    now,
    history,
    jobs,
    dir: config.paths.imports,
    maxBytes: () => settings.get('MAX_UPLOAD_BYTES'),
  });
  onMerge(createPlayMerge({ db }));
  changes.onAdded(() => {
    if (history.hasUnmatchedPlays()) void jobs.tryEnqueue(MATCH_HISTORY, {});
  });

  return {
    offers: { history, nowPlaying },
    routes: historyRoutes({ history, nowPlaying, imports, scrobbling }),
    tasks: [
      handledBy(IMPORT_HISTORY, imports.task),
      handledBy(MATCH_HISTORY, matchHistoryTask({ db })),
      handledBy(SCROBBLE_TASK, scrobbling.task),
    ],
    resume: scrobbling.resume,
  } satisfies Module;
}
