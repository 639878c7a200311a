// Endpoints of podcasts. The id of an episode is also its streamId.
import type { UserId } from '../../db/ids.ts';
import type { EpisodeSummary, PodcastRow } from '../../podcasts/queries.ts';
import type { PodcastService } from '../../podcasts/service.ts';
import { contentTypeOf } from '../../media/audio-formats.ts';
import { requireRight, EMPTY_PAYLOAD, userEndpoint, type Call, type Endpoints } from '../endpoint.ts';
import { idOf, toId } from '../ids.ts';
import { ALL, listOf, listOfRows, pagesOf } from '../list-slices.ts';
import { inSeconds } from '../wire.ts';
import type { Fields } from '../xml.ts';

export interface PodcastDeps {
  podcasts: PodcastService;
}

export function podcastEndpoints({ podcasts }: PodcastDeps): Endpoints {
  const toChannel = (userId: UserId, podcast: PodcastRow, withEpisodes: boolean): Fields => ({
    id: toId('podcast', podcast.id),
    url: podcast.url,
    title: podcast.title,
    description: podcast.description ?? undefined,
    coverArt: toId('podcast', podcast.id),
    originalImageUrl: podcast.imageUrl ?? undefined,
    status: podcast.status,
    errorMessage: podcast.error ?? undefined,
    ...(withEpisodes && {
      episode: listOf(
        pagesOf(ALL, (page) => podcasts.episodes(userId, podcast.id, page).items),
        toEpisode,
      ),
    }),
  });

  return {
    getPodcasts: userEndpoint(({ params, user: { id } }) => {
      const podcastText = params.text('id');
      const withEpisodes = params.bool('includeEpisodes', true);
      const podcastRows = podcastText === undefined ? podcasts.list() : [podcasts.get(idOf('podcast', podcastText))];
      return { podcasts: { channel: podcastRows.map((podcast) => toChannel(id, podcast, withEpisodes)) } };
    }),
    getNewestPodcasts: userEndpoint(({ params, user: { id } }) => ({
      newestPodcasts: {
        episode: listOfRows(podcasts.newest(id, params.count('count', { or: 20, max: 500 })), toEpisode),
      },
    })),
    getPodcastEpisode: userEndpoint(({ params, user: { id } }) => ({
      podcastEpisode: toEpisode(podcasts.episode(id, idOf('episode', params.required('id')))),
    })),

    refreshPodcasts: managerEndpoint(async () => podcasts.refresh()),
    createPodcastChannel: managerEndpoint(async ({ params }) => void (await podcasts.add(params.required('url')))),
    deletePodcastChannel: managerEndpoint(({ params }) => podcasts.remove(idOf('podcast', params.required('id')))),
    downloadPodcastEpisode: managerEndpoint(
      async ({ params, user: { id } }) => void (await podcasts.download(id, idOf('episode', params.required('id')))),
    ),
    deletePodcastEpisode: managerEndpoint(({ params, user: { id } }) =>
      podcasts.removeDownload(id, idOf('episode', params.required('id'))),
    ),
  };
}

const managerEndpoint = (act: (call: Call) => Promise<void>) =>
  requireRight(
    'canPodcast',
    userEndpoint(async (call) => {
      await act(call);
      return EMPTY_PAYLOAD;
    }),
  );

/**
 * Converts an episode. `streamId` is set only after the download, because the protocol has no field for streaming
 * before it.
 */
export const toEpisode = (episode: EpisodeSummary): Fields => {
  const id = toId('episode', episode.id);
  const channelId = toId('podcast', episode.podcastId);
  const suffix = episode.format ?? 'mp3';
  return {
    id,
    parent: channelId,
    isDir: false,
    title: episode.title,
    album: episode.podcastTitle,
    artist: episode.podcastTitle,
    year: episode.publishedAt.getUTCFullYear(),
    genre: 'Podcast',
    coverArt: channelId,
    size: episode.sizeBytes ?? undefined,
    contentType: contentTypeOf(suffix).replace(/;.*/, ''),
    suffix,
    duration: episode.durationMs === null ? undefined : inSeconds(episode.durationMs),
    isVideo: false,
    created: episode.createdAt,
    type: 'podcast',
    bookmarkPosition: episode.positionMs ?? undefined,
    streamId: episode.status === 'completed' ? id : undefined,
    channelId,
    description: episode.description ?? undefined,
    status: episode.status,
    publishDate: episode.publishedAt,
  };
};
