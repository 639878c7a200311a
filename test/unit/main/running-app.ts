// The whole shell with the fake of Electron and a scripted server.
import { EventEmitter } from 'node:events';
import { startDesktop } from '../../../main/desktop.ts';
import type { PlayerReport } from '../../../main/ipc.ts';
import { app, fake, type BrowserWindow } from '../../fakes/electron.ts';
import { scriptServer, stillClock, turn } from './scripted-server.ts';

export const URL_LINE = 'Tonearm is listening on http://127.0.0.1:4747\n';

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
  const [server, time, faults] = [scriptServer(), stillClock(), new EventEmitter()];
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
  await turn();
  return { app, server, faults, ...time };
}

export async function startAppWithWindow(...options: Parameters<typeof startApp>) {
  const running = await startApp(...options);
  await running.server.run.says(URL_LINE);
  return { ...running, window: onlyWindow() };
}

export function onlyWindow(): BrowserWindow {
  const [window, ...others] = fake.windows;
  if (!window || others.length > 0) throw new Error(`There are ${fake.windows.length} windows.`);
  return window;
}

/** The page has loaded so far that it reports its player, and listens. */
export const pageIsThere = (window: BrowserWindow, report: Partial<PlayerReport> = {}): Promise<unknown> =>
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
