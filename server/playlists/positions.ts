// Positions of entries. They have wide gaps, so that inserting an entry changes no other.

/** The gap allows 28 insertions at the same point, and 30 million appended entries, before a list is renumbered. */
export const GAP = 2 ** 28;

/**
 * Returns `count` positions between two neighbours; an absent neighbour is the start or end of the list. Returns
 * undefined if not enough are free.
 */
export function placesBetween(
  lower: number | undefined,
  upper: number | undefined,
  count: number,
): number[] | undefined {
  const step = lower !== undefined && upper !== undefined ? Math.floor((upper - lower) / (count + 1)) : GAP;
  if (step < 1) return undefined;
  const firstPosition = lower !== undefined ? lower + step : upper !== undefined ? upper - count * step : step;
  const lastPosition = firstPosition + (count - 1) * step;
  if (!Number.isSafeInteger(firstPosition) || !Number.isSafeInteger(lastPosition)) return undefined;
  return Array.from({ length: count }, (_, n) => firstPosition + n * step);
}
