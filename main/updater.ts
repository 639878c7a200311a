// Updates of packaged copies: the app checks once a day if that is switched on, or when the user asks in the menu.
// Nothing is downloaded without asking, and an update is installed on quit. electron-updater, loaded on the first
// check, downloads, verifies and installs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import type { Clock } from './clock.ts';
import type { Say } from './texts.ts';

/** The used part of electron-updater. */
export interface UpdateSource {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  logger: unknown;
  checkForUpdates(): Promise<{ isUpdateAvailable: boolean; updateInfo: { version: string } } | null>;
  downloadUpdate(): Promise<unknown>;
}

interface UpdaterDeps {
  clock: Clock;
  /** Returns whether to check automatically. */
  isWanted(): boolean;
  say: Say;
  load?(): Promise<UpdateSource>;
}

export type Updater = ReturnType<typeof createUpdater>;

const DAY_MS = 24 * 3_600_000;
/** The first check waits until the app has started. */
const FIRST_CHECK_MS = 60_000;

export function createUpdater({ clock, isWanted, say, load = loadSource }: UpdaterDeps) {
  /** The version that is downloaded and installed on quit. Neither this version nor a declined one is offered again. */
  let handledVersion: string | undefined;
  let declined: string | undefined;
  let looking: Promise<void> | undefined;

  const showMessage = async (message: string, detail = ''): Promise<void> => {
    await dialog.showMessageBox({ type: 'info', title: 'Tonearm', message, detail, buttons: ['OK'] });
  };
  const tellNotInstalled = (): Promise<void> => showMessage(say('update.notInstalled'), say('update.elsewhere'));

  async function isAccepted(version: string): Promise<boolean> {
    const message = say('update.offer', { version, current: app.getVersion() });
    const { response } = await dialog.showMessageBox({
      type: 'question',
      title: 'Tonearm',
      message,
      buttons: [say('update.download'), say('update.decline')],
      defaultId: 0,
      cancelId: 1,
    });
    return response === 0;
  }

  /** Checks for an update. An automatic check reports only an available update, no errors. */
  async function checkForUpdate(isRequested: boolean): Promise<void> {
    let isAwaited = isRequested;
    try {
      const source = await load();
      const result = await source.checkForUpdates();
      if (!result) return isRequested ? await tellNotInstalled() : undefined; // a Linux folder has no updates
      const { version } = result.updateInfo;
      if (!result.isUpdateAvailable)
        return isRequested ? await showMessage(say('update.newest', { version: app.getVersion() })) : undefined;
      if (version === handledVersion)
        return isRequested ? await showMessage(say('update.ready', { version })) : undefined;
      if (!isRequested && version === declined) return;
      if (!(await isAccepted(version))) return void (declined = version);
      isAwaited = true;
      await source.downloadUpdate();
      handledVersion = version;
      await showMessage(say('update.ready', { version }));
    } catch (error) {
      if (!isAwaited) return;
      await (hasNoFeed(error)
        ? showMessage(say('update.noFeed'), say('update.elsewhere'))
        : showMessage(say('update.failed'), error instanceof Error ? error.message : String(error)));
    }
  }

  const lookOnce = (isRequested: boolean): Promise<void> =>
    (looking ??= checkForUpdate(isRequested).finally(() => {
      looking = undefined;
    }));

  return {
    /** Starts the daily check; must be called when the app is ready. */
    start(): void {
      if (!app.isPackaged) return;
      const daily = (): void => {
        if (isWanted()) void lookOnce(false);
        clock.after(DAY_MS, daily);
      };
      clock.after(FIRST_CHECK_MS, daily);
    },

    /** Checks now, when the user asks in the menu, and displays the result. */
    async check(): Promise<void> {
      if (app.isPackaged) return lookOnce(true);
      return tellNotInstalled();
    },
  };
}

/**
 * Returns whether this copy knows where updates are published: electron-builder writes that file for the repository or
 * the address that the release is built with, see docs/desktop.md.
 */
export function hasUpdateFeed(resources: string): boolean {
  try {
    return /^(?:owner|url): \S/m.test(readFileSync(join(resources, 'app-update.yml'), 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Returns whether the error means that the copy was packaged without a publish configuration: its file has no address,
 * or does not exist.
 */
const hasNoFeed = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_UPDATER_UNSUPPORTED_PROVIDER' || error.code === 'ENOENT');

async function loadSource(): Promise<UpdateSource> {
  // electron-updater is CommonJS with getters as exports, which named imports do not find
  const { default: updater } = await import('electron-updater');
  const { autoUpdater } = updater;
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = true;
  autoUpdater.logger = null;
  return autoUpdater;
}
