import { toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { toTrackOut } from '../library/wire-maps.ts';
import type { BookmarkService } from './bookmarks.ts';
import type { QueueService } from './queue.ts';
import {
  BookmarkIn,
  BookmarkOut,
  BookmarkPage,
  BookmarkParam,
  PlaybackPageQuery,
  QueueIn,
  QueueOut,
  QueueTracksPage,
  toBookmarkOut,
  toListening,
  toQueueOut,
} from './wire.ts';

export const playbackRoutes = ({ queue, bookmarks }: { queue: QueueService; bookmarks: BookmarkService }): Route[] => [
  route(
    {
      method: 'get',
      path: '/queue',
      access: 'user',
      summary: 'Your play queue, as saved last',
      reply: QueueOut,
    },
    async ({ user }) => toQueueOut(await queue.get(user.id)),
  ),

  route(
    {
      method: 'put',
      path: '/queue',
      access: 'user',
      summary: 'Save your play queue; an empty one clears it',
      body: QueueIn,
      longLists: ['track_ids'],
      reply: QueueOut,
    },
    async ({ user, body }) =>
      toQueueOut(
        await queue.save(user.id, {
          trackIds: body.track_ids,
          currentIndex: body.current_index,
          positionMs: body.position_ms,
          listening: body.listening ? toListening(body.listening) : null,
          client: body.client ?? null,
        }),
      ),
  ),

  route(
    {
      method: 'get',
      path: '/queue/tracks',
      access: 'user',
      summary: 'The tracks of your play queue, in order',
      query: PlaybackPageQuery,
      reply: QueueTracksPage,
    },
    async ({ user, query }) => toPaged(await queue.tracks(user.id, query), query, toTrackOut),
  ),

  route(
    {
      method: 'get',
      path: '/bookmarks',
      access: 'user',
      summary: 'Your bookmarks, last changed first',
      query: PlaybackPageQuery,
      reply: BookmarkPage,
    },
    ({ user, query }) => toPaged(bookmarks.list(user.id, query), query, toBookmarkOut),
  ),

  route(
    {
      method: 'get',
      path: '/bookmarks/:track_id',
      access: 'user',
      summary: 'Your bookmark in a track',
      params: BookmarkParam,
      reply: BookmarkOut,
    },
    ({ user, params }) => toBookmarkOut(bookmarks.get(user.id, params.track_id)),
  ),

  route(
    {
      method: 'put',
      path: '/bookmarks/:track_id',
      access: 'user',
      summary: 'Set or move your bookmark in a track',
      params: BookmarkParam,
      body: BookmarkIn,
      reply: BookmarkOut,
    },
    ({ user, params, body }) =>
      toBookmarkOut(bookmarks.set(user.id, params.track_id, { positionMs: body.position_ms, comment: body.comment })),
  ),

  route(
    {
      method: 'delete',
      path: '/bookmarks/:track_id',
      access: 'user',
      summary: 'Remove your bookmark',
      params: BookmarkParam,
    },
    ({ user, params }) => bookmarks.remove(user.id, params.track_id),
  ),
];
