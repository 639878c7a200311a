// Background jobs yield to requests. All jobs share one measure of how long they have kept the event loop: after each
// turn pending I/O runs, and while requests are being served the jobs then pause for as long as they worked, so that
// requests get half of the time.
import { performance } from 'node:perf_hooks';
import { setImmediate as afterOthers, setTimeout as sleep } from 'node:timers/promises';

/** A request waits for one turn at most, plus the piece of work that ends it. */
const TURN_MS = 10;
/** The longest pause, also after a piece that took longer. */
const LONGEST_REST_MS = 100;

interface YieldToRequestsDeps {
  isServing: () => boolean;
  /** CPU time of this thread so far; waiting does not count. */
  workedMs?: () => number;
  /** 0: only until pending events have run. */
  rest?: (ms: number) => Promise<unknown>;
}

/** Await it between two pieces of work. Undefined while the turn lasts, so it is cheap to call for each row. */
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
