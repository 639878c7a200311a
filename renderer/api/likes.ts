// Likes and ratings of tracks, albums and artists. A change made in this window or reported by an event overrides the
// cached lists. The server's response replaces the override, and a rejected request reverts it.
import { useQueryClient, type MutationOptions, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { request } from './client.ts';
import type { LikeState } from './routes.ts';
import { LIBRARY } from './library.ts';
import { onSessionChange } from './session.ts';

export type LikeType = LikeState['item_type'];
export interface Likeable {
  id: number;
  liked: boolean;
}

const listeners = new Set<() => void>();
const likeStates = new Map<string, boolean>();
const keyOf = (type: LikeType, id: number) => `${type}-${id}`;

function noteState(type: LikeType, id: number, liked: boolean | undefined): void {
  if (liked === undefined) likeStates.delete(keyOf(type, id));
  else likeStates.set(keyOf(type, id), liked);
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Clears the overrides when another user signs in or events were missed. */
export function forgetLikes(): void {
  likeStates.clear();
  for (const listener of listeners) listener();
}
onSessionChange(forgetLikes);

/** Applies a change that another window or a phone made. */
export function noteLike(queries: QueryClient, { item_type, item_id, liked }: LikeState): void {
  noteState(item_type, item_id, liked);
  // refetches the lists that contain only liked items
  void queries.invalidateQueries({
    predicate: ({ queryKey }) =>
      queryKey[0] === LIBRARY &&
      queryKey.some(
        (keyPart) =>
          typeof keyPart === 'object' && keyPart !== null && 'liked' in keyPart && keyPart.liked !== undefined,
      ),
  });
}

export const isLiked = (type: LikeType, item: Likeable): boolean => likeStates.get(keyOf(type, item.id)) ?? item.liked;
export const useLiked = (type: LikeType, item: Likeable): boolean =>
  useSyncExternalStore(subscribe, () => isLiked(type, item));

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
  const options: MutationOptions<LikeState, Error, LikeChange, boolean | undefined> = {
    mutationFn: ({ type, item, liked, rating }: LikeChange) =>
      request('POST /likes', {
        body: {
          item_type: type,
          item_id: item.id,
          liked: liked ?? item.liked,
          ...(rating !== undefined && { rating }),
        },
      }),
    onMutate: ({ type, item, liked }) => {
      const previousState = likeStates.get(keyOf(type, item.id));
      noteState(type, item.id, liked ?? item.liked);
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
