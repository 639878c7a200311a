// A heap that is collected before it has grown far. While a scan throws away what it read, V8 would let the heap grow
// threefold and never give it back; for answering requests its own measure is better, since each collection makes
// somebody wait.
import { setFlagsFromString } from 'node:v8';

const GROWTH_PERCENT = 15;
const BY_ITSELF = 0;

let holders = 0;
function set(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
  // how far the heap may grow is reckoned at each collection; given with --expose-gc
  void globalThis.gc?.({ type: 'major', execution: 'async' });
}

/**
 * Keeps the heap of all threads small until the returned function is called. Code that is loaded meanwhile is compiled
 * anew, because the compile cache is bound to V8's flags: threads for the work are better started before.
 */
export function limitHeapGrowth(): () => void {
  if (holders++ === 0) set(GROWTH_PERCENT);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    if (--holders === 0) set(BY_ITSELF);
  };
}
