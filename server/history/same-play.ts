// Decides when two reports must be of the same play. (The client decides what counts as a play.)
import { requiredPlayMs } from './counts-as-played.ts';

/** Shortest distance between two plays, because services round times to seconds. */
const MIN_DISTANCE_MS = 2_000;
/** Distance for tracks of unknown length: longer than rounding, shorter than a song. */
const DISTANCE_WITHOUT_LENGTH_MS = 10_000;

/** A recording longer than this is usually heard in several sittings. */
const MAX_SITTING_MS = 60 * 60_000;
/** If a client sends a time as recent as this, it may be the time at which the track ended. */
const JUST_NOW_MS = 20_000;

/**
 * Returns how long before `reportedAt` a listening may have begun, if a client reports `reportedAt` as its time, and
 * sends the report at the time `now`. Some clients report when a track started, others when it ended.
 */
export const beganWithinMs = (durationMs: number | null, reportedAt: number, now: number): number =>
  Math.abs(now - reportedAt) < JUST_NOW_MS
    ? Math.min(durationMs ?? 0, MAX_SITTING_MS) + JUST_NOW_MS
    : samePlayWithinMs(durationMs);

/** Returns the shortest time between the starts of two plays of a song: it takes that long until a play counts. */
export const samePlayWithinMs = (durationMs: number | null): number =>
  durationMs === null || durationMs <= 0
    ? DISTANCE_WITHOUT_LENGTH_MS
    : Math.max(MIN_DISTANCE_MS, requiredPlayMs(durationMs));
