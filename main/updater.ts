// Newer versions of the app: looked for in packaged copies only, once a day when the person switched that on, or when
// they ask by menu. Nothing is fetched before they say yes, and it is put in place when they quit. How a package is
// fetched, checked against its checksum and signature, and replaced is electron-updater's business; it is loaded with
// the first look.
import { app, dialog } from 'electron';
import type { Clock } from './clock.ts';
import type { Say } from './texts.ts';

/** What is needed of electron-updater. */
export interface UpdateSource {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  logger: unknown;
  checkForUpdates(): Promise<{ isUpdateAvailable: boolean; updateInfo: { version: string } } | null>;
  downloadUpdate(): Promise<unknown>;
}

export interface UpdaterDeps {
  clock: Clock;
  /** Whether the person wants it looked for without asking each time. */
  isWanted(): boolean;
  say: Say;
  load?(): Promise<UpdateSource>;
}

export type Updater = ReturnType<typeof createUpdater>;

const DAY_MS = 24 * 3_600_000;
/** Not while everything starts. */
const FIRST_LOOK_MS = 60_000;

export function createUpdater({ clock, isWanted, say, load = loadSource }: UpdaterDeps) {
  /** It is here already and waits for the quit; it is not offered again, and neither is one that was declined. */
  let taken: string | undefined;
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

  /** A look that nobody asked for says nothing but that there is something. */
  async function look(isAsked: boolean): Promise<void> {
    let isAwaited = isAsked;
    try {
      const source = await load();
      const found = await source.checkForUpdates();
      if (!found) return isAsked ? await tellNotInstalled() : undefined; // such as an unpacked folder on Linux
      const { version } = found.updateInfo;
      if (!found.isUpdateAvailable)
        return isAsked ? await tell(say('update.newest', { version: app.getVersion() })) : undefined;
      if (version === taken) return isAsked ? await tell(say('update.ready', { version })) : undefined;
      if (!isAsked && version === declined) return;
      if (!(await isAccepted(version))) return void (declined = version);
      isAwaited = true;
      await source.downloadUpdate();
      taken = version;
      await tell(say('update.ready', { version }));
    } catch (error) {
      if (!isAwaited) return;
      await (hasNoFeed(error)
        ? tell(say('update.noFeed'), say('update.elsewhere'))
        : tell(say('update.failed'), error instanceof Error ? error.message : String(error)));
    }
  }

  const lookOnce = (isAsked: boolean): Promise<void> =>
    (looking ??= look(isAsked).finally(() => {
      looking = undefined;
    }));

  return {
    /** Begins to look once a day; to be called when the app is ready. */
    start(): void {
      if (!app.isPackaged) return;
      const daily = (): void => {
        if (isWanted()) void lookOnce(false);
        clock.after(DAY_MS, daily);
      };
      clock.after(FIRST_LOOK_MS, daily);
    },

    /** Looks now and says what came of it, for a menu. */
    async check(): Promise<void> {
      if (app.isPackaged) return lookOnce(true);
      return tellNotInstalled();
    },
  };
}

/**
 * A copy that somebody packed without saying where it is published: the address is not in its file, or there is no such
 * file.
 */
const hasNoFeed = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_UPDATER_UNSUPPORTED_PROVIDER' || error.code === 'ENOENT');

async function loadSource(): Promise<UpdateSource> {
  // CommonJS whose names are getters, which an import by name does not find
  const { default: updater } = await import('electron-updater');
  const { autoUpdater } = updater;
  autoUpdater.autoDownload = false;
  autoUpdater.autoInstallOnAppQuit = true;
  autoUpdater.logger = null;
  return autoUpdater;
}
