// The music folder as it lies on disk, for those who browse by folders: what is directly below one, and which folder a
// track lies in. A folder's own children are found by leaping through the index of paths, so a folder with ten thousand
// below it costs no more.
import type { AlbumId, TrackId } from '../db/ids.ts';
import type { Statements } from './statements.ts';

export interface FolderRef {
  id: number;
  path: string;
  name: string;
}

const SOURCE = 'local_folder';
const AFTER_SLASH = '0'; // follows `/`
const ROOT = '';

export function createFolderTree(statements: Statements) {
  const at = (path: string): { id: number; path: string } | undefined =>
    statements.row(`SELECT id, path FROM source_folders WHERE source = '${SOURCE}' AND path = @path`, { path });
  const firstFrom = (path: string): string | undefined =>
    statements.column<string>(
      `SELECT path FROM source_folders WHERE source = '${SOURCE}' AND path >= @path ORDER BY path LIMIT 1`,
      { path },
    )[0];

  function childNames(path: string): string[] {
    const below = path === ROOT ? '' : `${path}/`;
    const names = new Set<string>();
    for (let from = path === ROOT ? '\u0001' : below; ;) {
      const found = firstFrom(from);
      if (found === undefined || !found.startsWith(below)) return [...names];
      const name = found.slice(below.length).split('/', 1)[0] as string;
      names.add(name);
      from = found.length > below.length + name.length ? `${below}${name}${AFTER_SLASH}` : `${found}\u0001`;
    }
  }

  const toRef = ({ id, path }: { id: number; path: string }): FolderRef => ({
    id,
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
  });

  return {
    root: (): FolderRef | undefined => {
      const row = at(ROOT);
      return row && toRef(row);
    },

    find(id: number): FolderRef | undefined {
      const row = statements.row<{ id: number; path: string }>(
        `SELECT id, path FROM source_folders WHERE source = '${SOURCE}' AND id = @id`,
        { id },
      );
      return row && toRef(row);
    },

    /** Undefined for the music folder itself. */
    parentOf({ path }: FolderRef): FolderRef | undefined {
      if (path === ROOT) return undefined;
      const row = at(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ROOT);
      return row && toRef(row);
    },

    /** Folders directly below it that the last scan saw, in no certain order. */
    childrenOf({ path }: Pick<FolderRef, 'path'>): FolderRef[] {
      const below = path === ROOT ? '' : `${path}/`;
      return childNames(path)
        .map((name) => at(below + name))
        .filter((row) => row !== undefined)
        .map(toRef);
    },

    /** Tracks whose files lie directly in it, in the order of their names. */
    tracksIn: ({ id }: Pick<FolderRef, 'id'>): TrackId[] =>
      statements.column<TrackId>(
        "SELECT track_id FROM source_files WHERE folder_id = @id AND state = 'track' AND track_id IS NOT NULL " +
          'ORDER BY name',
        { id },
      ),

    /** Albums of which something came another way: uploaded, saved or fetched. */
    albumsElsewhere: (): AlbumId[] =>
      statements.column<AlbumId>(
        `SELECT DISTINCT album_id FROM tracks WHERE source IN ('upload', 'streamsrc') AND album_id IS NOT NULL`,
        {},
      ),
    /** And tracks of no album. */
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
