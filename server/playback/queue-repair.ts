// Removes deleted tracks from a saved queue. The current track stays the same, or becomes the next remaining one.
interface QueuePlace {
  currentIndex: number;
  positionMs: number;
}

export function repairQueue<T>(
  trackIds: readonly T[],
  exists: (id: T) => boolean,
  { currentIndex, positionMs }: QueuePlace,
): QueuePlace & { trackIds: T[] } {
  const remainingIds = trackIds.filter(exists);
  if (remainingIds.length === trackIds.length) return { trackIds: remainingIds, currentIndex, positionMs };
  const remainingBefore = trackIds.slice(0, currentIndex).filter(exists).length;
  const current = trackIds[currentIndex];
  const isCurrentThere = current !== undefined && exists(current);
  return {
    trackIds: remainingIds,
    currentIndex: Math.max(0, Math.min(remainingBefore, remainingIds.length - 1)),
    positionMs: isCurrentThere ? positionMs : 0,
  };
}
