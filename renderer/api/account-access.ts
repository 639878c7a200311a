// Sessions and app passwords of an account, for an administrator.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';

const keyOf = (userId: number) => ['account-access', userId] as const;

export const accessQuery = (userId: number) =>
  queryOptions({
    queryKey: keyOf(userId),
    queryFn: async ({ signal }) => {
      const [sessions, appPasswords] = await Promise.all([
        request('GET /users/{id}/sessions', { path: { id: userId }, signal }),
        request('GET /users/{id}/app-passwords', { path: { id: userId }, signal }),
      ]);
      return { sessions, appPasswords };
    },
    staleTime: 0,
  });

export interface AccessChoice {
  kind: 'session' | 'app-password';
  id: number;
}

/** Ends one session or app password, or with `all-sessions` every session. */
export function useEndAccess(userId: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (choice: AccessChoice | 'all-sessions') => {
      const path = { id: userId };
      if (choice === 'all-sessions') return request('DELETE /users/{id}/sessions', { path });
      return choice.kind === 'session'
        ? request('DELETE /users/{id}/sessions/{session_id}', { path: { ...path, session_id: choice.id } })
        : request('DELETE /users/{id}/app-passwords/{app_password_id}', {
            path: { ...path, app_password_id: choice.id },
          });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(userId) }),
  });
}
