// Sets of folders to scan, each with everything below it. Pure.
import { isBelow } from './relative-path.ts';

/** The most folders in one scan. */
export const MOST_FOLDERS = 100;

/**
 * The folders of one scan; above `most`, their common parent. One scan has to see them all: a file that vanished from
 * one may have appeared in another.
 */
export function foldersToScan(changed: Iterable<string>, most = MOST_FOLDERS): string[] {
  const folders = smallestSet(changed);
  return folders.length > most ? [commonParent(folders)] : folders;
}

/** Without folders that are below another one. */
export function smallestSet(folders: Iterable<string>): string[] {
  const smallest: string[] = [];
  for (const folder of [...new Set(folders)].sort(byTree)) {
    const last = smallest.at(-1);
    if (last === undefined || !isBelow(folder, last)) smallest.push(folder);
  }
  return smallest;
}

/** Sorts each folder directly before its subfolders: `/` has to sort below every other character. */
function byTree(a: string, b: string): number {
  const [first, second] = [a.replaceAll('/', '\0'), b.replaceAll('/', '\0')];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The deepest folder above all of them. */
export function commonParent(folders: readonly string[]): string {
  let common = folders[0]?.split('/') ?? [];
  for (const folder of folders) {
    const parts = folder.split('/');
    const end = common.findIndex((part, i) => part !== parts[i]);
    if (end >= 0) common = common.slice(0, end);
  }
  return common.join('/');
}
