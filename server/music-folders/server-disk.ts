// The folders of this computer, for choosing a music folder in a browser. Gives the names of folders only, and none
// that a music folder cannot be in: those of the system, hidden ones, and Tonearm's own.
import { access, readdir, realpath } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { invalid, type AppError } from '../errors.ts';
import { isInside, isOfTheSystem, isPrivate, isSystemOnly } from '../runtime/system-folders.ts';
import { importPathFault } from '../settings/checks.ts';
import { diskUsage } from '../storage/local.ts';
import type { ServerFolderOut } from './wire.ts';

const MOST_NAMES = 5_000;

interface Own {
  data: string;
  storageRoot: string;
}

/** Without a path: the home folder, or where it has one, its folder for music. Throws `invalid`. */
export async function listServerFolder(asked: string | undefined, own: Own): Promise<ServerFolderOut> {
  const places = await existing(startingPoints());
  const path = resolve(asked ?? (await existing([join(homedir(), 'Music')]))[0] ?? homedir());
  if (asked !== undefined && !isAbsolute(asked))
    throw invalid([{ field: 'path', message: 'must be an absolute path' }]);
  const real = await realpath(path).catch(() => path);
  if (await isHidden(real, own)) throw refused('is a folder of the system or of Tonearm itself');
  const entries = await readdir(real, { withFileTypes: true }).catch((error: unknown) => {
    throw refused(faultOf(error));
  });
  const names: string[] = [];
  for (const entry of entries) {
    const isShown = entry.isDirectory() && !entry.name.startsWith('.') && !entry.name.includes('\ufffd');
    if (isShown && !(await isHidden(join(real, entry.name), own))) names.push(entry.name);
  }
  const inOrder = names.sort(new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare);
  const above = dirname(real);
  const { freeBytes, totalBytes } = await diskUsage(real);
  return {
    path: real,
    parent: above === real ? null : above,
    folders: inOrder.slice(0, MOST_NAMES).map((name) => ({ name, path: join(real, name) })),
    is_complete: names.length <= MOST_NAMES,
    fault: isOfTheSystem(real) ? 'has many other things in it; choose a folder below it' : await faultIn(real, own),
    places: places.map((place) => ({ name: nameOf(place), path: place })),
    free_bytes: freeBytes,
    total_bytes: totalBytes,
  };
}

const faultIn = async (path: string, own: Own): Promise<string | null> => (await importPathFault(path, own)) ?? null;

async function isHidden(path: string, { data, storageRoot }: Own): Promise<boolean> {
  if (isSystemOnly(path) || isPrivate(path)) return true;
  for (const folder of [data, storageRoot]) if (isInside(path, await realpath(folder).catch(() => folder))) return true;
  return false;
}

/** Where people keep music: at home, and on other disks. */
function startingPoints(): string[] {
  if (process.platform === 'win32')
    return [homedir(), ...[...'CDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`)];
  const media = process.platform === 'darwin' ? ['/Volumes'] : [`/run/media/${userName()}`, '/media', '/mnt', '/srv'];
  return [homedir(), ...media, '/'];
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return ''; // an account without a name, as in containers
  }
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const there = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return [...new Set(paths.filter((_, i) => there[i]))];
}

const nameOf = (path: string): string =>
  (path === homedir() ? path.slice(dirname(path).length).replace(/^[/\\]/, '') : path) || path;

function faultOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist or is no folder';
  return 'cannot be read; allow the account that runs Tonearm to read this folder';
}

const refused = (message: string): AppError => invalid([{ field: 'path', message }]);
