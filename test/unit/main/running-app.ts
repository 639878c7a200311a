// The whole shell on the fake of Electron, with a scripted server behind it.
import { startDesktop } from '../../../main/desktop.ts';
import { app, fake, type BrowserWindow } from '../../fakes/electron.ts';
import { scriptServer, stillClock, turn } from './scripted-server.ts';

export const URL_LINE = 'Tonearm is listening on http://127.0.0.1:4747\n';

export async function startApp(prepare: (fakeApp: typeof app) => void = () => undefined) {
  fake.reset();
  prepare(app);
  const [server, time] = [scriptServer(), stillClock()];
  startDesktop({ preload: '/app/preload.cjs', launch: server.launch, clock: time.clock });
  app.becomeReady();
  await turn();
  return { app, server, ...time };
}

export async function startAppWithWindow() {
  const running = await startApp();
  await running.server.run.says(URL_LINE);
  return { ...running, window: onlyWindow() };
}

export function onlyWindow(): BrowserWindow {
  const [window, ...others] = fake.windows;
  if (!window || others.length > 0) throw new Error(`There are ${fake.windows.length} windows.`);
  return window;
}
