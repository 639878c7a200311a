// Keeps a service's rate limit: never more than the allowed number of requests in any one second, however late one of
// them arrives there. A request counts until a second after its answer, because only then is it certain when the
// service saw it.
import { setTimeout as sleep } from 'node:timers/promises';

export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;
export type TokenBucket = ReturnType<typeof createTokenBucket>;

interface TokenBucketOptions {
  /**
   * Requests per second; 0.5 is one in two seconds. If it is a function, it is called each time, for a setting that may
   * change.
   */
  perSecond: number | (() => number);
  /** Returns monotonic milliseconds. */
  now?: () => number;
  wait?: Wait;
}

const SECOND_MS = 1_000;

export const waitFor: Wait = async (ms, signal) => void (await sleep(ms, undefined, { ...(signal && { signal }) }));

export function createTokenBucket({ perSecond, now = () => performance.now(), wait = waitFor }: TokenBucketOptions) {
  const rate = (): number => (typeof perSecond === 'function' ? perSecond() : perSecond);
  /** Running and recent requests, each with the time when it stops counting; Infinity while it is in flight. */
  let countedRequests: { until: number }[] = [];
  let pausedUntil = -Infinity;
  let previousTurn: Promise<unknown> = Promise.resolve();
  let onAnswer: (() => void)[] = [];

  /** Returns the milliseconds until another request may be sent; Infinity when that depends on an answer. */
  function msUntilFree(): number {
    const time = now();
    countedRequests = countedRequests.filter(({ until }) => until > time);
    const pause = Math.max(0, pausedUntil - time);
    const excess = countedRequests.length - Math.max(1, Math.floor(rate()));
    if (excess < 0) return pause;
    const nextFreeMs = countedRequests.map(({ until }) => until).sort((a, b) => a - b)[excess] as number;
    return Math.max(pause, nextFreeMs - time);
  }

  async function takeSlot(signal: AbortSignal | undefined): Promise<{ until: number }> {
    for (;;) {
      signal?.throwIfAborted();
      const ms = msUntilFree();
      if (ms <= 0) break;
      if (ms < Infinity) await wait(Math.ceil(ms), signal);
      else await waitForAnswer(signal);
    }
    const entry = { until: Infinity };
    countedRequests.push(entry);
    return entry;
  }

  const waitForAnswer = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      onAnswer.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });

  async function run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const slotTaken = previousTurn.then(() => takeSlot(signal)); // requests get their slots in the order of the calls
    previousTurn = slotTaken.catch(() => undefined);
    const entry = await slotTaken;
    try {
      return await work();
    } finally {
      entry.until = now() + Math.max(SECOND_MS, SECOND_MS / rate());
      const waitingForAnswer = onAnswer;
      onAnswer = [];
      for (const wake of waitingForAnswer) wake();
    }
  }

  return {
    /** Runs the work when its turn comes. Throws the signal's reason when it is aborted first. */
    run,
    /** Waits for a slot without running anything. */
    take: (signal?: AbortSignal): Promise<void> => run(() => Promise.resolve(), signal),
    /** Pauses all requests for this time, because the service answered 429. */
    pause(ms: number): void {
      pausedUntil = Math.max(pausedUntil, now() + ms);
    },
  };
}
