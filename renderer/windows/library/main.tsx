// The library window.
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../../api/query-client.ts';
import { keepUser } from '../../api/account.ts';
import { keepUrlTokens } from '../../api/url-tokens.ts';
import { startI18n } from '../../i18n/i18n.ts';
import { openPlayer } from '../../player/open-player.ts';
import { NoticeSlot, preloadNotices } from '../notice-slot.tsx';
import { Providers } from '../providers.tsx';
import { createLibraryRouter, preloadPages } from './router.tsx';

await Promise.all([startI18n(), keepUrlTokens()]);
keepUser();
const queries = createQueryClient({ waitsForServer: true });

createRoot(document.getElementById('root')!).render(
  <Providers queries={queries} player={openPlayer()}>
    <RouterProvider router={createLibraryRouter(queries)} />
    <NoticeSlot />
  </Providers>,
);

const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1_000));
/** Only Chromium has `connection`; other browsers do not request less data. */
const { connection } = navigator as { connection?: { saveData?: boolean } };
if (!connection?.saveData) whenIdle(preloadPages);
whenIdle(preloadNotices);
whenIdle(() => void keepForOffline());

/**
 * Makes the window open without the server, through service-worker.js. Browsers allow this over HTTPS and on
 * localhost.
 */
async function keepForOffline(): Promise<void> {
  if (!import.meta.env.PROD || !(navigator as Partial<Navigator>).serviceWorker) return;
  // a private window or one without storage cannot register it and needs the server
  await navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}
