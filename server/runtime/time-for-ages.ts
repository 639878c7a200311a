// The time by which it is judged what is old enough to be deleted. A clock that is years ahead, because a battery is
// empty or somebody typed a wrong date, must not empty the trash: while it cannot be true, the time goes on from when
// it was. A clock that is far behind makes nothing old, and is doubted too: else the right time would look wrong later.
const DAY_MS = 86_400_000;
/** A clock that is further from what the library knows is doubted, also after a rest of that length. */
const BELIEVED_MS = 7 * DAY_MS;
/** People set a wrong clock right within a day in which the server runs, however often it is started. */
const DOUBT_MS = DAY_MS;
/** The known time is written down no more often than this. */
const KEEP_EVERY_MS = 600_000;

/** What one start leaves to the next. */
export interface KnownTime {
  timeMs: number;
  /** For how long the clock was doubted while a server ran; null when it is not doubted. */
  doubtedMs: number | null;
}

interface TimeForAgesDeps {
  now: () => Date;
  /** Undefined for a new library. */
  lastKnown: KnownTime | undefined;
  /** Goes on evenly while the process runs, whatever happens to the clock. */
  elapsedMs: () => number;
  /** It is called when a doubt begins or ends, and every ten minutes at most in between. */
  keep: (known: KnownTime) => void;
  /** Called when a doubt is over, also one of an earlier start. */
  onCertain?: (clock: Date) => void;
  /** Called when a doubt begins, also one of an earlier start. */
  onDoubt: (clock: Date, believed: Date) => void;
}

export interface TimeForAges {
  /** The clock, or while it is doubted the earlier of its time and the likely one. */
  (): Date;
  /** How far the clock is from the likely time, either way; 0 when it is not doubted. */
  doubtMs: () => number;
  /** A person says that the clock is right. */
  believe: () => void;
}

export function createTimeForAges({
  now,
  lastKnown,
  elapsedMs,
  keep,
  onCertain,
  onDoubt,
}: TimeForAgesDeps): TimeForAges {
  const startedMs = elapsedMs();
  let last = { timeMs: lastKnown?.timeMs ?? now().getTime(), atMs: startedMs };
  let wasDoubted = typeof lastKnown?.doubtedMs === 'number';
  let doubt = { isOn: false, doubtedMs: lastKnown?.doubtedMs ?? 0, atMs: startedMs };
  let keptAtMs = -Infinity;

  function keepAt(atMs: number, timeMs: number): void {
    keptAtMs = atMs;
    keep({ timeMs, doubtedMs: doubt.isOn ? doubt.doubtedMs : null });
  }

  function believe(clockMs: number, atMs: number): void {
    const isNews = doubt.isOn || wasDoubted;
    wasDoubted = false;
    last = { timeMs: clockMs, atMs };
    doubt = { isOn: false, doubtedMs: 0, atMs };
    if (isNews) onCertain?.(new Date(clockMs));
    if (isNews || atMs - keptAtMs >= KEEP_EVERY_MS) keepAt(atMs, clockMs);
  }

  function look(): { clockMs: number; likelyMs: number } {
    const [clockMs, atMs] = [now().getTime(), elapsedMs()];
    const likelyMs = last.timeMs + atMs - last.atMs;
    if (Math.abs(clockMs - likelyMs) > BELIEVED_MS) {
      const isNew = !doubt.isOn;
      doubt = { isOn: true, doubtedMs: doubt.doubtedMs + (isNew ? 0 : atMs - doubt.atMs), atMs };
      if (doubt.doubtedMs < DOUBT_MS) {
        if (isNew) onDoubt(new Date(clockMs), new Date(likelyMs));
        if (isNew || atMs - keptAtMs >= KEEP_EVERY_MS) keepAt(atMs, likelyMs);
        return { clockMs, likelyMs };
      }
    }
    believe(clockMs, atMs);
    return { clockMs, likelyMs: clockMs };
  }

  const timeForAges = (): Date => {
    const { clockMs, likelyMs } = look();
    return new Date(Math.min(clockMs, likelyMs));
  };

  return Object.assign(timeForAges, {
    doubtMs(): number {
      const { clockMs, likelyMs } = look();
      return Math.abs(clockMs - likelyMs);
    },
    believe: (): void => believe(now().getTime(), elapsedMs()),
  });
}
