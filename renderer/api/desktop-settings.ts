// The settings of the desktop app; null in a browser.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { desktop, type DesktopChange } from '../desktop.ts';

const DESKTOP_SETTINGS_KEY = ['desktop-settings'] as const;

export function useDesktopSettings() {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: DESKTOP_SETTINGS_KEY,
    queryFn: () => desktop?.settings() ?? null,
    enabled: desktop !== null,
  });
  const change = useMutation({
    mutationFn: async (changes: DesktopChange) => desktop?.changeSettings(changes) ?? null,
    onSuccess: (settings) => queries.setQueryData(DESKTOP_SETTINGS_KEY, settings),
  });
  return { settings: data ?? null, change };
}
