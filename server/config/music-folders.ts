// The music folders as they are set: the first in the settings, others in the table that music-folders/ writes.
import type { MainDb } from '../db/client.ts';
import type { MusicFolderId } from '../db/ids.ts';
import { musicFolders, type ImportMode } from '../db/schema.ts';
import { keyOfPath, NO_PATH, type MusicRoot } from '../storage/music-roots.ts';
import { FILE_SCHEME } from '../storage/uri.ts';
import type { WatchedSettings } from './live-settings.ts';

/** A folder that is scanned. */
export interface MusicFolder extends MusicRoot {
  id: MusicFolderId;
  name: string;
  mode: ImportMode;
}

export interface KnownFolder extends Omit<MusicFolder, 'path'> {
  path: string | null;
  isSet: boolean;
  removedAt: Date | null;
}

export type MusicFolders = ReturnType<typeof createMusicFolders>;

type Row = typeof musicFolders.$inferSelect;

export function createMusicFolders({ db, settings }: { db: MainDb; settings: WatchedSettings }) {
  const read = (): Row[] => db.select().from(musicFolders).orderBy(musicFolders.id).all();
  const listeners = new Set<() => void>();
  let rows = read();
  let offline: ReadonlyMap<string, string> = new Map();
  const tell = (): void => listeners.forEach((listener) => listener());
  settings.onChange(['LOCAL_MEDIA_IMPORT_PATH', 'LOCAL_MEDIA_IMPORT_MODE'], tell);

  const pathOf = ({ key, path, removedAt }: Row): string | undefined =>
    key === '' ? settings.get('LOCAL_MEDIA_IMPORT_PATH') : removedAt === null ? (path ?? undefined) : undefined;

  const modeOf = (row: Row): ImportMode =>
    row.key === '' ? settings.get('LOCAL_MEDIA_IMPORT_MODE') : (row.mode ?? 'reference');

  const toKnown = (row: Row): KnownFolder => ({
    id: row.id,
    key: row.key,
    name: row.name,
    path: pathOf(row) ?? row.path,
    mode: modeOf(row),
    isSet: pathOf(row) !== undefined,
    removedAt: row.removedAt,
  });

  return {
    /** Those that are set, in the order in which they came. */
    list: (): MusicFolder[] =>
      rows.flatMap((row) => {
        const path = pathOf(row);
        return path === undefined ? [] : [{ id: row.id, key: row.key, name: row.name, path, mode: modeOf(row) }];
      }),
    /** Where paths lead, also of folders that are not set any more. */
    roots: (): MusicRoot[] => rows.map((row) => ({ key: row.key, path: pathOf(row) ?? NO_PATH })),
    /** All that are set or were, and can be brought back. */
    all: (): KnownFolder[] => rows.map(toKnown),
    find: (id: number): KnownFolder | undefined => rows.filter((row) => row.id === id).map(toKnown)[0],

    /** Whether the file of a `file:` URI is in a folder that is not there. */
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
    /** Why the folder is not there. */
    whyOffline: (key: string): string | undefined => offline.get(key),
    /** True if that is news. */
    setOffline(now: ReadonlyMap<string, string>): boolean {
      const before = [...offline.keys()].sort().join();
      offline = now;
      return before !== [...now.keys()].sort().join();
    },

    /** The table was written. */
    changed(): void {
      rows = read();
      tell();
    },
    /** Returns a function to unsubscribe. */
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
