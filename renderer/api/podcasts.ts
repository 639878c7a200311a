// Podcasts and their episodes.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { EpisodeOut, EpisodePage, PodcastOut } from '../../server/podcasts/wire.ts';
import { request } from './client.ts';

export const PODCASTS = 'podcasts';

export const podcastsQuery = () =>
  queryOptions({
    queryKey: [PODCASTS] as const,
    queryFn: ({ signal }) => request<PodcastOut[]>('/podcasts', { signal }),
  });

export const episodesQuery = (podcastId: number, limit: number) =>
  queryOptions({
    queryKey: [PODCASTS, podcastId, limit] as const,
    queryFn: ({ signal }) =>
      request<EpisodePage>(`/podcasts/${podcastId}/episodes`, { query: { limit, offset: 0 }, signal }),
    placeholderData: (before) => before,
  });

function usePodcastMutation<In, Out>(mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [PODCASTS] }) });
}

export const useAddPodcast = () =>
  usePodcastMutation((url: string) => request<PodcastOut>('/podcasts', { method: 'POST', body: { url } }));
export const useRemovePodcast = () =>
  usePodcastMutation((id: number) => request<void>(`/podcasts/${id}`, { method: 'DELETE' }));
export const useRefreshPodcast = () =>
  usePodcastMutation((id: number) => request<void>(`/podcasts/${id}/refresh`, { method: 'POST' }));
export const useDownloadEpisode = () =>
  usePodcastMutation((id: number) => request<EpisodeOut>(`/podcast-episodes/${id}/download`, { method: 'POST' }));
export const useRemoveDownload = () =>
  usePodcastMutation((id: number) => request<void>(`/podcast-episodes/${id}/download`, { method: 'DELETE' }));

/** Where the listener is now; asked for nowhere until the episode is opened again. */
export const savePosition = (id: number, positionMs: number): Promise<void> =>
  request<void>(`/podcast-episodes/${id}/position`, {
    method: 'PUT',
    body: { position_ms: Math.max(0, Math.round(positionMs)) },
  });
