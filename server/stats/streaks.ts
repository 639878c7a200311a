/** Finds consecutive days with plays. */
export interface Streak {
  days: number;
  first: number;
  last: number;
}

/** Returns the longest streak, the earliest of equal ones; undefined without any days. `days` must be ascending. */
export function longestStreak(days: readonly number[]): Streak | undefined {
  let longest: Streak | undefined;
  let current: Streak | undefined;
  for (const day of days) {
    current =
      current && day === current.last + 1
        ? { ...current, days: current.days + 1, last: day }
        : { days: 1, first: day, last: day };
    if (!longest || current.days > longest.days) longest = current;
  }
  return longest;
}
