// Enriches many tracks in one job. Its state is in the tracks (status, time of the last enrichment), so that after a
// kill only the tracks in progress are repeated.
import { availableParallelism } from 'node:os';
import { AppError } from '../errors.ts';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { eachAtOnce } from '../runtime/concurrency.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Settled } from './settled-by-scan.ts';
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
  /** Makes the fingerprint of a track that has none. */
  hear: (id: TrackId, signal: AbortSignal) => Promise<unknown>;
  /** Decides by tags alone on pending tracks with ids in (above, upTo] that no service can add to; returns those. */
  settleByTags: (above: number, upTo: number) => Settled[];
  jobs: Pick<Jobs, 'tryEnqueue'>;
  libraryChanged: () => void;
}

interface LibraryRunOptions {
  scope: Scope;
  /** When it was requested; tracks enriched since are done. */
  askedAt: Date;
  signal: AbortSignal;
  progress: (done: number, total: number | null, message?: string) => void;
}

/** Most of them wait for a service or its rate limit. */
const AT_ONCE = availableParallelism() + 8;
const HEARD_AT_ONCE = availableParallelism();
/** Ids per query, so that none takes longer than a few milliseconds. */
const ID_WINDOW = 5_000;
/** Rows written in one transaction. */
const SETTLED_AT_ONCE = 500;
const LISTED = 100;
const COVERS_EVERY_MS = 10_000;

/** Throws errors that would fail for all tracks; those of a single track are in the result. */
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
  const both = AbortSignal.any([signal, stop.signal]);
  let coversAt = performance.now() + COVERS_EVERY_MS;
  let detailsAway: string | undefined; // why MusicBrainz cannot be asked now

  function take(id: TrackId, one: Enriched): void {
    result.tracks++;
    result[one.outcome]++;
    if (one.outcome === 'crashed' || one.outcome === 'failed') noteFailure(result, id, one.error ?? '');
    if (one.outcome === 'enriched' || one.outcome === 'failed') {
      if (one.awaits !== null) result.unanswered++;
      for (const [step, reason] of Object.entries(one.problems)) noteProblem(result, step as StepName, reason);
      if (one.isChanged) libraryChanged();
    }
    progress(
      result.tracks,
      Math.max(total, result.tracks),
      `${result.enriched} identified, ${result.failed + result.crashed} failed`,
    );
    if (performance.now() < coversAt) return;
    coversAt = performance.now() + COVERS_EVERY_MS; // so that covers appear during the run
    void jobs.tryEnqueue(COVER_TASK, {});
  }

  async function enrich(id: TrackId): Promise<void> {
    const one = await enricher.enrich(id, { signal: both, isAsked: false, withCover: false });
    take(id, one);
    if (scope === 'unanswered' && 'awaits' in one) {
      if (one.awaits === 'lookup') throw stillAway(db, one.problems.lookup);
      if (one.awaits === 'details') detailsAway ??= one.problems.details ?? one.problems.lookup;
    }
    both.throwIfAborted();
  }

  /** Tracks that need no service come first, so that they do not wait for one. */
  async function settle(): Promise<TrackId[]> {
    const settled: TrackId[] = [];
    for (let above = 0; above < highestTrackId(db); above += SETTLED_AT_ONCE) {
      both.throwIfAborted();
      for (const { id, error } of deps.settleByTags(above, above + SETTLED_AT_ONCE)) {
        settled.push(id);
        take(id, {
          outcome: error === null ? 'enriched' : 'failed',
          error,
          problems: {},
          isChanged: false,
          awaits: null,
        });
      }
      await yieldIfDue();
    }
    return settled;
  }

  /** Fingerprints tell later which file another one has become. */
  async function hearAll(ids: readonly TrackId[]): Promise<void> {
    await eachAtOnce(ids, HEARD_AT_ONCE, async (id) => {
      both.throwIfAborted();
      await deps.hear(id, both);
      await yieldIfDue();
    });
  }

  const waiting = idsOf(deps, scope, askedAt);
  const work = async (): Promise<void> => {
    for await (const id of waiting) {
      if (detailsAway === undefined || awaitsLookup(db, id)) await enrich(id);
      await yieldIfDue();
    }
  };
  progress(0, total);
  const settled = scope === 'pending' ? await settle() : [];
  if (scope === 'unanswered') {
    // the first track alone, to see whether the service is back
    const { value } = await waiting.next();
    if (value !== undefined) await enrich(value);
  }
  await Promise.all(Array.from({ length: AT_ONCE }, () => work().catch((error: unknown) => stop.abort(error))));
  libraryChanged();
  if (result.tracks > 0) await jobs.tryEnqueue(COVER_TASK, {});
  if (!both.aborted) await hearAll(settled);
  if (result.tracks > 0) await jobs.tryEnqueue(COMPARE_GONE, {});
  both.throwIfAborted();
  if (detailsAway !== undefined) throw stillAway(db, detailsAway);
  if (result.unanswered > 0)
    await jobs.tryEnqueue(ENRICH_LIBRARY, { scope: 'unanswered', askedAt: deps.now().getTime() });
  return result;
}

/** In ascending order; includes tracks that are added during the run. */
async function* idsOf({ db }: LibraryRunDeps, scope: Scope, askedAt: Date): AsyncGenerator<TrackId, undefined> {
  for (let above = 0; above < highestTrackId(db); above += ID_WINDOW) {
    yield* listWaiting(db, scope, askedAt, above, Math.min(above + ID_WINDOW, highestTrackId(db)));
    await yieldIfDue();
  }
  return undefined;
}

function noteFailure(result: EnrichLibraryResult, trackId: TrackId, reason: string): void {
  if (result.failures.length < LISTED) result.failures.push({ track_id: trackId, reason });
}

function noteProblem(result: EnrichLibraryResult, step: StepName, reason: string): void {
  const known = result.problems[step];
  if (known) known.count++;
  else result.problems[step] = { count: 1, example: reason };
}

function stillAway(db: MainDb, reason: string | undefined): AppError {
  const count = countWaiting(db, 'unanswered');
  return new AppError(
    'unavailable',
    `${reason ?? 'The identification service cannot be reached.'} ` +
      `${count === 1 ? 'One track waits' : `${count} tracks wait`} for it.`,
  );
}
