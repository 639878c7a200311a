// Enriches many tracks in one job. The progress is stored in the tracks (status, time of the last enrichment), so that
// after a kill only the tracks in progress are repeated.
import { availableParallelism } from 'node:os';
import { AppError } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Settled } from './tag-only-status.ts';
import type { Enriched, Enricher } from './enricher.ts';
import { awaitsLookup, countWaiting, highestTrackId, listWaiting, type Scope } from './queries.ts';
import type { StepName } from './steps.ts';
import type { EnrichLibraryResult } from './wire.ts';
import { COMPARE_GONE } from '../library/tasks.ts';
import { ENRICH_LIBRARY } from './tasks.ts';
import { COVER_TASK } from '../covers/tasks.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

export interface LibraryRunDeps {
  db: MainDb;
  now: () => Date;
  enricher: Enricher;
  /** Computes the fingerprint of a track that has none. */
  ensureFingerprint: (id: TrackId, signal: AbortSignal) => Promise<unknown>;
  /**
   * Sets the status of pending tracks to which no service can add anything, by their tags alone. Concerns ids above
   * `afterId` up to `upToId`. Returns these tracks.
   */
  settleByTags: (afterId: number, upToId: number) => Settled[];
  jobs: Pick<Jobs, 'tryEnqueue'>;
  libraryChanged: () => void;
}

interface LibraryRunOptions {
  scope: Scope;
  /** When the run was requested; tracks that were enriched since then are left out. */
  askedAt: Date;
  signal: AbortSignal;
  progress: (done: number, total: number | null, message?: string) => void;
}

/** Maximum number of tracks in progress, most of which wait for a service or its rate limit. */
const MAX_CONCURRENT_TRACKS = availableParallelism() + 8;
const MAX_CONCURRENT_FINGERPRINTS = availableParallelism();
/** The size of the ranges of ids that are queried, so that no query takes longer than a few milliseconds. */
const IDS_PER_QUERY = 5_000;
/** Maximum number of rows that are written in one transaction. */
const MAX_ROWS_PER_TRANSACTION = 500;
const MAX_FAILURES = 100;
const COVER_INTERVAL_MS = 10_000;

/**
 * Enriches all tracks of a scope. Throws errors that would fail for all tracks; those of single tracks are in the
 * result.
 */
