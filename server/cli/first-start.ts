// Checks made before a command creates a library: a command that cannot run leaves no files on the disk.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { assertCanListen } from '../lan/listeners.ts';
import { assertImportPath } from '../settings/checks.ts';
import { findForm, type Command } from './command-line.ts';

/**
 * Throws an error that says what to do instead. If the folder already has a library, even one without its database,
 * nothing is checked.
 */
export async function assertCanBegin(command: Command, config: Config): Promise<void> {
  const { data, storageRoot } = config.paths;
  if (isLibrary(data) || existsSync(storageRoot)) return;
  if (!findForm(command.name, command.args).createsLibrary && !command.isNewLibrary)
    throw new AppError(
      'invalid',
      `There is no library in ${data}. Name the folder of your library with --data-dir, or start Tonearm once to ` +
        'begin one there.',
    );
  const outer = findOuterLibrary(data);
  if (outer !== undefined)
    throw new AppError(
      'invalid',
      `The data folder ${data} is inside that of another library, ${outer}. Choose another one with --data-dir.`,
    );
  const { HOST, PORT, LOCAL_MEDIA_IMPORT_PATH: musicFolder } = config.settings;
  if (command.name === 'scan' && musicFolder === undefined)
    throw new AppError('invalid', `There is no library in ${data}, and no music folder is named: tonearm scan DIR.`);
  if (musicFolder !== undefined && (command.scanAtStart || command.name === 'scan'))
    await assertImportPath(musicFolder, { data, storageRoot });
  if (command.name === 'serve') await assertCanListen(HOST, PORT);
}

const isLibrary = (folder: string): boolean =>
  ['tonearm.db', 'library.json'].some((name) => existsSync(join(folder, name)));

/** Returns a library whose data folder contains the folder. */
function findOuterLibrary(folder: string): string | undefined {
  for (let folderAbove = dirname(folder); folderAbove !== dirname(folderAbove); folderAbove = dirname(folderAbove))
    if (isLibrary(folderAbove)) return folderAbove;
  return undefined;
}
