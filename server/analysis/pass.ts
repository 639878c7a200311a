// Goes over the sound of all tracks in the background, one at a time, and only while nobody is served, nothing else
// works and the machine is not on battery. What is done is in the database, so a stop or a kill costs the track under
// way. A track whose audio another one has takes over its results: no audio is decoded twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sqlite, withRelaxedCommit } from '../db/client.ts';
import type { Log } from '../log/log.ts';
import { createAnalysisQueries, type DueTrack } from './queries.ts';
import type { AnalysisStep } from './steps.ts';

/** Ids per look, so that none takes longer than a few milliseconds. */
const ID_WINDOW = 500;
const LOOK_EVERY_MS = 60_000;
const BUSY_MS = 2_000;

export type AnalysisState = 'off' | 'working' | 'done' | 'busy' | 'battery';

export interface AnalysisPassDeps {
  client: Sqlite;
  log: Log;
  steps: readonly AnalysisStep[];
  isEnabled: () => boolean;
  isOnBatteryAllowed: () => boolean;
  isOnBattery: () => Promise<boolean>;
  /** Somebody is served, or a job runs. */
  isBusy: () => boolean;
  /** How long after the start it begins. */
  afterMs: number;
}

export type AnalysisPass = ReturnType<typeof createAnalysisPass>;

export function createAnalysisPass(deps: AnalysisPassDeps) {
  const { client, log, steps, isEnabled, isOnBatteryAllowed, isOnBattery, isBusy, afterMs } = deps;
  const queries = createAnalysisQueries(client);
  const stop = new AbortController();
  let state: AnalysisState = 'done';
  let running: Promise<void> | undefined;

  /** Why it must wait now. */
  async function obstacle(): Promise<AnalysisState | undefined> {
    if (!isEnabled()) return 'off';
    if (isBusy()) return 'busy';
    return !isOnBatteryAllowed() && (await isOnBattery()) ? 'battery' : undefined;
  }

  async function untilFree(signal: AbortSignal): Promise<void> {
    for (let why = await obstacle(); why !== undefined; why = await obstacle()) {
      state = why;
      await sleep(why === 'busy' ? BUSY_MS : LOOK_EVERY_MS, undefined, { signal, ref: false });
    }
    state = 'working';
  }

  async function analyze(step: AnalysisStep, track: DueTrack, signal: AbortSignal): Promise<void> {
    const version = { step: step.name, version: step.version };
    const twin = queries.findTwin(version, track);
    if (twin?.outcome === 'done') step.share(twin.id, track.id);
    const result =
      twin === undefined
        ? await step.analyze(track.id, signal)
        : twin.outcome === 'done'
          ? { outcome: 'done' as const }
          : { outcome: 'none' as const, reason: twin.reason ?? '' };
    if (result.outcome !== 'away') withRelaxedCommit(client, () => queries.store(version, track, result));
  }

  /** All tracks once. Those that cannot be read now are left to the next sweep. */
  async function sweep(wait: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let above = 0; above < queries.newest(); above += ID_WINDOW) {
      const due = steps.flatMap((step) =>
        queries
          .listDue({ step: step.name, version: step.version }, above, above + ID_WINDOW)
          .map((track) => ({ step, track })),
      );
      // the steps of one track together, while its audio is in the cache of the disk
      for (const { step, track } of due.toSorted((a, b) => a.track.id - b.track.id)) {
        await wait(signal);
        signal.throwIfAborted();
        await analyze(step, track, signal);
      }
      await sleep(0, undefined, { signal });
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    await sleep(afterMs, undefined, { signal, ref: false });
    for (let seen = -1; ;) {
      const changes = queries.changes();
      if (changes !== seen) await sweep(untilFree, signal);
      seen = changes;
      state = isEnabled() ? 'done' : 'off';
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false });
    }
  }

  return {
    start(): void {
      running ??= run(stop.signal).catch((err: unknown) => {
        if (!stop.signal.aborted) log.error({ err }, 'the analysis of the audio ended');
      });
    },
    /** Everything that is due, without waiting for a quiet moment. */
    runNow: (signal: AbortSignal): Promise<void> => sweep(() => Promise.resolve(), signal),
    status: () => ({
      state,
      steps: steps.map(({ name, version }) => ({ name, version, ...queries.count({ step: name, version }) })),
    }),
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}
