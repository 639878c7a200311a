// Analyzes the sound of all tracks in the background, one at a time, and only while nobody is served, no other job
// works and the machine is not on battery. A track is decoded once for all steps that are due. Its results are stored
// immediately, so a stop or a kill costs only the track that was being analyzed. Results belong to the audio: two
// tracks with the same audio are analyzed once.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sqlite, withRelaxedCommit } from '../db/client.ts';
import { albumLoudness, gainFor } from '../dsp/loudness.ts';
import { unpackHistograms } from '../dsp/histogram-code.ts';
import type { TrackId } from '../db/ids.ts';
import type { Hearing, NotListened } from '../enrichment/hearing.ts';
import type { MeasuredWriter } from '../library/tracks/measured.ts';
import type { Log } from '../log/log.ts';
import type { Listened } from '../media/fingerprint.ts';
import { inSlices, waitForTurn } from '../runtime/time-slices.ts';
import { createAnalysisQueries, type Counts, type DueTrack } from './queries.ts';
import { columnsOf, failedColumns, measuredOf } from './results.ts';
import { isSoundStep, STEP_NAMES, STEPS } from './steps.ts';
import { bindContext } from '../runtime/bind-context.ts';

/** The size of the ranges of ids that are queried, so that no query takes longer than a few milliseconds. */
const IDS_PER_QUERY = 500;
/** Sizes of the ranges of albums that are measured, and of tracks that are written at once. */
const ALBUMS_PER_QUERY = 50;
const TRACKS_PER_WRITE = 100;
/** The longest time for which a track's analysis waits while people use the server. */
const MAX_WAIT_MS = 10 * 60_000;
const SWEEP_INTERVAL_MS = 60_000;
const BUSY_CHECK_MS = 2_000;
/** A track is tried again after this time if the decoder was missing or too slow; after a change of ffmpeg, at once. */
const DECODER_RETRY_MS = 86_400_000;
/** Results without tracks are kept longer than the trash keeps tracks. */
const MAX_UNUSED_AGE_MS = 90 * 86_400_000;
const COUNT_PAUSE_FACTOR = 20;
/** The analysis speed is computed from this many of the latest tracks. */
const MAX_SPEED_SAMPLES = 50;

interface TrackTime {
  ms: number;
  /** Length of the track's audio. Tracks differ in length, so the speed is audio time per analysis time. */
  audioMs: number;
}

type AnalysisState = 'off' | 'working' | 'done' | 'busy' | 'battery';

interface AnalysisPassDeps {
  client: Sqlite;
  log: Log;
  hearing: Pick<Hearing, 'listen' | 'findStored' | 'store'>;
  /** Returns the path and version of the installed ffmpeg. */
  findDecoder: () => Promise<string | undefined>;
  /** Milliseconds since 1970. */
  now: () => number;
  measuredWriter: MeasuredWriter;
  isEnabled: () => boolean;
  isOnBatteryAllowed: () => boolean;
  isOnBattery: () => Promise<boolean>;
  /** Whether requests are being served, a stream is being listened to, or a job is running. */
  isBusy: () => boolean;
  /** Delay of the first pass after the start. */
  afterMs: number;
  /** Called after the results of some tracks were stored. */
  onHeard?: () => void;
}

export type AnalysisPass = ReturnType<typeof createAnalysisPass>;

export function createAnalysisPass(deps: AnalysisPassDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { start, runNow, stored, status, throwAway, close }),
    queries: context.queries,
    state: (): AnalysisState => context.state,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(deps: AnalysisPassDeps) {
  const { client, log, hearing, measuredWriter, isEnabled, isOnBatteryAllowed, isOnBattery, isBusy, afterMs } = deps;
  const { findDecoder, now } = deps;
  const queries = createAnalysisQueries(client);
  const stop = new AbortController();
  const recentTimes: TrackTime[] = [];
  return {
    deps,
    client,
    log,
    hearing,
    measuredWriter,
    isEnabled,
    isOnBatteryAllowed,
    isOnBattery,
    isBusy,
    afterMs,
    findDecoder,
    now,
    queries,
    stop,
    recentTimes,
    storedCount: 0,
    state: 'done' as AnalysisState,
    runningPass: undefined as Promise<void> | undefined,
    knownDecoder: undefined as string | undefined,
    lastCount: undefined as
      | { key: string; at: number; tookMs: number; counts: Promise<Counts> }
      | undefined /** The version of the library when the last sweep began. */,
    sweptVersion: undefined as number | undefined,
    wake: (): void => undefined,
  };
}

