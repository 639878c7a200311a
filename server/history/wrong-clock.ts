// Decides whether a client has a wrong clock. Its plays count as now, because nobody can tell when they were.

/** The clock of a client may be ahead of the server's by this time. */
export const MAX_CLOCK_AHEAD_MS = 10 * 60_000;
/** Phones without a clock start in 1970; there was no Subsonic client before this time. */
const EARLIEST_PLAY_MS = Date.UTC(2000, 0, 1);

export const isAhead = (playedAtMs: number, nowMs: number): boolean => playedAtMs > nowMs + MAX_CLOCK_AHEAD_MS;

/** Returns whether the reported time cannot be true. The REST API takes old times, such as those of an import. */
export const hasWrongClock = (
  { playedAt, isRest }: { playedAt?: Date | undefined; isRest?: boolean | undefined },
  nowMs: number,
): boolean =>
  playedAt !== undefined &&
  (isAhead(playedAt.getTime(), nowMs) || (isRest !== true && playedAt.getTime() < EARLIEST_PLAY_MS));
