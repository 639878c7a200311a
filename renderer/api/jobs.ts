// Background jobs and the running scan. `scan` events are written into the cache under `scanKey` (events.ts), so pages
// read them like any query.
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

/** The running scan, as of its last event. */
export function useScanProgress(): ScanProgress | null {
  const { data } = useQuery<ScanProgress | null>({
    queryKey: scanKey,
    queryFn: () => null,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return data ?? null;
}

/** The result of a finished scan; null for other jobs. */
export function scanResultOf(job: JobOut): ScanResult | null {
  const { result } = job;
  return job.task === SCAN_TASK && typeof result === 'object' && result !== null && 'files' in result
    ? (result as ScanResult)
    : null;
}

/** Why the last scan failed; null if it did not. Only superusers may ask. */
export function useScanFault({ enabled }: { enabled: boolean }): string | null {
  const { data } = useQuery({
    queryKey: ['jobs', 'last-scan'] as const,
    queryFn: ({ signal }) => request('GET /jobs', { query: { task: SCAN_TASK, limit: 1 }, signal }),
    enabled,
  });
  const [last] = data?.items ?? [];
  return last?.status === 'failed' ? last.error : null;
}

interface ScanWish {
  /** Nothing changes, and the job's result says what would. */
  dryRun?: boolean;
  /** Also files that look as they did are read. */
  reread?: boolean;
  /** Without one, all music folders. */
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