/** Returns the reason why the analysis must wait now; undefined if it may run. */
async function obstacle(context: Context): Promise<AnalysisState | undefined> {
  if (!context.isEnabled()) return 'off';
  if (context.isBusy()) return 'busy';
  return !context.isOnBatteryAllowed() && (await context.isOnBattery()) ? 'battery' : undefined;
}

/** Waits for a quiet moment, but not longer than MAX_WAIT_MS: on some servers music plays round the clock. */
async function waitUntilFree(context: Context, signal: AbortSignal): Promise<void> {
  const deadlineMs = context.now() + MAX_WAIT_MS;
  for (let reason = await obstacle(context); reason !== undefined; reason = await obstacle(context)) {
    if (reason === 'busy' && context.now() >= deadlineMs) break;
    context.state = reason;
    await sleep(reason === 'busy' ? BUSY_CHECK_MS : SWEEP_INTERVAL_MS, undefined, { signal, ref: false });
  }
  context.state = 'working';
}

/**
 * Returns whether the track has a fingerprint. Copies the fingerprint of a track with the same audio if there is one.
 */
function hasFingerprint(context: Context, track: DueTrack): boolean {
  if (context.hearing.findStored(track.id)) return true;
  const twinId = context.queries.findPrinted(track);
  const twinFingerprint = twinId === undefined ? undefined : context.hearing.findStored(twinId);
  if (twinFingerprint) context.hearing.store(track.id, twinFingerprint);
  return twinFingerprint !== undefined;
}

async function analyzeTrack(context: Context, track: DueTrack, signal: AbortSignal): Promise<void> {
  const versions = context.queries.versions(track.key);
  const isRetried = versions?.retryAt !== undefined && versions.retryAt !== null && versions.retryAt <= context.now();
  const steps = STEP_NAMES.filter(isSoundStep).filter((step) => isRetried || versions?.[step] !== STEPS[step]);
  const isPrintKnown =
    !isRetried && versions?.fingerprint === STEPS.fingerprint && (versions.failure ?? versions.noFingerprint) !== null;
  const wantsFingerprint = !isPrintKnown && !hasFingerprint(context, track);
  if (steps.length > 0 || wantsFingerprint) {
    const startMs = performance.now();
    const result = await context.hearing.listen(track.id, { steps, wantsFingerprint }, signal);
    if ('away' in result) return;
    storeResult(context, track, result);
    context.storedCount++;
    if ('heard' in result)
      context.recentTimes.push({
        ms: performance.now() - startMs,
        audioMs: (result.heard.frames * 1_000) / result.heard.sampleRateHz,
      });
    if (context.recentTimes.length > MAX_SPEED_SAMPLES) context.recentTimes.shift();
  } else storeResult(context, track, undefined);
}

/** Stores the result, the fingerprint, and the measured values of the track in one transaction. */
function storeResult(context: Context, track: DueTrack, result: Listened | NotListened | undefined): void {
  const write = context.client.transaction(() => {
    if (result && 'none' in result)
      context.queries.store(
        track.key,
        failedColumns(result.none, result.isForNow === true ? context.now() + DECODER_RETRY_MS : null),
      );
    else if (result) {
      const { sound } = result;
      const fingerprint = sound && {
        fingerprintVersion: STEPS.fingerprint,
        noFingerprint: 'none' in sound ? sound.none : null,
      };
      context.queries.store(track.key, { failure: null, retryAt: null, ...columnsOf(result.heard), ...fingerprint });
      if (sound && !('none' in sound)) context.hearing.store(track.id, sound);
    }
    const row = context.queries.ofTrack(track.id);
    if (row) context.measuredWriter.set(track.id, measuredOf(row));
  });
  withRelaxedCommit(context.client, write.immediate);
}

