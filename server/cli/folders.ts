// `tonearm folder list|add|rename|remove|restore`: the music folders, without a running server.
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import type { KnownFolder } from '../config/music-folders.ts';
import { AppError } from '../errors.ts';
import { wholeNumberFromText } from '../runtime/number-text.ts';
import { showProgress } from './progress.ts';
import { untilFollowUpsEnded } from './wait.ts';

const USAGE =
  'Usage: folder list, folder add DIR NAME [copy|reference], folder rename FOLDER NAME, folder remove FOLDER, folder ' +
  'restore FOLDER. FOLDER is a name or an id of folder list.';

type FolderApp = Pick<App, 'musicFolders' | 'folders' | 'settings'>;

export async function runFolder(app: App, [action, ...words]: string[]): Promise<void> {
  const [first, name, mode] = words;
  if (action === 'list' && words.length === 0) return list(app);
  if (first === undefined) throw new AppError('bad_request', USAGE);
  showProgress(app.events);
  if (action === 'add' && name !== undefined && words.length <= 3) await add(app, first, name, mode);
  else if (action === 'rename' && name !== undefined && words.length === 2)
    await app.folders.change(find(app, first).id, { name });
  else if (action === 'remove' && words.length === 1) await remove(app, find(app, first));
  else if (action === 'restore' && words.length === 1) await app.folders.restore(find(app, first).id);
  else throw new AppError('bad_request', USAGE);
  // what was started, and what that starts
  await untilFollowUpsEnded(app);
  await untilFollowUpsEnded(app);
  list(app);
}

async function add({ folders, settings }: FolderApp, dir: string, name: string, mode?: string): Promise<void> {
  if (mode !== undefined && mode !== 'copy' && mode !== 'reference') throw new AppError('bad_request', USAGE);
  await folders.add({ name, path: resolve(dir), mode: mode ?? settings.get('LOCAL_MEDIA_IMPORT_MODE') });
}

async function remove({ folders }: FolderApp, { id, name }: KnownFolder): Promise<void> {
  const { toTrash, kept } = await folders.remove(id, null);
  console.log(
    `Removed “${name}”: ${toTrash} tracks go to the trash, ${kept} have been copied and stay. ` +
      `"tonearm folder restore ${id}" undoes that.`,
  );
}

function list({ musicFolders }: FolderApp): void {
  const all = musicFolders.all().filter(({ isSet, removedAt }) => isSet || removedAt !== null);
  if (all.length === 0) console.log('No music folder is set.');
  for (const { id, key, name, path, mode, isSet } of all) {
    const state = isSet ? musicFolders.whyOffline(key) : 'removed';
    console.log(`${id}  ${name}  ${path ?? ''}  ${mode}${state === undefined ? '' : `  (${state})`}`);
  }
}

/** Throws `not_found`. */
function find({ musicFolders }: FolderApp, word: string): KnownFolder {
  const named = musicFolders.all().filter(({ name }) => name.toLowerCase() === word.toLowerCase());
  const found = named.find(({ isSet }) => isSet) ?? named[0] ?? musicFolders.find(wholeNumberFromText(word) ?? NaN);
  if (!found) throw new AppError('not_found', `There is no music folder "${word}". See folder list.`);
  return found;
}
