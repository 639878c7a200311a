// REST API of the history and imports. Users see and change only their own.
import { toPaged } from '../http/paging.ts';
import { Reply, route, type Route } from '../http/route.ts';
import type { HistoryImports } from './imports.ts';
import type { NowPlayingService } from './now-playing.ts';
import { playerOf } from './player.ts';
import { PLAY_FORMS, RANGE_FORMS } from './other-forms.ts';
import type { HistoryService } from './service.ts';
import {
  HistoryBody,
  HistoryImportOut,
  ImportQuery,
  HistoryImportPage,
  HistoryImportParam,
  HistoryOut,
  HistoryPage,
  HistoryQuery,
  HistoryReply,
  NowPlayingIn,
  NowPlayingOut,
  PlayParam,
  toHistoryBatchOut,
  toHistoryImportOut,
  toHistoryOut,
  toNowPlayingOut,
  toPlayReport,
} from './wire.ts';

interface HistoryRouteDeps {
  history: HistoryService;
  nowPlaying: NowPlayingService;
  imports: HistoryImports;
}

export const historyRoutes = ({ history, nowPlaying, imports }: HistoryRouteDeps): Route[] => [
  route(
    {
      method: 'post',
      path: '/history',
      access: 'user',
      body: HistoryBody,
      accepts: PLAY_FORMS,
      reply: HistoryReply,
      status: [201, 200],
      summary:
        'Record a play, or several as {items}; a repeated one (the same play_id, or the same played_at of the track) ' +
        'returns 200. Clients should report tracks that were played to half or for four minutes',
    },
    async ({ user, body }) => {
      if ('items' in body) {
        const out = toHistoryBatchOut(await history.recordMany(user.id, body.items.map(toPlayReport)));
        return new Reply(out.recorded > 0 ? 201 : 200, out);
      }
      const { play, isNew } = history.record(user.id, toPlayReport(body));
      return new Reply(isNew ? 201 : 200, toHistoryOut(play));
    },
  ),

  route(
    {
      method: 'get',
      path: '/history',
      access: 'user',
      summary: 'Your plays, newest first',
      query: HistoryQuery,
      accepts: RANGE_FORMS,
      reply: HistoryPage,
      hasEtag: true,
    },
    async ({ user, query }) =>
      toPaged(
        await history.list(user.id, { trackId: query.track_id, from: query.from, to: query.to }, query),
        query,
        toHistoryOut,
      ),
  ),

  route(
    {
      method: 'delete',
      path: '/history/:id',
      access: 'user',
      summary: 'Withdraw a play, so that it no longer counts',
      params: PlayParam,
    },
    ({ user, params }) => history.withdraw(user.id, params.id),
  ),

  route(
    {
      method: 'post',
      path: '/history/:id/restore',
      access: 'user',
      summary: 'Restore a withdrawn play',
      params: PlayParam,
      reply: HistoryOut,
    },
    ({ user, params }) => toHistoryOut(history.restore(user.id, params.id)),
  ),

  route(
    {
      method: 'get',
      path: '/history/now-playing',
      access: 'user',
      summary: 'What you are playing, on the device that reported last',
      reply: NowPlayingOut,
    },
    ({ user }) => toNowPlayingOut(nowPlaying.get(user.id)),
  ),

  route(
    {
      method: 'post',
      path: '/history/now-playing',
      access: 'user',
      summary: 'Report what you are playing; records no play',
      body: NowPlayingIn,
    },
    ({ user, body, req }) =>
      nowPlaying.set(user.id, playerOf({ user, req, client: body.client ?? null }), {
        trackId: body.track_id,
        positionMs: body.position_ms,
      }),
  ),

  route(
    {
      method: 'post',
      path: '/history/import',
      access: 'user',
      summary:
        'Import plays from an export of ListenBrainz or Last.fm (multipart field "file"); runs in the background',
      consumes: 'multipart/form-data',
      reply: HistoryImportOut,
      status: [202],
    },
    async ({ user, req, signal }) => toHistoryImportOut(await imports.receive(user.id, req, signal)),
  ),

  route(
    {
      method: 'get',
      path: '/history/imports',
      access: 'user',
      summary: 'Your imports, newest first',
      query: ImportQuery,
      reply: HistoryImportPage,
    },
    ({ user, query }) => toPaged(imports.list(user.id, query), query, toHistoryImportOut),
  ),

  route(
    {
      method: 'get',
      path: '/history/imports/:id',
      access: 'user',
      summary: 'Progress of an import, and the songs without a match',
      params: HistoryImportParam,
      reply: HistoryImportOut,
    },
    ({ user, params }) => toHistoryImportOut(imports.get(user.id, params.id)),
  ),
];
