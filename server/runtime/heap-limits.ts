// Limits the growth of the heap while a scan runs. What a scan reads is soon garbage; V8 would let the heap grow
// threefold before it collects, and never shrink it again. For requests V8's own limit is better: a collection makes
// somebody wait. The first scan of 100,000 files has a peak of 227 MB with the limit and of 345 without.
import { setFlagsFromString } from 'node:v8';

const GROWTH_PERCENT = 15;
const BY_ITSELF = 0;

let holders = 0;
function set(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  // the limit is computed at each GC, so ask for one; there with --expose-gc
  void globalThis.gc?.({ type: 'major', execution: 'async' });
}

/**
 * From `hold` to `release` the heap of all threads is kept small; calling either again does nothing. Code loaded
 * meanwhile is compiled again, because the compile cache is bound to V8's flags: start worker threads first.
 */
export function createHeapLimit() {
  let isHeld = false;
  return {
    hold(): void {
      if (!isHeld && holders++ === 0) set(GROWTH_PERCENT);
      isHeld = true;
    },
    release(): void {
      if (isHeld && --holders === 0) set(BY_ITSELF);
      isHeld = false;
    },
  };
}
