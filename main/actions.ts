// The actions of tray, menus and media keys. They have no page to show an error on, so errors become notifications,
// with the server's message.
import { app, dialog } from 'electron';
import type { PlayerCommand } from './ipc.ts';
import { notify } from './notifications.ts';
import type { ServerClient } from './server-client.ts';
import type { Job, Network } from './api-schemas.ts';
import type { Say } from './texts.ts';
import type { Windows } from './windows.ts';

export interface Actions {
  open(): void;
  openPlayer(): void;
  keepPlayerOnTop(isWanted: boolean): void;
  openSettings(): void;
  player(command: PlayerCommand): void;
  /** Null switches the sleep timer off. */
  sleep(minutes: number | null): void;
  rescan(): void;
  identify(): void;
  share(enabled: boolean): void;
  /** Asks which. On macOS files and folders are chosen in one dialog, elsewhere in two. */
  chooseImports(what: 'files' | 'folder'): void;
  /** Only an installed app can be replaced; undefined elsewhere. */
  lookForUpdate: (() => void) | undefined;
  quit(): void;
}

interface ActionDeps {
  windows: Pick<Windows, 'show' | 'tell'>;
  client: ServerClient;
  platform: NodeJS.Platform;
  say: Say;
  keepPlayerOnTop: Actions['keepPlayerOnTop'];
  onAsked(job: Job, what: 'scan' | 'identify'): void;
  onNetwork(network: Network | undefined): void;
  openPaths(paths: string[]): void;
  lookForUpdate: Actions['lookForUpdate'];
}

export function createActions({
  windows,
  client,
  platform,
  say,
  keepPlayerOnTop,
  onAsked,
  onNetwork,
  openPaths,
  lookForUpdate,
}: ActionDeps): Actions {
  const attempt = (work: () => Promise<unknown>): void => {
    work().catch((error: unknown) =>
      notify({ title: say('failed.action'), body: error instanceof Error ? error.message : '' }),
    );
  };
  return {
    open: () => windows.show('library'),
    openPlayer: () => windows.show('player'),
    keepPlayerOnTop,
    openSettings: () => windows.show('settings'),
    /** Playback can be started without a window; the other commands then have nothing to act on. */
    player: (command: PlayerCommand) => windows.tell({ kind: 'player', command }, { isNeeded: command === 'toggle' }),
    sleep: (minutes) => windows.tell({ kind: 'sleep', minutes }),
    rescan: () => attempt(async () => onAsked(await client.rescan(), 'scan')),
    identify: () => attempt(async () => onAsked(await client.identify(), 'identify')),
    share: (enabled) =>
      attempt(async () => {
        const network = await client.share(enabled).catch((error: unknown) => {
          onNetwork(undefined); // resets the switch in the menu
          throw error;
        });
        onNetwork(network);
        if (network.shared && network.registration_open)
          notify({
            title: say('share.open'),
            body: say('share.openText'),
            onClick: () => windows.show('settings', '/settings#accounts'),
          });
      }),
    chooseImports: (what) =>
      attempt(async () => {
        const properties: Electron.OpenDialogOptions['properties'] =
          what === 'folder'
            ? ['openDirectory']
            : platform === 'darwin'
              ? ['openFile', 'openDirectory', 'multiSelections']
              : ['openFile', 'multiSelections'];
        const { canceled, filePaths } = await dialog.showOpenDialog({ properties });
        if (!canceled) openPaths(filePaths);
      }),
    lookForUpdate,
    quit: () => app.quit(),
  };
}
