// When a song counts as played, and when two reports speak of the same play. Clients decide what they report as a play;
// this rule says which reports can only be one, and which plays a scrobbling service wants.
const LONGEST_WAIT_MS = 4 * 60_000;
/** Services round to seconds, so nothing closer than that can be told apart. */
const CLOSEST_MS = 2_000;
/** Where the length is not known: longer than any rounding, shorter than any song. */
const UNKNOWN_MS = 10_000;

/** How long a song has to be heard: half of it, or four minutes. */
export const hearingMs = (durationMs: number | null): number =>
  durationMs === null || durationMs <= 0 ? UNKNOWN_MS : Math.min(durationMs / 2, LONGEST_WAIT_MS);

/** True also when it was not said how long was listened: the client called it a play. */
export const isHeard = (durationMs: number | null, playedMs: number | null): boolean =>
  playedMs === null || durationMs === null || playedMs >= hearingMs(durationMs);

/**
 * Two plays of one song cannot begin closer together than it takes to hear it; reports that do are of the same play.
 */
export const samePlayWithinMs = (durationMs: number | null): number => Math.max(CLOSEST_MS, hearingMs(durationMs));
