// What a command asks before it makes a library: one that cannot begin leaves nothing on the disk.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { assertCanListen } from '../lan/listeners.ts';
import { assertImportPath } from '../settings/checks.ts';
import { formOf, type Command } from './command-line.ts';

/** Throws a sentence that says what to do instead. Silent where there is a library, also one whose database is gone. */
export async function assertCanBegin(command: Command, config: Config): Promise<void> {
  const { data, storageRoot } = config.paths;
  if (isLibrary(data) || existsSync(storageRoot)) return;
  if (!formOf(command.name, command.args).begins && !command.isNewLibrary)
    throw new AppError(
      'invalid',
      `There is no library in ${data}. Name the folder of your library with --data-dir, or start Tonearm once to ` +
        'begin one there.',
    );
  const outer = outerLibrary(data);
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

/** The library whose data folder the folder would be in. */
function outerLibrary(folder: string): string | undefined {
  for (let outer = dirname(folder); outer !== dirname(outer); outer = dirname(outer))
    if (isLibrary(outer)) return outer;
  return undefined;
}
