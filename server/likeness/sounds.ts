// Compares the sounds of the library in a thread, and builds their index in another thread when the results of the
// analysis have changed. Sounds count as known when 95 % of the tracks have been analyzed; before that, the nearest
// tracks would be those that happened to be analyzed first.
import { setTimeout as sleep } from 'node:timers/promises';
import { createReaderThread } from '../db/reader-thread.ts';
import type { Log } from '../log/log.ts';
import type { LikenessRequest, LikenessAnswer, LikenessAnswers, LikenessQuestion } from './likeness-worker.ts';
import { createHeaderReader } from './sound-index.ts';

const KNOWN_SHARE = 0.95;
/** An idle thread ends after this time and frees its memory. */
const IDLE_MS = 2 * 60_000;
const CHECK_INTERVAL_MS = 60_000;
/** Building takes at most this share of the time. */
const REST_FACTOR = 20;
const BUSY_MS = 2_000;
/** Share of changed tracks above which the index is rebuilt at once; fewer changes wait for a day. */
const CHANGED_SHARE = 0.01;
const DAY_MS = 86_400_000;

interface SoundsDeps {
  log: Log;
  now: () => Date;
  workerUrl: URL;
  databasePath: string;
  indexPath: string;
  /** Returns a text that changes with every change of the library. */
  changes: () => string;
  isBusy: () => boolean;
  onCounted: (counts: LikenessAnswers['count']) => void;
  /** Delay after the start before the first check. */
  afterMs: number;
}

interface SoundsState {
  isKnown: boolean;
  analyzed: number;
  total: number;
  indexed: number;
  builtAt: Date | null;
  isBuilding: boolean;
}

export type Sounds = ReturnType<typeof createSounds>;

export function createSounds({ log, now, indexPath, changes, isBusy, onCounted, afterMs, ...files }: SoundsDeps) {
  const failure = 'Sounds could not be compared';
  const compareThread = createReaderThread<LikenessRequest, LikenessAnswer>({ ...files, failure, idleMs: IDLE_MS });
  const buildThread = createReaderThread<LikenessRequest, LikenessAnswer>({ ...files, failure, idleMs: 1_000 });
  const header = createHeaderReader(indexPath);
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  let isBuilding = false;
  let counts: LikenessAnswers['count'] | undefined;

  async function ask<Q extends LikenessQuestion>(
    question: Q,
    thread = compareThread,
  ): Promise<LikenessAnswers[Q['kind']]> {
    return (await thread.ask({ ...question, indexPath })) as LikenessAnswers[Q['kind']];
  }

  /** Builds the index if the library has changed. Returns the time at which a postponed build is due. */
  async function refresh(): Promise<number> {
    counts = await ask({ kind: 'count' }, buildThread);
    onCounted(counts);
    const index = header();
    if (counts.members === index?.members) return Infinity;
    const changedTracks = Math.abs(counts.comparable - (index?.tracks ?? 0));
    const oldAt = (index?.builtAtMs ?? 0) + DAY_MS;
    const isOld = now().getTime() >= oldAt;
    if (index && !isOld && index.tracks > 50_000 && changedTracks < index.tracks * CHANGED_SHARE) return oldAt;
    isBuilding = true;
    try {
      const tracks = await ask({ kind: 'build', nowMs: now().getTime(), soundCounts: counts }, buildThread);
      if (tracks > 0) log.info({ tracks }, 'the sound index was built');
      return Infinity;
    } finally {
      isBuilding = false;
    }
  }

  async function keepFresh(signal: AbortSignal): Promise<void> {
    let seenChanges: string | undefined;
    let dueAt = Infinity;
    await sleep(afterMs, undefined, { signal, ref: false });
    for (;;) {
      while (isBusy()) await sleep(BUSY_MS, undefined, { signal, ref: false });
      const startedMs = performance.now();
      const currentChanges = changes();
      if (currentChanges !== seenChanges || now().getTime() >= dueAt || !header()) {
        await refresh().then(
          (nextDueAt) => ([seenChanges, dueAt] = [currentChanges, nextDueAt]),
          (err: unknown) => {
            if (!signal.aborted) log.warn({ err }, 'the sound index could not be built and will be retried');
          },
        );
      }
      const pauseMs = Math.max(CHECK_INTERVAL_MS, REST_FACTOR * (performance.now() - startedMs));
      await sleep(pauseMs, undefined, { signal, ref: false });
    }
  }

  function readState(): SoundsState {
    const index = header();
    const { analyzed, total } = counts ?? index ?? { analyzed: 0, total: 0 };
    return {
      isKnown: index !== undefined && index.tracks > 0 && analyzed >= KNOWN_SHARE * total,
      analyzed,
      total,
      indexed: index?.tracks ?? 0,
      builtAt: index ? new Date(index.builtAtMs) : null,
      isBuilding,
    };
  }

  return {
    ask,
    readState,
    isKnown: (): boolean => readState().isKnown,
    /** Builds the index if the library has changed. */
    refresh,
    start(): void {
      running ??= keepFresh(stop.signal).catch((err: unknown) => {
        if (!stop.signal.aborted) log.error({ err }, 'the sound index is no longer updated');
      });
    },
    async stop(): Promise<void> {
      stop.abort();
      await running;
    },
    async close(): Promise<void> {
      await compareThread.close();
      await buildThread.close();
    },
  };
}
