// Lists one folder and sorts its entries by kind. Synchronous, for the walking thread.
import fs from 'node:fs';
import { messageOf } from '../../errors.ts';
import { extensionOf, kindOf } from '../../files/file-kinds.ts';
import type { FolderLinks } from '../../files/folder-links.ts';
import { readIgnoreFiles } from '../../files/ignore-files.ts';
import { findIgnoreReason, IGNORE_FILES, type IgnoreRules } from '../../files/ignore-rules.ts';
import { absoluteOf, join, textOf } from '../../files/relative-path.ts';
import { whyNotRead } from '../../media/audio-formats.ts';
import { textToName } from '../../storage/file-names.ts';
import type { MusicRoots } from '../../storage/music-roots.ts';

export interface NameReason {
  name: string;
  reason: string;
}

export interface Listing {
  /** Absolute path with a slash at its end; bytes if a name in the path is not UTF-8. */
  prefix: string | Buffer;
  path: string;
  /** What is left out of the folder, with the ignore files in it. */
  rules: IgnoreRules;
  /** True if nothing at all is in the folder. */
  isEmpty: boolean;
  folders: string[];
  /** The absolute paths of folders that are reached by a link, by name. */
  linkTargets: Map<string, string>;
  /** Names of links that lead nowhere. */
  lostLinks: string[];
  audioNames: string[];
  images: { name: string; extension: string }[];
  /** Lyrics files with the same name as an audio file. */
  lyricsNames: string[];
  /** Names of cue sheets. */
  sheetNames: string[];
  /** Names of playlist files. */
  playlistNames: string[];
  skippedFiles: NameReason[];
}

/**
 * Lists a folder; returns the reason as a string when it cannot be listed. `rules` are those of the folder without its
 * own ignore files.
 */
export function listFolder(
  root: MusicRoots,
  path: string,
  { rules, links }: { rules: IgnoreRules; links: FolderLinks },
): Listing | string {
  const absolutePath = absoluteOf(root, path);
  const listing: Listing = {
    prefix: typeof absolutePath === 'string' ? `${absolutePath}/` : Buffer.concat([absolutePath, Buffer.from('/')]),
    path,
    rules,
    isEmpty: false,
    folders: [],
    linkTargets: new Map(),
    lostLinks: [],
    audioNames: [],
    images: [],
    lyricsNames: [],
    sheetNames: [],
    playlistNames: [],
    skippedFiles: [],
  };
  let dirents: fs.Dirent<string | Buffer>[];
  try {
    dirents = readDirents(absolutePath);
  } catch (error) {
    const reason = ['EACCES', 'EPERM'].includes(codeOf(error)) ? 'permission denied' : codeOf(error);
    return `the folder cannot be listed (${reason}); its tracks stay as they are`;
  }
  try {
    const ignoreFiles = dirents.map(({ name }) => String(name)).filter((name) => IGNORE_FILES.includes(name));
    if (ignoreFiles.length > 0) listing.rules = readIgnoreFiles(rules, absolutePath, ignoreFiles);
  } catch (error) {
    return `an ignore file in the folder cannot be read (${messageOf(error)}); its tracks stay as they are`;
  }
  listing.isEmpty = dirents.length === 0;
  if (listing.rules.ignoredBy !== undefined) return listing;
  for (const dirent of dirents) sortByKind(listing, links, textOf(dirent.name), dirent);
  return listing;
}

/**
 * Lists the entries of a folder as bytes if one of their names is not UTF-8: as text, such a name would have
 * replacement characters and could not be opened.
 */
function readDirents(folder: string | Buffer): fs.Dirent<string | Buffer>[] {
  const dirents = fs.readdirSync(folder, { withFileTypes: true });
  return dirents.some(({ name }) => name.includes('\ufffd'))
    ? fs.readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })
    : dirents;
}

function sortByKind(listing: Listing, links: FolderLinks, name: string, dirent: fs.Dirent<string | Buffer>): void {
  const skip = (reason: string): void => void listing.skippedFiles.push({ name, reason });
  const kind = kindOf(name);
  if (kind === 'ignore file') return;
  const mayBeFolder = dirent.isDirectory() || (dirent.isSymbolicLink() && kind === 'other');
  const ignoreReason = findIgnoreReason(listing.rules, name, mayBeFolder);
  if (ignoreReason !== undefined) return skip(ignoreReason);
  if (dirent.isDirectory()) return void listing.folders.push(name);
  if (dirent.isSymbolicLink()) {
    const end = links.resolve(join(listing.path, name));
    if (end.kind === 'folder') {
      listing.linkTargets.set(name, end.target);
      return void listing.folders.push(name);
    }
    if (end.kind === 'lost') listing.lostLinks.push(name);
    if (end.kind !== 'file') return skip(end.reason);
  } else if (!dirent.isFile()) return skip('not a file (a pipe, socket or device)');
  if (kind === 'audio') listing.audioNames.push(name);
  else if (kind === 'picture') listing.images.push({ name, extension: extensionOf(name) });
  else if (kind === 'lyrics') listing.lyricsNames.push(name);
  else if (kind === 'sheet') listing.sheetNames.push(name);
  else if (kind === 'playlist') listing.playlistNames.push(name);
  else skip(whyNotRead(extensionOf(name)));
}

/** Returns the absolute path of a name in a listed folder. */
export function pathIn(prefix: string | Buffer, name: string): string | Buffer {
  const bytes = name.includes('\\x') ? textToName(name) : name;
  return typeof prefix === 'string' && typeof bytes === 'string'
    ? prefix + bytes
    : Buffer.concat([Buffer.from(prefix), Buffer.from(bytes)]);
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
