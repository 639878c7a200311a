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
  const { client, log, hearing, measuredWriter, isEnabled, isOnBatteryAllowed, isOnBattery, isBusy, afterMs } = deps;
  const { findDecoder, now } = deps;
  const queries = createAnalysisQueries(client);
  const stop = new AbortController();
  const recentTimes: TrackTime[] = [];
  let storedCount = 0;
  let state: AnalysisState = 'done';
  let runningPass: Promise<void> | undefined;
  let knownDecoder: string | undefined;
  let lastCount: { key: string; at: number; tookMs: number; counts: Promise<Counts> } | undefined;
  /** The version of the library when the last sweep began. */
  let sweptVersion: number | undefined;
  let wake = (): void => undefined;

  /** Returns the reason why the analysis must wait now; undefined if it may run. */
  async function obstacle(): Promise<AnalysisState | undefined> {
    if (!isEnabled()) return 'off';
    if (isBusy()) return 'busy';
    return !isOnBatteryAllowed() && (await isOnBattery()) ? 'battery' : undefined;
  }

  /** Waits for a quiet moment, but not longer than MAX_WAIT_MS: on some servers music plays round the clock. */
  async function waitUntilFree(signal: AbortSignal): Promise<void> {
    const deadlineMs = now() + MAX_WAIT_MS;
    for (let reason = await obstacle(); reason !== undefined; reason = await obstacle()) {
      if (reason === 'busy' && now() >= deadlineMs) break;
      state = reason;
      await sleep(reason === 'busy' ? BUSY_CHECK_MS : SWEEP_INTERVAL_MS, undefined, { signal, ref: false });
    }
    state = 'working';
  }

  /**
   * Returns whether the track has a fingerprint. Copies the fingerprint of a track with the same audio if there is one.
   */
  function hasFingerprint(track: DueTrack): boolean {
    if (hearing.findStored(track.id)) return true;
    const twinId = queries.findPrinted(track);
    const twinFingerprint = twinId === undefined ? undefined : hearing.findStored(twinId);
    if (twinFingerprint) hearing.store(track.id, twinFingerprint);
    return twinFingerprint !== undefined;
  }

  async function analyseTrack(track: DueTrack, signal: AbortSignal): Promise<void> {
    const versions = queries.versions(track.key);
    const isRetried = versions?.retryAt !== undefined && versions.retryAt !== null && versions.retryAt <= now();
    const steps = STEP_NAMES.filter(isSoundStep).filter((step) => isRetried || versions?.[step] !== STEPS[step]);
    const isPrintKnown =
      !isRetried &&
      versions?.fingerprint === STEPS.fingerprint &&
      (versions.failure ?? versions.noFingerprint) !== null;
    const wantsFingerprint = !isPrintKnown && !hasFingerprint(track);
    if (steps.length > 0 || wantsFingerprint) {
      const startMs = performance.now();
      const result = await hearing.listen(track.id, { steps, wantsFingerprint }, signal);
      if ('away' in result) return;
      storeResult(track, result);
      storedCount++;
      if ('heard' in result)
        recentTimes.push({
          ms: performance.now() - startMs,
          audioMs: (result.heard.frames * 1_000) / result.heard.sampleRateHz,
        });
      if (recentTimes.length > MAX_SPEED_SAMPLES) recentTimes.shift();
    } else storeResult(track, undefined);
  }

  /** Stores the result, the fingerprint, and the measured values of the track in one transaction. */
  function storeResult(track: DueTrack, result: Listened | NotListened | undefined): void {
    const write = client.transaction(() => {
      if (result && 'none' in result)
        queries.store(
          track.key,
          failedColumns(result.none, result.isForNow === true ? now() + DECODER_RETRY_MS : null),
        );
      else if (result) {
        const { sound } = result;
        const fingerprint = sound && {
          fingerprintVersion: STEPS.fingerprint,
          noFingerprint: 'none' in sound ? sound.none : null,
        };
        queries.store(track.key, { failure: null, retryAt: null, ...columnsOf(result.heard), ...fingerprint });
        if (sound && !('none' in sound)) hearing.store(track.id, sound);
      }
      const row = queries.ofTrack(track.id);
      if (row) measuredWriter.set(track.id, measuredOf(row));
    });
    withRelaxedCommit(client, write.immediate);
  }

  /** Computes the gains of the albums in this range of ids whose tracks have all been measured. */
  async function measureAlbums(afterId: number, upToId: number): Promise<void> {
    await inSlices(queries.listAlbumsDue(afterId, upToId), ({ id, newMembers: members }) => {
      const audio = queries.listAlbumAudio(id);
      const histograms = audio.map(({ loudnessBlocks }) => unpackHistograms(loudnessBlocks ?? new Uint8Array()));
      const loudness = albumLoudness(
        histograms.flatMap(([blocks, shortTerm]) => (blocks && shortTerm ? [{ blocks, shortTerm }] : [])),
      );
      const truePeak = Math.max(0, ...audio.map((trackAudio) => trackAudio.truePeak ?? 0));
      const roundToHundredths = (value: number): number => Math.round(value * 100) / 100;
      const lufs = loudness && roundToHundredths(loudness.integrated);
      withRelaxedCommit(client, () => {
        const loudnessRangeLu = roundToHundredths(loudness?.range ?? 0);
        queries.storeAlbum({ albumId: id, members, loudnessLufs: lufs, loudnessRangeLu, truePeak });
        measuredWriter.setAlbum(
          id,
          lufs === null ? null : roundToHundredths(gainFor(lufs)),
          lufs === null ? null : truePeak,
        );
      });
    });
  }

  /** Analyses a track. An error, such as a full disk, is logged, and the analysis goes on with the next track. */
  async function tryAnalyse(track: DueTrack, signal: AbortSignal): Promise<void> {
    try {
      await analyseTrack(track, signal);
    } catch (err) {
      signal.throwIfAborted();
      log.warn({ track_id: track.id, err }, 'the audio of a track could not be analyzed and will be retried');
      await sleep(BUSY_CHECK_MS, undefined, { signal, ref: false });
    }
  }

  /** Analyses all tracks once. Tracks that cannot be read now are analyzed in the next sweep. */
  async function sweep(wait: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    let isNew = false;
    const hearOne = async (track: DueTrack): Promise<void> => {
      await wait(signal);
      signal.throwIfAborted();
      await tryAnalyse(track, signal);
      isNew = true;
    };
    const heardFirst = new Set<TrackId>();
    // files that may replace a file of another track come first, because the replaced file may be deleted any day
    for (let afterId = 0; afterId < queries.newest(); afterId += IDS_PER_QUERY) {
      for (const track of queries.listLikelyUpgrades(afterId, afterId + IDS_PER_QUERY)) {
        heardFirst.add(track.id);
        await hearOne(track);
      }
      await sleep(0, undefined, { signal });
    }
    for (let afterId = 0; afterId < queries.newest(); afterId += IDS_PER_QUERY) {
      const dueTracks = queries.listDue(afterId, afterId + IDS_PER_QUERY, now());
      for (const track of dueTracks) if (!heardFirst.has(track.id)) await hearOne(track);
      // albums are measured as soon as their tracks are, because a sweep may take weeks
      if (dueTracks.length > 0)
        for (const id of queries.listAlbumsOf(afterId, afterId + IDS_PER_QUERY)) await measureAlbums(id - 1, id);
      await sleep(0, undefined, { signal });
    }
    await wait(signal);
    for (let afterId = 0; afterId < queries.newestAlbum(); afterId += ALBUMS_PER_QUERY) {
      await measureAlbums(afterId, afterId + ALBUMS_PER_QUERY);
      signal.throwIfAborted();
    }
    await prune(signal);
    if (isNew) deps.onHeard?.();
  }

  /** Deletes old results without tracks. Recent ones are kept, because their tracks may come back. */
  async function prune(signal: AbortSignal): Promise<void> {
    for (let afterId = 0; afterId < queries.newestRow(); afterId += IDS_PER_QUERY) {
      const [upToId, nowMs] = [afterId + IDS_PER_QUERY, now()];
      withRelaxedCommit(client, () => queries.prune({ afterId, upToId, now: nowMs, until: nowMs - MAX_UNUSED_AGE_MS }));
      await sleep(0, undefined, { signal });
    }
  }

  async function trySweep(signal: AbortSignal): Promise<boolean> {
    try {
      await sweep(waitUntilFree, signal);
      return true;
    } catch (err) {
      signal.throwIfAborted();
      log.error({ err }, 'audio analysis was interrupted and resumes in a minute');
      return false;
    }
  }

  /** Counts all tracks in slices, because the query reads every track. */
  async function countAll(): Promise<Counts> {
    const sum: Counts = queries.counts(0, 0);
    const windows = Array.from({ length: Math.ceil(queries.newest() / IDS_PER_QUERY) }, (_, n) => n * IDS_PER_QUERY);
    await inSlices(windows, (afterId) => {
      const windowCounts = queries.counts(afterId, afterId + IDS_PER_QUERY);
      for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += windowCounts[name];
    });
    return sum;
  }

  /**
   * Returns the cached counts while nothing has changed. After a change, the tracks are counted again only so often
   * that counting takes a small part of the time.
   */
  function counts(): Promise<Counts> {
    const key = `${queries.changes()}:${storedCount}`;
    const startMs = performance.now();
    if (lastCount && (lastCount.key === key || startMs - lastCount.at < COUNT_PAUSE_FACTOR * lastCount.tookMs))
      return lastCount.counts;
    const newCount = { key, at: startMs, tookMs: 0, counts: countAll() };
    newCount.counts.then(
      () => (newCount.tookMs = performance.now() - startMs),
      () => (lastCount = undefined),
    );
    lastCount = newCount;
    return newCount.counts;
  }

  async function runSweeps(signal: AbortSignal): Promise<void> {
    await sleep(afterMs, undefined, { signal, ref: false });
    for (;;) {
      const changes = queries.changes();
      const decoder = await findDecoder();
      if (decoder !== undefined && decoder !== knownDecoder) queries.retryAll();
      knownDecoder = decoder;
      const retryAt = queries.nextRetry();
      const isDue = changes !== sweptVersion || (retryAt !== null && retryAt <= now());
      const wakePromise = new Promise<'woken'>((resolve) => (wake = () => resolve('woken')));
      if (isDue && isEnabled() && (await trySweep(signal))) sweptVersion = changes;
      state = isEnabled() ? 'done' : 'off';
      // after a wake-up everything is checked again, because results may have been deleted during the sweep
      if ((await Promise.race([wakePromise, sleep(SWEEP_INTERVAL_MS, undefined, { signal, ref: false })])) === 'woken')
        sweptVersion = undefined;
    }
  }

  return {
    queries,
    start(): void {
      runningPass ??= runSweeps(stop.signal).catch((err: unknown) => {
        if (!stop.signal.aborted) log.error({ err }, 'audio analysis stopped');
      });
    },
    /** Analyzes everything that is due, without waiting for a quiet moment. */
    runNow: (signal: AbortSignal): Promise<void> => sweep(() => Promise.resolve(), signal),
    state: (): AnalysisState => state,
    /** The number of results stored since the start, so that readers notice new results. */
    stored: (): number => storedCount,
    async status() {
      const { total, failed: failures, sureTempo, sureKey, dueAudioMs, ...doneByStep } = await counts();
      const spentMs = recentTimes.reduce((sum, { ms }) => sum + ms, 0);
      const audioMs = recentTimes.reduce((sum, track) => sum + track.audioMs, 0);
      const remaining = total - Math.min(...STEP_NAMES.map((step) => doneByStep[step]));
      const isWaiting = state === 'done' && remaining > 0 && queries.changes() !== sweptVersion;
      return {
        state: !isEnabled() ? ('off' as const) : isWaiting ? ('busy' as const) : state,
        total,
        failures,
        sureTempo,
        sureKey,
        tracksPerSecond: spentMs > 0 ? (recentTimes.length * 1_000) / spentMs : null,
        secondsLeft: remaining === 0 ? 0 : audioMs === 0 ? null : (dueAudioMs * spentMs) / audioMs / 1_000,
        steps: STEP_NAMES.map((name) => ({ name, version: STEPS[name], done: doneByStep[name], total })),
      };
    },
    /** Deletes all results. Fingerprints are kept, because the identity of files depends on them. */
    async throwAway(): Promise<void> {
      withRelaxedCommit(client, queries.clearAlbums);
      while (withRelaxedCommit(client, () => queries.clearSome(TRACKS_PER_WRITE))) await waitForTurn();
      for (let afterId = 0; afterId < queries.newest(); afterId += TRACKS_PER_WRITE) {
        withRelaxedCommit(
          client,
          client.transaction(() => measuredWriter.forget(afterId, afterId + TRACKS_PER_WRITE)).immediate,
        );
        await waitForTurn();
      }
      sweptVersion = undefined;
      lastCount = undefined;
      storedCount++;
      wake();
      deps.onHeard?.();
    },
    async close(): Promise<void> {
      stop.abort();
      await runningPass;
    },
  };
}
