// The accounts at scrobbling services.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ScrobblingOut } from '../../server/scrobbling/wire.ts';
import { request } from './client.ts';

type Service = ScrobblingOut['service'];

const SCROBBLING_PATH = '/users/me/scrobbling';
const SCROBBLING = ['scrobbling'] as const;
const pathOf = (service: Service, more = ''): string => `${SCROBBLING_PATH}${more}?service=${service}`;

export const scrobblingQuery = () =>
  queryOptions({
    queryKey: SCROBBLING,
    queryFn: ({ signal }) => request<ScrobblingOut[]>(`${SCROBBLING_PATH}/services`, { signal }),
  });

/** The page of the service on which access is allowed, and the token to connect with then. */
export const useStartSignIn = (service: Service) =>
  useMutation({
    mutationFn: () => request<{ token: string; url: string }>(pathOf(service, '/sign-in'), { method: 'POST' }),
  });

interface ConnectInput {
  token: string;
  url?: string;
  sync_loves?: boolean;
}

export function useConnectScrobbling(service: Service) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: ConnectInput) => request<ScrobblingOut>(pathOf(service), { method: 'PUT', body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: SCROBBLING }),
  });
}

export function useDisconnectScrobbling(service: Service) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>(pathOf(service), { method: 'DELETE' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: SCROBBLING }),
  });
}

export const useSyncLoves = (service: Service) =>
  useMutation({ mutationFn: () => request<void>(pathOf(service, '/loves'), { method: 'POST' }) });