/** Computes the gains of the albums in this range of ids whose tracks have all been measured. */
async function measureAlbums(context: Context, afterId: number, upToId: number): Promise<void> {
  await inSlices(context.queries.listAlbumsDue(afterId, upToId), ({ id, newMembers: members }) => {
    const audio = context.queries.listAlbumAudio(id);
    const histograms = audio.map(({ loudnessBlocks }) => unpackHistograms(loudnessBlocks ?? new Uint8Array()));
    const loudness = albumLoudness(
      histograms.flatMap(([blocks, shortTerm]) => (blocks && shortTerm ? [{ blocks, shortTerm }] : [])),
    );
    const truePeak = Math.max(0, ...audio.map((trackAudio) => trackAudio.truePeak ?? 0));
    const roundToHundredths = (value: number): number => Math.round(value * 100) / 100;
    const lufs = loudness && roundToHundredths(loudness.integrated);
    withRelaxedCommit(context.client, () => {
      const loudnessRangeLu = roundToHundredths(loudness?.range ?? 0);
      context.queries.storeAlbum({ albumId: id, members, loudnessLufs: lufs, loudnessRangeLu, truePeak });
      context.measuredWriter.setAlbum(
        id,
        lufs === null ? null : roundToHundredths(gainFor(lufs)),
        lufs === null ? null : truePeak,
      );
    });
  });
}

/** Analyzes a track. An error, such as a full disk, is logged, and the analysis goes on with the next track. */
async function tryAnalyze(context: Context, track: DueTrack, signal: AbortSignal): Promise<void> {
  try {
    await analyzeTrack(context, track, signal);
  } catch (err) {
    signal.throwIfAborted();
    context.log.warn({ track_id: track.id, err }, 'the audio of a track could not be analyzed and will be retried');
    await sleep(BUSY_CHECK_MS, undefined, { signal, ref: false });
  }
}

/** Analyzes all tracks once. Tracks that cannot be read now are analyzed in the next sweep. */
async function sweep(
  context: Context,
  wait: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let isNew = false;
  const hearOne = async (track: DueTrack): Promise<void> => {
    await wait(signal);
    signal.throwIfAborted();
    await tryAnalyze(context, track, signal);
    isNew = true;
  };
  const heardFirst = new Set<TrackId>();
  // files that may replace a file of another track come first, because the replaced file may be deleted any day
  for (let afterId = 0; afterId < context.queries.newest(); afterId += IDS_PER_QUERY) {
    for (const track of context.queries.listLikelyUpgrades(afterId, afterId + IDS_PER_QUERY)) {
      heardFirst.add(track.id);
      await hearOne(track);
    }
    await sleep(0, undefined, { signal });
  }
  for (let afterId = 0; afterId < context.queries.newest(); afterId += IDS_PER_QUERY) {
    const dueTracks = context.queries.listDue(afterId, afterId + IDS_PER_QUERY, context.now());
    for (const track of dueTracks) if (!heardFirst.has(track.id)) await hearOne(track);
    // albums are measured as soon as their tracks are, because a sweep may take weeks
    if (dueTracks.length > 0)
      for (const id of context.queries.listAlbumsOf(afterId, afterId + IDS_PER_QUERY))
        await measureAlbums(context, id - 1, id);
    await sleep(0, undefined, { signal });
  }
  await wait(signal);
  for (let afterId = 0; afterId < context.queries.newestAlbum(); afterId += ALBUMS_PER_QUERY) {
    await measureAlbums(context, afterId, afterId + ALBUMS_PER_QUERY);
    signal.throwIfAborted();
  }
  await prune(context, signal);
  if (isNew) context.deps.onHeard?.();
}

/** Deletes old results without tracks. Recent ones are kept, because their tracks may come back. */
async function prune(context: Context, signal: AbortSignal): Promise<void> {
  for (let afterId = 0; afterId < context.queries.newestRow(); afterId += IDS_PER_QUERY) {
    const [upToId, nowMs] = [afterId + IDS_PER_QUERY, context.now()];
    withRelaxedCommit(context.client, () =>
      context.queries.prune({ afterId, upToId, now: nowMs, until: nowMs - MAX_UNUSED_AGE_MS }),
    );
    await sleep(0, undefined, { signal });
  }
}

async function trySweep(context: Context, signal: AbortSignal): Promise<boolean> {
  try {
    await sweep(context, (signal) => waitUntilFree(context, signal), signal);
    return true;
  } catch (err) {
    signal.throwIfAborted();
    context.log.error({ err }, 'audio analysis was interrupted and resumes in a minute');
    return false;
  }
}

/** Counts all tracks in slices, because the query reads every track. */
async function countAll(context: Context): Promise<Counts> {
  const sum: Counts = context.queries.counts(0, 0);
  const windows = Array.from(
    { length: Math.ceil(context.queries.newest() / IDS_PER_QUERY) },
    (_, n) => n * IDS_PER_QUERY,
  );
  await inSlices(windows, (afterId) => {
    const windowCounts = context.queries.counts(afterId, afterId + IDS_PER_QUERY);
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += windowCounts[name];
  });
  return sum;
}

