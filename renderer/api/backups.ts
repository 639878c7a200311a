// The place for backups, what is in it, and making one now.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { BackupsOut } from '../../server/backup/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import { request } from './client.ts';

const BACKUPS = ['backups'] as const;

export const backupsQuery = () => queryOptions({ queryKey: BACKUPS, queryFn: ({ signal }) => request<BackupsOut>('/backups', { signal }) });

export function useBackUp() {
  const queries = useQueryClient();
  return useMutation({ mutationFn: () => request<JobOut>('/backups', { method: 'POST', body: {} }), onSuccess: () => queries.invalidateQueries({ queryKey: BACKUPS }) });
}
