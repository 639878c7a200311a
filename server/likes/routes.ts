import { toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { LIKE_FORMS, STATE_FORMS } from './other-forms.ts';
import type { LikeService } from './service.ts';
import {
  LikeEvent,
  LikeEventPage,
  LikeQuery,
  LikeState,
  LikeStateQuery,
  LikeStates,
  toLikeEventOut,
  toLikeState,
} from './wire.ts';

export const likeRoutes = (likes: LikeService): Route[] => [
  route(
    {
      method: 'post',
      path: '/likes',
      access: 'user',
      summary: 'Like, unlike or rate a track, album or artist',
      body: LikeEvent,
      accepts: LIKE_FORMS,
      reply: LikeState,
    },
    ({ user, body }) =>
      toLikeState(
        likes.add(
          user.id,
          { itemType: body.item_type, itemId: body.item_id },
          { liked: body.liked, rating: body.rating ?? null },
        ),
      ),
  ),

  route(
    {
      method: 'get',
      path: '/likes',
      access: 'user',
      summary: 'Your history of likes and ratings, newest first',
      query: LikeQuery,
      reply: LikeEventPage,
      hasEtag: true,
    },
    ({ user, query }) => toPaged(likes.listEvents(user.id, query.item_type, query), query, toLikeEventOut),
  ),

  route(
    {
      method: 'get',
      path: '/likes/state',
      access: 'user',
      summary: 'Your likes and ratings of these items, or of all',
      query: LikeStateQuery,
      accepts: STATE_FORMS,
      reply: LikeStates,
      hasEtag: true,
    },
    ({ user, query }) =>
      (query.item_type !== undefined && query.item_id !== undefined
        ? likes.states(user.id, query.item_type, query.item_id)
        : likes.listStates(user.id, query.item_type, query)
      ).map(toLikeState),
  ),
];
