// The time by which it is judged what is old enough to be deleted. A clock that is years ahead, because a battery is
// empty or somebody typed a wrong date, must not empty the trash: while it cannot be true, the time goes on from when
// it was.
const DAY_MS = 86_400_000;
/** A library that rested for longer, or a clock that jumps further, is doubted. */
const BELIEVED_MS = 7 * DAY_MS;
/** People set a wrong clock right within a day. */
const DOUBT_MS = DAY_MS;

interface TimeForAgesDeps {
  now: () => Date;
  /** The newest time that the library knows; undefined for a new one. */
  lastKnown: Date | undefined;
  /** Goes on evenly while the process runs, whatever happens to the clock. */
  elapsedMs: () => number;
  /** Called when a doubt begins. */
  onDoubt: (clock: Date, believed: Date) => void;
}

export type TimeForAges = () => Date;

/** The clock, or while it is doubted the earlier time that is more likely. */
export function createTimeForAges({ now, lastKnown, elapsedMs, onDoubt }: TimeForAgesDeps): TimeForAges {
  let last = { timeMs: (lastKnown ?? now()).getTime(), atMs: elapsedMs() };
  let doubtSinceMs: number | undefined;
  return () => {
    const [clock, atMs] = [now(), elapsedMs()];
    const believed = new Date(last.timeMs + atMs - last.atMs);
    if (clock.getTime() - believed.getTime() > BELIEVED_MS) {
      if (doubtSinceMs === undefined) onDoubt(clock, believed);
      doubtSinceMs ??= atMs;
      if (atMs - doubtSinceMs < DOUBT_MS) return believed;
    }
    doubtSinceMs = undefined;
    last = { timeMs: clock.getTime(), atMs };
    return clock;
  };
}
