// A user's like and rating of an item, from its events in the order of their ids: the last `liked` and the last rating
// win.

export interface ItemState {
  liked: boolean;
  /** 0..5; 0 is no rating. */
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

export const nextState = (before: ItemState | undefined, { liked, rating, createdAt }: LikeChange): ItemState => ({
  liked,
  rating: rating ?? before?.rating ?? 0,
  since: before?.liked === liked ? before.since : createdAt,
});

/**
 * The event that merges a user's state of another item into the one that is kept; undefined when nothing changes. Liked
 * once is liked, and a rating of the kept item stays. The event has the time of the other item's like.
 */
export function changeToAbsorb(kept: ItemState | undefined, other: ItemState): LikeChange | undefined {
  const liked = kept?.liked === true || other.liked;
  const rating = (kept?.rating ?? 0) === 0 && other.rating > 0 ? other.rating : null;
  return liked === (kept?.liked ?? false) && rating === null ? undefined : { liked, rating, createdAt: other.since };
}
