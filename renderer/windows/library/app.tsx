import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { Player } from '../../player/types.ts';
import { PlayerContext } from '../../player/use-player.ts';
import { useScheme } from '../../ui/scheme.ts';
import { theme } from '../../ui/theme.ts';
import { Tips } from '../../ui/tips.tsx';
import type { LibraryRouter } from './router.tsx';

/**
 * Mantine's variables and classes come from static files (ui/mantine.css): it writes no <style>, as the CSP wants it.
 */
export function App({ queries, player, router }: { queries: QueryClient; player: Player; router: LibraryRouter }) {
  const scheme = useScheme();
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <PlayerContext value={player}>
          <RouterProvider router={router} />
          <Tips />
          <Notifications position="bottom-right" limit={4} containerWidth={360} />
        </PlayerContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}
