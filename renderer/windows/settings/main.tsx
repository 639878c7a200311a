// The settings window: everything is put together here.
import '../../ui/mantine.css';
import '../../ui/mantine-overrides.css';
import '../../ui/tokens.css';
import '../../ui/base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../../api/query-client.ts';
import { signInByItself } from '../../api/desktop-session.ts';
import { getSession, onSessionChange } from '../../api/session.ts';
import { startI18n } from '../../i18n/i18n.ts';
import { openPlayer } from '../../player/open-player.ts';
import { PlayerContext } from '../../player/use-player.ts';
import { useScheme } from '../../ui/scheme.ts';
import { theme } from '../../ui/theme.ts';
import { Tips } from '../../ui/tips.tsx';
import { SettingsWindow } from './settings-window.tsx';

/** The sign-in page belongs to the library window and knows the way back. */
function requireSession(): boolean {
  if (getSession()) return true;
  location.replace(`/sign-in?back=${encodeURIComponent(`/settings${location.hash}`)}`);
  return false;
}

const queries = createQueryClient();
const player = openPlayer();

function App() {
  const scheme = useScheme();
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <PlayerContext value={player}>
          <SettingsWindow />
          <Tips />
        </PlayerContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}

await (getSession() ?? signInByItself());
if (requireSession()) {
  onSessionChange(requireSession);
  await startI18n();
  createRoot(document.getElementById('root')!).render(<App />);
}
