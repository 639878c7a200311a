// Users as an administrator manages them, and the password, privacy and app password of the signed-in user.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { UserOut } from './routes.ts';
import { request } from './client.ts';
import { setSessionUser } from './session.ts';
import { signInWith } from './url-tokens.ts';

/** Name of a right of an account. */
export type RightName = Extract<keyof UserOut, `can_${string}`>;
/** Rights of an account, with its limits. */
export type UserTerms = Pick<UserOut, RightName | 'max_bitrate_kbps' | 'quota_bytes'>;
interface NewUser extends Partial<UserTerms> {
  username: string;
  password: string;
  is_superuser: boolean;
}
interface UserChange extends Partial<UserTerms & Pick<UserOut, 'is_superuser'>> {
  id: number;
  password?: string;
  revoke_app_passwords?: boolean;
}

const USERS = ['users'] as const;
export const usersQuery = () =>
  queryOptions({
    queryKey: USERS,
    queryFn: ({ signal }) => request('GET /users', { query: { limit: 200 }, signal }),
  });

function useUsersMutation<In, Out>(mutationFn: (input: In) => Promise<Out>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSuccess: () => queries.invalidateQueries({ queryKey: USERS }) });
}

export const useAddUser = () => useUsersMutation((body: NewUser) => request('POST /users', { body }));
export const useChangeUser = () =>
  useUsersMutation(({ id, ...body }: UserChange) => request('PATCH /users/{id}', { path: { id }, body }));
export const useDeleteUser = () => useUsersMutation((id: number) => request('DELETE /users/{id}', { path: { id } }));

/** Changes the user's password. Ends all other sessions, and revokes the app passwords if requested. */
export function useChangeOwnPassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { password: string; current_password: string; revoke_app_passwords: boolean }) =>
      request('PATCH /users/me', { body }),
    onSuccess: async (answer) => {
      await signInWith(answer);
      await queries.invalidateQueries({ queryKey: ['app-passwords'] });
    },
  });
}

/** Sets whether other users see what this user plays. */
export const useSetPrivacy = () =>
  useMutation({
    mutationFn: (hides_playing: boolean) => request('PUT /users/me/privacy', { body: { hides_playing } }),
    onSuccess: setSessionUser,
  });

/** Fetches the app password, which the server creates on first use, so only when the user asks to see it. */
export const useShowAppPassword = () => useMutation({ mutationFn: () => request('GET /users/me/subsonic-password') });
export const useNewAppPassword = () => useMutation({ mutationFn: () => request('POST /users/me/subsonic-password') });
