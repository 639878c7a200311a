// A saved queue may name tracks that were deleted since. They fall out; the place in the queue stays with the track it
// was on, or goes to the next that is left.
export interface QueuePlace {
  currentIndex: number;
  positionMs: number;
}

export function repairQueue<T>(
  trackIds: readonly T[],
  isThere: (id: T) => boolean,
  { currentIndex, positionMs }: QueuePlace,
): QueuePlace & { trackIds: T[] } {
  const kept = trackIds.filter(isThere);
  if (kept.length === trackIds.length) return { trackIds: kept, currentIndex, positionMs };
  const before = trackIds.slice(0, currentIndex).filter(isThere).length;
  const current = trackIds[currentIndex];
  const isCurrentThere = current !== undefined && isThere(current);
  return {
    trackIds: kept,
    currentIndex: Math.max(0, Math.min(before, kept.length - 1)),
    positionMs: isCurrentThere ? positionMs : 0,
  };
}
