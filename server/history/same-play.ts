// When two reports speak of the same play. Clients decide what they report as a play; this rule says which reports can
// only be one.
import { enoughMs } from './counts-as-played.ts';

/** Services round to seconds, so nothing closer than that can be told apart. */
const CLOSEST_MS = 2_000;
/** Where the length is not known: longer than any rounding, shorter than any song. */
const UNKNOWN_MS = 10_000;

/**
 * Two plays of one song cannot begin closer together than it takes to hear it; reports that do are of the same play.
 */
export const samePlayWithinMs = (durationMs: number | null): number =>
  durationMs === null || durationMs <= 0 ? UNKNOWN_MS : Math.max(CLOSEST_MS, enoughMs(durationMs));
