// The music folders, and the server's disk to choose one from.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  MusicFolderIn,
  MusicFolderOut,
  MusicFolderPatch,
  MusicFoldersOut,
  RemovalOut,
  ServerFolderOut,
} from '../../server/music-folders/wire.ts';
import { request } from './client.ts';

const MUSIC_FOLDERS_KEY = 'music-folders';

export const musicFoldersQuery = () =>
  queryOptions({
    queryKey: [MUSIC_FOLDERS_KEY] as const,
    queryFn: async ({ signal }) => (await request<MusicFoldersOut>('/music-folders', { signal })).items,
  });

/** Without a path, where the server begins. */
export const serverFolderQuery = (path: string | undefined) =>
  queryOptions({
    queryKey: ['server-folders', path] as const,
    queryFn: ({ signal }) => request<ServerFolderOut>('/server-folders', { query: path ? { path } : {}, signal }),
    retry: false,
  });

export const whatRemovalDoes = (id: number) =>
  request<RemovalOut>(`/music-folders/${id}`, { method: 'DELETE', query: { dry_run: true } });

/** A change of the music folders, after which they, the settings and the sources are read again. */
function useChange<V, R>(change: (variables: V) => Promise<R>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries() });
}

export const useAddMusicFolder = () =>
  useChange((body: MusicFolderIn) => request<MusicFolderOut>('/music-folders', { method: 'POST', body }));
export const useChangeMusicFolder = () =>
  useChange(({ id, ...body }: MusicFolderPatch & { id: number }) =>
    request<MusicFolderOut>(`/music-folders/${id}`, { method: 'PATCH', body }),
  );
export const useRemoveMusicFolder = () =>
  useChange((id: number) => request<RemovalOut>(`/music-folders/${id}`, { method: 'DELETE' }));
export const useRestoreMusicFolder = () =>
  useChange((id: number) => request<MusicFolderOut>(`/music-folders/${id}/restore`, { method: 'POST' }));
