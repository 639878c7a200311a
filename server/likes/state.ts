// A user's like and rating of an item, computed from its events in the order of their ids: the last `liked` and the
// last rating win. A rating from the tags of a file has no event: it holds until a person rates the item.
import type { RatingOrigin } from '../db/schema.ts';

export interface ItemState {
  liked: boolean;
  /** 0 to 5; 0 means unrated. */
  rating: number;
  /** Null if the item was never rated; `person` also after a person removed the rating. */
  ratingOrigin: RatingOrigin | null;
  /** When `liked` last changed: liking an item again does not move it to the front. */
  since: Date;
}

export interface LikeChange {
  liked: boolean;
  /** Null leaves the rating unchanged. */
  rating: number | null;
  /** By default, a person gave the rating. */
  ratingOrigin?: RatingOrigin;
  createdAt: Date;
}

export const nextState = (
  previousState: ItemState | undefined,
  { liked, rating, ratingOrigin = 'person', createdAt }: LikeChange,
): ItemState => ({
  liked,
  rating: rating ?? previousState?.rating ?? 0,
  ratingOrigin: rating === null ? (previousState?.ratingOrigin ?? null) : ratingOrigin,
  since: previousState?.liked === liked ? previousState.since : createdAt,
});

/**
 * Returns the state of an item whose file has another rating in its tags; undefined if a person rated the item, or
 * removed its rating. `rating` is null if the tags have none any more.
 */
export function stateWithTagRating(
  state: ItemState | undefined,
  rating: number | null,
  now: Date,
): ItemState | undefined {
  if (state?.ratingOrigin === 'person' || (rating === null && state?.ratingOrigin !== 'tag')) return undefined;
  return {
    liked: state?.liked ?? false,
    rating: rating ?? 0,
    ratingOrigin: rating === null ? null : 'tag',
    since: state?.since ?? now,
  };
}

/**
 * Returns the event that merges a user's state of another item into the kept one; undefined when nothing changes. A
 * like of either item counts, and a rating of the kept item stays, unless it is from tags and a person rated the other
 * item. The event has the time of the other item's like.
 */
export function changeToAbsorb(ownState: ItemState | undefined, otherState: ItemState): LikeChange | undefined {
  const liked = ownState?.liked === true || otherState.liked;
  const isFromTag = otherState.ratingOrigin === 'tag';
  const isOwnWeaker = isFromTag
    ? (ownState?.rating ?? 0) === 0 && ownState?.ratingOrigin !== 'person'
    : (ownState?.rating ?? 0) === 0 || ownState?.ratingOrigin === 'tag';
  const rating = isOwnWeaker && otherState.rating > 0 ? otherState.rating : null;
  return liked === (ownState?.liked ?? false) && rating === null
    ? undefined
    : { liked, rating, ...(isFromTag && { ratingOrigin: 'tag' }), createdAt: otherState.since };
}
