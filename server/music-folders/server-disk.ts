// Lists folders of this computer, for choosing a music folder in a browser. Only names of folders are sent, and none of
// folders that cannot hold music: system folders, hidden folders, and Tonearm's own.
import { access, readdir, realpath } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { invalid, type AppError } from '../errors.ts';
import { isInside, isSystemOrCrowded, isPrivate, isSystemOnly } from '../runtime/system-folders.ts';
import { importPathFault } from '../settings/checks.ts';
import { diskUsage } from '../storage/local.ts';
import type { ServerFolderOut } from './wire.ts';

const MAX_FOLDERS = 5_000;

export interface OwnFolders {
  data: string;
  storageRoot: string;
}

/** Lists a folder; without a path, the music folder of the home folder, or the home folder. Throws `invalid`. */
export async function listServerFolder(
  requestedPath: string | undefined,
  ownFolders: OwnFolders,
): Promise<ServerFolderOut> {
  const places = await filterExisting(listStartingPoints());
  const realPath = await resolveServerFolder(
    requestedPath ?? (await filterExisting([join(homedir(), 'Music')]))[0] ?? homedir(),
    ownFolders,
  );
  const entries = await readdir(realPath, { withFileTypes: true }).catch((error: unknown) => {
    throw invalidPath(describeError(error));
  });
  const names: string[] = [];
  for (const entry of entries) {
    const isShown = entry.isDirectory() && !entry.name.startsWith('.') && !entry.name.includes('\ufffd');
    if (isShown && !(await isHidden(join(realPath, entry.name), ownFolders))) names.push(entry.name);
  }
  const sortedNames = names.sort(new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare);
  const parent = dirname(realPath);
  const { freeBytes, totalBytes } = await diskUsage(realPath);
  return {
    path: realPath,
    parent: parent === realPath ? null : parent,
    folders: sortedNames.slice(0, MAX_FOLDERS).map((name) => ({ name, path: join(realPath, name) })),
    is_complete: names.length <= MAX_FOLDERS,
    fault: isSystemOrCrowded(realPath)
      ? 'contains many other files; choose a folder inside it'
      : await findFault(realPath, ownFolders),
    places: places.map((place) => ({ name: nameOf(place), path: place })),
    free_bytes: freeBytes,
    total_bytes: totalBytes,
  };
}

/** Returns the real path of a folder that may be shown. Throws `invalid` for others. */
export async function resolveServerFolder(path: string, ownFolders: OwnFolders): Promise<string> {
  if (!isAbsolute(path)) throw invalidPath('must be an absolute path');
  const realPath = await realpath(path).catch(() => resolve(path));
  if (await isHidden(realPath, ownFolders)) throw invalidPath('belongs to the system or to Tonearm itself');
  return realPath;
}

const findFault = async (path: string, ownFolders: OwnFolders): Promise<string | null> =>
  (await importPathFault(path, ownFolders)) ?? null;

async function isHidden(path: string, { data, storageRoot }: OwnFolders): Promise<boolean> {
  if (isSystemOnly(path) || isPrivate(path)) return true;
  for (const folder of [data, storageRoot]) if (isInside(path, await realpath(folder).catch(() => folder))) return true;
  return false;
}

/** Lists where people keep music: the home folder, and other disks. */
function listStartingPoints(): string[] {
  if (process.platform === 'win32')
    return [homedir(), ...[...'CDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`)];
  const media = process.platform === 'darwin' ? ['/Volumes'] : [`/run/media/${userName()}`, '/media', '/mnt', '/srv'];
  return [homedir(), ...media, '/'];
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return ''; // thrown for an account without a name, as in containers
  }
}

async function filterExisting(paths: readonly string[]): Promise<string[]> {
  const isExisting = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return [...new Set(paths.filter((_, i) => isExisting[i]))];
}

const nameOf = (path: string): string =>
  (path === homedir() ? path.slice(dirname(path).length).replace(/^[/\\]/, '') : path) || path;

function describeError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist or is not a folder';
  return 'cannot be read; allow the account that runs Tonearm to read this folder';
}

const invalidPath = (message: string): AppError => invalid([{ field: 'path', message }]);
