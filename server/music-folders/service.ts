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

interface FolderChange {
  name?: string | undefined;
  path?: string | undefined;
  mode?: ImportMode | undefined;
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
  const { db, now, settings, musicFolders, jobs, readAside, ownFolders, checkFolders } = deps;

  function get(id: number): StoredFolder {
    const folder = musicFolders.find(id);
    if (!folder) throw notFound('music folder', id);
    return folder;
  }

  /** Throws `invalid` for a folder that cannot be scanned, is inside another music folder or contains one. */
  async function assertUsablePath(path: string, exceptId?: number): Promise<void> {
    const message = (await importPathFault(path, ownFolders)) ?? (await findOverlap(path, exceptId));
    if (message !== undefined) throw invalid([{ field: 'path', message }]);
  }

  async function findOverlap(path: string, exceptId?: number): Promise<string | undefined> {
    const realPath = await realpath(path);
    for (const otherFolder of musicFolders.list().filter(({ id }) => id !== exceptId)) {
      const otherPath = await realpath(otherFolder.path).catch(() => otherFolder.path);
      if (realPath === otherPath) return `is already the music folder “${otherFolder.name}”`;
      if (isInside(realPath, otherPath))
        return `is inside the music folder “${otherFolder.name}”, which is scanned with it`;
      if (isInside(otherPath, realPath)) return `contains the music folder “${otherFolder.name}”`;
    }
    return undefined;
  }

  settings.checkAlso('LOCAL_MEDIA_IMPORT_PATH', (path) =>
    findOverlap(path, musicFolders.listAll().find(({ key }) => key === '')?.id),
  );

