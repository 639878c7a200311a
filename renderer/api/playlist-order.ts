// Reordering a playlist whose entries are only partly loaded: those that are not are undefined. Pure.

type Entry = { entry_id: number } | undefined;

/**
 * The entries of `ids`, in that order, moved before `before` (null: to the end). An id that is not loaded stays where
 * it is.
 */
export function movedEntries<T extends Entry>(
  entries: readonly T[],
  ids: readonly number[],
  before: number | null,
): T[] {
  const going = new Map(ids.map((id) => [id, undefined as T | undefined]));
  const rest: T[] = [];
  for (const entry of entries) {
    if (entry !== undefined && going.has(entry.entry_id)) going.set(entry.entry_id, entry);
    else rest.push(entry);
  }
  const moved = [...going.values()].filter((entry) => entry !== undefined) as T[];
  const at = before === null ? rest.length : rest.findIndex((entry) => entry?.entry_id === before);
  return at < 0 ? [...entries] : [...rest.slice(0, at), ...moved, ...rest.slice(at)];
}

export function withoutEntries<T extends Entry>(entries: readonly T[], ids: readonly number[]): T[] {
  const gone = new Set(ids);
  return entries.filter((entry) => entry === undefined || !gone.has(entry.entry_id));
}

/**
 * The entry before which the selection goes to move by one row; undefined when it cannot move. Indexes are of the whole
 * list.
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
