// The settings of the desktop app. Null in a browser.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { desktop, type DesktopChange } from '../desktop.ts';

const KEY = ['desktop-settings'] as const;

export function useDesktopSettings() {
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: KEY, queryFn: () => desktop?.settings() ?? null, enabled: desktop !== null });
  const change = useMutation({
    mutationFn: async (wish: DesktopChange) => desktop?.changeSettings(wish) ?? null,
    onSuccess: (settings) => queries.setQueryData(KEY, settings),
  });
  return { settings: data ?? null, change };
}
