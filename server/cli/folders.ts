// `tonearm folder list|add|rename|remove|restore`: the music folders, without a running server.
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import type { StoredFolder } from '../config/music-folders.ts';
import { AppError } from '../errors.ts';
import { wholeNumberFromText } from '../runtime/number-text.ts';
import { showScans } from './scan-report.ts';
import { UsageError } from './usage-error.ts';
import { untilFollowUpsEnded } from './wait.ts';

type FolderApp = Pick<App, 'musicFolders' | 'folders' | 'settings'>;

export async function runFolder(app: App, [action, first = '', name = '', mode]: string[]): Promise<void> {
  if (action === 'list') return list(app);
  showScans(app);
  if (action === 'add') await add(app, first, name, mode);
  else if (action === 'rename') await app.folders.change(find(app, first).id, { name });
  else if (action === 'remove') await remove(app, find(app, first));
  else await app.folders.restore(find(app, first).id);
  // what was started, and what that starts
  await untilFollowUpsEnded(app);
  await untilFollowUpsEnded(app);
  list(app);
}

async function add({ folders, settings }: FolderApp, dir: string, name: string, mode?: string): Promise<void> {
  if (mode !== undefined && mode !== 'copy' && mode !== 'reference')
    throw new UsageError(`A music folder is of the mode copy or reference, not "${mode}".`);
  const path = resolve(dir);
  await folders.add({ name, path, mode: mode ?? settings.get('LOCAL_MEDIA_IMPORT_MODE') }).catch((error: unknown) => {
    const fault = error instanceof AppError && error.fields?.find(({ field }) => field === 'path');
    throw fault ? new AppError('invalid', `${path} ${fault.message}.`, { cause: error }) : error;
  });
}

async function remove({ folders }: FolderApp, { id, name }: StoredFolder): Promise<void> {
  const { trashedTracks, remainingTracks } = await folders.remove(id, null);
  console.log(
    `Removed “${name}”: ${trashedTracks} tracks go to the trash, ${remainingTracks} have been copied and stay. ` +
      `"tonearm folder restore ${id}" undoes that.`,
  );
}

function list({ musicFolders }: FolderApp): void {
  const all = musicFolders.listAll().filter(({ isSet, removedAt }) => isSet || removedAt !== null);
  if (all.length === 0) console.log('No music folder is set.');
  for (const { id, key, name, path, mode, isSet } of all) {
    const state = isSet ? musicFolders.offlineReason(key) : 'removed';
    console.log(`${id}  ${name}  ${path ?? ''}  ${mode}${state === undefined ? '' : `  (${state})`}`);
  }
}

/** Throws `not_found`. */
function find({ musicFolders }: FolderApp, word: string): StoredFolder {
  const named = musicFolders.listAll().filter(({ name }) => name.toLowerCase() === word.toLowerCase());
  const found = named.find(({ isSet }) => isSet) ?? named[0] ?? musicFolders.find(wholeNumberFromText(word) ?? NaN);
  if (!found) throw new AppError('not_found', `There is no music folder "${word}". See folder list.`);
  return found;
}
