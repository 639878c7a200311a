// When a track counts as played, here, in the player and for the devices of the Subsonic API: after half of it or four
// minutes, whichever comes first, as scrobbling services have it. Where its length is not known, after four minutes.
const LONGEST_MS = 4 * 60_000;

export const enoughMs = (durationMs: number | null): number =>
  durationMs === null || !(durationMs > 0) ? LONGEST_MS : Math.min(durationMs / 2, LONGEST_MS);

export const countsAsPlayed = (heardMs: number, durationMs: number | null): boolean => heardMs >= enoughMs(durationMs);
