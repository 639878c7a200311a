// Sessions and app passwords of an account, for an administrator.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { AppPasswordInfo, SessionOut } from '../../server/auth/wire.ts';
import { request } from './client.ts';

const keyOf = (userId: number) => ['account-access', userId] as const;

export const accessQuery = (userId: number) =>
  queryOptions({
    queryKey: keyOf(userId),
    queryFn: async ({ signal }) => {
      const [sessions, appPasswords] = await Promise.all([
        request<SessionOut[]>(`/users/${userId}/sessions`, { signal }),
        request<AppPasswordInfo[]>(`/users/${userId}/app-passwords`, { signal }),
      ]);
      return { sessions, appPasswords };
    },
    staleTime: 0,
  });

/** Ends `sessions`, one of them (`sessions/3`), or an app password (`app-passwords/3`). */
export function useEndAccess(userId: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (path: string) => request<void>(`/users/${userId}/${path}`, { method: 'DELETE' }),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(userId) }),
  });
}
