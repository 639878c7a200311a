// Computes sets of folders to scan, each with everything below it. Pure.
import { isBelow } from './relative-path.ts';

/** If more folders than this have changed, their common parent is scanned. */
export const MAX_FOLDERS = 100;

/**
 * Returns the folders to scan. More than `maxFolders` are replaced by their common parent. One scan has to include all
 * of them, because a file that vanished from one folder may have appeared in another.
 */
export function foldersToScan(changedFolders: Iterable<string>, maxFolders = MAX_FOLDERS): string[] {
  const folders = withoutSubfolders(changedFolders);
  return folders.length > maxFolders ? [commonParent(folders)] : folders;
}

/** Removes folders that are below another folder of the list. */
export function withoutSubfolders(folders: Iterable<string>): string[] {
  const topFolders: string[] = [];
  for (const folder of [...new Set(folders)].sort(compareByTree)) {
    const lastTopFolder = topFolders.at(-1);
    if (lastTopFolder === undefined || !isBelow(folder, lastTopFolder)) topFolders.push(folder);
  }
  return topFolders;
}

/**
 * Compares folders so that each is sorted directly before its subfolders: `/` has to sort before every other character.
 */
function compareByTree(a: string, b: string): number {
  const [keyA, keyB] = [a.replaceAll('/', '\0'), b.replaceAll('/', '\0')];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}

/** Returns the deepest folder that contains all of the folders. */
export function commonParent(folders: readonly string[]): string {
  let commonNames = folders[0]?.split('/') ?? [];
  for (const folder of folders) {
    const names = folder.split('/');
    const end = commonNames.findIndex((name, i) => name !== names[i]);
    if (end >= 0) commonNames = commonNames.slice(0, end);
  }
  return commonNames.join('/');
}
