// Throttles the daily verification: it rests several times as long as each step took, waits while requests are served
// or a scan runs, and pauses on battery.
import { setTimeout as sleep } from 'node:timers/promises';

export interface VerifyPace {
  /** Rest after a step, as a multiple of the time that it took. */
  restFactor: number;
  /** Interval of checking whether the server is busy. */
  lookEveryMs: number;
  /** On a server that is always busy, one step is done after this many checks. */
  mostLooks: number;
}

/** At most a fifth of one thread's time; on a server that is always busy, still some 8,000 objects a day. */
export const VERIFY_PACE: VerifyPace = { restFactor: 4, lookEveryMs: 1_000, mostLooks: 10 };

interface PaceDeps {
  pace: VerifyPace;
  isBusy: () => boolean;
  signal: AbortSignal;
}

/** Runs a step, then rests. Throws the signal's reason, also while waiting. */
export async function gently<T>({ pace, isBusy, signal }: PaceDeps, step: () => Promise<T>): Promise<T> {
  for (let looks = 0; looks < pace.mostLooks && isBusy(); looks++) await sleep(pace.lookEveryMs, undefined, { signal });
  const begun = performance.now();
  const done = await step();
  await sleep((performance.now() - begun) * pace.restFactor, undefined, { signal });
  return done;
}
