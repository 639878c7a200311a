import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { SettingOut, SettingsOut } from '../../server/settings/wire.ts';
import { request } from './client.ts';

export const settingsQuery = () => queryOptions({ queryKey: ['settings'] as const, queryFn: ({ signal }) => request<SettingsOut>('/settings', { signal }) });

export const findSetting = (settings: SettingsOut | undefined, key: string): SettingOut | undefined => settings?.items.find((item) => item.key === key);

export function useChangeSettings() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changes: Record<string, unknown>) => request<SettingsOut>('/settings', { method: 'PATCH', body: changes }),
    onSuccess: (settings) => queries.setQueryData(settingsQuery().queryKey, settings),
  });
}
