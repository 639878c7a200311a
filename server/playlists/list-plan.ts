// What has to be written so that a list becomes another one: as little as possible. Dragging one track of thousands moves one entry.
import type { TrackId } from '../db/ids.ts';

export interface PlacedEntry { id: number; position: number }
/** An entry of the list as it is to be. One that the list does not have yet gets a new id, unless it has one from an earlier version. */
export interface WantedEntry { id: number | undefined; trackId: TrackId }

/** A run of entries that stand one after the other between two that stay where they are. */
export interface Run<T> { before: number | undefined; after: number | undefined; entries: T[] }

/** Indexes of a longest part of the numbers that rises; what is not in it has to move. */
export function longestRising(values: readonly number[]): Set<number> {
  const ends: number[] = []; // index of the smallest end of a rising part, by its length
  const previous = new Int32Array(values.length).fill(-1);
  values.forEach((value, at) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[at] = ends[low - 1] as number;
    ends[low] = at;
  });
  const rising = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) rising.add(at);
  return rising;
}

/** `current` in order. The wanted entries that stay where they are, and in between the runs that have to be placed. */
export function planList<T extends WantedEntry>(current: readonly PlacedEntry[], wanted: readonly T[]): { removed: number[]; runs: Run<T>[] } {
  const placeOf = new Map(current.map(({ id }, at) => [id, at]));
  const kept = wanted.map(({ id }, at) => ({ at, place: id === undefined ? undefined : placeOf.get(id) })).filter((entry) => entry.place !== undefined);
  const rising = longestRising(kept.map(({ place }) => place as number));
  const stays = new Map(kept.filter((_, n) => rising.has(n)).map(({ at, place }) => [at, current[place as number]?.position as number]));

  const runs: Run<T>[] = [];
  let run: Run<T> = { before: undefined, after: undefined, entries: [] };
  wanted.forEach((entry, at) => {
    const position = stays.get(at);
    if (position === undefined) return void run.entries.push(entry);
    run.after = position;
    runs.push(run);
    run = { before: position, after: undefined, entries: [] };
  });
  runs.push(run);
  const wantedIds = new Set(wanted.map(({ id }) => id));
  return { removed: current.filter(({ id }) => !wantedIds.has(id)).map(({ id }) => id), runs: runs.filter(({ entries }) => entries.length > 0) };
}

/** Finds for each track an entry that the list has already, the first ones first, so that a replaced list keeps what it can. */
export function reuseEntries(current: readonly { id: number; trackId: TrackId }[], trackIds: readonly TrackId[]): WantedEntry[] {
  const free = new Map<TrackId, number[]>();
  for (const { id, trackId } of current.toReversed()) {
    const ids = free.get(trackId);
    if (ids) ids.push(id);
    else free.set(trackId, [id]);
  }
  return trackIds.map((trackId) => ({ id: free.get(trackId)?.pop(), trackId }));
}
