// Problems that keep the server from working as it should.
import { queryOptions } from '@tanstack/react-query';
import { request } from './client.ts';

const REFETCH_MS = 30_000;

export const statusQuery = () =>
  queryOptions({
    queryKey: ['status'] as const,
    queryFn: ({ signal }) => request('GET /status', { signal }),
    refetchInterval: REFETCH_MS,
  });

export const believeClock = () => request('POST /status/clock');
