// Splits long work on the main thread, of requests and of jobs, into slices, with requests served in between. Waiting
// slices are queued by caller, and the callers take turns, so that a caller with much work delays others by one slice
// only. All jobs together are one caller.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Duration of a slice. */
const SLICE_MS = 5;

const callerStorage = new AsyncLocalStorage<string>();
const turnQueue = createTurnQueue();
let roundStartedAt: number | undefined;

/** Queues callbacks by caller; the callers take turns. */
export function createTurnQueue() {
  /** Queued callbacks by caller; the caller whose turn is next comes first. */
  const queues = new Map<string, (() => void)[]>();
  const currentCaller = (): string => callerStorage.getStore() ?? '';
  return {
    add(next: () => void): void {
      const queue = queues.get(currentCaller());
      if (queue) queue.push(next);
      else queues.set(currentCaller(), [next]);
    },
    take(): (() => void) | undefined {
      const [firstQueue] = queues;
      if (!firstQueue) return undefined;
      const [caller, queue] = firstQueue;
      queues.delete(caller);
      if (queue.length > 1) queues.set(caller, queue);
      return queue.shift();
    },
    isEmpty: (): boolean => queues.size === 0,
    /** Returns whether a callback of the current caller is queued. */
    isCallerWaiting: (): boolean => queues.has(currentCaller()),
  };
}

function runNext(): void {
  turnQueue.take()?.();
  if (!turnQueue.isEmpty()) setImmediate(runNext);
}

/** Resolves after pending I/O was handled, and after all earlier calls of this function. */
export const waitForTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (turnQueue.isEmpty()) setImmediate(runNext);
    turnQueue.add(resolve);
  });

/** Counts the rest of the calling function as work for this caller. */
export const setCaller = (caller: string): void => callerStorage.enterWith(caller);

/**
 * Waits for a turn when work in this round of the event loop has taken as long as a slice; to be awaited before work
 * begins and between two pieces of work. Returns undefined otherwise, so that calls for each row are cheap.
 */
export function yieldIfDue(): Promise<void> | undefined {
  const now = performance.now();
  if (roundStartedAt === undefined) {
    roundStartedAt = now;
    setImmediate(() => {
      roundStartedAt = undefined;
    });
  }
  return now - roundStartedAt > SLICE_MS || turnQueue.isCallerWaiting() ? waitForTurn() : undefined;
}

/**
 * Works on each item, a slice per turn. `runSlice` runs a slice, for instance in a transaction: an error ends the work,
 * and the changes of earlier slices stay.
 */
export async function inSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  runSlice: (slice: () => void) => void = (slice) => slice(),
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  await waitForTurn();
  for (let step = iterator.next(); !step.done;) {
    runSlice(() => {
      const startedMs = performance.now();
      do {
        work(step.value as T);
        step = iterator.next();
      } while (!step.done && performance.now() - startedMs < SLICE_MS);
    });
    if (!step.done) await waitForTurn();
  }
}

/** Runs a generator to its end, a slice per turn; the work may be interrupted at each `yield`. */
export async function finishInSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    await waitForTurn();
    const startedMs = performance.now();
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() - startedMs < SLICE_MS);
  }
}

/** Returns the result of `map` for each item, computed in slices. */
export async function mapInSlices<T, U>(items: Iterable<T>, map: (item: T) => U): Promise<U[]> {
  const results: U[] = [];
  await inSlices(items, (item) => void results.push(map(item)));
  return results;
}

/** Splits the items into parts of the given size, for statements that take many values at once. */
export function* partsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
