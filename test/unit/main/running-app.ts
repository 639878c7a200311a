// Starts the whole shell with a fake Electron and a scripted server.
import { EventEmitter } from 'node:events';
import { startDesktop } from '../../../main/desktop.ts';
import type { PlayerReport } from '../../../main/ipc.ts';
import { app, fake, type BrowserWindow } from '../../fakes/electron.ts';
import { scriptServer, createManualClock, waitForTurn } from './scripted-server.ts';

export const LISTENING_LINE = 'Tonearm is listening on http://127.0.0.1:4747\n';

interface StartOptions {
  argv?: string[];
  platform?: NodeJS.Platform;
  hasFeed?: boolean;
}

export async function startApp(
  prepare: (fakeApp: typeof app) => void = () => undefined,
  { argv = ['/opt/tonearm'], platform = 'linux', hasFeed = false }: StartOptions = {},
) {
  fake.reset();
  prepare(app);
  const [server, time, faults] = [scriptServer(), createManualClock(), new EventEmitter()];
  startDesktop({
    preload: '/app/preload.cjs',
    icons: '/app/tray',
    launch: ({ args }) => server.launch(args),
    clock: time.clock,
    faults,
    hasFeed,
    argv,
    platform,
  });
  app.becomeReady();
  await waitForTurn();
  return { app, server, faults, ...time };
}

export async function startAppWithWindow(...options: Parameters<typeof startApp>) {
  const running = await startApp(...options);
  await running.server.lastRun.print(LISTENING_LINE);
  return { ...running, window: getOnlyWindow() };
}

export function getOnlyWindow(): BrowserWindow {
  const [window, ...otherWindows] = fake.windows;
  if (!window || otherWindows.length > 0) throw new Error(`There are ${fake.windows.length} windows.`);
  return window;
}

/** Acts as a page that has loaded: reports its player, and listens to messages. */
export const reportPageLoaded = (window: BrowserWindow, report: Partial<PlayerReport> = {}): Promise<unknown> =>
  fake.invoke(window, 'player:report', [
    {
      status: 'idle',
      title: null,
      artist: null,
      album: null,
      cover: null,
      isLiked: null,
      isSleeping: false,
      ...report,
    },
  ]);
