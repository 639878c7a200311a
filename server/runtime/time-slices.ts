// Long work on the main thread, of requests and of jobs, is done in slices, with requests served in between. What waits
// for its next slice waits with others of the same caller, and the callers take turns: whoever asks for much keeps
// others waiting for one slice. All jobs together are one caller.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Duration of a slice. */
const SLICE_MS = 5;

const callers = new AsyncLocalStorage<string>();
const turns = createTurns();
let beganAt: number | undefined;

/** What waits, in a queue for each caller; the callers take turns. */
export function createTurns() {
  /** The one whose turn is next comes first. */
  const queues = new Map<string, (() => void)[]>();
  const callerNow = (): string => callers.getStore() ?? '';
  return {
    add(next: () => void): void {
      const waiting = queues.get(callerNow());
      if (waiting) waiting.push(next);
      else queues.set(callerNow(), [next]);
    },
    take(): (() => void) | undefined {
      const [first] = queues;
      if (!first) return undefined;
      const [caller, waiting] = first;
      queues.delete(caller);
      if (waiting.length > 1) queues.set(caller, waiting);
      return waiting.shift();
    },
    isEmpty: (): boolean => queues.size === 0,
    /** Whether something of the present caller waits. */
    isWaiting: (): boolean => queues.has(callerNow()),
  };
}

function callNext(): void {
  turns.take()?.();
  if (!turns.isEmpty()) setImmediate(callNext);
}

/** Resolves after pending I/O was handled, and after all for which the same caller called this before. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    if (turns.isEmpty()) setImmediate(callNext);
    turns.add(resolve);
  });

/** The rest of the calling function is work for this caller. */
export const workFor = (caller: string): void => callers.enterWith(caller);

/**
 * Await it between two pieces of work, and before work begins: waits for a turn when work in this round of the event
 * loop has gone on for as long as a slice. Undefined while it has not, so it is cheap to call for each row.
 */
export function yieldIfDue(): Promise<void> | undefined {
  const now = performance.now();
  if (beganAt === undefined) {
    beganAt = now;
    setImmediate(() => {
      beganAt = undefined;
    });
  }
  return now - beganAt > SLICE_MS || turns.isWaiting() ? turn() : undefined;
}

/**
 * Works on each item, a slice per turn. `around` runs a slice, for instance in a transaction: an error ends the work,
 * and what earlier slices did stays.
 */
export async function inSlices<T>(
  items: Iterable<T>,
  each: (item: T) => void,
  around: (slice: () => void) => void = (slice) => slice(),
): Promise<void> {
  const rest = items[Symbol.iterator]();
  await turn();
  for (let next = rest.next(); !next.done;) {
    around(() => {
      const started = performance.now();
      do {
        each(next.value as T);
        next = rest.next();
      } while (!next.done && performance.now() - started < SLICE_MS);
    });
    if (!next.done) await turn();
  }
}

/** Runs a generator to its end, a slice per turn; it may be interrupted at each `yield`. */
export async function finishInSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    await turn();
    const started = performance.now();
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (performance.now() - started < SLICE_MS);
  }
}

/** What `map` gives for each item. */
export async function mapInSlices<T, U>(items: Iterable<T>, map: (item: T) => U): Promise<U[]> {
  const mapped: U[] = [];
  await inSlices(items, (item) => void mapped.push(map(item)));
  return mapped;
}

/** The items in parts of a size, for statements that take many at once. */
export function* partsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
