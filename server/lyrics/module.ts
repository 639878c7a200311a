import { handledBy } from '../jobs/tasks.ts';
import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import { createBreaker } from '../outbound/breaker.ts';
import { createTokenBucket, waitFor } from '../outbound/token-bucket.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import type { StorageOffer } from '../storage/module.ts';
import { createLyricsIndex } from './lyrics-index.ts';
import { createLyricsSearch } from './lyrics-search.ts';
import { createLrclib } from './lrclib.ts';
import { lyricsRoutes } from './routes.ts';
import { createLyricsService } from './service.ts';
import { LOOKUP_LYRICS } from './tasks.ts';
import { createLyricsMerge } from './track-merge.ts';

export interface LyricsTuning {
  /** Maximum requests per second to LRCLIB, which names no limit. */
  lyricsPerSecond?: number;
}

type LyricsModuleDeps = Base &
  Pick<LibraryOffer, 'library' | 'editing' | 'tracks' | 'changes' | 'readAside' | 'onMerge'> &
  Pick<StorageOffer, 'audioStore'> & { tuning: LyricsTuning };

export function lyricsModule({
  version,
  log,
  now,
  db,
  settings,
  jobs,
  library,
  editing,
  tracks,
  changes,
  readAside,
  onMerge,
  audioStore,
  tuning,
}: LyricsModuleDeps) {
  const breaker = createBreaker({ now: () => now().getTime() });
  const lrclib = createLrclib({
    settings,
    userAgent: () => userAgentOf(version, settings.get('CONTACT')),
    bucket: createTokenBucket({ perSecond: tuning.lyricsPerSecond ?? 2 }),
    breaker,
    wait: waitFor,
  });
  const lyrics = createLyricsService({
    db,
    log,
    now,
    settings,
    tracks,
    audioStore,
    lrclib,
    libraryChanged: changes.announceChange,
  });
  onMerge(createLyricsMerge({ db, tracks }));
  const index = createLyricsIndex({ db, log, ofTrack: library.lyrics.ofTrack });
  const searchLyrics = createLyricsSearch({ readAside, index, library });
  const lookUp = (): void => {
    if (settings.get('LYRICS_ENABLED')) void jobs.tryEnqueue(LOOKUP_LYRICS, {});
  };
  changes.onAdded(() => {
    index.update();
    lookUp();
  });
  settings.onChange(['LYRICS_ENABLED', 'LYRICS_BASE_URL'], () => {
    breaker.reset();
    lookUp();
  });

  return {
    offers: {},
    routes: lyricsRoutes({ lyrics, searchLyrics, library, editing }),
    tasks: [handledBy(LOOKUP_LYRICS, lyrics.task)],
    resume(): void {
      index.update();
      lookUp();
    },
  } satisfies Module;
}
