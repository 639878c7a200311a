// Watches a folder tree with chokidar, which needs only one watch for the whole tree if the system offers that (macOS,
// Windows).
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { nameToText } from '../storage/file-names.ts';
import { TooManyFolders, type TreeWatch, type TreeWatchOptions } from './folder-watch.ts';
import { kindOf } from '../files/file-kinds.ts';
import { isIgnoredFolder } from '../files/ignore-files.ts';
import { createIgnoreRules, findIgnoreReason } from '../files/ignore-rules.ts';

/** Starts watching; resolves when the whole tree is watched. Throws TooManyFolders, or the system's error. */
export async function watchWithChokidar({
  root: { path: root, followsLinks = false },
  links,
  ignoredNames,
  maxFolders,
  onFile,
  onRemoval,
  onUnknownChange,
  onError,
}: TreeWatchOptions): Promise<TreeWatch> {
  const pathOf = (path: string): string => nameToText(Buffer.from(relative(root, path).split(sep).join('/')));
  const folderOf = (path: string): string => pathOf(dirname(path));
  const namesRules = createIgnoreRules(ignoredNames);
  const isSkippedFolder = (path: string): boolean =>
    isIgnoredFolder(root, pathOf(path), ignoredNames) || (followsLinks && isRefusedLink(path));
  const isRefusedLink = (path: string): boolean =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
    links.resolve(pathOf(path)).kind !== 'folder';
  const folders = listFolders(root, { maxFolders, followsLinks, isSkipped: isSkippedFolder });

  function isIgnored(path: string, stats: Stats | undefined): boolean {
    const name = basename(path);
    const kind = kindOf(name);
    if (kind === 'ignore file') return false;
    if (findIgnoreReason(namesRules, name, true) !== undefined) return true;
    if (!stats || (followsLinks && stats.isSymbolicLink() && !isRefusedLink(path))) return false;
    return stats.isDirectory() ? isSkippedFolder(path) : kind === 'other';
  }

  const noteFile = (path: string, stats?: Stats): void => {
    const currentStats = stats ?? lstatSync(path, { throwIfNoEntry: false });
    if (kindOf(basename(path)) === 'ignore file') onUnknownChange(folderOf(path));
    else if (currentStats) onFile(folderOf(path), nameToText(Buffer.from(basename(path))), currentStats);
  };

  const watcher = watch(root, {
    ignored: (path, stats) => path !== root && isIgnored(path, stats),
    ignoreInitial: true,
    followSymlinks: followsLinks,
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

/** Lists all folders before chokidar starts, because chokidar does not limit their number. */
function listFolders(
  root: string,
  {
    maxFolders,
    followsLinks,
    isSkipped,
  }: { maxFolders: number; followsLinks: boolean; isSkipped: (path: string) => boolean },
): Set<string> {
  const folders = new Set<string>();
  for (const pending = [root]; pending.length > 0;) {
    if (folders.size >= maxFolders) throw new TooManyFolders();
    const folder = pending.pop() as string;
    folders.add(folder);
    for (const name of foldersIn(folder, followsLinks))
      if (!isSkipped(join(folder, name))) pending.push(join(folder, name));
  }
  return folders;
}

/** Lists the folders in a folder, and all links if these are followed. */
function foldersIn(folder: string, followsLinks: boolean): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || (followsLinks && entry.isSymbolicLink()))
      .map(({ name }) => name);
  } catch {
    return []; // the folder is not readable, so it is not watched
  }
}
