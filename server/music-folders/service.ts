// Adds, changes, removes and restores music folders. The path and mode of the first are settings.
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { eq } from 'drizzle-orm';
import type { KnownFolder, MusicFolders } from '../config/music-folders.ts';
import { type MainDb, writtenRow } from '../db/client.ts';
import type { MusicFolderId, UserId } from '../db/ids.ts';
import { musicFolders as table, type ImportMode } from '../db/schema.ts';
import { AppError, conflict, invalid, notFound } from '../errors.ts';
import type { Jobs } from '../jobs/service.ts';
import type { ReadAside } from '../library/list-pages.ts';
import { SCAN_LOCAL_FOLDER, scanPayload } from '../scan/tasks.ts';
import { importPathFault } from '../settings/checks.ts';
import type { SettingsService } from '../settings/service.ts';
import { FIRST_FOLDER_ONLY, rootPathOf } from '../storage/music-roots.ts';
import { CLEAR_MUSIC_FOLDER, RESTORE_MUSIC_FOLDER } from './tasks.ts';
import { totalsOf, type FolderTotals } from './totals.ts';
import { trimBoth } from '../runtime/trim-text.ts';

interface FolderChange {
  name?: string | undefined;
  path?: string | undefined;
  mode?: ImportMode | undefined;
}

export interface Removal {
  toTrash: number;
  kept: number;
}

interface MusicFolderServiceDeps {
  db: MainDb;
  now: () => Date;
  settings: SettingsService;
  musicFolders: MusicFolders;
  jobs: Pick<Jobs, 'tryEnqueue'>;
  readAside: ReadAside;
  /** Folders that cannot be music folders. */
  own: { data: string; storageRoot: string };
  /** Looks again which folders are there. */
  look: () => Promise<void>;
}

export type MusicFolderService = ReturnType<typeof createMusicFolderService>;

