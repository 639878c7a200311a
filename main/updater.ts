// Updates, in packaged copies only: checked once a day when that is switched on, or from the menu. Nothing is
// downloaded without asking, and it is installed on quit. Downloading, verifying and installing are electron-updater's,
// which is loaded on the first check.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, dialog } from 'electron';
import type { Clock } from './clock.ts';
import type { Say } from './texts.ts';

/** The part of electron-updater that is used. */
export interface UpdateSource {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  logger: unknown;
  checkForUpdates(): Promise<{ isUpdateAvailable: boolean; updateInfo: { version: string } } | null>;
  downloadUpdate(): Promise<unknown>;
}

interface UpdaterDeps {
  clock: Clock;
  /** Whether to check automatically. */
  isWanted(): boolean;
  say: Say;
  load?(): Promise<UpdateSource>;
}

export type Updater = ReturnType<typeof createUpdater>;

const DAY_MS = 24 * 3_600_000;
/** The first check waits until the startup is over. */
const FIRST_CHECK_MS = 60_000;

export function createUpdater({ clock, isWanted, say, load = loadSource }: UpdaterDeps) {
  /** Downloaded and waiting for the quit; it is not offered again, and neither is a declined one. */
  let handledVersion: string | undefined;
  let declined: string | undefined;
  let looking: Promise<void> | undefined;

  const tell = async (message: string, detail = ''): Promise<void> => {
    await dialog.showMessageBox({ type: 'info', title: 'Tonearm', message, detail, buttons: ['OK'] });
  };
  const tellNotInstalled = (): Promise<void> => tell(say('update.notInstalled'), say('update.elsewhere'));

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

  /** An automatic check only reports an update. */
  async function checkForUpdate(isAsked: boolean): Promise<void> {
    let isAwaited = isAsked;
    try {
      const source = await load();
      const result = await source.checkForUpdates();
      if (!result) return isAsked ? await tellNotInstalled() : undefined; // such as an unpacked folder on Linux
      const { version } = result.updateInfo;
      if (!result.isUpdateAvailable)
        return isAsked ? await tell(say('update.newest', { version: app.getVersion() })) : undefined;
      if (version === handledVersion) return isAsked ? await tell(say('update.ready', { version })) : undefined;
      if (!isAsked && version === declined) return;
      if (!(await isAccepted(version))) return void (declined = version);
      isAwaited = true;
      await source.downloadUpdate();
      handledVersion = version;
      await tell(say('update.ready', { version }));
    } catch (error) {
      if (!isAwaited) return;
      await (hasNoFeed(error)
        ? tell(say('update.noFeed'), say('update.elsewhere'))
        : tell(say('update.failed'), error instanceof Error ? error.message : String(error)));
    }
  }

  const lookOnce = (isAsked: boolean): Promise<void> =>
    (looking ??= checkForUpdate(isAsked).finally(() => {
      looking = undefined;
    }));

  return {
    /** Starts the daily check; to be called when the app is ready. */
    start(): void {
      if (!app.isPackaged) return;
      const daily = (): void => {
        if (isWanted()) void lookOnce(false);
        clock.after(DAY_MS, daily);
      };
      clock.after(FIRST_CHECK_MS, daily);
    },

    /** Checks now and shows the result, for the menu. */
    async check(): Promise<void> {
      if (app.isPackaged) return lookOnce(true);
      return tellNotInstalled();
    },
  };
}

/**
 * Whether this copy knows where updates are published: electron-builder writes that file for the repository or the
 * address that the release is built with, see docs/desktop.md.
 */
export function hasUpdateFeed(resources: string): boolean {
  try {
    return /^(?:owner|url): \S/m.test(readFileSync(join(resources, 'app-update.yml'), 'utf8'));
  } catch {
    return false;
  }
}

/** A copy that was packaged without a publish configuration: no address in its file, or no such file. */
const hasNoFeed = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_UPDATER_UNSUPPORTED_PROVIDER' || error.code === 'ENOENT');

async function loadSource(): Promise<UpdateSource> {
  // CommonJS with getters as exports, which named imports do not find
  const { default: updater } = await import('electron-updater');
  const { autoUpdater } = updater;
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = true;
  autoUpdater.logger = null;
  return autoUpdater;
}
