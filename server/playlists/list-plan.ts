// Plans the smallest set of writes that turns one list into another: dragging one track of thousands moves only one
// entry.
import type { TrackId } from '../db/ids.ts';

/** An entry of the new list; without an id, it is added. */
interface PlannedEntry {
  id: number | undefined;
  trackId: TrackId;
}

/** Consecutive entries to be placed between two entries that stay, which are given by their ids. */
interface Run<T> {
  before: number | undefined;
  after: number | undefined;
  entries: T[];
}

/** Returns the indexes of a longest increasing subsequence; all other entries have to move. */
export function longestRising(values: readonly number[]): Set<number> {
  const endIndexes: number[] = []; // by length, the index of the smallest value ending a subsequence
  const previous = new Int32Array(values.length).fill(-1);
  for (const [index, value] of values.entries()) {
    const lastEnd = endIndexes.at(-1);
    // values mostly increase, so the end is tried first
    let low = lastEnd !== undefined && (values[lastEnd] as number) < value ? endIndexes.length : 0;
    let high = endIndexes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[endIndexes[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[index] = endIndexes[low - 1] as number;
    endIndexes[low] = index;
  }
  const risingIndexes = new Set<number>();
  for (let index = endIndexes.at(-1) ?? -1; index >= 0; index = previous[index] as number) risingIndexes.add(index);
  return risingIndexes;
}

/**
 * Returns the entries to remove, and runs to place between those that stay. Skips the common start and end of both
 * lists.
 */
export function planList<T extends { id: number | undefined }>(
  current: readonly number[],
  newEntries: readonly T[],
): { removedIds: number[]; runs: Run<T>[] } {
  let [start, end, newEnd] = [0, current.length, newEntries.length];
  while (start < Math.min(end, newEnd) && current[start] === newEntries[start]?.id) start++;
  while (Math.min(end, newEnd) > start && current[end - 1] === newEntries[newEnd - 1]?.id)
    [end, newEnd] = [end - 1, newEnd - 1];
  const [previousId, nextId] = [current[start - 1], current[end]];
  const [oldIds, changedEntries] = [current.slice(start, end), newEntries.slice(start, newEnd)];

  const placeOf = new Map<number, number>();
  for (const [index, id] of oldIds.entries()) placeOf.set(id, index);
  const [entryIndexes, places]: [number[], number[]] = [[], []];
  for (const [index, { id }] of changedEntries.entries()) {
    const place = id === undefined ? undefined : placeOf.get(id);
    if (place !== undefined) [entryIndexes[entryIndexes.length], places[places.length]] = [index, place];
  }
  const isStaying = new Uint8Array(changedEntries.length);
  for (const n of longestRising(places)) isStaying[entryIndexes[n] as number] = 1;

  const runs: Run<T>[] = [];
  let currentRun: Run<T> = { before: previousId, after: nextId, entries: [] };
  for (const [index, entry] of changedEntries.entries()) {
    if (isStaying[index] === 0) currentRun.entries.push(entry);
    else if (currentRun.entries.length === 0) currentRun.before = entry.id;
    else {
      runs.push({ ...currentRun, after: entry.id });
      currentRun = { before: entry.id, after: nextId, entries: [] };
    }
  }
  if (currentRun.entries.length > 0) runs.push(currentRun);
  const removedIds = new Set(entryIndexes.length < oldIds.length ? oldIds : []);
  for (const { id } of changedEntries) {
    if (removedIds.size === 0) break;
    if (id !== undefined) removedIds.delete(id);
  }
  return { removedIds: [...removedIds], runs };
}

/** Assigns existing entries to the tracks, in order, so that a replaced list keeps as many entries as it can. */
export function reuseEntries(
  current: readonly { id: number; trackId: TrackId }[],
  trackIds: readonly TrackId[],
): PlannedEntry[] {
  let commonStart = 0; // tracks are mostly appended, so most entries are equal at the start
  while (commonStart < current.length && current[commonStart]?.trackId === trackIds[commonStart]) commonStart++;
  const freeIds = new Map<TrackId, number[]>();
  for (let index = current.length - 1; index >= commonStart; index--) {
    const { id, trackId } = current[index] as (typeof current)[number];
    const ids = freeIds.get(trackId);
    if (ids) ids.push(id);
    else freeIds.set(trackId, [id]);
  }
  return trackIds.map((trackId, index) => ({
    id: index < commonStart ? current[index]?.id : freeIds.get(trackId)?.pop(),
    trackId,
  }));
}
