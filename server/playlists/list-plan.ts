// Plans the smallest set of writes that turns one list into another: dragging one track of thousands moves one entry.
import type { TrackId } from '../db/ids.ts';

/** An entry of the new list; without an id, it is added. */
interface WantedEntry {
  id: number | undefined;
  trackId: TrackId;
}

/** Consecutive entries to be placed between two that stay, given by their ids. */
interface Run<T> {
  before: number | undefined;
  after: number | undefined;
  entries: T[];
}

/** Indexes of a longest increasing subsequence; all other entries have to move. */
export function longestRising(values: readonly number[]): Set<number> {
  const ends: number[] = []; // index of the smallest last value, by length
  const previous = new Int32Array(values.length).fill(-1);
  for (const [at, value] of values.entries()) {
    const last = ends.at(-1);
    let low = last !== undefined && (values[last] as number) < value ? ends.length : 0; // values mostly increase
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous[at] = ends[low - 1] as number;
    ends[low] = at;
  }
  const rising = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) rising.add(at);
  return rising;
}

/** Entries to remove, and runs to place between those that stay. Skips the common start and end of both lists. */
export function planList<T extends { id: number | undefined }>(
  current: readonly number[],
  wanted: readonly T[],
): { removed: number[]; runs: Run<T>[] } {
  let [start, end, wantedEnd] = [0, current.length, wanted.length];
  while (start < Math.min(end, wantedEnd) && current[start] === wanted[start]?.id) start++;
  while (Math.min(end, wantedEnd) > start && current[end - 1] === wanted[wantedEnd - 1]?.id)
    [end, wantedEnd] = [end - 1, wantedEnd - 1];
  const [before, after] = [current[start - 1], current[end]];
  const [was, is] = [current.slice(start, end), wanted.slice(start, wantedEnd)];

  const placeOf = new Map<number, number>();
  for (const [at, id] of was.entries()) placeOf.set(id, at);
  const [kept, places]: [number[], number[]] = [[], []];
  for (const [at, { id }] of is.entries()) {
    const place = id === undefined ? undefined : placeOf.get(id);
    if (place !== undefined) [kept[kept.length], places[places.length]] = [at, place];
  }
  const stays = new Uint8Array(is.length);
  for (const n of longestRising(places)) stays[kept[n] as number] = 1;

  const runs: Run<T>[] = [];
  let run: Run<T> = { before, after, entries: [] };
  for (const [at, entry] of is.entries()) {
    if (stays[at] === 0) run.entries.push(entry);
    else if (run.entries.length === 0) run.before = entry.id;
    else {
      runs.push({ ...run, after: entry.id });
      run = { before: entry.id, after, entries: [] };
    }
  }
  if (run.entries.length > 0) runs.push(run);
  const removed = new Set(kept.length < was.length ? was : []);
  for (const { id } of is) {
    if (removed.size === 0) break;
    if (id !== undefined) removed.delete(id);
  }
  return { removed: [...removed], runs };
}

/** Assigns existing entries to the tracks, in order, so that a replaced list keeps as many entries as it can. */
export function reuseEntries(
  current: readonly { id: number; trackId: TrackId }[],
  trackIds: readonly TrackId[],
): WantedEntry[] {
  let same = 0; // tracks are mostly appended
  while (same < current.length && current[same]?.trackId === trackIds[same]) same++;
  const free = new Map<TrackId, number[]>();
  for (let at = current.length - 1; at >= same; at--) {
    const { id, trackId } = current[at] as (typeof current)[number];
    const ids = free.get(trackId);
    if (ids) ids.push(id);
    else free.set(trackId, [id]);
  }
  return trackIds.map((trackId, at) => ({
    id: at < same ? current[at]?.id : free.get(trackId)?.pop(),
    trackId,
  }));
}
