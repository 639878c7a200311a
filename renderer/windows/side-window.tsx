// What the windows beside the library have in common: one person signed in, the same player, texts, theme, and tips.
import '../ui/mantine.css';
import '../ui/mantine-overrides.css';
import '../ui/tokens.css';
import '../ui/base.css';
import type { ReactNode } from 'react';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../api/query-client.ts';
import { signInByItself } from '../api/desktop-session.ts';
import { getSession, onSessionChange } from '../api/session.ts';
import { startI18n } from '../i18n/i18n.ts';
import { openPlayer } from '../player/open-player.ts';
import { PlayerContext } from '../player/use-player.ts';
import { useScheme } from '../ui/scheme.ts';
import { theme } from '../ui/theme.ts';
import { Tips } from '../ui/tips.tsx';

const queries = createQueryClient();

function Frame({ player, children }: { player: ReturnType<typeof openPlayer>; children: ReactNode }) {
  const scheme = useScheme();
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <PlayerContext value={player}>
          {children}
          <Tips />
        </PlayerContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/**
 * Shows the window to whoever is signed in. The sign-in page belongs to the library window and knows the way `back`.
 */
export async function openSideWindow(content: ReactNode, back: () => string): Promise<void> {
  const requireSession = (): boolean => {
    if (getSession()) return true;
    location.replace(`/sign-in?back=${encodeURIComponent(back())}`);
    return false;
  };
  await (getSession() ?? signInByItself());
  if (!requireSession()) return;
  onSessionChange(requireSession);
  await startI18n();
  createRoot(document.getElementById('root')!).render(<Frame player={openPlayer()}>{content}</Frame>);
}
