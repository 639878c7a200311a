// Reads a playlist file of a music folder. Only the file itself is opened, nothing that its lines refer to. A file that
// cannot be used is returned with the reason, as the end of a sentence that begins with the file.
import { hash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { AppError, messageOf } from '../errors.ts';
import { absoluteOf, parentOf } from '../files/relative-path.ts';
import { MAX_FILE_ENTRIES, type FileEntry } from '../playlists/file-entry.ts';
import { readingsOf } from '../playlists/file-locations.ts';
import { parseNsp, type SmartFile } from '../playlists/nsp.ts';
import { parsePlaylistFile } from '../playlists/playlist-file.ts';
import { decodePlaylistText } from '../playlists/playlist-text.ts';
import { openPlainFile } from '../runtime/plain-files.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { finishInSlices } from '../runtime/time-slices.ts';
import { locateInRoots, type MusicRoot } from '../storage/music-roots.ts';

export type ReadFile = { contentHash: string | null } & (
  | { kind: 'gone' }
  | { kind: 'faulty'; reason: string }
  | { kind: 'list'; name: string; entries: FileEntry[]; isRadio: boolean }
  | ({ kind: 'smart' } & Omit<SmartFile, 'name'> & { name: string })
);

const { bytes: MAX_BYTES } = TEXT_LIMITS.playlist;
const MAX_NAME_CHARACTERS = 200;

export async function readPlaylistFile(roots: readonly MusicRoot[], path: string): Promise<ReadFile> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readBytes(roots, path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone', contentHash: null };
    return faulty(`cannot be read (${code})`, null);
  }
  if (bytes === undefined) return faulty(`has more than ${MAX_BYTES >> 20} MB`, null);
  const contentHash = hash('sha256', bytes, 'base64url');
  try {
    const file = path.toLowerCase().endsWith('.nsp') ? readSmart(path, bytes) : await readList(path, bytes);
    return { ...file, name: cleanName(file.name), contentHash };
  } catch (error) {
    if (error instanceof SyntaxError) return faulty(`cannot be used: ${error.message}`, contentHash);
    if (error instanceof AppError && error.code === 'too_large')
      return faulty(`is too large. ${error.message}`, contentHash);
    throw error;
  }
}

const faulty = (reason: string, contentHash: string | null): ReadFile => ({ kind: 'faulty', reason, contentHash });

/**
 * Reads the whole file; undefined if it is too large. The file may be a link to another one in the music folder. Links
 * to folders on the way to it were allowed by the walk.
 */
async function readBytes(roots: readonly MusicRoot[], path: string): Promise<Buffer | undefined> {
  const resolve = (place: string | Buffer): Promise<Buffer> => realpath(place, { encoding: 'buffer' });
  const realFile = await resolve(absoluteOf(roots, path));
  const folders = [await resolve(locateInRoots(roots, path).root), await resolve(absoluteOf(roots, parentOf(path)))];
  const isAllowed = folders.some((folder) => {
    const start = Buffer.concat([folder, Buffer.from(sep)]);
    return realFile.subarray(0, start.length).equals(start);
  });
  if (!isAllowed) throw new Error('it leads out of the music folder');
  const { handle, size } = await openPlainFile(realFile);
  try {
    return size > MAX_BYTES ? undefined : (await handle.readFile()).subarray(0, MAX_BYTES);
  } finally {
    await handle.close();
  }
}

function readSmart(path: string, bytes: Buffer) {
  const file = parseNsp(decodePlaylistText(bytes));
  return { kind: 'smart' as const, ...file, name: file.name ?? nameOf(path) };
}

async function readList(path: string, bytes: Buffer) {
  const { name, entries } = await finishInSlices(parsePlaylistFile(bytes));
  if (entries.length > MAX_FILE_ENTRIES) throw new SyntaxError(`it has more than ${MAX_FILE_ENTRIES} tracks`);
  if (entries.length === 0 && !hasHeader(bytes)) throw new SyntaxError('it has no tracks');
  const isRadio = entries.length > 0 && entries.every(({ location }) => location !== '' && isAddress(location));
  return {
    kind: 'list' as const,
    name: name ?? nameOf(path),
    entries,
    isRadio,
  };
}

/** Returns whether the text begins like a playlist, so that a list without tracks was emptied on purpose. */
const hasHeader = (bytes: Buffer): boolean =>
  /^\s*(?:#EXTM3U|\[playlist\]|<\?xml|<playlist)/i.test(decodePlaylistText(bytes.subarray(0, 200)));

const isAddress = (location: string): boolean => readingsOf(location).length === 0;

/** Returns the name of the file without its extension. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.[a-z\d]{2,5}$/i, '');

/** Returns a name as people could give it: one line that is neither blank nor too long. */
const cleanName = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARACTERS)
    .toWellFormed() || 'Playlist';
