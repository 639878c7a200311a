// Removes deleted tracks from a saved queue. The current track stays the same, or becomes the next one left.
interface QueuePlace {
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
