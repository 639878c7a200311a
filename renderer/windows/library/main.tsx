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
const queries = createQueryClient();

createRoot(document.getElementById('root')!).render(
  <Providers queries={queries} player={openPlayer()}>
    <RouterProvider router={createLibraryRouter(queries)} />
    <NoticeSlot />
  </Providers>,
);

const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1_000));
/** Chromium's; elsewhere nobody asks for less data. */
const { connection } = navigator as { connection?: { saveData?: boolean } };
if (!connection?.saveData) whenIdle(preloadPages);
whenIdle(preloadNotices);
whenIdle(() => void keepForOffline());

/** The window opens without the server: service-worker.js. Browsers allow it over HTTPS and on the same machine. */
async function keepForOffline(): Promise<void> {
  if (!import.meta.env.PROD || !(navigator as Partial<Navigator>).serviceWorker) return;
  // a private window, or one that stores nothing: the interface then needs the server, as before
  await navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}
