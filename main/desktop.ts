// Life of the app: one instance, a server, the library window once the server is ready, and a quit that waits until the server is done.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog, session, type BrowserWindow } from 'electron';
import type { Clock } from './clock.ts';
import { answerChannels } from './ipc-handlers.ts';
import { createServerProcess, type ServerChild } from './server-process.ts';
import { denyPermissions, fenceIn, focusWindow, openLibraryWindow, reloadWindow } from './windows.ts';

export interface DesktopDeps {
  preload: string;
  launch(): ServerChild;
  clock: Clock;
}

/** Must run before Electron is ready. */
export function startDesktop({ preload, launch, clock }: DesktopDeps): void {
  keepProfileApart();
  if (!app.requestSingleInstanceLock()) return app.quit();
  app.enableSandbox();

  let url: string | undefined;
  let library: BrowserWindow | undefined;
  let isDrained = false;
  // Pages of the server that died keep their rights until the next one listens, so the last address counts. With its slash,
  // or http://127.0.0.1:47470/ and http://127.0.0.1:4747@elsewhere/ would begin like http://127.0.0.1:4747.
  const isOurs = (address: string): boolean => url !== undefined && address.startsWith(`${url}/`);

  const server = createServerProcess({
    launch,
    clock,
    onReady(readyUrl) {
      url = readyUrl;
      if (library) reloadWindow(library, url, isOurs);
      else showLibrary();
    },
    onFailed: (reason) => void offerRetry(reason).then((again) => (again ? server.start() : app.quit())),
  });

  function showLibrary(): void {
    if (library) return focusWindow(library);
    if (url === undefined) return; // opens by itself when the server is ready
    library = openLibraryWindow({ url, preload });
    library.once('closed', () => { library = undefined; });
  }

  app.on('second-instance', showLibrary);
  app.on('activate', showLibrary);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  app.on('web-contents-created', (_event, contents) => fenceIn(contents, isOurs));
  app.on('will-quit', (event) => {
    if (isDrained) return;
    event.preventDefault();
    void server.stop().then(() => {
      isDrained = true;
      app.quit();
    });
  });

  void app.whenReady().then(() => {
    denyPermissions(session.defaultSession);
    answerChannels({ isOurs, setupToken: server.setupToken });
    server.start();
  });
}

/** The shell's own profile would otherwise be the very folder where the server keeps its data, on macOS and Windows. */
function keepProfileApart(): void {
  if (app.commandLine.hasSwitch('user-data-dir')) return;
  const profile = join(app.getPath('appData'), 'tonearm-desktop');
  mkdirSync(profile, { recursive: true }); // Electron takes no path that is not there yet
  app.setPath('userData', profile);
}

async function offerRetry(reason: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'error',
    title: 'Tonearm',
    message: 'Tonearm cannot start its server.',
    detail: reason,
    buttons: ['Try again', 'Quit'],
    defaultId: 0,
    cancelId: 1,
  });
  return response === 0;
}
