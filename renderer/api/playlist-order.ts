// Reorders a playlist whose entries are only partly loaded; entries that are not loaded are undefined. Pure.

/**
 * Moves the chosen entries in their order before the entry `before` (null: to the end), or before the next entry that
 * stays if that one moves too. Entries that are not loaded keep their position.
 */
export function movedEntries<T extends { entry_id: number }>(
  entries: readonly (T | undefined)[],
  isGoing: (entry: T) => boolean,
  before: number | null,
): (T | undefined)[] {
  const goes = (entry: T | undefined): boolean => entry !== undefined && isGoing(entry);
  const from = before === null ? entries.length : entries.findIndex((entry) => entry?.entry_id === before);
  if (from < 0) return [...entries];
  return [
    ...entries.slice(0, from).filter((entry) => !goes(entry)),
    ...entries.filter(goes),
    ...entries.slice(from).filter((entry) => !goes(entry)),
  ];
}

export const withoutEntries = <T extends { entry_id: number }>(
  entries: readonly (T | undefined)[],
  isGoing: (entry: T) => boolean,
): (T | undefined)[] => entries.filter((entry) => entry === undefined || !isGoing(entry));

/**
 * Returns the index of the entry before which the selection is placed to move by one row; undefined if it cannot move.
 * Indexes count all entries of the list.
 */
export function stepTarget(
  chosen: readonly number[],
  step: -1 | 1,
  count: number,
): { beforeIndex: number | null } | undefined {
  const first = Math.min(...chosen);
  const last = Math.max(...chosen);
  if (step === -1) return first > 0 ? { beforeIndex: first - 1 } : undefined;
  return last < count - 1 ? { beforeIndex: last + 2 < count ? last + 2 : null } : undefined;
}
