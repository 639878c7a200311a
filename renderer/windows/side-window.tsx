// Opens the player or settings window, with the account and the player of the library window.
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { signInByItself } from '../api/desktop-session.ts';
import { createQueryClient } from '../api/query-client.ts';
import { getSession, onSessionChange } from '../api/session.ts';
import { keepUser } from '../api/account.ts';
import { keepUrlTokens } from '../api/url-tokens.ts';
import { startI18n } from '../i18n/i18n.ts';
import { openPlayer } from '../player/open-player.ts';
import { Providers } from './providers.tsx';

/**
 * Opens a window. `texts` are English texts that only this window needs. Without a session the window displays the
 * sign-in page of the library window, which returns to `back`.
 */
export async function openSideWindow(content: ReactNode, back: () => string, texts = {}): Promise<void> {
  const requireSession = (): boolean => {
    if (getSession()) return true;
    location.replace(`/sign-in?back=${encodeURIComponent(back())}`);
    return false;
  };
  await (getSession() ?? signInByItself());
  if (!requireSession()) return;
  onSessionChange(requireSession);
  await Promise.all([startI18n(texts), keepUrlTokens()]);
  keepUser();
  createRoot(document.getElementById('root')!).render(
    <Providers queries={createQueryClient()} player={openPlayer()}>
      {content}
    </Providers>,
  );
}
