// Watches a folder tree with chokidar, which needs only one watch for the whole tree if the system offers that (macOS,
// Windows).
import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { nameToText } from '../storage/file-names.ts';
import { TooManyFolders, type TreeWatch, type TreeWatchOptions } from './folder-watch.ts';
import { IGNORE_MARKS, kindOf } from '../files/file-kinds.ts';

/** Starts watching; resolves when the whole tree is watched. Throws TooManyFolders, or the system's error. */
export async function watchWithChokidar({
  root,
  maxFolders,
  onFile,
  onRemoval,
  onUnknownChange,
  onError,
}: TreeWatchOptions): Promise<TreeWatch> {
  const folders = listFolders(root, maxFolders);
  const pathOf = (path: string): string => nameToText(Buffer.from(relative(root, path).split(sep).join('/')));
  const folderOf = (path: string): string => pathOf(dirname(path));
  const noteFile = (path: string, stats?: Stats): void => {
    const currentStats = stats ?? lstatSync(path, { throwIfNoEntry: false });
    if (kindOf(basename(path)) === 'mark') onUnknownChange(folderOf(path));
    else if (currentStats) onFile(folderOf(path), nameToText(Buffer.from(basename(path))), currentStats);
  };

  const watcher = watch(root, {
    ignored: (path, stats) => path !== root && isIgnored(path, stats),
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    atomic: false,
  });
  watcher
    .on('add', noteFile)
    .on('change', noteFile)
    .on('unlink', (path) => onRemoval(folderOf(path)))
    .on('unlinkDir', (path) => {
      folders.delete(path);
      if (path !== root) onRemoval(folderOf(path));
    })
    .on('addDir', (path) => {
      if (folders.add(path).size > maxFolders) onError(new TooManyFolders());
    }); // chokidar may report a folder twice
  await new Promise<void>((resolve, reject) => {
    watcher.once('ready', resolve).once('error', reject);
  });
  watcher.on('error', (error) => onError(error as Error));
  // `refresh` does nothing: chokidar notices an overflow and reads the tree again by itself
  return { countFolders: () => folders.size, refresh: () => {}, close: () => watcher.close() };
}

function isIgnored(path: string, stats: Stats | undefined): boolean {
  const kind = kindOf(basename(path));
  if (kind === 'hidden') return true;
  if (!stats || kind === 'mark') return false;
  return stats.isDirectory() ? isMarked(dirname(path)) : kind === 'other';
}

const isMarked = (folder: string): boolean => IGNORE_MARKS.some((mark) => existsSync(join(folder, mark)));

/** Lists all folders before chokidar starts, because chokidar does not limit their number. */
function listFolders(root: string, maxFolders: number): Set<string> {
  const folders = new Set<string>();
  for (const pending = [root]; pending.length > 0;) {
    if (folders.size >= maxFolders) throw new TooManyFolders();
    const folder = pending.pop() as string;
    folders.add(folder);
    if (!isMarked(folder)) for (const name of foldersIn(folder)) pending.push(join(folder, name));
  }
  return folders;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
  } catch {
    return []; // the folder is not readable, so it is not watched
  }
}
