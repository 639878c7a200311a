import { QueryClient } from '@tanstack/react-query';
import { ApiError, isUnreachable } from './problem.ts';

const MAX_RETRY_DELAY_MS = 10_000;

interface QueryClientOptions {
  /**
   * The window says that the server cannot be reached: what it needs stays pending until the server is back, instead of
   * failing with the same message in every part of the page.
   */
  waitsForServer?: boolean;
}

export const createQueryClient = ({ waitsForServer = false }: QueryClientOptions = {}) => {
  /** 4xx responses are final; a request to an unreachable or failing server is repeated. */
  const shouldRetry = (failures: number, error: Error): boolean =>
    (waitsForServer && isUnreachable(error)) ||
    (failures < 2 && (isUnreachable(error) || (error instanceof ApiError && error.status >= 500)));
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        gcTime: 300_000,
        retry: shouldRetry,
        retryDelay: (failures) => Math.min(1_000 * 2 ** failures, MAX_RETRY_DELAY_MS),
        refetchOnWindowFocus: false,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
};
