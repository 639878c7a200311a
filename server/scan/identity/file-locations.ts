// The paths at which files of tracks were seen, and whether the files still exist. A path counts as empty only if its
// folder, or the nearest existing folder above, was listed without it: a disk that is not connected proves nothing.
import { stat } from 'node:fs/promises';
import type { MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { sourceFiles } from '../../db/schema.ts';
import { isSameStamp, stampOf } from '../../files/file-stamp.ts';
import { absoluteOf, join, namesIn, parentOf } from '../../files/relative-path.ts';
import { keyOfPath, rootKeysOf, rootPathOf, type MusicRoots } from '../../storage/music-roots.ts';
import type { ListedFile } from '../walk/compare-folder.ts';

/** A path at which a file was seen. */
export interface FileLocation extends RowAs<
  typeof sourceFiles,
  'name' | 'dev' | 'ino' | 'sizeBytes' | 'mtimeUs' | 'trackId' | 'state'
> {
  path: string;
}

export interface FileLocationsDeps {
  client: MainDb['$client'];
  root: MusicRoots;
  /** Keys of music folders that are not connected: whether their files exist is unknown. */
  offline: readonly string[];
  source: string;
}

const MAX_CACHED_LISTINGS = 2_000;
const LOCATION_COLUMNS =
  'd.path, f.name, f.dev, f.ino, f.size_bytes AS sizeBytes, f.mtime_us AS mtimeUs, f.track_id AS trackId, f.state';

/**
 * `present`: the file as last seen, on whichever disk. `absent`: proved to be gone. `changed`: the file changed, or is
 * another file.
 */
export type LocationState = 'present' | 'absent' | 'changed' | 'unknown';

export function createFileLocations({ client, root, offline, source }: FileLocationsDeps) {
  const keys = rootKeysOf(root);
  const rootPaths = new Set(keys.map(rootPathOf));
  const listByInode = client.prepare<[number, number, number, number, string], FileLocation>(
    `SELECT ${LOCATION_COLUMNS} FROM source_files f JOIN source_folders d ON d.id = f.folder_id
      WHERE f.ino = ? AND f.dev = ? AND f.size_bytes = ? AND f.mtime_us = ? AND d.source = ?`,
  );
  const listLocations = client.prepare<[TrackId], FileLocation>(
    `SELECT ${LOCATION_COLUMNS} FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE f.track_id = ?`,
  );
  /** false in a first scan, when no file can have been anywhere else */
  const hadFiles =
    client
      .prepare<[string]>(
        'SELECT 1 FROM source_files f JOIN source_folders d ON d.id = f.folder_id WHERE d.source = ? LIMIT 1',
      )
      .get(source) !== undefined;
  const listings = new Map<string, Promise<Set<string> | 'absent' | 'unknown'>>();

  function listNames(folder: string): Promise<Set<string> | 'absent' | 'unknown'> {
    if (offline.includes(keyOfPath(keys, folder))) return Promise.resolve('unknown');
    let names = listings.get(folder);
    if (!names) {
      if (listings.size > MAX_CACHED_LISTINGS) listings.clear();
      names = namesIn(absoluteOf(root, folder));
      listings.set(folder, names);
    }
    return names;
  }

  /** Returns true when the folder of the path, or the nearest existing folder above, was listed without it. */
  async function isAbsent(path: string, name: string): Promise<boolean> {
    const names = await listNames(path);
    if (names === 'unknown') return false;
    if (names !== 'absent') return !names.has(name);
    if (rootPaths.has(path)) return false; // the path is a music folder itself, whose disk may not be connected
    return isAbsent(parentOf(path), path.slice(path.lastIndexOf('/') + 1));
  }

  async function stateOf(location: FileLocation): Promise<LocationState> {
    if (location.state === 'gone' || location.state === 'failed') return 'absent';
    if (await isAbsent(location.path, location.name)) return 'absent';
    try {
      const stats = await stat(absoluteOf(root, join(location.path, location.name)));
      return isSameStamp(stampOf(stats), location) ? 'present' : 'changed';
    } catch {
      return 'unknown'; // without a stat, nothing is proved
    }
  }

  const statesOf = (id: TrackId): Promise<LocationState[]> => Promise.all(listLocations.all(id).map(stateOf));

  return {
    hadFiles,
    listLocations: (id: TrackId): FileLocation[] => listLocations.all(id),
    stateOf,
    statesOf,

    /** Returns the other paths at which this very file (device, inode, size, time) was seen. */
    listOtherLocations(file: ListedFile): FileLocation[] {
      const { ino, dev, sizeBytes, mtimeUs } = file.candidate;
      if (!hadFiles || ino === 0) return [];
      return listByInode.all(ino, dev, sizeBytes, mtimeUs, source).filter((location) => !isAt(location, file));
    },

    /**
     * Clears all cached listings. To be called when the walk is over: files that did not exist before may exist now.
     */
    forgetListings: (): void => listings.clear(),
  };
}

const isAt = (location: FileLocation, { path, candidate }: ListedFile): boolean =>
  location.path === path && location.name === candidate.name;
