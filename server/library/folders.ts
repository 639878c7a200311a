// The music folders as they are on disk, for browsing by folder. Children of a folder are found by skip-scanning the
// path index, so the number of folders further down does not matter.
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import type { sourceFolders } from '../db/schema.ts';
import { rootPathOf } from '../storage/music-roots.ts';
import { inSlices } from '../runtime/turns.ts';
import type { Statements } from './statement-cache.ts';

export interface FolderRef {
  id: number;
  path: string;
  name: string;
}

type FolderRow = RowOf<typeof sourceFolders, 'id' | 'path'>;

const SOURCE = 'local_folder';
const AFTER_SLASH = '0'; // follows `/`
const ROOT = '';

export function createFolderTree(statements: Statements, keys: () => string[] = () => ['']) {
  /** Other music folders are not in the first. */
  const isOther = (path: string): boolean => keys().some((key) => key !== '' && path === rootPathOf(key));
  const at = (path: string): FolderRow | undefined =>
    statements.row(`SELECT id, path FROM source_folders WHERE source = '${SOURCE}' AND path = @path`, { path });
  const firstFrom = (path: string): string | undefined =>
    statements.column<string>(
      `SELECT path FROM source_folders WHERE source = '${SOURCE}' AND path >= @path ORDER BY path LIMIT 1`,
      { path },
    )[0];

  function* childNames(path: string): Generator<string> {
    const below = path === ROOT ? '' : `${path}/`;
    for (let from = path === ROOT ? '\u0001' : below; ;) {
      const found = firstFrom(from);
      if (found === undefined || !found.startsWith(below)) return;
      const name = found.slice(below.length).split('/', 1)[0] as string;
      yield name;
      from = found.length > below.length + name.length ? `${below}${name}${AFTER_SLASH}` : `${found}\u0001`;
    }
  }

  const toRef = ({ id, path }: FolderRow): FolderRef => ({
    id,
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
  });

  return {
    /** Of the music folder with this key. */
    root: (key = ''): FolderRef | undefined => {
      const row = at(rootPathOf(key));
      return row && toRef(row);
    },

    find(id: number): FolderRef | undefined {
      const row = statements.row<FolderRow>(
        `SELECT id, path FROM source_folders WHERE source = '${SOURCE}' AND id = @id`,
        { id },
      );
      return row && toRef(row);
    },

    /** Undefined for a music folder itself. */
    parentOf({ path }: FolderRef): FolderRef | undefined {
      if (path === ROOT || isOther(path)) return undefined;
      const row = at(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ROOT);
      return row && toRef(row);
    },

    /** Folders directly below it that the last scan saw, in no certain order. */
    async childrenOf({ path }: Pick<FolderRef, 'path'>): Promise<FolderRef[]> {
      const below = path === ROOT ? '' : `${path}/`;
      const children = new Map<string, FolderRef>();
      await inSlices(childNames(path), (name) => {
        const row = children.has(name) ? undefined : at(below + name);
        if (row && !isOther(row.path)) children.set(name, toRef(row));
      });
      return [...children.values()];
    },

    /** Tracks whose files are directly in the folder, by file name. */
    tracksIn: ({ id }: Pick<FolderRef, 'id'>): TrackId[] =>
      statements.column<TrackId>(
        "SELECT track_id FROM source_files WHERE folder_id = @id AND state = 'track' AND track_id IS NOT NULL " +
          'ORDER BY name',
        { id },
      ),

    /** Albums with a track from outside the music folder: uploaded, saved or fetched. */
    albumsElsewhere: (): AlbumId[] =>
      statements.column<AlbumId>(
        `SELECT DISTINCT album_id FROM tracks WHERE source IN ('upload', 'streamsrc') AND album_id IS NOT NULL`,
        {},
      ),
    /** Tracks from outside the music folder without an album. */
    singlesElsewhere: (): TrackId[] =>
      statements.column<TrackId>(
        `SELECT id FROM tracks WHERE source IN ('upload', 'streamsrc') AND album_id IS NULL ORDER BY title_sort, id`,
        {},
      ),
    hasElsewhere: (): boolean =>
      statements.value<number>(`SELECT EXISTS (SELECT 1 FROM tracks WHERE source IN ('upload', 'streamsrc'))`, {}) ===
      1,
  };
}
