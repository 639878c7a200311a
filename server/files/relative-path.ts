// Paths relative to the music folder: text with `/` between names, as in `source_id`; '' is the music folder itself.
// See storage/music-roots.ts for several folders, and storage/file-names.ts for names that are not UTF-8.
import { readdir } from 'node:fs/promises';
import { nameToText, textToName } from '../storage/file-names.ts';
import { locateInRoots, type MusicRoots } from '../storage/music-roots.ts';

export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Returns whether the path is below the folder; true for the folder itself, too. */
export const isBelow = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

/** Returns the path in NFC, as in `source_id`. Other paths keep the spelling of the disk. */
export const sourceIdOf = (folder: string, name: string): string => join(folder, name).normalize('NFC');

/** Returns the absolute path, as bytes if a name in it is not UTF-8. */
export function absoluteOf(roots: MusicRoots, path: string): string | Buffer {
  const { root, relativePath } = locateInRoots(roots, path);
  const name = textToName(relativePath);
  if (typeof name === 'string') return relativePath === '' ? root : `${root}/${name}`;
  return Buffer.concat([Buffer.from(`${root}/`), name]);
}

/** Returns the text of a name that the system lists. Only names with escapes or invalid UTF-8 need the conversion. */
export const textOf = (name: string | Buffer): string =>
  typeof name !== 'string' ? nameToText(name) : name.includes('\\x') ? nameToText(Buffer.from(name)) : name;

/** Returns the names in a folder; `absent` when the folder does not exist, `unknown` when it cannot be listed. */
export async function namesIn(folder: string | Buffer): Promise<Set<string> | 'absent' | 'unknown'> {
  try {
    const names = await readdir(folder);
    if (names.some((name) => name.includes('\ufffd')))
      return new Set((await readdir(folder, { encoding: 'buffer' })).map(textOf));
    return new Set(names.map(textOf));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unknown';
  }
}
