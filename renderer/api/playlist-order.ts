// Reorders a playlist whose entries are only partly loaded; entries that are not loaded are undefined. Pure.

/**
 * Moves the chosen entries in their order before the entry `before` (null: to the end), or before the next entry that
 * stays if that one moves too. Entries that are not loaded keep their position.
 */
export function movedEntries<T extends { entry_id: number }>(
  entries: readonly (T | undefined)[],
  isGoing: (entry: T) => boolean,
  beforeEntryId: number | null,
): (T | undefined)[] {
  const isMoving = (entry: T | undefined): boolean => entry !== undefined && isGoing(entry);
  const from =
    beforeEntryId === null ? entries.length : entries.findIndex((entry) => entry?.entry_id === beforeEntryId);
  if (from < 0) return [...entries];
  return [
    ...entries.slice(0, from).filter((entry) => !isMoving(entry)),
    ...entries.filter(isMoving),
    ...entries.slice(from).filter((entry) => !isMoving(entry)),
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
  chosenIndexes: readonly number[],
  step: -1 | 1,
  count: number,
): { beforeIndex: number | null } | undefined {
  const firstChosen = Math.min(...chosenIndexes);
  const lastChosen = Math.max(...chosenIndexes);
  if (step === -1) return firstChosen > 0 ? { beforeIndex: firstChosen - 1 } : undefined;
  return lastChosen < count - 1 ? { beforeIndex: lastChosen + 2 < count ? lastChosen + 2 : null } : undefined;
}
