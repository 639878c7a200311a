// How the daily comparison stays out of everybody's way: it rests several times as long as each step took, steps aside
// while people are served or a scan runs, and does nothing on battery.
import { setTimeout as sleep } from 'node:timers/promises';

export interface VerifyPace {
  /** Rest after a step, as a multiple of the time that it took. */
  restFactor: number;
  /** Between two looks whether others are busy. */
  lookEveryMs: number;
  /** A server that is never quiet gets on too, one step after so many looks. */
  mostLooks: number;
}

/** A fifth of one thread's time at most; at a server that is always busy still some 8,000 objects a day. */
export const VERIFY_PACE: VerifyPace = { restFactor: 4, lookEveryMs: 1_000, mostLooks: 10 };

export interface PaceDeps {
  pace: VerifyPace;
  isBusy: () => boolean;
  signal: AbortSignal;
}

/** Does a step and then rests. Throws the signal's reason, also while it waits. */
export async function gently<T>({ pace, isBusy, signal }: PaceDeps, step: () => Promise<T>): Promise<T> {
  for (let looks = 0; looks < pace.mostLooks && isBusy(); looks++) await sleep(pace.lookEveryMs, undefined, { signal });
  const begun = performance.now();
  const done = await step();
  await sleep((performance.now() - begun) * pace.restFactor, undefined, { signal });
  return done;
}
