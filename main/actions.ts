// What tray and menus can do, by name.
import type { PlayerCommand } from './ipc.ts';

export interface Actions {
  open(): void;
  openPlayer(): void;
  openSettings(): void;
  player(command: PlayerCommand): void;
  rescan(): void;
  identify(): void;
  share(enabled: boolean): void;
  /** Asks which. On macOS files and folders are chosen in one dialog, elsewhere in two. */
  chooseImports(what: 'files' | 'folder'): void;
  /** Only what is installed can be replaced; undefined elsewhere. */
  lookForUpdate: (() => void) | undefined;
  quit(): void;
}