export function createMusicFolderService(deps: MusicFolderServiceDeps) {
  const { db, now, settings, musicFolders, jobs, readAside, own, look } = deps;

  function get(id: number): KnownFolder {
    const folder = musicFolders.find(id);
    if (!folder) throw notFound('music folder', id);
    return folder;
  }

  /** Throws `invalid` for a folder that cannot be scanned, or is in another music folder or around one. */
  async function assertFit(path: string, except?: number): Promise<void> {
    const message = (await importPathFault(path, own)) ?? (await overlap(path, except));
    if (message !== undefined) throw invalid([{ field: 'path', message }]);
  }

  async function overlap(path: string, except?: number): Promise<string | undefined> {
    const real = await realpath(path);
    for (const other of musicFolders.list().filter(({ id }) => id !== except)) {
      const theirs = await realpath(other.path).catch(() => other.path);
      if (real === theirs) return `is already the music folder “${other.name}”`;
      if (isInside(real, theirs)) return `is inside the music folder “${other.name}”, which is scanned with it`;
      if (isInside(theirs, real)) return `contains the music folder “${other.name}”`;
    }
    return undefined;
  }

  settings.checkAlso('LOCAL_MEDIA_IMPORT_PATH', (path) =>
    overlap(path, musicFolders.all().find(({ key }) => key === '')?.id),
  );

  function assertNameFree(name: string, except?: number): void {
    const isTaken = musicFolders
      .all()
      .some((other) => other.isSet && other.id !== except && other.name.toLowerCase() === name.toLowerCase());
    if (isTaken) throw invalid([{ field: 'name', message: 'is the name of another music folder' }]);
  }

  /** Letters and digits of the name; never one that a track of the first folder could have in its path. */
  function newKey(name: string): string {
    const dashed = name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-');
    const plain = trimBoth(dashed, /-/).slice(0, 24);
    const base = plain.length < 2 ? `folder${plain && `-${plain}`}` : plain; // `c:/` would be a drive
    const isTaken = (key: string): boolean =>
      musicFolders.all().some((other) => other.key === key) || isFolderName(rootPathOf(key));
    let key = base;
    for (let n = 2; isTaken(key); n++) key = `${base}-${n}`;
    return key;
  }
  const findPath = db.$client.prepare<[string]>(
    "SELECT 1 FROM source_folders WHERE source = 'local_folder' AND path = ?",
  );
  const isFolderName = (path: string): boolean => findPath.get(path) !== undefined;

  async function setFirst(change: { path?: string | null | undefined; mode?: ImportMode | undefined }): Promise<void> {
    try {
      await settings.change({
        ...(change.path !== undefined && { LOCAL_MEDIA_IMPORT_PATH: change.path }),
        ...(change.mode !== undefined && { LOCAL_MEDIA_IMPORT_MODE: change.mode }),
      });
    } catch (error) {
      if (!(error instanceof AppError) || !error.fields) throw error;
      const named = { local_media_import_path: 'path', local_media_import_mode: 'mode' } as Record<string, string>;
      const fields = error.fields.map(({ field, message }) => ({ field: named[field] ?? field, message }));
      throw new AppError(error.code, error.message, { fields });
    }
  }

  const write = (id: MusicFolderId, values: Partial<typeof table.$inferInsert>): void => {
    db.update(table).set(values).where(eq(table.id, id)).run();
    musicFolders.changed();
  };

  const scanOf = ({ key }: { key: string }): Promise<unknown> =>
    jobs.tryEnqueue(SCAN_LOCAL_FOLDER, scanPayload({ folders: [rootPathOf(key) || FIRST_FOLDER_ONLY] }));

  async function removalOf({ key }: KnownFolder): Promise<Removal> {
    const { tracks = 0, indexedTracks = 0 } = (await totals()).get(key) ?? {};
    return { toTrash: indexedTracks, kept: tracks - indexedTracks };
  }

  const totals = (): Promise<Map<string, FolderTotals>> =>
    totalsOf(
      readAside,
      musicFolders.all().map(({ key }) => key),
    );

  async function bringBack(folder: KnownFolder): Promise<KnownFolder> {
    if (folder.isSet || folder.removedAt === null || folder.path === null)
      throw conflict(`The music folder “${folder.name}” is not removed.`);
    const taken = await overlap(folder.path).catch(() => undefined); // its disk may be away
    if (taken !== undefined) throw conflict(`The folder ${taken}.`);
    if (folder.key === '') await setFirst({ path: folder.path, mode: folder.mode });
    write(folder.id, { removedAt: null });
    await look();
    await jobs.tryEnqueue(RESTORE_MUSIC_FOLDER, { folderId: folder.id, removedAt: folder.removedAt.getTime() });
    return get(folder.id);
  }

  /** The folder that was removed from this place; the last one of several. */
  async function removedAt(path: string): Promise<KnownFolder | undefined> {
    const real = await realpath(path).catch(() => path);
    const removed = musicFolders.all().filter((folder) => !folder.isSet && folder.removedAt !== null);
    const places = await Promise.all(removed.map(({ path: at }) => realpath(at ?? '').catch(() => at)));
    return removed
      .filter((_, n) => places[n] === real)
      .toSorted((a, b) => Number(b.removedAt) - Number(a.removedAt))[0];
  }

  return {
    get,
    totals,
    removalOf: (id: number): Promise<Removal> => removalOf(get(id)),

    /**
     * The first one becomes the settings' own, where these have none yet. Starts a scan of it. One that was removed is
     * brought back, with its tracks.
     */
    async add({ name, path, mode }: { name: string; path: string; mode: ImportMode }): Promise<KnownFolder> {
      const removed = await removedAt(path);
      assertNameFree(name, musicFolders.list().length === 0 ? 1 : removed?.id);
      await assertFit(path);
      if (removed) {
        write(removed.id, { name, path, mode });
        return bringBack(get(removed.id));
      }
      const first = musicFolders.find(1);
      let id = 1 as MusicFolderId;
      if (first && !first.isSet && first.removedAt === null && !isFolderName('')) {
        await setFirst({ path, mode });
        write(id, { name });
      } else {
        const values = { key: newKey(name), name, path, mode, createdAt: now() };
        ({ id } = writtenRow(db.insert(table).values(values).returning({ id: table.id })));
        musicFolders.changed();
      }
      await look();
      await scanOf(get(id));
      return get(id);
    },

    /** With another path, the same relative paths are the same tracks. */
    async change(id: number, { name, path, mode }: FolderChange): Promise<KnownFolder> {
      const folder = get(id);
      if (!folder.isSet) throw conflict(`The music folder “${folder.name}” was removed. Restore it first.`);
      if (name !== undefined) assertNameFree(name, id);
      if (path !== undefined) await assertFit(path, id);
      if (folder.key === '') {
        if (path !== undefined || mode !== undefined) await setFirst({ path, mode });
        if (name !== undefined) write(folder.id, { name });
      } else write(folder.id, { name: name ?? folder.name, path: path ?? folder.path, mode: mode ?? folder.mode });
      await look();
      if (path !== undefined || mode !== undefined) await scanOf(folder);
      return get(id);
    },

    /** Says what becomes of its tracks. */
    async remove(id: number, by: UserId | null): Promise<Removal> {
      const folder = get(id);
      if (!folder.isSet) throw conflict(`The music folder “${folder.name}” was removed already.`);
      const removal = await removalOf(folder);
      if (folder.key === '') await setFirst({ path: null });
      write(folder.id, { removedAt: now(), path: folder.path, mode: folder.mode });
      await look();
      await jobs.tryEnqueue(CLEAR_MUSIC_FOLDER, { folderId: folder.id, by });
      return removal;
    },

    /** Undoes the removal. */
    restore: (id: number): Promise<KnownFolder> => bringBack(get(id)),
  };
}

function isInside(folder: string, parent: string): boolean {
  const way = relative(parent, folder);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