export async function enrichLibrary(
  deps: LibraryRunDeps,
  { scope, askedAt, signal, progress }: LibraryRunOptions,
): Promise<EnrichLibraryResult> {
  const { db, enricher, jobs, libraryChanged } = deps;
  const total = countWaiting(db, scope);
  const result: EnrichLibraryResult = {
    scope,
    tracks: 0,
    enriched: 0,
    failed: 0,
    skipped: 0,
    unanswered: 0,
    crashed: 0,
    problems: {},
    failures: [],
  };
  const stop = new AbortController();
  const runSignal = AbortSignal.any([signal, stop.signal]);
  let nextCoversMs = performance.now() + COVER_INTERVAL_MS;
  let whyNoDetails: string | undefined; // the reason why MusicBrainz cannot be asked at present

  function addResult(id: TrackId, outcome: Enriched): void {
    result.tracks++;
    result[outcome.outcome]++;
    if (outcome.outcome === 'crashed' || outcome.outcome === 'failed') noteFailure(result, id, outcome.error ?? '');
    if (outcome.outcome === 'enriched' || outcome.outcome === 'failed') {
      if (outcome.awaits !== null) result.unanswered++;
      for (const [step, reason] of Object.entries(outcome.problems)) noteProblem(result, step as StepName, reason);
      if (outcome.isChanged) libraryChanged();
    }
    progress(
      result.tracks,
      Math.max(total, result.tracks),
      `${result.enriched} identified, ${result.failed + result.crashed} failed`,
    );
    if (performance.now() < nextCoversMs) return;
    // covers are looked for at intervals, so that they appear during the run
    nextCoversMs = performance.now() + COVER_INTERVAL_MS;
    void jobs.tryEnqueue(COVER_TASK, {});
  }

  async function enrich(id: TrackId): Promise<void> {
    const outcome = await enricher.enrich(id, { signal: runSignal, isAsked: false, withCover: false });
    addResult(id, outcome);
    if (scope === 'unanswered' && 'awaits' in outcome) {
      if (outcome.awaits === 'lookup') throw serviceUnavailable(db, outcome.problems.lookup);
      if (outcome.awaits === 'details') whyNoDetails ??= outcome.problems.details ?? outcome.problems.lookup;
    }
    runSignal.throwIfAborted();
  }

  /** Sets the status of all tracks that need no service. They come first, so that they do not wait for one. */
  async function settleAllByTags(): Promise<TrackId[]> {
    const settledIds: TrackId[] = [];
    for (let afterId = 0; afterId < highestTrackId(db); afterId += MAX_ROWS_PER_TRANSACTION) {
      runSignal.throwIfAborted();
      for (const { id, error } of deps.settleByTags(afterId, afterId + MAX_ROWS_PER_TRANSACTION)) {
        settledIds.push(id);
        addResult(id, {
          outcome: error === null ? 'enriched' : 'failed',
          error,
          problems: {},
          isChanged: false,
          awaits: null,
        });
      }
      await yieldIfDue();
    }
    return settledIds;
  }

  /** Computes missing fingerprints, by which moved files are recognized later. */
  async function fingerprintAll(ids: readonly TrackId[]): Promise<void> {
    await forEachConcurrently(ids, MAX_CONCURRENT_FINGERPRINTS, async (id) => {
      runSignal.throwIfAborted();
      await deps.ensureFingerprint(id, runSignal);
      await yieldIfDue();
    });
  }

  const waitingIds = idsOf(deps, scope, askedAt);
  const enrichWaiting = async (): Promise<void> => {
    for await (const id of waitingIds) {
      if (whyNoDetails === undefined || awaitsLookup(db, id)) await enrich(id);
      await yieldIfDue();
    }
  };
  progress(0, total);
  const tagOnlyIds = scope === 'pending' ? await settleAllByTags() : [];
  if (scope === 'unanswered') {
    // the first track is enriched alone, which shows whether the service works again
    const { value } = await waitingIds.next();
    if (value !== undefined) await enrich(value);
  }
  await Promise.all(
    Array.from({ length: MAX_CONCURRENT_TRACKS }, () => enrichWaiting().catch((error: unknown) => stop.abort(error))),
  );
  libraryChanged();
  if (result.tracks > 0) await jobs.tryEnqueue(COVER_TASK, {});
  if (!runSignal.aborted) await fingerprintAll(tagOnlyIds);
  if (result.tracks > 0) await jobs.tryEnqueue(COMPARE_GONE, {});
  runSignal.throwIfAborted();
  if (whyNoDetails !== undefined) throw serviceUnavailable(db, whyNoDetails);
  if (result.unanswered > 0)
    await jobs.tryEnqueue(ENRICH_LIBRARY, { scope: 'unanswered', askedAt: deps.now().getTime() });
  return result;
}

/** Yields ids in ascending order, including tracks that are added during the run. */
async function* idsOf({ db }: LibraryRunDeps, scope: Scope, askedAt: Date): AsyncGenerator<TrackId, undefined> {
  for (let afterId = 0; afterId < highestTrackId(db); afterId += IDS_PER_QUERY) {
    yield* listWaiting(db, scope, askedAt, afterId, Math.min(afterId + IDS_PER_QUERY, highestTrackId(db)));
    await yieldIfDue();
  }
  return undefined;
}

function noteFailure(result: EnrichLibraryResult, trackId: TrackId, reason: string): void {
  if (result.failures.length < MAX_FAILURES) result.failures.push({ track_id: trackId, reason });
}

function noteProblem(result: EnrichLibraryResult, step: StepName, reason: string): void {
  const problem = result.problems[step];
  if (problem) problem.count++;
  else result.problems[step] = { count: 1, example: reason };
}

function serviceUnavailable(db: MainDb, reason: string | undefined): AppError {
  const count = countWaiting(db, 'unanswered');
  return new AppError(
    'unavailable',
    `${reason ?? 'The identification service cannot be reached.'} ` +
      `${count === 1 ? 'One track waits' : `${count} tracks wait`} for it.`,
  );
}