  function assertNameFree(name: string, exceptId?: number): void {
    const isNameTaken = musicFolders
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
  function createKey(name: string): string {
    const dashedName = name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-');
    const plainName = trimBoth(dashedName, /-/).slice(0, 24);
    // a key of one letter, such as `c:/`, would be a drive
    const base = plainName.length < 2 ? `folder${plainName && `-${plainName}`}` : plainName;
    const isKeyTaken = (key: string): boolean =>
      musicFolders.listAll().some((otherFolder) => otherFolder.key === key) || isFolderName(rootPathOf(key));
    let key = base;
    for (let n = 2; isKeyTaken(key); n++) key = `${base}-${n}`;
    return key;
  }
  const rows = createMusicFolderRows(db);
  const isFolderName = (path: string): boolean => rows.isFolder(path);

  async function changeFirstFolder(change: {
    path?: string | null | undefined;
    mode?: ImportMode | undefined;
  }): Promise<void> {
    try {
      await settings.change({
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

  const updateRow = (id: MusicFolderId, values: Partial<NewMusicFolder>): void => {
    rows.update(id, values);
    musicFolders.reload();
  };

  const requestScan = ({ key }: { key: string }): Promise<unknown> =>
    jobs.tryEnqueue(SCAN_LOCAL_FOLDER, scanPayload({ folders: [rootPathOf(key) || FIRST_FOLDER_ONLY] }));

  async function planRemoval({ key }: StoredFolder): Promise<Removal> {
    const { tracks = 0, indexedTracks = 0 } = (await readTotals()).get(key) ?? {};
    return { trashedTracks: indexedTracks, remainingTracks: tracks - indexedTracks };
  }

  const readTotals = (): Promise<Map<string, FolderTotals>> =>
    readFolderTotals(
      readAside,
      musicFolders.listAll().map(({ key }) => key),
    );

  async function restoreFolder(folder: StoredFolder): Promise<StoredFolder> {
    if (folder.isConfigured || folder.removedAt === null || folder.path === null)
      throw conflict(`The music folder “${folder.name}” has not been removed.`);
    const overlap = await findOverlap(folder.path).catch(() => undefined); // the disk may not be connected
    if (overlap !== undefined) throw conflict(`The folder ${overlap}.`);
    if (folder.key === '') await changeFirstFolder({ path: folder.path, mode: folder.mode });
    updateRow(folder.id, { removedAt: null });
    await checkFolders();
    await jobs.tryEnqueue(RESTORE_MUSIC_FOLDER, { folderId: folder.id, removedAt: folder.removedAt.getTime() });
    return get(folder.id);
  }

  /** Finds the music folder with this path that was removed last. */
  async function findRemovedFolder(path: string): Promise<StoredFolder | undefined> {
    const realPath = await realpath(path).catch(() => path);
    const removedFolders = musicFolders.listAll().filter((folder) => !folder.isConfigured && folder.removedAt !== null);
    const realPaths = await Promise.all(
      removedFolders.map(({ path: storedPath }) => realpath(storedPath ?? '').catch(() => storedPath)),
    );
    return removedFolders
      .filter((_, n) => realPaths[n] === realPath)
      .toSorted((a, b) => Number(b.removedAt) - Number(a.removedAt))[0];
  }

  return {
    get,
    readTotals,
    planRemoval: (id: number): Promise<Removal> => planRemoval(get(id)),

    /**
     * Adds a music folder and starts to scan it. The first music folder is stored in the settings. A folder that was
     * removed before is restored with its tracks.
     */
    async add({ name, path, mode }: { name: string; path: string; mode: ImportMode }): Promise<StoredFolder> {
      const removedFolder = await findRemovedFolder(path);
      assertNameFree(name, musicFolders.list().length === 0 ? 1 : removedFolder?.id);
      await assertUsablePath(path);
      if (removedFolder) {
        updateRow(removedFolder.id, { name, path, mode });
        return restoreFolder(get(removedFolder.id));
      }
      const firstFolder = musicFolders.find(1);
      let id = 1 as MusicFolderId;
      if (firstFolder && !firstFolder.isConfigured && firstFolder.removedAt === null && !isFolderName('')) {
        await changeFirstFolder({ path, mode });
        updateRow(id, { name });
      } else {
        const values = { key: createKey(name), name, path, mode, createdAt: now() };
        id = rows.insert(values);
        musicFolders.reload();
      }
      await checkFolders();
      await requestScan(get(id));
      return get(id);
    },

    /**
     * Changes name, path or mode. After a change of the path, files with the same relative paths are the same tracks.
     */
    async change(id: number, { name, path, mode }: FolderChange): Promise<StoredFolder> {
      const folder = get(id);
      if (!folder.isConfigured) throw conflict(`The music folder “${folder.name}” was removed. Restore it first.`);
      if (name !== undefined) assertNameFree(name, id);
      if (path !== undefined) await assertUsablePath(path, id);
      if (folder.key === '') {
        if (path !== undefined || mode !== undefined) await changeFirstFolder({ path, mode });
        if (name !== undefined) updateRow(folder.id, { name });
      } else updateRow(folder.id, { name: name ?? folder.name, path: path ?? folder.path, mode: mode ?? folder.mode });
      await checkFolders();
      if (path !== undefined || mode !== undefined) await requestScan(folder);
      return get(id);
    },

    /** Removes the folder, and returns how many of its tracks are moved to the trash. */
    async remove(id: number, userId: UserId | null): Promise<Removal> {
      const folder = get(id);
      if (!folder.isConfigured) throw conflict(`The music folder “${folder.name}” has already been removed.`);
      const removal = await planRemoval(folder);
      if (folder.key === '') await changeFirstFolder({ path: null });
      updateRow(folder.id, { removedAt: now(), path: folder.path, mode: folder.mode });
      await checkFolders();
      await jobs.tryEnqueue(CLEAR_MUSIC_FOLDER, { folderId: folder.id, by: userId });
      return removal;
    },

    /** Restores a removed folder with its tracks. */
    restore: (id: number): Promise<StoredFolder> => restoreFolder(get(id)),
  };
}

function isInside(folder: string, parent: string): boolean {
  const relativePath = relative(parent, folder);
  return (
    relativePath === '' || (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  );
}
