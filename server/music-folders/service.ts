// Adds, changes, removes and restores music folders. Path and mode of the first folder are settings.
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import type { StoredFolder, MusicFolders } from '../config/music-folders.ts';
import type { MainDb } from '../db/client.ts';
import type { MusicFolderId, UserId } from '../db/ids.ts';
import type { ImportMode } from '../db/schema.ts';
import { AppError, conflict, invalid, notFound } from '../errors.ts';
import type { Jobs } from '../jobs/service.ts';
import type { ReadAside } from '../library/lists/list-pages.ts';
import { SCAN_LOCAL_FOLDER, scanPayload } from '../scan/tasks.ts';
import { importPathFault } from '../settings/checks.ts';
import type { SettingsService } from '../settings/service.ts';
import { FIRST_FOLDER_ONLY, rootPathOf } from '../storage/music-roots.ts';
import { CLEAR_MUSIC_FOLDER, RESTORE_MUSIC_FOLDER } from './tasks.ts';
import { createMusicFolderRows, type NewMusicFolder } from './queries.ts';
import { readFolderTotals, type FolderTotals } from './totals.ts';
import { trimBoth } from '../runtime/trim-text.ts';
import { bindContext } from '../runtime/bind-context.ts';

interface FolderChange {
  name?: string | undefined;
  path?: string | undefined;
  mode?: ImportMode | undefined;
  followsLinks?: boolean | undefined;
}

export interface Removal {
  trashedTracks: number;
  remainingTracks: number;
}

interface MusicFolderServiceDeps {
  db: MainDb;
  now: () => Date;
  settings: SettingsService;
  musicFolders: MusicFolders;
  jobs: Pick<Jobs, 'tryEnqueue'>;
  readAside: ReadAside;
  /** Tonearm's own folders, which cannot be music folders. */
  ownFolders: { data: string; storageRoot: string };
  /** Checks which music folders can be reached. */
  checkFolders: () => Promise<void>;
}

export type MusicFolderService = ReturnType<typeof createMusicFolderService>;

