// Keeps the data folder private to the account that runs the server: the folder has password hashes, private playlists,
// keys. Files that this process and its children create are 0600 or 0700, whatever umask they were started with.
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../log/log.ts';

const OTHER_ACCOUNTS_MASK = 0o077;
let startUmask: number | undefined;

/** Removes the rights of other accounts from new files. Must be called before any file is written. */
export const restrictUmask = (): void => void (startUmask ??= process.umask(OTHER_ACCOUNTS_MASK));

/** Removes the rights of other accounts from a folder and its entries. On Windows files have no such modes. */
export function makePrivate(folder: string, log: Log): void {
  restrictUmask();
  if (process.platform === 'win32') return;
  try {
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile() || entry.isDirectory())
        chmodSync(join(folder, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  } catch (err) {
    log.warn({ err, folder }, 'other accounts of this computer may read the data folder');
  }
}

/**
 * Returns modes for files that others may use, such as an export, following the umask with which the server was
 * started.
 */
export const getSharedModes = (): { file: number; folder: number } => {
  const mask = startUmask ?? process.umask();
  return { file: 0o666 & ~mask, folder: 0o777 & ~mask };
};
