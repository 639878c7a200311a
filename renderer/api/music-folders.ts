// The music folders, and the folders of the server's disk from which one is chosen.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { MusicFolderIn, MusicFolderPatch } from './routes.ts';
import { request } from './client.ts';

const MUSIC_FOLDERS_KEY = 'music-folders';

export const musicFoldersQuery = () =>
  queryOptions({
    queryKey: [MUSIC_FOLDERS_KEY] as const,
    queryFn: async ({ signal }) => (await request('GET /music-folders', { signal })).items,
  });

/** Returns the query of a folder of the server; without a path, of its default start folder. */
export const serverFolderQuery = (path: string | undefined) =>
  queryOptions({
    queryKey: ['server-folders', path] as const,
    queryFn: ({ signal }) => request('GET /server-folders', { query: path ? { path } : {}, signal }),
    retry: false,
  });

/** Names that are counted of a folder in a list; the chosen folder is counted whole. */
const LISTED_FOLDER_LIMIT = 10_000;

/** Returns the query of how much music a folder of the server contains. */
export const folderContentsQuery = (path: string, { isListed = false } = {}) =>
  queryOptions({
    queryKey: ['server-folders', path, 'contents', isListed] as const,
    queryFn: ({ signal }) =>
      request('GET /server-folders/contents', {
        query: { path, ...(isListed && { limit: LISTED_FOLDER_LIMIT }) },
        signal,
      }),
    retry: false,
    staleTime: 60_000,
  });

export const whatRemovalDoes = (id: number) =>
  request('DELETE /music-folders/{id}', { path: { id }, query: { dry_run: true } });

/** Changes the music folders, and then refetches them, the settings and the sources. */
function useChange<V, R>(change: (variables: V) => Promise<R>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queries.invalidateQueries() });
}

export const useAddMusicFolder = () => useChange((body: MusicFolderIn) => request('POST /music-folders', { body }));
export const useChangeMusicFolder = () =>
  useChange(({ id, ...body }: MusicFolderPatch & { id: number }) =>
    request('PATCH /music-folders/{id}', { path: { id }, body }),
  );
export const useRemoveMusicFolder = () =>
  useChange((id: number) => request('DELETE /music-folders/{id}', { path: { id } }));
export const useRestoreMusicFolder = () =>
  useChange((id: number) => request('POST /music-folders/{id}/restore', { path: { id } }));
