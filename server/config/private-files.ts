// The data folder is for the account that runs the server alone: password hashes, private playlists, keys. Everything
// that this process and its programs make from here on is 0600 or 0700, whatever umask they were started with.
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../log/log.ts';

const OTHERS = 0o077;
let given: number | undefined;

/** From here on; before anything is written. */
export const keepToOwnAccount = (): void => void (given ??= process.umask(OTHERS));

/** Takes an existing folder and what is directly in it from other accounts. Windows has no such modes. */
export function keepPrivate(folder: string, log: Log): void {
  keepToOwnAccount();
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

/** Of what is made for others to use, such as an export: as the person who started the server wishes it. */
export const sharedModes = (): { file: number; folder: number } => {
  const mask = given ?? process.umask();
  return { file: 0o666 & ~mask, folder: 0o777 & ~mask };
};
