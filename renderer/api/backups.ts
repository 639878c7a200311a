// Backups: the list, making one, testing the location, restoring.
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
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

function useBackupsMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => queries.invalidateQueries({ queryKey: BACKUPS }) });
}

export const useBackUp = () =>
  useBackupsMutation<void, JobOut>(() => request('/backups', { method: 'POST', body: {} }));

export const useCheckBackup = () =>
  useBackupsMutation<void, JobOut>(() => request('/backups/check', { method: 'POST', body: {} }));

/** Replaces this library at the next start of the server. */
export const useRestore = () =>
  useBackupsMutation((snapshot: string) =>
    request<JobOut>(`/backups/${snapshot}/restore`, { method: 'POST', body: { replace: true } }),
  );
export const useForgetRestore = () =>
  useBackupsMutation<void, void>(() => request('/backups/restore', { method: 'DELETE' }));

const refreshJobs = (queries: QueryClient) =>
  Promise.all([BACKUPS, ['jobs']].map((queryKey) => queries.invalidateQueries({ queryKey })));

/** Into a folder of the server. */
export function useExport() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (folder: string) => request<JobOut>('/exports', { method: 'POST', body: { folder } }),
    onSuccess: () => refreshJobs(queries),
  });
}

/** From a folder of the server; replaces this library at its next start. */
export function useImport() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (folder: string) => request<JobOut>('/imports', { method: 'POST', body: { folder, replace: true } }),
    onSuccess: () => refreshJobs(queries),
  });
}

/** Tests the configured location. */
export const useTestBackup = () =>
  useMutation({ mutationFn: () => request<BackupTestOut>('/backups/test', { method: 'POST', body: {} }) });

/** Tests the configured bucket, for the library or its backups. */
export const testStore = (): Promise<{ problem: string | null }> =>
  request('/storage/test', { method: 'POST', body: {} });
