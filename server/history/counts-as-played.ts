// Decides when a track counts as played, in the player and both APIs: after half of it or four minutes, whichever comes
// first, as for scrobbling services. If its length is unknown, it counts after four minutes.
const MAX_REQUIRED_MS = 4 * 60_000;

export const requiredPlayMs = (durationMs: number | null): number =>
  durationMs === null || !(durationMs > 0) ? MAX_REQUIRED_MS : Math.min(durationMs / 2, MAX_REQUIRED_MS);

export const countsAsPlayed = (heardMs: number, durationMs: number | null): boolean =>
  heardMs >= requiredPlayMs(durationMs);
