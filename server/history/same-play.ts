// When two reports must be of the same play. (What counts as a play is decided by the client.)
import { requiredPlayMs } from './counts-as-played.ts';

/** Services round times to seconds. */
const MIN_DISTANCE_MS = 2_000;
/** Without a known length: longer than rounding, shorter than a song. */
const DISTANCE_WITHOUT_LENGTH_MS = 10_000;

/** A longer recording is heard in several sittings. */
const MAX_SITTING_MS = 60 * 60_000;
/** A client that sends a time as recent as this may have taken it when the track ended. */
const JUST_NOW_MS = 20_000;

/**
 * A client reports `at` as the time of a listening, at the time `now`: how long before `at` the listening may have
 * begun. Some clients tell when a track started, others when it was over.
 */
export const beganWithinMs = (durationMs: number | null, at: number, now: number): number =>
  Math.abs(now - at) < JUST_NOW_MS
    ? Math.min(durationMs ?? 0, MAX_SITTING_MS) + JUST_NOW_MS
    : samePlayWithinMs(durationMs);

/** Two plays of a song start at least as far apart as it takes for one to count. */
export const samePlayWithinMs = (durationMs: number | null): number =>
  durationMs === null || durationMs <= 0
    ? DISTANCE_WITHOUT_LENGTH_MS
    : Math.max(MIN_DISTANCE_MS, requiredPlayMs(durationMs));