export function createMusicFolderService(deps: MusicFolderServiceDeps) {
  const context = createContext(deps);
  context.settings.checkAlso('LOCAL_MEDIA_IMPORT_PATH', (path) =>
    findOverlap(context, path, context.musicFolders.listAll().find(({ key }) => key === '')?.id),
  );
  return {
    ...bindContext(context, { add, change, remove, restore, get, readTotals }),
    planRemoval: (id: number): Promise<Removal> => planRemoval(context, get(context, id)),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext(deps: MusicFolderServiceDeps) {
  const { db, now, settings, musicFolders, jobs, readAside, ownFolders, checkFolders } = deps;
  const rows = createMusicFolderRows(db);
  return { now, settings, musicFolders, jobs, readAside, ownFolders, checkFolders, rows };
}

function get(context: Context, id: number): StoredFolder {
  const folder = context.musicFolders.find(id);
  if (!folder) throw notFound('music folder', id);
  return folder;
}

/** Throws `invalid` for a folder that cannot be scanned, is inside another music folder or contains one. */
async function assertUsablePath(context: Context, path: string, exceptId?: number): Promise<void> {
  const message = (await importPathFault(path, context.ownFolders)) ?? (await findOverlap(context, path, exceptId));
  if (message !== undefined) throw invalid([{ field: 'path', message }]);
}

async function findOverlap(context: Context, path: string, exceptId?: number): Promise<string | undefined> {
  const realPath = await realpath(path);
  for (const otherFolder of context.musicFolders.list().filter(({ id }) => id !== exceptId)) {
    const otherPath = await realpath(otherFolder.path).catch(() => otherFolder.path);
    if (realPath === otherPath) return `is already the music folder “${otherFolder.name}”`;
    if (isInside(realPath, otherPath))
      return `is inside the music folder “${otherFolder.name}”, which is scanned with it`;
    if (isInside(otherPath, realPath)) return `contains the music folder “${otherFolder.name}”`;
  }
  return undefined;
}

function assertNameFree(context: Context, name: string, exceptId?: number): void {
  const isNameTaken = context.musicFolders
    .listAll()
    .some(
      (otherFolder) =>
        otherFolder.isConfigured &&
        otherFolder.id !== exceptId &&
        otherFolder.name.toLowerCase() === name.toLowerCase(),
    );
  if (isNameTaken) throw invalid([{ field: 'name', message: 'is the name of another music folder' }]);
}

/** Makes a key from the letters and digits of the name; never the path of a folder in the first music folder. */
function createKey(context: Context, name: string): string {
  const dashedName = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const plainName = trimBoth(dashedName, /-/).slice(0, 24);
  // a key of one letter, such as `c:/`, would be a drive
  const base = plainName.length < 2 ? `folder${plainName && `-${plainName}`}` : plainName;
  const isKeyTaken = (key: string): boolean =>
    context.musicFolders.listAll().some((otherFolder) => otherFolder.key === key) ||
    isFolderName(context, rootPathOf(key));
  let key = base;
  for (let n = 2; isKeyTaken(key); n++) key = `${base}-${n}`;
  return key;
}

const isFolderName = ({ rows }: Context, path: string): boolean => rows.isFolder(path);

async function changeFirstFolder(
  context: Context,
  change: {
    path?: string | null | undefined;
    mode?: ImportMode | undefined;
  },
): Promise<void> {
  try {
    await context.settings.change({
      ...(change.path !== undefined && { LOCAL_MEDIA_IMPORT_PATH: change.path }),
      ...(change.mode !== undefined && { LOCAL_MEDIA_IMPORT_MODE: change.mode }),
    });
  } catch (error) {
    if (!(error instanceof AppError) || !error.fields) throw error;
    const fieldNames = { local_media_import_path: 'path', local_media_import_mode: 'mode' } as Record<string, string>;
    const fields = error.fields.map(({ field, message }) => ({ field: fieldNames[field] ?? field, message }));
    throw new AppError(error.code, error.message, { fields });
  }
}

function updateRow({ rows, musicFolders }: Context, id: MusicFolderId, values: Partial<NewMusicFolder>): void {
  rows.update(id, values);
  musicFolders.reload();
}

const requestScan = ({ jobs }: Context, { key }: { key: string }): Promise<unknown> =>
  jobs.tryEnqueue(SCAN_LOCAL_FOLDER, scanPayload({ folders: [rootPathOf(key) || FIRST_FOLDER_ONLY] }));

async function planRemoval(context: Context, { key }: StoredFolder): Promise<Removal> {
  const { tracks = 0, indexedTracks = 0 } = (await readTotals(context)).get(key) ?? {};
  return { trashedTracks: indexedTracks, remainingTracks: tracks - indexedTracks };
}

const readTotals = ({ readAside, musicFolders }: Context): Promise<Map<string, FolderTotals>> =>
  readFolderTotals(
    readAside,
    musicFolders.listAll().map(({ key }) => key),
  );

async function restoreFolder(context: Context, folder: StoredFolder): Promise<StoredFolder> {
  if (folder.isConfigured || folder.removedAt === null || folder.path === null)
    throw conflict(`The music folder “${folder.name}” has not been removed.`);
  const overlap = await findOverlap(context, folder.path).catch(() => undefined); // the disk may not be connected
  if (overlap !== undefined) throw conflict(`The folder ${overlap}.`);
  if (folder.key === '') await changeFirstFolder(context, { path: folder.path, mode: folder.mode });
  updateRow(context, folder.id, { removedAt: null });
  await context.checkFolders();
  await context.jobs.tryEnqueue(RESTORE_MUSIC_FOLDER, { folderId: folder.id, removedAt: folder.removedAt.getTime() });
  return get(context, folder.id);
}

/** Finds the music folder with this path that was removed last. */
async function findRemovedFolder(context: Context, path: string): Promise<StoredFolder | undefined> {
  const realPath = await realpath(path).catch(() => path);
  const removedFolders = context.musicFolders
    .listAll()
    .filter((folder) => !folder.isConfigured && folder.removedAt !== null);
  const realPaths = await Promise.all(
    removedFolders.map(({ path: storedPath }) => realpath(storedPath ?? '').catch(() => storedPath)),
  );
  return removedFolders
    .filter((_, n) => realPaths[n] === realPath)
    .toSorted((a, b) => Number(b.removedAt) - Number(a.removedAt))[0];
}

/**
 * Adds a music folder and starts to scan it. The first music folder is stored in the settings. A folder that was
 * removed before is restored with its tracks.
 */
async function add(
  context: Context,
  { name, path, mode, followsLinks }: { name: string; path: string; mode: ImportMode; followsLinks: boolean },
): Promise<StoredFolder> {
  const removedFolder = await findRemovedFolder(context, path);
  assertNameFree(context, name, context.musicFolders.list().length === 0 ? 1 : removedFolder?.id);
  await assertUsablePath(context, path);
  if (removedFolder) {
    updateRow(context, removedFolder.id, { name, path, mode, followsLinks });
    return restoreFolder(context, get(context, removedFolder.id));
  }
  const firstFolder = context.musicFolders.find(1);
  let id = 1 as MusicFolderId;
  if (firstFolder && !firstFolder.isConfigured && firstFolder.removedAt === null && !isFolderName(context, '')) {
    await changeFirstFolder(context, { path, mode });
    updateRow(context, id, { name, followsLinks });
  } else {
    const values = { key: createKey(context, name), name, path, mode, followsLinks, createdAt: context.now() };
    id = context.rows.insert(values);
    context.musicFolders.reload();
  }
  await context.checkFolders();
  await requestScan(context, get(context, id));
  return get(context, id);
}

/**
 * Changes name, path or mode, or whether links are followed. After a change of the path, files with the same relative
 * paths are the same tracks.
 */
async function change(
  context: Context,
  id: number,
  { name, path, mode, followsLinks }: FolderChange,
): Promise<StoredFolder> {
  const folder = get(context, id);
  if (!folder.isConfigured) throw conflict(`The music folder “${folder.name}” was removed. Restore it first.`);
  if (name !== undefined) assertNameFree(context, name, id);
  if (path !== undefined) await assertUsablePath(context, path, id);
  if (folder.key === '') {
    if (path !== undefined || mode !== undefined) await changeFirstFolder(context, { path, mode });
    if (name !== undefined) updateRow(context, folder.id, { name });
  } else
    updateRow(context, folder.id, { name: name ?? folder.name, path: path ?? folder.path, mode: mode ?? folder.mode });
  if (followsLinks !== undefined) updateRow(context, folder.id, { followsLinks });
  await context.checkFolders();
  if (path !== undefined || mode !== undefined || followsLinks !== undefined) await requestScan(context, folder);
  return get(context, id);
}

/** Removes the folder, and returns how many of its tracks are moved to the trash. */
async function remove(context: Context, id: number, userId: UserId | null): Promise<Removal> {
  const folder = get(context, id);
  if (!folder.isConfigured) throw conflict(`The music folder “${folder.name}” has already been removed.`);
  const removal = await planRemoval(context, folder);
  if (folder.key === '') await changeFirstFolder(context, { path: null });
  updateRow(context, folder.id, { removedAt: context.now(), path: folder.path, mode: folder.mode });
  await context.checkFolders();
  await context.jobs.tryEnqueue(CLEAR_MUSIC_FOLDER, { folderId: folder.id, by: userId });
  return removal;
}

/** Restores a removed folder with its tracks. */
const restore = (context: Context, id: number): Promise<StoredFolder> => restoreFolder(context, get(context, id));

function isInside(folder: string, parent: string): boolean {
  const relativePath = relative(parent, folder);
  return (
    relativePath === '' || (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  );
}
