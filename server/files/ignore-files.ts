// Reads the ignore files of music folders (ignore-rules.ts). An ignore file that cannot be read leaves the tracks of
// its folder as they are, because nobody knows which of them it leaves out.
import fs from 'node:fs';
import { stat } from 'node:fs/promises';
import { readPlainFile } from '../runtime/plain-files.ts';
import { keyOfPath, pathInRoot, rootKeysOf, rootPathOf, type MusicRoots } from '../storage/music-roots.ts';
import {
  addIgnoreFile,
  createIgnoreRules,
  findIgnoreReason,
  IGNORE_FILES,
  rulesInFolder,
  type IgnoreRules,
} from './ignore-rules.ts';
import { absoluteOf, join } from './relative-path.ts';

const MAX_BYTES = 64 * 1024;

/** Adds the ignore files of a folder to its rules. `names` are names in the folder. Throws what reading throws. */
export function readIgnoreFiles(
  rules: IgnoreRules,
  folder: string | Buffer,
  names: readonly string[] = IGNORE_FILES,
): IgnoreRules {
  let folderRules = rules;
  for (const name of IGNORE_FILES) {
    const text = names.includes(name) ? readText(inFolder(folder, name), name) : undefined;
    if (text !== undefined) folderRules = addIgnoreFile(folderRules, name, text);
  }
  return folderRules;
}

/** Returns the rules of the folder at `path`, with the ignore files of the folders above, but not its own. */
export function readRulesAbove(roots: MusicRoots, path: string, ignoredNames: string): IgnoreRules {
  const { top, names } = splitPath(roots, path);
  let rules = createIgnoreRules(ignoredNames);
  let folder = top;
  for (const name of names) {
    rules = readIgnoreFiles(rules, absoluteOf(roots, folder));
    if (rules.ignoredBy === undefined && findIgnoreReason(rules, name, true) !== undefined)
      rules = { ...rules, ignoredBy: name };
    rules = rulesInFolder(rules, name);
    folder = join(folder, name);
  }
  return rules;
}

/** Returns whether scans leave out the folder at `path`. Ignore files that cannot be read do not count. */
export function isIgnoredFolder(roots: MusicRoots, path: string, ignoredNames: string): boolean {
  try {
    return readRulesAbove(roots, path, ignoredNames).ignoredBy !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns why scans leave out the file or folder at `path`, because of its own name or of a folder above; undefined
 * when they do not. Ignore files that cannot be read do not count.
 */
export async function findPathIgnoreReason(
  roots: MusicRoots,
  path: string,
  { isFolder, ignoredNames }: { isFolder: boolean; ignoredNames: string },
): Promise<string | undefined> {
  const { top, names } = splitPath(roots, path);
  let rules = createIgnoreRules(ignoredNames);
  let folder = top;
  for (const [index, name] of [...names, undefined].entries()) {
    if (name === undefined && !isFolder) break;
    for (const fileName of IGNORE_FILES) {
      const text = await loadText(absoluteOf(roots, join(folder, fileName)), fileName).catch(() => undefined);
      if (text !== undefined) rules = addIgnoreFile(rules, fileName, text);
    }
    if (rules.ignoredBy !== undefined)
      return `left out, because ${folder === top ? 'the music folder' : folder} contains ${rules.ignoredBy}`;
    if (name === undefined) break;
    const reason = findIgnoreReason(rules, name, isFolder || index < names.length - 1);
    if (reason !== undefined) return reason;
    rules = rulesInFolder(rules, name);
    folder = join(folder, name);
  }
  return undefined;
}

function splitPath(roots: MusicRoots, path: string): { top: string; names: string[] } {
  const key = keyOfPath(rootKeysOf(roots), path);
  const pathInside = path === rootPathOf(key) ? '' : pathInRoot(key, path);
  return { top: rootPathOf(key), names: pathInside === '' ? [] : pathInside.split('/') };
}

const inFolder = (folder: string | Buffer, name: string): string | Buffer =>
  typeof folder === 'string' ? `${folder}/${name}` : Buffer.concat([folder, Buffer.from(`/${name}`)]);

/**
 * Returns undefined when there is no such file. `.nomedia` is never read, and may also be a folder. Other folders,
 * pipes and devices with the name of an ignore file are none. Throws RangeError for a file that is too large.
 */
function readText(path: string | Buffer, name: string): string | undefined {
  const stats = fs.statSync(path, { throwIfNoEntry: false });
  if (stats && name === '.nomedia') return '';
  if (!stats?.isFile()) return undefined;
  assertSize(stats.size);
  return fs.readFileSync(path, 'utf8');
}

/** Like readText, but rejects with the error of the system when there is no such file. */
async function loadText(path: string | Buffer, name: string): Promise<string | undefined> {
  const stats = await stat(path);
  if (name === '.nomedia') return '';
  if (!stats.isFile()) return undefined;
  const bytes = await readPlainFile(path, MAX_BYTES + 1);
  assertSize(bytes.length);
  return bytes.toString('utf8');
}

function assertSize(size: number): void {
  if (size > MAX_BYTES) throw new RangeError(`it is larger than ${MAX_BYTES / 1024} KB`);
}
