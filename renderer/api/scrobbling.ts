// The user's accounts at scrobbling services.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { ScrobblingOut } from './routes.ts';

type Service = ScrobblingOut['service'];

const SCROBBLING = ['scrobbling'] as const;

export const scrobblingQuery = () =>
  queryOptions({
    queryKey: SCROBBLING,
    queryFn: ({ signal }) => request('GET /users/me/scrobbling/services', { signal }),
  });

/** Returns the service's page on which the user allows access, and the token for connecting afterwards. */
export const useStartSignIn = (service: Service) =>
  useMutation({
    mutationFn: () => request('POST /users/me/scrobbling/sign-in', { query: { service } }),
  });

interface ConnectInput {
  token: string;
  url?: string;
  sync_loves?: boolean;
}

export function useConnectScrobbling(service: Service) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ConnectInput) => request('PUT /users/me/scrobbling', { query: { service }, body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: SCROBBLING }),
  });
}

export function useDisconnectScrobbling(service: Service) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request('DELETE /users/me/scrobbling', { query: { service } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: SCROBBLING }),
  });
}

export const useSyncLoves = (service: Service) =>
  useMutation({ mutationFn: () => request('POST /users/me/scrobbling/loves', { query: { service } }) });
