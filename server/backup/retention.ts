// Which snapshots are kept: the newest of each of the last days and weeks with snapshots. Days and weeks (from Monday)
// are in UTC.
import { snapshotTime } from './manifest.ts';

const DAY_MS = 86_400_000;

const dayOf = (id: string): number => Math.floor(snapshotTime(id).getTime() / DAY_MS);
/** 1970-01-01 was a Thursday. */
const weekOf = (id: string): number => Math.floor((dayOf(id) + 3) / 7);

/** The ids to keep, newest first. The newest of all is always kept. */
export function snapshotsToKeep(
  ids: readonly string[],
  { daily, weekly }: { daily: number; weekly: number },
): string[] {
  const newestFirst = [...ids].sort().reverse();
  const kept = new Set([
    ...newestFirst.slice(0, 1),
    ...newestPer(newestFirst, dayOf, daily),
    ...newestPer(newestFirst, weekOf, weekly),
  ]);
  return newestFirst.filter((id) => kept.has(id));
}

function newestPer(newestFirst: string[], spanOf: (id: string) => number, most: number): string[] {
  const newest = new Map<number, string>();
  for (const id of newestFirst) if (!newest.has(spanOf(id))) newest.set(spanOf(id), id);
  return [...newest.values()].slice(0, most);
}
