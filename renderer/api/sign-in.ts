import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { AuthStatus, TokenResponse } from '../../server/auth/wire.ts';
import { request } from './client.ts';
import { signInWith } from './url-tokens.ts';

interface Credentials {
  username: string;
  password: string;
}

export const authStatusQuery = () =>
  queryOptions({
    queryKey: ['auth-status'] as const,
    queryFn: ({ signal }) => request<AuthStatus>('/auth/status', { signal }),
    staleTime: 5_000,
  });

function useTokenMutation<Body>(path: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => request<TokenResponse>(path, { method: 'POST', body }),
    onSuccess: (answer) => {
      queries.clear();
      return signInWith(answer);
    },
  });
}

export const useLogin = () => useTokenMutation<Credentials>('/auth/login');
export const useRegister = () => useTokenMutation<Credentials>('/auth/register');
export const useSetup = () => useTokenMutation<Credentials & { setup_token: string }>('/auth/setup');
