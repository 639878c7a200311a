// Sets up enrichment: the clients of the services with their rate limits, and the work on tracks.
import type { WatchedSettings } from '../config/live-settings.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { Jobs } from '../jobs/service.ts';
import { prepareFindTrack } from '../library/tracks/track-identity.ts';
import type { TrackWriter } from '../library/tracks/track-writer.ts';
import type { Log } from '../log/log.ts';
import type { Fingerprinter } from '../media/fingerprint.ts';
import { createBreaker } from '../outbound/breaker.ts';
import { createTokenBucket, waitFor } from '../outbound/token-bucket.ts';
import { userAgentOf } from '../outbound/user-agent.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { createAcoustId } from './acoustid.ts';
import type { Hearing } from './hearing.ts';
import { prepareSettling, type Settled } from './tag-only-status.ts';
import { createEnricher, type EnricherDeps } from './enricher.ts';
import type { LibraryRunDeps } from './library-run.ts';
import { createMusicBrainz } from './musicbrainz.ts';
import { isAnyPending } from './queries.ts';
import { createRecorder } from './record.ts';
import { createReviewService, type ReviewServiceDeps } from './review-service.ts';
import { ENRICH_LIBRARY, ENRICH_TASK } from './tasks.ts';

/** If more tracks than this are added at once, they are enriched in one job. */
const MAX_SINGLE_JOBS = 50;

export interface EnrichmentDeps {
  db: MainDb;
  log: Log;
  now: () => Date;
  version: string;
  settings: WatchedSettings;
  tracks: TrackWriter;
  audioStore: AudioStore;
  tmpDir: string;
  readTags: EnricherDeps['readTags'];
  fingerprinter: Pick<Fingerprinter, 'fingerprint'>;
  hearTrack: Hearing['ofTrack'];
  findCover: EnricherDeps['findCover'];
  noteUnsaved: EnricherDeps['noteUnsaved'];
  musicBrainzPerSecond: number;
  jobs: Pick<Jobs, 'tryEnqueue'>;
  libraryChanged: () => void;
  /** Called instead of `libraryChanged` after an edit by a person. */
  libraryEdited: () => void;
  history: ReviewServiceDeps['history'];
}

export function createEnrichment({
  db,
  log,
  now,
  version,
  settings,
  tracks,
  audioStore,
  tmpDir,
  readTags,
  fingerprinter,
  hearTrack,
  findCover,
  noteUnsaved,
  musicBrainzPerSecond,
  jobs,
  libraryChanged,
  libraryEdited,
  history,
}: EnrichmentDeps) {
  const shutdown = new AbortController();
  const userAgent = (): string => userAgentOf(version, settings.get('CONTACT'));
  const clock = (): number => now().getTime();
  const acoustIdBreaker = createBreaker({ now: clock });
  const musicBrainzBreaker = createBreaker({ now: clock });
  const acoustId = createAcoustId({
    settings,
    version,
    userAgent,
    wait: waitFor,
    breaker: acoustIdBreaker,
    bucket: createTokenBucket({ perSecond: () => settings.get('FPID_RATE_PER_SECOND') }),
  });
  const musicBrainz = createMusicBrainz({
    settings,
    userAgent,
    wait: waitFor,
    breaker: musicBrainzBreaker,
    bucket: createTokenBucket({ perSecond: musicBrainzPerSecond }),
    now,
    lifetime: shutdown.signal,
  });
  settings.onChange(['FPID_ENABLED', 'FPID_API_KEY', 'FPID_BASE_URL'], acoustIdBreaker.reset);
  settings.onChange(['MUSICBRAINZ_ENABLED', 'MUSICBRAINZ_BASE_URL', 'CONTACT'], musicBrainzBreaker.reset);

  const findTrack = prepareFindTrack(db.$client);
  const recorder = createRecorder({
    db,
    now,
    tracks,
    findKnown: findTrack,
    threshold: () => settings.get('FPID_TRUST_SCORE'),
  });
  const enricher = createEnricher({
    db,
    log,
    now,
    findKnown: findTrack,
    readTags,
    fingerprinter,
    acoustId,
    musicBrainz,
    recorder,
    findCover,
    noteUnsaved,
    audioStore,
    tmpDir,
  });
  const settle = prepareSettling(db);
  const settleByTags = (afterId: number, upToId: number): Settled[] => {
    const whyOff = acoustId.whyOff();
    return whyOff === undefined
      ? []
      : settle({ afterId, upToId, whyOff, isDetailed: musicBrainz.isEnabled(), at: now() });
  };
  /** Computes a fingerprint without a lookup, if audio analysis is on. */
  const ensureFingerprint = async (id: TrackId, signal: AbortSignal): Promise<unknown> =>
    settings.get('ANALYSIS_ENABLED') && (await hearTrack(id, signal));
  const runs: LibraryRunDeps = { db, now, enricher, settleByTags, ensureFingerprint, jobs, libraryChanged };

  return {
    /** The dependencies of the task handlers. */
    runs,
    musicBrainz,
    reviews: createReviewService({
      db,
      now,
      settings,
      tracks,
      findKnown: findTrack,
      history,
      libraryChanged: libraryEdited,
    }),

    /**
     * Starts the enrichment of new tracks. A few tracks get jobs of their own, so that they do not wait for a long run
     * over the library.
     */
    async enrichAdded(ids: readonly TrackId[]): Promise<void> {
      if (ids.length > MAX_SINGLE_JOBS) await jobs.tryEnqueue(ENRICH_LIBRARY, { scope: 'pending', askedAt: clock() });
      else for (const trackId of ids) await jobs.tryEnqueue(ENRICH_TASK, { trackId });
    },

    /** Continues with pending tracks after the start, also after a kill between a scan and its enrichment. */
    async resume(): Promise<void> {
      if (isAnyPending(db)) await jobs.tryEnqueue(ENRICH_LIBRARY, { scope: 'pending', askedAt: clock() });
    },

    close: (): void => shutdown.abort(),
  };
}
