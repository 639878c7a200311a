// Likes and ratings of tracks, albums and artists. A change made in this window or reported by an event overrides the
// cached lists. The server's response replaces the override, and a rejected request reverts it.
import { queryOptions, useQueryClient, type MutationOptions, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { request } from './client.ts';
import type { LikeState } from './routes.ts';
import { LIBRARY } from './library.ts';
import { onSessionChange } from './session.ts';

export type LikeType = LikeState['item_type'];
export interface Likeable {
  id: number;
  liked: boolean;
  /** 0 to 5 in halves; 0 is no rating. */
  rating?: number;
}

const listeners = new Set<() => void>();
interface ItemState {
  liked: boolean;
  rating: number;
}

const itemStates = new Map<string, ItemState>();
const keyOf = (type: LikeType, id: number) => `${type}-${id}`;

function noteState(type: LikeType, id: number, state: ItemState | undefined): void {
  if (state === undefined) itemStates.delete(keyOf(type, id));
  else itemStates.set(keyOf(type, id), state);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Clears the overrides when another user signs in or events were missed. */
export function forgetLikes(): void {
  itemStates.clear();
  for (const listener of listeners) listener();
}
onSessionChange(forgetLikes);

/** The like and rating of one item, with the origin of the rating. */
export const likeStateQuery = (type: LikeType, id: number) =>
  queryOptions({
    queryKey: [LIBRARY, 'like-state', type, id],
    queryFn: async ({ signal }): Promise<LikeState | null> => {
      const states = await request('GET /likes/state', { query: { item_type: type, item_id: [id] }, signal });
      return states[0] ?? null;
    },
  });

/** Applies a change that another window or a phone made. */
export function noteLike(queries: QueryClient, state: LikeState): void {
  const { item_type, item_id, liked, rating } = state;
  queries.setQueryData(likeStateQuery(item_type, item_id).queryKey, state);
  noteState(item_type, item_id, { liked, rating });
  // refetches the lists that contain only liked or rated items, or have them in the order of their ratings
  void queries.invalidateQueries({
    predicate: ({ queryKey }) =>
      queryKey[0] === LIBRARY &&
      queryKey.some(
        (keyPart) =>
          typeof keyPart === 'object' &&
          keyPart !== null &&
          (('liked' in keyPart && keyPart.liked !== undefined) ||
            ('rating_from' in keyPart && keyPart.rating_from !== undefined) ||
            ('sort' in keyPart && keyPart.sort === 'rating')),
      ),
  });
}

export const isLiked = (type: LikeType, item: Likeable): boolean =>
  itemStates.get(keyOf(type, item.id))?.liked ?? item.liked;
export const useLiked = (type: LikeType, item: Likeable): boolean =>
  useSyncExternalStore(subscribe, () => isLiked(type, item));

const ratingOf = (type: LikeType, item: Likeable): number =>
  itemStates.get(keyOf(type, item.id))?.rating ?? item.rating ?? 0;
export const useRating = (type: LikeType, item: Likeable): number =>
  useSyncExternalStore(subscribe, () => ratingOf(type, item));

interface LikeChange {
  type: LikeType;
  item: Likeable;
  liked?: boolean;
  rating?: number;
}

/**
 * Returns functions that like optimistically: the change is displayed at once, and reverted if the server rejects it.
 * This is not a useMutation, which would slow down every row of a list.
 */
export function useLike(onFailure: (error: Error) => void) {
  const queries = useQueryClient();
  const options: MutationOptions<LikeState, Error, LikeChange, ItemState | undefined> = {
    mutationFn: ({ type, item, liked, rating }: LikeChange) =>
      request('POST /likes', {
        body: {
          item_type: type,
          item_id: item.id,
          liked: liked ?? isLiked(type, item),
          ...(rating !== undefined && { rating }),
        },
      }),
    onMutate: ({ type, item, liked, rating }) => {
      const previousState = itemStates.get(keyOf(type, item.id));
      noteState(type, item.id, {
        liked: liked ?? isLiked(type, item),
        rating: rating ?? ratingOf(type, item),
      });
      return previousState;
    },
    onError: (error, { type, item }, previousState) => {
      noteState(type, item.id, previousState);
      onFailure(error);
    },
    onSuccess: (state) => noteLike(queries, state),
  };
  const mutateAsync = (change: LikeChange) => queries.getMutationCache().build(queries, options).execute(change);
  return { mutateAsync, mutate: (change: LikeChange) => void mutateAsync(change).catch(() => {}) };
}
