// Providers that every window needs: design, theme, query cache, player, tooltips. Mantine's variables and classes
// come from static files (ui/mantine.css), because the CSP allows no <style>.
import '@fontsource-variable/geist/index.css';
import '../ui/theme/mantine.css';
import '../ui/theme/mantine-overrides.css';
import '../ui/theme/tokens.css';
import '../ui/theme/base.css';
import { useEffect, type ReactNode } from 'react';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { loadWhenReachable } from '../api/optional-part.ts';
import { desktop } from '../desktop.ts';
import type { Player } from '../player/player.ts';
import { PlayerContext } from '../player/use-player.ts';
import { useScheme } from '../ui/theme/scheme.ts';
import { theme } from '../ui/theme/theme.ts';
import { Tooltips } from '../ui/controls/tooltips.tsx';
import { DamagedChoices } from './damaged-choices.tsx';
import { DesktopControls } from './desktop-controls.tsx';

interface ProvidersProps {
  queries: QueryClient;
  player: Player;
  children: ReactNode;
}

export function Providers({ queries, player, children }: ProvidersProps) {
  const scheme = useScheme();
  useFocusBack();
  return (
    <DirectionProvider>
      <MantineProvider theme={theme} forceColorScheme={scheme} withCssVariables={false} withGlobalClasses={false}>
        <QueryClientProvider client={queries}>
          <PlayerContext value={player}>
            {children}
            {desktop && <DesktopControls bridge={desktop} />}
            <Tooltips />
            <DamagedChoices />
          </PlayerContext>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}

/** Gives the focus back when dialogs close; loaded after the window, which opens without a dialog. */
function useFocusBack(): void {
  useEffect(() => {
    const module = loadWhenReachable(() => import('../ui/focus-back.ts')).then(({ watchFocus }) => watchFocus());
    return () => void module.then((stop) => stop());
  }, []);
}
