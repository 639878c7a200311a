// Throttles the daily verification: it pauses several times as long as each step took, and waits while requests are
// served or a scan runs.
import { setTimeout as sleep } from 'node:timers/promises';

export interface VerifyPace {
  /** Pause after a step, as a multiple of the time that the step took. */
  restFactor: number;
  /** Interval at which it checks whether the server is busy. */
  checkEveryMs: number;
  /** On a server that is always busy, one step is run after this many checks. */
  maxChecks: number;
}

/** Uses at most a fifth of one thread's time; on a server that is always busy, still some 8,000 objects a day. */
export const VERIFY_PACE: VerifyPace = { restFactor: 4, checkEveryMs: 1_000, maxChecks: 10 };

interface PaceDeps {
  pace: VerifyPace;
  isBusy: () => boolean;
  signal: AbortSignal;
}

/** Runs a step, then pauses. Throws the signal's reason, also while waiting. */
export async function runThrottled<T>({ pace, isBusy, signal }: PaceDeps, step: () => Promise<T>): Promise<T> {
  for (let checks = 0; checks < pace.maxChecks && isBusy(); checks++)
    await sleep(pace.checkEveryMs, undefined, { signal });
  const startedAt = performance.now();
  const result = await step();
  await sleep((performance.now() - startedAt) * pace.restFactor, undefined, { signal });
  return result;
}
