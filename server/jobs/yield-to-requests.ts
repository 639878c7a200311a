// Work in the background gives way to people. However many jobs run, they share one measure of how long they kept this
// thread: after a turn everybody else is let in, and while people are served the thread then rests as long as it
// worked, so that half of it is theirs.
import { performance } from 'node:perf_hooks';
import { setImmediate as afterOthers, setTimeout as sleep } from 'node:timers/promises';

/** A request waits for one turn, and for the piece that ends it. */
const TURN_MS = 10;
/** Also after a piece that took longer. */
const LONGEST_REST_MS = 100;

export interface YieldToRequestsDeps {
  isServing: () => boolean;
  /** How long this thread has worked so far; waiting is no work. */
  workedMs?: () => number;
  /** 0: only until all that waits had its turn. */
  rest?: (ms: number) => Promise<unknown>;
}

/**
 * Between two pieces of work; to be awaited. There is nothing to wait for while a turn lasts, so it is cheap to ask for
 * each row.
 */
export type YieldToRequests = () => Promise<void> | undefined;

export function createYieldToRequests({
  isServing,
  workedMs = () => performance.eventLoopUtilization().active,
  rest = restFor,
}: YieldToRequestsDeps): YieldToRequests {
  let since = workedMs();
  let resting: Promise<void> | undefined;

  async function takeRest(ms: number): Promise<void> {
    await rest(ms);
    since = workedMs();
    resting = undefined;
  }

  return () => {
    const worked = workedMs() - since;
    if (!resting && worked >= TURN_MS) resting = takeRest(isServing() ? Math.min(worked, LONGEST_REST_MS) : 0);
    return resting;
  };
}

const restFor = (ms: number): Promise<unknown> => (ms > 0 ? sleep(ms) : afterOthers());
