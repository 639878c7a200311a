// Long work on the main thread is done in slices, with requests served in between. All long work waits in one queue:
// however much there is, a request waits for one slice.

/** Duration of a slice. */
const SLICE_MS = 5;

const queue: (() => void)[] = [];

function callNext(): void {
  queue.shift()?.();
  if (queue.length > 0) setImmediate(callNext);
}

/** Resolves after pending I/O was handled, and after all that called this before. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    if (queue.push(resolve) === 1) setImmediate(callNext);
  });

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

/** Runs a generator to its end at once, for what is known to be short. */
export function finishNow<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
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
