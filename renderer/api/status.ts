// What keeps the server from working as it should.
import { queryOptions } from '@tanstack/react-query';
import type { StatusOut } from '../../server/maintenance/wire.ts';
import { request } from './client.ts';

const REFETCH_MS = 30_000;

export const statusQuery = () =>
  queryOptions({
    queryKey: ['status'] as const,
    queryFn: ({ signal }) => request<StatusOut>('/status', { signal }),
    refetchInterval: REFETCH_MS,
  });

export const believeClock = () => request<void>('/status/clock', { method: 'POST' });
