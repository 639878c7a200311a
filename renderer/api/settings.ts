import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from './client.ts';
import type { SettingOut, SettingsOut } from './routes.ts';
import { networkQuery } from './network.ts';
import { ApiError, detailOf } from './problem.ts';
import { sourcesQuery } from './remote.ts';

export type SettingValue = string | number | boolean | null;

export const settingsQuery = () =>
  queryOptions({
    queryKey: ['settings'] as const,
    queryFn: ({ signal }) => request('GET /settings', { signal }),
  });
export const serverQuery = () =>
  queryOptions({ queryKey: ['server'] as const, queryFn: ({ signal }) => request('GET /server', { signal }) });

export const findSetting = (settings: SettingsOut | undefined, key: string): SettingOut | undefined =>
  settings?.items.find((item) => item.key === key);

export function useChangeSettings() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changes: Record<string, unknown>) => request('PATCH /settings', { body: changes }),
    onSuccess: (settings) => {
      queries.setQueryData(settingsQuery().queryKey, settings);
      void queries.invalidateQueries({ queryKey: networkQuery().queryKey });
      // settings also configure the online sources
      return queries.invalidateQueries({ queryKey: sourcesQuery().queryKey });
    },
  });
}

/** Returns the server's error message for a value; null if the server would accept the value. Changes nothing. */
export async function findFault(key: string, value: SettingValue, signal: AbortSignal): Promise<string | null> {
  try {
    await request('PATCH /settings', { query: { dry_run: true }, body: { [key]: value }, signal });
    return null;
  } catch (error) {
    return faultOf(key, error);
  }
}

/** Returns the error of this field, or the message of the whole error if the server did not name the field. */
export const faultOf = (key: string, error: unknown): string =>
  (error instanceof ApiError && error.field(key)) || detailOf(error);
