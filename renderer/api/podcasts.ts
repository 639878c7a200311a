// Podcasts and their episodes.
import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
  type InfiniteData,
} from '@tanstack/react-query';
import type { EpisodePage } from '../../server/podcasts/wire.ts';
import type { EpisodeOut } from './routes.ts';
import { request } from './client.ts';

export const PODCASTS = 'podcasts';

export const podcastsQuery = () =>
  queryOptions({
    queryKey: [PODCASTS] as const,
    queryFn: ({ signal }) => request('GET /podcasts', { signal }),
  });

const EPISODES_PAGE_SIZE = 50;

export const episodesQuery = (podcastId: number) =>
  infiniteQueryOptions({
    queryKey: [PODCASTS, podcastId] as const,
    queryFn: ({ pageParam: offset, signal }) =>
      request('GET /podcasts/{id}/episodes', {
        path: { id: podcastId },
        query: { limit: EPISODES_PAGE_SIZE, offset },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, items, total }) =>
      offset + items.length < total ? offset + EPISODES_PAGE_SIZE : undefined,
  });

function usePodcastMutation<In, Out>(mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [PODCASTS] }) });
}

export const useAddPodcast = () => usePodcastMutation((url: string) => request('POST /podcasts', { body: { url } }));
export const useRemovePodcast = () =>
  usePodcastMutation((id: number) => request('DELETE /podcasts/{id}', { path: { id } }));
export const useRefreshPodcast = () =>
  usePodcastMutation((id: number) => request('POST /podcasts/{id}/refresh', { path: { id } }));
export const useDownloadEpisode = () =>
  usePodcastMutation((id: number) => request('POST /podcast-episodes/{id}/download', { path: { id } }));
export const useRemoveDownload = () =>
  usePodcastMutation((id: number) => request('DELETE /podcast-episodes/{id}/download', { path: { id } }));

/** Saves the listener's position in an episode; the server sends no event for it. */
export function useSavePosition() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, position_ms }: Pick<EpisodeOut, 'id' | 'podcast_id'> & { position_ms: number }) =>
      request('PUT /podcast-episodes/{id}/position', { path: { id }, body: { position_ms } }),
    onMutate: ({ id, podcast_id, position_ms }) =>
      queries.setQueryData<InfiniteData<EpisodePage, number>>([PODCASTS, podcast_id], (data) => {
        if (!data) return data;
        const withPosition = (episode: EpisodeOut) => (episode.id === id ? { ...episode, position_ms } : episode);
        return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(withPosition) })) };
      }),
  });
}
