// The library window: everything is put together here.
import '../../ui/mantine.css';
import '../../ui/mantine-overrides.css';
import '../../ui/tokens.css';
import '../../ui/base.css';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../../api/query-client.ts';
import { startI18n } from '../../i18n/i18n.ts';
import { openPlayer } from '../../player/open-player.ts';
import { App } from './app.tsx';
import { createLibraryRouter, preloadPages } from './router.tsx';

await startI18n();
const queries = createQueryClient();
const player = openPlayer();
const router = createLibraryRouter(queries);

createRoot(document.getElementById('root')!).render(<App queries={queries} player={player} router={router} />);

const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1_000));
whenIdle(preloadPages);
