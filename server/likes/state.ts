// What the events of one item add up to, for one person. Events count in the order in which they arrived, which is the
// order of their ids: the last word on `liked` and the last rating given win.

export interface ItemState {
  liked: boolean;
  /** 0..5; 0 is no rating. */
  rating: number;
  /** When `liked` became what it is: liking twice does not bring an item to the front again. */
  since: Date;
}

export interface LikeChange {
  liked: boolean;
  /** Null leaves the rating as it was. */
  rating: number | null;
  createdAt: Date;
}

export const nextState = (before: ItemState | undefined, { liked, rating, createdAt }: LikeChange): ItemState => ({
  liked,
  rating: rating ?? before?.rating ?? 0,
  since: before?.liked === liked ? before.since : createdAt,
});

/**
 * The event that brings an item the person's state of another one that turned out to be the same; undefined when that
 * has nothing to add. Liked once is liked, an own rating stays. The event carries the time at which the other was
 * liked, because that is when it was.
 */
export function changeToAbsorb(kept: ItemState | undefined, other: ItemState): LikeChange | undefined {
  const liked = kept?.liked === true || other.liked;
  const rating = (kept?.rating ?? 0) === 0 && other.rating > 0 ? other.rating : null;
  return liked === (kept?.liked ?? false) && rating === null ? undefined : { liked, rating, createdAt: other.since };
}
