// What tray, menus and media keys do. What goes wrong is told in a notice, in the server's words: these have no page to
// say it on.
import { app, dialog } from 'electron';
import type { Actions } from './actions.ts';
import type { PlayerCommand } from './ipc.ts';
import { notify } from './notifications.ts';
import type { ServerLink } from './server-link.ts';
import type { Job, Network } from './server-shapes.ts';
import type { Say } from './texts.ts';
import type { Windows } from './windows.ts';

interface CommandDeps {
  windows: Pick<Windows, 'show' | 'tell'>;
  link: ServerLink;
  platform: NodeJS.Platform;
  say: Say;
  onAsked(job: Job, what: 'scan' | 'identify'): void;
  onNetwork(network: Network | undefined): void;
  openPaths(paths: string[]): void;
  lookForUpdate: Actions['lookForUpdate'];
}

export function createActions({
  windows,
  link,
  platform,
  say,
  onAsked,
  onNetwork,
  openPaths,
  lookForUpdate,
}: CommandDeps): Actions {
  const attempt = (work: () => Promise<unknown>): void => {
    work().catch((error: unknown) =>
      notify({ title: say('failed.action'), body: error instanceof Error ? error.message : '' }),
    );
  };
  return {
    open: () => windows.show('library'),
    openPlayer: () => windows.show('player'),
    openSettings: () => windows.show('settings'),
    /** Music that stands still can be begun without a window; the others have nothing to do then. */
    player: (command: PlayerCommand) => windows.tell({ kind: 'player', command }, { isNeeded: command === 'toggle' }),
    rescan: () => attempt(async () => onAsked(await link.rescan(), 'scan')),
    identify: () => attempt(async () => onAsked(await link.identify(), 'identify')),
    share: (enabled) =>
      attempt(async () => {
        const network = await link.share(enabled).catch((error: unknown) => {
          onNetwork(undefined); // the switch goes back
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
