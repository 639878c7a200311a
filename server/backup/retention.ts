// Chooses the snapshots that are kept: the newest of each of the last days and weeks with snapshots. Days and weeks
// (from Monday) are in UTC.
import { snapshotTime } from './manifest.ts';

const DAY_MS = 86_400_000;

const dayOf = (id: string): number => Math.floor(snapshotTime(id).getTime() / DAY_MS);
/** Returns the number of the week. 1970-01-01 was a Thursday, three days after Monday. */
const weekOf = (id: string): number => Math.floor((dayOf(id) + 3) / 7);

/** Returns the ids to keep, newest first. The newest snapshot of all is always kept. */
export function snapshotsToKeep(
  ids: readonly string[],
  { daily, weekly }: { daily: number; weekly: number },
): string[] {
  const newestFirst = [...ids].sort().reverse();
  const keptIds = new Set([
    ...newestFirst.slice(0, 1),
    ...newestPerSpan(newestFirst, dayOf, daily),
    ...newestPerSpan(newestFirst, weekOf, weekly),
  ]);
  return newestFirst.filter((id) => keptIds.has(id));
}

function newestPerSpan(newestFirst: string[], spanOf: (id: string) => number, maxCount: number): string[] {
  const newestIds = new Map<number, string>();
  for (const id of newestFirst) if (!newestIds.has(spanOf(id))) newestIds.set(spanOf(id), id);
  return [...newestIds.values()].slice(0, maxCount);
}
