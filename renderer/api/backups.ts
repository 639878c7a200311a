// Backups: the list, making one, testing the location, restoring.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { JobOut } from './routes.ts';

export const BACKUPS = ['backups'] as const;
const LOOK_EVERY_MS = 2_000;

/** Returns the query of the backups; it is polled while a restore is downloading. */
export const backupsQuery = () =>
  queryOptions({
    queryKey: BACKUPS,
    queryFn: ({ signal }) => request('GET /backups', { signal }),
    refetchInterval: ({ state }) => (state.data?.restore?.is_ready === false ? LOOK_EVERY_MS : false),
  });

/**
 * Runs a request about backups. The lists are refetched in the background, because a list of remote backups can take
 * long.
 */
function useBackupsMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => {
      for (const queryKey of [BACKUPS, ['jobs']]) void queries.invalidateQueries({ queryKey });
    },
  });
}

export const useBackUp = () => useBackupsMutation<void, JobOut>(() => request('POST /backups', { body: {} }));
export const useCheckBackup = () =>
  useBackupsMutation<void, JobOut>(() => request('POST /backups/check', { body: {} }));

/** Restores a backup, which replaces this library at the next start of the server. */
export const useRestore = () =>
  useBackupsMutation((snapshot: string) =>
    request('POST /backups/{id}/restore', { path: { id: snapshot }, body: { replace: true } }),
  );
export const useForgetRestore = () => useBackupsMutation<void, void>(() => request('DELETE /backups/restore'));

/** Decides whether the waiting restore also replaces accounts, settings and folders that differ. */
export const useDecideRestore = () =>
  useBackupsMutation<boolean, void>((isAccepted) =>
    request('PATCH /backups/restore', { body: { accept_settings: isAccepted } }),
  );

/** Exports the library into a folder of the server. */
export const useExport = () => useBackupsMutation((folder: string) => request('POST /exports', { body: { folder } }));

/** Imports a library from a folder of the server; it replaces this library at the server's next start. */
export const useImport = () =>
  useBackupsMutation((folder: string) => request('POST /imports', { body: { folder, replace: true } }));

/** Tests whether backups can be written to the configured location. */
export const useTestBackup = () => useMutation({ mutationFn: () => request('POST /backups/test', { body: {} }) });

/** Tests the configured bucket of the library or of its backups. */
export const testStore = (): Promise<{ problem: string | null }> => request('POST /storage/test', { body: {} });
