// Music of online sources: searching, saving and downloading tracks, and the current downloads.
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { request } from './client.ts';
import type { DownloadJobOut, FetchOut, SearchHit } from './routes.ts';
import { LIBRARY } from './library.ts';

/**
 * Returns the query of the sources; it is refetched when the user returns from the settings window, where sources are
 * switched on.
 */
export const sourcesQuery = () =>
  queryOptions({
    queryKey: ['sources'] as const,
    queryFn: ({ signal }) => request('GET /sources', { signal }),
    staleTime: 5_000,
    refetchOnWindowFocus: true,
  });

/** Returns whether an online source can be searched. */
export const useHasCatalogue = (): boolean =>
  useQuery(sourcesQuery()).data?.some(({ enabled, capabilities }) => enabled && capabilities.includes('search')) ??
  false;

export const remoteSearchQuery = (q: string) =>
  queryOptions({
    queryKey: ['remote-search', q] as const,
    queryFn: ({ signal }) => request('GET /search', { query: { q, limit: 50, sources: 'streamsrc' }, signal }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });

export function useSaveRemote() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ source, source_id, title, artist_name, album_title, duration_ms, year, cover_url }: SearchHit) =>
      request('POST /tracks/remote', {
        body: { source, source_id, title, artist_name, album_title, duration_ms, year, cover_url },
      }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['remote-search'] }),
        queries.invalidateQueries({ queryKey: [LIBRARY] }),
      ]),
  });
}

const DOWNLOADS = ['downloads'] as const;
export const downloadsQuery = () =>
  queryOptions({
    queryKey: DOWNLOADS,
    queryFn: ({ signal }) => request('GET /downloads', { query: { limit: 100 }, signal }),
  });

/** Updates a download from an event. Another window or a phone may have started the download. */
export function noteDownload(queries: QueryClient, download: DownloadJobOut): void {
  const isListed = queries.getQueryData(downloadsQuery().queryKey)?.items.some(({ id }) => id === download.id);
  if (!isListed) return void queries.invalidateQueries({ queryKey: DOWNLOADS });
  queries.setQueryData(
    downloadsQuery().queryKey,
    (page) => page && { ...page, items: page.items.map((item) => (item.id === download.id ? download : item)) },
  );
}

/** Changes a download, and refetches the downloads and the availability of tracks. */
function useDownloadMutation<Output>(mutationFn: (id: number) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: DOWNLOADS }),
        queries.invalidateQueries({ queryKey: ['remote-search'] }),
        queries.invalidateQueries({ queryKey: [LIBRARY] }),
      ]),
  });
}

/** Starts the download of a placeholder's audio, by track id. */
export const materialize = (trackId: number, signal?: AbortSignal): Promise<FetchOut> =>
  request('POST /tracks/{id}/materialize', { path: { id: trackId }, signal });
const findDownload = (id: number, signal?: AbortSignal): Promise<DownloadJobOut> =>
  request('GET /downloads/{id}', { path: { id }, signal });

const LOOK_EVERY_MS = 500;

/**
 * Downloads the audio of a placeholder and waits for it. Returns true when the audio is available. Does not wait for a
 * second attempt, which may be minutes away.
 */
export async function fetchAudio(trackId: number, signal: AbortSignal): Promise<boolean> {
  try {
    let download = await materialize(trackId, signal);
    while (download.id !== null && (download.status === 'queued' || download.status === 'running')) {
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_EVERY_MS);
      });
      download = await findDownload(download.id, signal);
    }
    return download.status === 'succeeded';
  } catch {
    return false;
  }
}

export const useMaterialize = () => useDownloadMutation((trackId) => materialize(trackId));
export const useRetryDownload = () =>
  useDownloadMutation((id) => request('POST /downloads/{id}/retry', { path: { id } }));
export const useCancelDownload = () => useDownloadMutation((id) => request('DELETE /downloads/{id}', { path: { id } }));
