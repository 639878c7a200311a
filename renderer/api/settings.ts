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
      // online sources are configured by settings
      return queries.invalidateQueries({ queryKey: sourcesQuery().queryKey });
    },
  });
}

/** The server's objection to a value, in its words; null when it would accept it. Changes nothing. */
export async function findFault(key: string, value: SettingValue, signal: AbortSignal): Promise<string | null> {
  try {
    await request('PATCH /settings', { query: { dry_run: true }, body: { [key]: value }, signal });
    return null;
  } catch (error) {
    return faultOf(key, error);
  }
}

/** The error of this field, when the server named it. */
export const faultOf = (key: string, error: unknown): string =>
  (error instanceof ApiError && error.field(key)) || detailOf(error);
