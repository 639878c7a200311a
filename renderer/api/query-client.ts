import { QueryClient } from '@tanstack/react-query';
import { ApiError, isUnreachable } from './problem.ts';

/** Returns whether to retry: 4xx responses are final; a request to an unreachable or failing server is repeated. */
const shouldRetry = (failures: number, error: Error): boolean =>
  failures < 2 && (isUnreachable(error) || (error instanceof ApiError && error.status >= 500));

export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 300_000,
        retry: shouldRetry,
        refetchOnWindowFocus: false,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
