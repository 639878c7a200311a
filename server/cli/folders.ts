// `tonearm folder list|add|rename|remove|restore`: the music folders, without a running server.
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import type { StoredFolder } from '../config/music-folders.ts';
import { AppError } from '../errors.ts';
import { wholeNumberFromText } from '../runtime/number-text.ts';
import { showScans } from './scan-report.ts';
import { UsageError } from './usage-error.ts';
import { waitForFollowUps } from './wait.ts';

type FolderApp = Pick<App, 'musicFolders' | 'folders' | 'settings'>;

export async function runFolder(app: App, [action, operand = '', name = '', mode]: string[]): Promise<void> {
  if (action === 'list') return printFolders(app);
  showScans(app);
  if (action === 'add') await addFolder(app, operand, name, mode);
  else if (action === 'rename') await app.folders.change(getFolder(app, operand).id, { name });
  else if (action === 'remove') await removeFolder(app, getFolder(app, operand));
  else await app.folders.restore(getFolder(app, operand).id);
  // the first call waits for the jobs of the change, the second call for the jobs that those have started
  await waitForFollowUps(app);
  await waitForFollowUps(app);
  printFolders(app);
}

async function addFolder({ folders, settings }: FolderApp, dir: string, name: string, mode?: string): Promise<void> {
  if (mode !== undefined && mode !== 'copy' && mode !== 'reference')
    throw new UsageError(`A music folder is of the mode copy or reference, not "${mode}".`);
  const path = resolve(dir);
  const folder = { name, path, mode: mode ?? settings.get('LOCAL_MEDIA_IMPORT_MODE'), followsLinks: false };
  await folders.add(folder).catch((error: unknown) => {
    const fault = error instanceof AppError && error.fields?.find(({ field }) => field === 'path');
    throw fault ? new AppError('invalid', `${path} ${fault.message}.`, { cause: error }) : error;
  });
}

async function removeFolder({ folders }: FolderApp, { id, name }: StoredFolder): Promise<void> {
  const { trashedTracks, remainingTracks } = await folders.remove(id, null);
  console.log(
    `Removed “${name}”: ${trashedTracks} tracks go to the trash, ${remainingTracks} have been copied and stay. ` +
      `"tonearm folder restore ${id}" undoes that.`,
  );
}

function printFolders({ musicFolders }: FolderApp): void {
  const folders = musicFolders.listAll().filter(({ isConfigured, removedAt }) => isConfigured || removedAt !== null);
  if (folders.length === 0) console.log('No music folder is set.');
  for (const { id, key, name, path, mode, isConfigured } of folders) {
    const state = isConfigured ? musicFolders.offlineReason(key) : 'removed';
    console.log(`${id}  ${name}  ${path ?? ''}  ${mode}${state === undefined ? '' : `  (${state})`}`);
  }
}

/** Returns the folder with this name or id. Throws `not_found`. */
function getFolder({ musicFolders }: FolderApp, word: string): StoredFolder {
  const foldersWithName = musicFolders.listAll().filter(({ name }) => name.toLowerCase() === word.toLowerCase());
  const folder =
    foldersWithName.find(({ isConfigured }) => isConfigured) ??
    foldersWithName[0] ??
    musicFolders.find(wholeNumberFromText(word) ?? NaN);
  if (!folder) throw new AppError('not_found', `There is no music folder "${word}". See folder list.`);
  return folder;
}
