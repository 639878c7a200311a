// Own shares, and the address under which guests reach them.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { request, type Input } from './client.ts';
import { networkQuery } from './network.ts';
import type { ShareOut } from './routes.ts';
import { useSession } from './session.ts';

const SHARES = 'shares';

/** Returns the query of own shares. Guests open them at any time, so they are fetched again whenever they are shown. */
export const sharesQuery = () =>
  queryOptions({
    queryKey: [SHARES] as const,
    queryFn: ({ signal }) => request('GET /shares', { signal }),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });

function useShareMutation<In, Out>(mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: [SHARES] }) });
}

export const useCreateShare = () =>
  useShareMutation((body: Input<'POST /shares'>['body']) => request('POST /shares', { body }));
export type ShareChange = Input<'PATCH /shares/{id}'>['body'];
export const useChangeShare = () =>
  useShareMutation(({ id, ...body }: { id: number } & ShareChange) =>
    request('PATCH /shares/{id}', { path: { id }, body }),
  );
export const useDeleteShare = () => useShareMutation((id: number) => request('DELETE /shares/{id}', { path: { id } }));

/** Returns whether the account may share, or has shared before. */
export function useMayHaveShares(): boolean {
  const mayShare = useSession()?.user.can_share ?? false;
  const { data: shares } = useQuery({ ...sharesQuery(), enabled: !mayShare });
  return mayShare || (shares?.length ?? 0) > 0;
}

const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the address of the server for guests: that of this page, or on the server's own computer the one on the
 * network; null if no other device can reach the server.
 */
export function useGuestOrigin(): { origin: string | null; isLoading: boolean } {
  const isOnServer = LOOPBACK_HOST.test(location.hostname);
  const { data: network, isLoading } = useQuery({ ...networkQuery(), enabled: isOnServer });
  if (!isOnServer) return { origin: location.origin, isLoading: false };
  const address = network?.shared ? network.addresses[0]?.url : undefined;
  return { origin: address === undefined ? null : new URL(address).origin, isLoading };
}

/** Returns the address of a share for guests; the one on this computer if no other device can reach the server. */
export const addressOf = ({ path }: Pick<ShareOut, 'path'>, origin: string | null): string =>
  new URL(path, origin ?? location.origin).href;

/** Returns the end of the day after some days, in the time zone of this computer. */
export function endOfDayIn(days: number): Date {
  const time = new Date();
  time.setDate(time.getDate() + days);
  time.setHours(23, 59, 59, 999);
  return time;
}
