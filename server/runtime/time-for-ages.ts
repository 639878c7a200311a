// The time by which the server decides what is old enough to delete. A clock that is years ahead, because a battery is
// empty or somebody typed a wrong date, must not empty the trash: while the clock is doubted, time continues from the
// last trusted moment. A clock that is far behind is doubted, too: otherwise the right time would look wrong later.
const DAY_MS = 86_400_000;
/** A clock that is further from the expected time is doubted, also when the server was off for that long. */
const MAX_CLOCK_JUMP_MS = 7 * DAY_MS;
/**
 * After a day of running time, over any number of starts, the clock is trusted: people correct a wrong clock sooner.
 */
const MAX_DOUBT_MS = DAY_MS;
/** The trusted time is saved no more often than this. */
const SAVE_INTERVAL_MS = 600_000;

/** The state that is saved from one run of the server to the next. */
export interface ClockState {
  timeMs: number;
  /** How long the clock was doubted while the server ran; null when the clock is not doubted. */
  doubtedMs: number | null;
}

interface TimeForAgesDeps {
  now: () => Date;
  /** The saved state; undefined for a new library. */
  savedState: ClockState | undefined;
  /** Returns a monotonic time, which changes of the clock do not affect. */
  elapsedMs: () => number;
  /** Called when a doubt begins or ends, and at most every ten minutes in between. */
  save: (state: ClockState) => void;
  /** Called when a doubt is over, also a doubt from an earlier start. */
  onCertain?: (clock: Date) => void;
  /** Called when a doubt begins, and at the start if the doubt is from an earlier run. */
  onDoubt: (clock: Date, likelyTime: Date) => void;
}

export interface TimeForAges {
  /** Returns the time of the clock; while the clock is doubted, the earlier of that and the likely time. */
  (): Date;
  /** Returns how far the clock is from the likely time, ahead or behind; 0 when the clock is not doubted. */
  doubtMs: () => number;
  /** Ends the doubt when a person confirms that the clock is right. */
  trustClock: () => void;
}

export function createTimeForAges({
  now,
  savedState,
  elapsedMs,
  save,
  onCertain,
  onDoubt,
}: TimeForAgesDeps): TimeForAges {
  const startedMs = elapsedMs();
  let lastTrusted = { timeMs: savedState?.timeMs ?? now().getTime(), atMs: startedMs };
  let wasDoubted = typeof savedState?.doubtedMs === 'number';
  let doubt = { isOn: false, doubtedMs: savedState?.doubtedMs ?? 0, atMs: startedMs };
  let savedAtMs = -Infinity;

  function saveAt(atMs: number, timeMs: number): void {
    savedAtMs = atMs;
    save({ timeMs, doubtedMs: doubt.isOn ? doubt.doubtedMs : null });
  }

  function trust(clockMs: number, atMs: number): void {
    const wasInDoubt = doubt.isOn || wasDoubted;
    wasDoubted = false;
    lastTrusted = { timeMs: clockMs, atMs };
    doubt = { isOn: false, doubtedMs: 0, atMs };
    if (wasInDoubt) onCertain?.(new Date(clockMs));
    if (wasInDoubt || atMs - savedAtMs >= SAVE_INTERVAL_MS) saveAt(atMs, clockMs);
  }

  function readClock(): { clockMs: number; likelyMs: number } {
    const [clockMs, atMs] = [now().getTime(), elapsedMs()];
    const likelyMs = lastTrusted.timeMs + atMs - lastTrusted.atMs;
    if (Math.abs(clockMs - likelyMs) > MAX_CLOCK_JUMP_MS) {
      const isNewDoubt = !doubt.isOn;
      doubt = { isOn: true, doubtedMs: doubt.doubtedMs + (isNewDoubt ? 0 : atMs - doubt.atMs), atMs };
      if (doubt.doubtedMs < MAX_DOUBT_MS) {
        if (isNewDoubt) onDoubt(new Date(clockMs), new Date(likelyMs));
        if (isNewDoubt || atMs - savedAtMs >= SAVE_INTERVAL_MS) saveAt(atMs, likelyMs);
        return { clockMs, likelyMs };
      }
    }
    trust(clockMs, atMs);
    return { clockMs, likelyMs: clockMs };
  }

  const getTimeForAges = (): Date => {
    const { clockMs, likelyMs } = readClock();
    return new Date(Math.min(clockMs, likelyMs));
  };

  return Object.assign(getTimeForAges, {
    doubtMs(): number {
      const { clockMs, likelyMs } = readClock();
      return Math.abs(clockMs - likelyMs);
    },
    trustClock: (): void => trust(now().getTime(), elapsedMs()),
  });
}
