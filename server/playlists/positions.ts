// Where entries of a list stand. Places have wide gaps between them, so that putting something between two of them
// writes nothing else.

/** 28 halvings of one gap, or thirty million entries one after the other, before numbers run out. */
export const GAP = 2 ** 28;

/**
 * `count` places between two neighbours; without one it is the beginning or the end of the list. Undefined when there
 * is no room.
 */
export function placesBetween(
  before: number | undefined,
  after: number | undefined,
  count: number,
): number[] | undefined {
  const step = before !== undefined && after !== undefined ? Math.floor((after - before) / (count + 1)) : GAP;
  if (step < 1) return undefined;
  const first = before !== undefined ? before + step : after !== undefined ? after - count * step : step;
  const last = first + (count - 1) * step;
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return undefined;
  return Array.from({ length: count }, (_, n) => first + n * step);
}
