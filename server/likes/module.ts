import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import type { UserId } from '../db/ids.ts';
import { createFolderLikes } from './folder-likes.ts';
import { likeRoutes } from './routes.ts';
import { createLikeService, type LikeSummary } from './service.ts';
import { createLikeMoves } from './like-moves.ts';
import { likeEvent, toLikeState } from './wire.ts';

type LikeListener = (userId: UserId, states: readonly LikeSummary[]) => void;

export type LikesOffer = ReturnType<typeof likesModule>['offers'];

type LikesModuleDeps = Base & Pick<LibraryOffer, 'onMerge' | 'onAnnotationsMove'>;

export function likesModule({ db, now, events, onMerge, onAnnotationsMove }: LikesModuleDeps) {
  const listeners: LikeListener[] = [
    (userId, states) => {
      for (const state of states) events.publish(likeEvent, toLikeState(state), { audience: { userId } });
    },
  ];
  const likes = createLikeService({
    db,
    now,
    onChange: (userId, states) => listeners.forEach((listener) => listener(userId, states)),
  });
  const { ofTracks, ofAlbumsAndArtists } = createLikeMoves({ db, now });
  onMerge(ofTracks);
  onAnnotationsMove(ofAlbumsAndArtists);
  const onChange = (listener: LikeListener): void => void listeners.push(listener);
  return {
    offers: { ...likes, onChange, folders: createFolderLikes({ db, now }) },
    routes: likeRoutes(likes),
  } satisfies Module;
}
