// The actions of tray, menus and media keys. Tray and menus have no page to display errors on, so an error becomes a
// notification with the server's message.
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
  /** Starts the sleep timer; null switches it off. */
  sleep(minutes: number | null): void;
  rescan(): void;
  identify(): void;
  share(enabled: boolean): void;
  /** Asks for files or a folder to import. On macOS one dialog offers both, elsewhere there are two dialogs. */
  chooseImports(kind: 'files' | 'folder'): void;
  /** Checks for updates; undefined in a copy that cannot replace itself by an update. */
  lookForUpdate: (() => void) | undefined;
  quit(): void;
}

interface ActionDeps {
  windows: Pick<Windows, 'show' | 'tell'>;
  client: ServerClient;
  platform: NodeJS.Platform;
  say: Say;
  keepPlayerOnTop: Actions['keepPlayerOnTop'];
  onAsked(job: Job, kind: 'scan' | 'identify'): void;
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
    /**
     * Only `toggle` opens a window, because playback can start without one; the other commands have no effect without
     * one.
     */
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
    chooseImports: (kind) =>
      attempt(async () => {
        const properties: Electron.OpenDialogOptions['properties'] =
          kind === 'folder'
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
