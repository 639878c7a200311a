// A user's like and rating of an item, computed from its events in the order of their ids: the last `liked` and the
// last rating win.

export interface ItemState {
  liked: boolean;
  /** 0 to 5; 0 means unrated. */
  rating: number;
  /** When `liked` last changed: liking an item again does not move it to the front. */
  since: Date;
}

export interface LikeChange {
  liked: boolean;
  /** Null leaves the rating unchanged. */
  rating: number | null;
  createdAt: Date;
}

export const nextState = (
  previousState: ItemState | undefined,
  { liked, rating, createdAt }: LikeChange,
): ItemState => ({
  liked,
  rating: rating ?? previousState?.rating ?? 0,
  since: previousState?.liked === liked ? previousState.since : createdAt,
});

/**
 * Returns the event that merges a user's state of another item into the kept one; undefined when nothing changes. A
 * like of either item counts, and a rating of the kept item stays. The event has the time of the other item's like.
 */
export function changeToAbsorb(ownState: ItemState | undefined, otherState: ItemState): LikeChange | undefined {
  const liked = ownState?.liked === true || otherState.liked;
  const rating = (ownState?.rating ?? 0) === 0 && otherState.rating > 0 ? otherState.rating : null;
  return liked === (ownState?.liked ?? false) && rating === null
    ? undefined
    : { liked, rating, createdAt: otherState.since };
}
