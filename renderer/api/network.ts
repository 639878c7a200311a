// Sharing on the local network, and the addresses of the library.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';

const NETWORK = ['network'] as const;
/** Returns the query of the network state, which is polled while displayed, because a laptop changes its network. */
export const networkQuery = () =>
  queryOptions({
    queryKey: NETWORK,
    queryFn: ({ signal }) => request('GET /network', { signal }),
    refetchInterval: 10_000,
  });

export function useShare() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) => request('PUT /network/sharing', { body: { enabled } }),
    onSuccess: (network) => {
      queries.setQueryData(NETWORK, network);
      return queries.invalidateQueries({ queryKey: ['settings'] }); // HOST is one of the settings
    },
  });
}
