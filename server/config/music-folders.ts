// The configured music folders: the first one is a setting, the others are in the table that music-folders/ writes.
import type { MainDb } from '../db/client.ts';
import type { MusicFolderId } from '../db/ids.ts';
import { musicFolders, type ImportMode } from '../db/schema.ts';
import { keyOfPath, NO_PATH, type MusicRoot } from '../storage/music-roots.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import type { WatchedSettings } from './live-settings.ts';

/** A music folder that is scanned. */
export interface MusicFolder extends MusicRoot {
  id: MusicFolderId;
  name: string;
  mode: ImportMode;
  followsLinks: boolean;
}

export interface StoredFolder extends Omit<MusicFolder, 'path'> {
  path: string | null;
  isConfigured: boolean;
  removedAt: Date | null;
}

export type MusicFolders = ReturnType<typeof createMusicFolders>;

type Row = typeof musicFolders.$inferSelect;

export function createMusicFolders({ db, settings }: { db: MainDb; settings: WatchedSettings }) {
  const readRows = (): Row[] => db.select().from(musicFolders).orderBy(musicFolders.id).all();
  const listeners = new Set<() => void>();
  let rows = readRows();
  let offline: ReadonlyMap<string, string> = new Map();
  let check = async (): Promise<void> => undefined;
  let runningCheck: Promise<void> | undefined;
  const notify = (): void => listeners.forEach((listener) => listener());
  settings.onChange(['LOCAL_MEDIA_IMPORT_PATH', 'LOCAL_MEDIA_IMPORT_MODE'], notify);

  const pathOf = ({ key, path, removedAt }: Row): string | undefined =>
    key === '' ? settings.get('LOCAL_MEDIA_IMPORT_PATH') : removedAt === null ? (path ?? undefined) : undefined;

  const modeOf = (row: Row): ImportMode =>
    row.key === '' ? settings.get('LOCAL_MEDIA_IMPORT_MODE') : (row.mode ?? 'reference');

  const toStoredFolder = (row: Row): StoredFolder => ({
    id: row.id,
    key: row.key,
    name: row.name,
    path: pathOf(row) ?? row.path,
    mode: modeOf(row),
    followsLinks: row.followsLinks,
    isConfigured: pathOf(row) !== undefined,
    removedAt: row.removedAt,
  });

  return {
    /** Lists folders that are set, in the order in which they were added. */
    list: (): MusicFolder[] =>
      rows.flatMap((row) => {
        const path = pathOf(row);
        const { id, key, name, followsLinks } = row;
        return path === undefined ? [] : [{ id, key, name, path, mode: modeOf(row), followsLinks }];
      }),
    /**
     * Lists keys and paths, by which source ids are resolved. Includes folders that are no longer set, with a path that
     * does not exist.
     */
    roots: (): MusicRoot[] =>
      rows.map((row) => ({ key: row.key, path: pathOf(row) ?? NO_PATH, followsLinks: row.followsLinks })),
    /** Lists all folders, including removed ones, which can be restored. */
    listAll: (): StoredFolder[] => rows.map(toStoredFolder),
    find: (id: number): StoredFolder | undefined => rows.filter((row) => row.id === id).map(toStoredFolder)[0],

    /** Returns whether the audio at a `file:` URI is in a folder that is offline. */
    isOffline: (storageUri: string | null): boolean =>
      offline.size > 0 &&
      storageUri !== null &&
      storageUri.startsWith(`${FILE_SCHEME}:`) &&
      offline.has(
        keyOfPath(
          rows.map((row) => row.key),
          storageUri.slice(FILE_SCHEME.length + 1),
        ),
      ),
    /** Returns the reason why the folder is offline; undefined for other folders. */
    offlineReason: (key: string): string | undefined => offline.get(key),
    /** Saves which folders are offline. Returns whether the list has changed. */
    setOffline(reasonsByKey: ReadonlyMap<string, string>): boolean {
      const previousKeys = [...offline.keys()].sort().join();
      offline = reasonsByKey;
      return previousKeys !== [...reasonsByKey.keys()].sort().join();
    },

    /** Sets the function that checks which folders can be reached, and calls `setOffline`. */
    checkWith(newCheck: () => Promise<void>): void {
      check = newCheck;
    },
    /** Checks the folders now, because a file in one of them could not be read. Resolves when they are checked. */
    recheck: (): Promise<void> => (runningCheck ??= check().finally(() => (runningCheck = undefined))),

    /** Reads the table again and notifies listeners. Must be called after a change of the table. */
    reload(): void {
      rows = readRows();
      notify();
    },
    /** Calls `listener` after each change of the folders. Returns a function to unsubscribe. */
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
