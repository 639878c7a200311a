// When two reports must be of the same play. (What counts as a play is decided by the client.)
import { enoughMs } from './counts-as-played.ts';

/** Services round times to seconds. */
const CLOSEST_MS = 2_000;
/** Without a known length: longer than rounding, shorter than a song. */
const UNKNOWN_MS = 10_000;

/** Two plays of a song start at least as far apart as it takes for one to count. */
export const samePlayWithinMs = (durationMs: number | null): number =>
  durationMs === null || durationMs <= 0 ? UNKNOWN_MS : Math.max(CLOSEST_MS, enoughMs(durationMs));
