// REST API of podcasts.
import { z } from 'zod';
import { EpisodeIdIn, PodcastIdIn } from '../db/ids.ts';
import { idParam, toPaged } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { AUDIO_CONTENT_TYPES } from '../media/audio-formats.ts';
import type { SendEpisode } from './send-episode.ts';
import type { PodcastService } from './service.ts';
import {
  EpisodeOut,
  EpisodePage,
  EpisodeQuery,
  PodcastIn,
  PodcastList,
  PodcastOut,
  PositionIn,
  toEpisodeOut,
  toPodcastOut,
} from './wire.ts';

const PodcastParam = idParam(PodcastIdIn);
const EpisodeParam = idParam(EpisodeIdIn);
const manage = { access: 'user', right: 'canPodcast' } as const;

export const podcastRoutes = (podcasts: PodcastService, send: SendEpisode): Route[] => [
  route({ method: 'get', path: '/podcasts', access: 'user', summary: 'Podcasts by title', reply: PodcastList }, () =>
    podcasts.list().map(toPodcastOut),
  ),
  route(
    {
      ...manage,
      method: 'post',
      path: '/podcasts',
      summary: 'Add a podcast by the address of its feed, which is read in the background',
      body: PodcastIn,
      reply: PodcastOut,
      status: [201],
      problems: ['queue_unavailable'],
    },
    async ({ body }) => toPodcastOut(await podcasts.add(body.url)),
  ),
  route(
    {
      ...manage,
      method: 'delete',
      path: '/podcasts/:id',
      summary: 'Remove a podcast with its episodes',
      params: PodcastParam,
    },
    ({ params }) => podcasts.remove(params.id),
  ),
  route(
    {
      ...manage,
      method: 'post',
      path: '/podcasts/:id/refresh',
      summary: 'Look for new episodes now',
      params: PodcastParam,
      problems: ['queue_unavailable'],
    },
    ({ params }) => podcasts.refresh(params.id),
  ),
  route(
    {
      method: 'get',
      path: '/podcasts/:id/episodes',
      access: 'user',
      summary: 'Episodes of a podcast, newest first',
      params: PodcastParam,
      query: EpisodeQuery,
      reply: EpisodePage,
    },
    ({ user, params, query }) => toPaged(podcasts.episodes(user.id, params.id, query), query, toEpisodeOut),
  ),
  route(
    {
      ...manage,
      method: 'post',
      path: '/podcast-episodes/:id/download',
      summary: 'Download an episode',
      params: EpisodeParam,
      reply: EpisodeOut,
      status: [202],
      problems: ['queue_unavailable'],
    },
    async ({ user, params }) => toEpisodeOut(await podcasts.download(user.id, params.id)),
  ),
  route(
    {
      ...manage,
      method: 'delete',
      path: '/podcast-episodes/:id/download',
      summary: 'Delete the downloaded audio of an episode',
      params: EpisodeParam,
    },
    ({ user, params }) => podcasts.removeDownload(user.id, params.id),
  ),
  route(
    {
      method: 'put',
      path: '/podcast-episodes/:id/position',
      access: 'user',
      summary: 'Note where you stopped in an episode',
      params: EpisodeParam,
      body: PositionIn,
    },
    ({ user, params, body }) => podcasts.setPosition(user.id, params.id, { positionMs: body.position_ms }),
  ),
  route(
    {
      method: 'get',
      path: '/podcast-episodes/:id/audio',
      access: 'stream',
      summary: 'The audio of an episode: the downloaded file, or relayed from its server',
      params: EpisodeParam,
      query: z.object({ token: z.string().optional() }),
      status: [200, 206, 304],
      produces: AUDIO_CONTENT_TYPES,
    },
    ({ user, params, req, res, signal }) =>
      send(req, res, podcasts.episode(user.id, params.id), signal, {
        disposition: 'inline',
        maxKbps: user.maxBitrateKbps,
      }),
  ),
];
