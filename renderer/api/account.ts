// The signed-in account: its sessions, app passwords and rights.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import { getSession, setSessionUser } from './session.ts';

const SESSIONS = ['sessions'] as const;
const APP_PASSWORDS = ['app-passwords'] as const;

export const sessionsQuery = () =>
  queryOptions({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => request('GET /users/me/sessions', { signal }),
    staleTime: 0,
  });
export const appPasswordsQuery = () =>
  queryOptions({
    queryKey: APP_PASSWORDS,
    queryFn: ({ signal }) => request('GET /users/me/app-passwords', { signal }),
    staleTime: 0,
  });

function useAccountMutation<In, Out>(key: readonly string[], mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey: key }) });
}

export const useEndSession = () =>
  useAccountMutation(SESSIONS, (id: number) => request('DELETE /users/me/sessions/{id}', { path: { id } }));
export const useEndOtherSessions = () => useAccountMutation(SESSIONS, () => request('DELETE /users/me/sessions'));

/** Adds an app password. Only this reply contains the password itself. */
export const useAddAppPassword = () =>
  useAccountMutation(APP_PASSWORDS, (name: string) => request('POST /users/me/app-passwords', { body: { name } }));
export const useRevokeAppPassword = () =>
  useAccountMutation(APP_PASSWORDS, (id: number) => request('DELETE /users/me/app-passwords/{id}', { path: { id } }));

/** Ends the session on the server. A session that cannot be ended there expires by itself. */
export const tryEndSession = (): Promise<void> => request('POST /auth/logout').catch(() => undefined);

const REFETCH_MS = 60_000;

/** Keeps the stored rights of the account up to date, because an administrator can change them at any time. */
export function keepUser(): void {
  let askedAt = -Infinity;
  const tryRefresh = async (): Promise<void> => {
    const session = getSession();
    if (!session || document.visibilityState === 'hidden' || performance.now() - askedAt < REFETCH_MS) return;
    askedAt = performance.now();
    try {
      const user = await request('GET /users/me');
      if (getSession()?.token === session.token) setSessionUser(user);
    } catch {
      // other parts of the page display a missing connection, and ask for a sign-in
    }
  };
  addEventListener('focus', () => void tryRefresh());
  document.addEventListener('visibilitychange', () => void tryRefresh());
  void tryRefresh();
}
