// Background jobs and the running scan. `scan` events are written into the cache under `scanKey` (events.ts), so that
// pages read the progress like any query.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ScanProgress, ScanResult } from '../../server/scan/wire.ts';
import type { JobOut } from './routes.ts';
import { request } from './client.ts';

export const scanKey = ['scan-progress'] as const;
export const SCAN_TASK = 'scan_local_folder';

const OPEN_STATUSES = new Set<JobOut['status']>(['queued', 'running', 'waiting']);
export const isOpen = (job: JobOut): boolean => OPEN_STATUSES.has(job.status);

export const jobsQuery = () =>
  queryOptions({
    queryKey: ['jobs', 'list'] as const,
    queryFn: ({ signal }) => request('GET /jobs', { query: { limit: 100 }, signal }),
  });
export const jobQuery = (id: number) =>
  queryOptions({
    queryKey: ['jobs', id] as const,
    queryFn: ({ signal }) => request('GET /jobs/{id}', { path: { id }, signal }),
  });

/** Returns the progress of the running scan according to its last event. */
export function useScanProgress(): ScanProgress | null {
  const { data } = useQuery<ScanProgress | null>({
    queryKey: scanKey,
    queryFn: () => null,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return data ?? null;
}

/** Returns the result of a finished scan; null for other jobs. */
export function scanResultOf(job: JobOut): ScanResult | null {
  const { result } = job;
  return job.task === SCAN_TASK && typeof result === 'object' && result !== null && 'files' in result
    ? (result as ScanResult)
    : null;
}

/** Returns the error of the last scan; null if it succeeded. Only administrators may request jobs. */
export function useScanFault({ enabled }: { enabled: boolean }): string | null {
  const { data } = useQuery({
    queryKey: ['jobs', 'last-scan'] as const,
    queryFn: ({ signal }) => request('GET /jobs', { query: { task: SCAN_TASK, limit: 1 }, signal }),
    enabled,
  });
  const [lastJob] = data?.items ?? [];
  return lastJob?.status === 'failed' ? lastJob.error : null;
}

interface ScanWish {
  /** The scan changes nothing, and the job's result lists the changes that it would make. */
  dryRun?: boolean;
  /** Files are read even if they look unchanged. */
  reread?: boolean;
  /** The scanned folder; all music folders by default. */
  path?: string;
}

export function useStartScan({ dryRun = false, reread = false, path }: ScanWish = {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      request('POST /sources/{source}/scan', {
        path: { source: 'local_folder' },
        query: {
          ...(dryRun && { dry_run: true }),
          ...(reread && { reread: true }),
          ...(path !== undefined && { path }),
        },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
  });
}

/** Retries a failed or cancelled job as a new job. */
export function useRetryJob() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => request('POST /jobs/{id}/retry', { path: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
  });
}

export function useCancelJob() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => request('DELETE /jobs/{id}', { path: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs'] }),
  });
}
