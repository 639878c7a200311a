// Backups: the list, making one, testing the location, restoring.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { JobOut } from './routes.ts';

export const BACKUPS = ['backups'] as const;
const LOOK_EVERY_MS = 2_000;

/** Polled while a restore is downloading. */
export const backupsQuery = () =>
  queryOptions({
    queryKey: BACKUPS,
    queryFn: ({ signal }) => request('GET /backups', { signal }),
    refetchInterval: ({ state }) => (state.data?.restore?.is_ready === false ? LOOK_EVERY_MS : false),
  });

/** Nobody waits for the lists afterwards, least of all for that of backups far away. */
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

/** Replaces this library at the next start of the server. */
export const useRestore = () =>
  useBackupsMutation((snapshot: string) =>
    request('POST /backups/{id}/restore', { path: { id: snapshot }, body: { replace: true } }),
  );
export const useForgetRestore = () => useBackupsMutation<void, void>(() => request('DELETE /backups/restore'));

/** Whether the restore that waits takes accounts, settings and folders that differ. */
export const useDecideRestore = () =>
  useBackupsMutation<boolean, void>((isAccepted) =>
    request('PATCH /backups/restore', { body: { accept_settings: isAccepted } }),
  );

/** Into a folder of the server. */
export const useExport = () => useBackupsMutation((folder: string) => request('POST /exports', { body: { folder } }));

/** From a folder of the server; replaces this library at its next start. */
export const useImport = () =>
  useBackupsMutation((folder: string) => request('POST /imports', { body: { folder, replace: true } }));

/** Tests the configured location. */
export const useTestBackup = () => useMutation({ mutationFn: () => request('POST /backups/test', { body: {} }) });

/** Tests the configured bucket, for the library or its backups. */
export const testStore = (): Promise<{ problem: string | null }> => request('POST /storage/test', { body: {} });
