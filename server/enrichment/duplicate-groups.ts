// Which pairs make one group: tracks that are joined by pairs, and no two of them further apart in length than the same
// recording may be. Pure.
import type { TrackId } from '../db/ids.ts';
import { LENGTH_TOLERANCE_MS } from '../media/fingerprint-match.ts';

export interface Heard {
  trackId: TrackId;
  durationMs: number;
}
export type Pair = readonly [TrackId, TrackId];

/**
 * Groups of two and more, ids rising. A chain that grows too long in time is cut where it does, from the shortest track
 * on, and no group holds two tracks that a person told `apart`.
 */
export function groupTracks(heard: readonly Heard[], pairs: readonly Pair[], apart: readonly Pair[] = []): TrackId[][] {
  const alike = neighbours(pairs);
  const strangers = neighbours(apart);
  const left = new Map(
    heard
      .toSorted((a, b) => a.durationMs - b.durationMs || a.trackId - b.trackId)
      .map(({ trackId, durationMs }) => [trackId, durationMs]),
  );
  const groups: TrackId[][] = [];
  for (const [shortest, durationMs] of left) {
    left.delete(shortest);
    const group = [shortest];
    for (const id of group) {
      // grows while it is walked
      for (const other of alike.get(id) ?? []) {
        if (
          (left.get(other) ?? Infinity) - durationMs > LENGTH_TOLERANCE_MS ||
          group.some((member) => strangers.get(member)?.has(other))
        )
          continue;
        left.delete(other);
        group.push(other);
      }
    }
    if (group.length > 1) groups.push(group.sort((a, b) => a - b));
  }
  return groups;
}

function neighbours(pairs: readonly Pair[]): Map<TrackId, Set<TrackId>> {
  const of = new Map<TrackId, Set<TrackId>>();
  for (const [a, b] of [...pairs, ...pairs.map(([x, y]): Pair => [y, x])]) of.set(a, (of.get(a) ?? new Set()).add(b));
  return of;
}
