// Backups: the list, making one, testing the location, restoring.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { BackupsOut, BackupTestOut } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { request } from './client.ts';

export const BACKUPS = ['backups'] as const;
const LOOK_EVERY_MS = 2_000;

/** Polled while a restore is downloading. */
export const backupsQuery = () =>
  queryOptions({
    queryKey: BACKUPS,
    queryFn: ({ signal }) => request<BackupsOut>('/backups', { signal }),
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

const start = (path: string, body: object = {}): Promise<JobOut> => request(path, { method: 'POST', body });

export const useBackUp = () => useBackupsMutation<void, JobOut>(() => start('/backups'));
export const useCheckBackup = () => useBackupsMutation<void, JobOut>(() => start('/backups/check'));

/** Replaces this library at the next start of the server. */
export const useRestore = () =>
  useBackupsMutation((snapshot: string) => start(`/backups/${snapshot}/restore`, { replace: true }));
export const useForgetRestore = () =>
  useBackupsMutation<void, void>(() => request('/backups/restore', { method: 'DELETE' }));

/** Whether the restore that waits takes accounts, settings and folders that differ. */
export const useDecideRestore = () =>
  useBackupsMutation<boolean, void>((isAccepted) =>
    request('/backups/restore', { method: 'PATCH', body: { accept_settings: isAccepted } }),
  );

/** Into a folder of the server. */
export const useExport = () => useBackupsMutation((folder: string) => start('/exports', { folder }));

/** From a folder of the server; replaces this library at its next start. */
export const useImport = () => useBackupsMutation((folder: string) => start('/imports', { folder, replace: true }));

/** Tests the configured location. */
export const useTestBackup = () =>
  useMutation({ mutationFn: () => request<BackupTestOut>('/backups/test', { method: 'POST', body: {} }) });

/** Tests the configured bucket, for the library or its backups. */
export const testStore = (): Promise<{ problem: string | null }> =>
  request('/storage/test', { method: 'POST', body: {} });
