// Groups tracks that are connected by pairs, such that no two tracks of a group differ more in length than two files of
// one recording may.
import type { TrackId } from '../db/ids.ts';
import { LENGTH_TOLERANCE_MS } from '../media/fingerprint-match.ts';

interface TrackLength {
  trackId: TrackId;
  durationMs: number;
}
export type Pair = readonly [TrackId, TrackId];

/**
 * Returns groups of two or more tracks, each with ascending ids. A group begins with its shortest track, and contains
 * tracks up to the tolerance in length. No group contains two tracks of a pair in `dismissedPairs`, which a person has
 * dismissed.
 */
export function groupTracks(
  tracks: readonly TrackLength[],
  pairs: readonly Pair[],
  dismissedPairs: readonly Pair[] = [],
): TrackId[][] {
  const similarIds = neighbours(pairs);
  const dismissedIds = neighbours(dismissedPairs);
  const durationsById = new Map(
    tracks
      .toSorted((a, b) => a.durationMs - b.durationMs || a.trackId - b.trackId)
      .map(({ trackId, durationMs }) => [trackId, durationMs]),
  );
  const groups: TrackId[][] = [];
  for (const [shortest, durationMs] of durationsById) {
    durationsById.delete(shortest);
    const group = [shortest];
    for (const id of group) {
      // the loop adds to `group` while it iterates over it
      for (const otherId of similarIds.get(id) ?? []) {
        if (
          (durationsById.get(otherId) ?? Infinity) - durationMs > LENGTH_TOLERANCE_MS ||
          group.some((member) => dismissedIds.get(member)?.has(otherId))
        )
          continue;
        durationsById.delete(otherId);
        group.push(otherId);
      }
    }
    if (group.length > 1) groups.push(group.sort((a, b) => a - b));
  }
  return groups;
}

function neighbours(pairs: readonly Pair[]): Map<TrackId, Set<TrackId>> {
  const neighbourIds = new Map<TrackId, Set<TrackId>>();
  for (const [a, b] of [...pairs, ...pairs.map(([x, y]): Pair => [y, x])])
    neighbourIds.set(a, (neighbourIds.get(a) ?? new Set()).add(b));
  return neighbourIds;
}
