import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request, type Input } from './client.ts';
import { signInWith } from './url-tokens.ts';

export const authStatusQuery = () =>
  queryOptions({
    queryKey: ['auth-status'] as const,
    queryFn: ({ signal }) => request('GET /auth/status', { signal }),
    staleTime: 5_000,
    retry: 2, // nothing is displayed before it is known whether somebody is signed in
  });

function useTokenMutation<R extends 'POST /auth/login' | 'POST /auth/register' | 'POST /auth/setup'>(route: R) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Input<R>['body']) => request<R>(route, { body }),
    onSuccess: (answer) => {
      queries.clear();
      return signInWith(answer);
    },
  });
}

export const useLogin = () => useTokenMutation('POST /auth/login');
export const useRegister = () => useTokenMutation('POST /auth/register');
export const useSetup = () => useTokenMutation('POST /auth/setup');
