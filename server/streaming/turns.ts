// Shares the processors among conversions: at most so many work at the same time, and when others wait, each works for
// half a second and then waits behind them. A conversion that waits keeps its program, which costs memory but no time.
import { AppError } from '../errors.ts';

/** Who waits for a conversion: a listener; nobody but the cache; nobody, so that it gets no turn. */
export type Need = 'listener' | 'cache' | 'none';

interface TurnsDeps {
  /** Returns how many conversions may work at the same time. */
  maxWorking: () => number;
  maxWaiting: number;
  /** Monotonic time in milliseconds. */
  clock?: () => number;
}

interface Waiter {
  need: () => Need;
  isStarted: boolean;
  admit: () => void;
}

export interface Turn {
  /** Resolves at once while the turn lasts, otherwise at the beginning of the next one. Rejects when aborted. */
  next(signal: AbortSignal): Promise<void>;
  /** Ends the conversion's part in the turns. */
  leave(): void;
}

const TURN_MS = 500;
/** For each conversion that works, so many may have been started: a program takes about 40 MB of memory. */
const STARTED_PER_WORKING = 4;

export type Turns = ReturnType<typeof createTurns>;

export function createTurns({ maxWorking, maxWaiting, clock = () => performance.now() }: TurnsDeps) {
  const waiters: Waiter[] = [];
  let workingCount = 0;
  let startedCount = 0;

  const isAdmissible = ({ isStarted }: Waiter): boolean =>
    isStarted || startedCount < maxWorking() * STARTED_PER_WORKING;
  const nextWaiter = (): Waiter | undefined =>
    waiters.find((waiter) => waiter.need() === 'listener' && isAdmissible(waiter)) ??
    waiters.find((waiter) => waiter.need() === 'cache' && isAdmissible(waiter));

  function admitWaiters(): void {
    for (let waiter = nextWaiter(); waiter && workingCount < maxWorking(); waiter = nextWaiter()) {
      waiters.splice(waiters.indexOf(waiter), 1);
      workingCount++;
      if (!waiter.isStarted) startedCount++;
      waiter.admit();
    }
  }

  function waitForTurn(need: () => Need, isStarted: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        need,
        isStarted,
        admit() {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal.addEventListener('abort', abort, { once: true });
      waiters.push(waiter);
      admitWaiters();
    });
  }

  return {
    /**
     * Resolves with the first turn. Rejects when aborted, and with `unavailable` when too many are waiting for theirs.
     */
    async enter(need: () => Need, signal: AbortSignal): Promise<Turn> {
      signal.throwIfAborted();
      if (waiters.filter(({ isStarted }) => !isStarted).length >= maxWaiting)
        throw new AppError('unavailable', 'Too many tracks are being converted. Try again in a moment.', {
          retryAfter: 10,
        });
      await waitForTurn(need, false, signal);
      let beganAt = clock();
      let state: 'working' | 'waiting' | 'left' = 'working';
      return {
        async next(nextSignal) {
          nextSignal.throwIfAborted();
          const isOver = clock() - beganAt >= TURN_MS && nextWaiter() !== undefined;
          if (need() !== 'none' && !isOver) return;
          state = 'waiting';
          workingCount--;
          await waitForTurn(need, true, nextSignal);
          state = 'working';
          beganAt = clock();
        },
        leave() {
          if (state === 'left') return;
          if (state === 'working') workingCount--;
          state = 'left';
          startedCount--;
          admitWaiters();
        },
      };
    },

    /** Has to be called when somebody needs a conversion that nobody needed until then. */
    reconsider: admitWaiters,
    /** Returns whether a new conversion would have to wait until another one ends. */
    isFull: (): boolean => startedCount >= maxWorking() * STARTED_PER_WORKING,
  };
}
