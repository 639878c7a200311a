import type { LibraryOffer } from '../library/module.ts';
import type { Base, Module } from '../module.ts';
import { likeRoutes } from './routes.ts';
import { createLikeService } from './service.ts';
import { createLikeMerge } from './track-merge.ts';
import { likeEvent, toLikeState } from './wire.ts';

export function likesModule({ db, now, events, onMerge }: Base & Pick<LibraryOffer, 'onMerge'>) {
  const likes = createLikeService({
    db,
    now,
    onChange: (userId, state) => events.publish(likeEvent, toLikeState(state), { audience: { userId } }),
  });
  onMerge(createLikeMerge({ db }));
  return { offers: likes, routes: likeRoutes(likes) } satisfies Module;
}