/**
 * Returns the cached counts while nothing has changed. After a change, the tracks are counted again only so often
 * that counting takes a small part of the time.
 */
function counts(context: Context): Promise<Counts> {
  const key = `${context.queries.changes()}:${context.storedCount}`;
  const startMs = performance.now();
  if (
    context.lastCount &&
    (context.lastCount.key === key || startMs - context.lastCount.at < COUNT_PAUSE_FACTOR * context.lastCount.tookMs)
  )
    return context.lastCount.counts;
  const newCount = { key, at: startMs, tookMs: 0, counts: countAll(context) };
  newCount.counts.then(
    () => (newCount.tookMs = performance.now() - startMs),
    () => (context.lastCount = undefined),
  );
  context.lastCount = newCount;
  return newCount.counts;
}

async function runSweeps(context: Context, signal: AbortSignal): Promise<void> {
  await sleep(context.afterMs, undefined, { signal, ref: false });
  for (;;) {
    const changes = context.queries.changes();
    const decoder = await context.findDecoder();
    if (decoder !== undefined && decoder !== context.knownDecoder) context.queries.retryAll();
    context.knownDecoder = decoder;
    const retryAt = context.queries.nextRetry();
    const isDue = changes !== context.sweptVersion || (retryAt !== null && retryAt <= context.now());
    const wakePromise = new Promise<'woken'>((resolve) => (context.wake = () => resolve('woken')));
    if (isDue && context.isEnabled() && (await trySweep(context, signal))) context.sweptVersion = changes;
    context.state = context.isEnabled() ? 'done' : 'off';
    // after a wake-up everything is checked again, because results may have been deleted during the sweep
    if ((await Promise.race([wakePromise, sleep(SWEEP_INTERVAL_MS, undefined, { signal, ref: false })])) === 'woken')
      context.sweptVersion = undefined;
  }
}

function start(context: Context): void {
  context.runningPass ??= runSweeps(context, context.stop.signal).catch((err: unknown) => {
    if (!context.stop.signal.aborted) context.log.error({ err }, 'audio analysis stopped');
  });
}

/** Analyzes everything that is due, without waiting for a quiet moment. */
const runNow = (context: Context, signal: AbortSignal): Promise<void> =>
  sweep(context, () => Promise.resolve(), signal);

/** The number of results stored since the start, so that readers notice new results. */
const stored = (context: Context): number => context.storedCount;

async function status(context: Context) {
  const { total, failed: failures, sureTempo, sureKey, dueAudioMs, ...doneByStep } = await counts(context);
  const spentMs = context.recentTimes.reduce((sum, { ms }) => sum + ms, 0);
  const audioMs = context.recentTimes.reduce((sum, track) => sum + track.audioMs, 0);
  const remaining = total - Math.min(...STEP_NAMES.map((step) => doneByStep[step]));
  const isWaiting = context.state === 'done' && remaining > 0 && context.queries.changes() !== context.sweptVersion;
  return {
    state: !context.isEnabled() ? ('off' as const) : isWaiting ? ('busy' as const) : context.state,
    total,
    failures,
    sureTempo,
    sureKey,
    tracksPerSecond: spentMs > 0 ? (context.recentTimes.length * 1_000) / spentMs : null,
    secondsLeft: remaining === 0 ? 0 : audioMs === 0 ? null : (dueAudioMs * spentMs) / audioMs / 1_000,
    steps: STEP_NAMES.map((name) => ({ name, version: STEPS[name], done: doneByStep[name], total })),
  };
}

/** Deletes all results. Fingerprints are kept, because the identity of files depends on them. */
async function throwAway(context: Context): Promise<void> {
  withRelaxedCommit(context.client, context.queries.clearAlbums);
  while (withRelaxedCommit(context.client, () => context.queries.clearSome(TRACKS_PER_WRITE))) await waitForTurn();
  for (let afterId = 0; afterId < context.queries.newest(); afterId += TRACKS_PER_WRITE) {
    withRelaxedCommit(
      context.client,
      context.client.transaction(() => context.measuredWriter.forget(afterId, afterId + TRACKS_PER_WRITE)).immediate,
    );
    await waitForTurn();
  }
  context.sweptVersion = undefined;
  context.lastCount = undefined;
  context.storedCount++;
  context.wake();
  context.deps.onHeard?.();
}

async function close(context: Context): Promise<void> {
  context.stop.abort();
  await context.runningPass;
}
