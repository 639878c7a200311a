// Lists the music folders as they are on disk, for browsing by folder. Subfolders are found by skip-scanning the path
// index, so the number of folders further down does not matter.
import type { AlbumId, ArtistId, TrackId } from '../../db/ids.ts';
import type { RowOf } from '../../db/rows.ts';
import type { sourceFolders } from '../../db/schema.ts';
import { rootPathOf } from '../../storage/music-roots.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import type { Page, Paged } from '../../http/paging.ts';
import type { ReadAside } from '../lists/list-pages.ts';
import { createResultCache } from '../lists/result-cache.ts';
import { termsJson, type Term } from '../search-index/search-words.ts';
import { sortKey } from '../tracks/sort-and-identity-keys.ts';
import { inNamedAlbum, namedAlbumOf } from '../../db/unknown-names.ts';
import type { Params, Statements } from '../lists/statement-cache.ts';

export interface FolderRef {
  id: number;
  path: string;
  name: string;
}

type FolderRow = RowOf<typeof sourceFolders, 'id' | 'path'>;

const SOURCE = 'local_folder';
const AFTER_SLASH = '0'; // the character after `/` in ASCII
const ROOT = '';
/** The number of folders whose child ids are cached. */
const MAX_CACHED_FOLDERS = 50;
const AFTER_ALL = '\u{10ffff}';
/**
 * Selects the ids of a folder's direct children, by name. Seeks from child to child: a path further down leads to the
 * end of its child, whose own row comes before it or, where a name continues with a character below `/`, was already
 * met.
 */
const CHILDREN = `WITH RECURSIVE met(path) AS (
    SELECT min(path) FROM source_folders WHERE source = 'local_folder' AND path >= @from AND path < @end
    UNION ALL
    SELECT (SELECT min(f.path) FROM source_folders f WHERE f.source = 'local_folder' AND f.path < @end AND f.path >=
      iif(instr(substr(met.path, @skip), '/') = 0, met.path || char(1),
        substr(met.path, 1, @skip - 2 + instr(substr(met.path, @skip), '/')) || '${AFTER_SLASH}'))
    FROM met WHERE met.path IS NOT NULL)
  SELECT f.id FROM met JOIN source_folders f ON f.source = 'local_folder' AND f.path = met.path
  WHERE instr(substr(met.path, @skip), '/') = 0 AND met.path NOT IN (SELECT value FROM json_each(@others))
  ORDER BY f.path COLLATE NOCASE, f.path`;
const FILES_IN_FOLDER = "FROM source_files WHERE folder_id = @id AND state = 'track' AND track_id IS NOT NULL";
/**
 * Selects folders by name, which is the text after the last slash. SQLite compares every name, about 2 µs each, in the
 * thread of long lists.
 */
const FOLDERS_BY_NAME = `SELECT f.id FROM (SELECT id, path,
    substr(path, 1 + length(rtrim(path, replace(path, '/', '')))) AS name
    FROM source_folders WHERE source = 'local_folder' AND path <> '') f
  WHERE names_hold(f.name, @terms) AND f.path NOT IN (SELECT value FROM json_each(@others))
  ORDER BY length(f.name), f.path LIMIT 1000`;
const IS_BELOW = `t.source = '${SOURCE}' AND t.source_id >= @from AND t.source_id < @below`;
const ARTIST_ID = 'coalesce(a.artist_id, t.artist_id)';
const FIRST_BELOW = `SELECT t.id AS trackId, ${namedAlbumOf('t')} AS albumId, a.title_sort AS albumKey,
    ${ARTIST_ID} AS artistId,
    x.sort_key AS artistSortKey
  FROM tracks t LEFT JOIN albums a ON a.id = t.album_id LEFT JOIN artists x ON x.id = ${ARTIST_ID}
  WHERE ${IS_BELOW} ORDER BY t.source_id LIMIT 1`;
const OTHER_ALBUM = `SELECT EXISTS (SELECT 1 FROM tracks t WHERE ${IS_BELOW} AND t.album_id IS NOT @albumId)`;
const OTHER_ARTIST = `SELECT EXISTS (SELECT 1 FROM tracks t LEFT JOIN albums a ON a.id = t.album_id
  WHERE ${IS_BELOW} AND ${ARTIST_ID} IS NOT @artistId)`;
interface FirstTrack {
  trackId: TrackId;
  albumId: AlbumId | null;
  albumKey: string | null;
  artistId: ArtistId | null;
  artistSortKey: string | null;
}

/** Selects tracks that no folder shows: tracks that did not come from a music folder, and tracks whose file is gone. */
const TRACKS_ELSEWHERE = `SELECT t.id FROM tracks t WHERE t.source IN ('upload', 'streamsrc') OR (t.source = '${SOURCE}'
  AND NOT EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = t.id AND f.state = 'track'))`;
const FOLDERS_BY_ID = `SELECT f.id, f.path FROM json_each(@ids) ids CROSS JOIN source_folders f ON f.id = ids.value`;

export function createFolderTree(
  statements: Statements,
  keys: () => string[] = () => [''],
  readAside: ReadAside = async (sql, params) => statements.column(sql, params),
) {
  const childIdCache = createResultCache<number[]>(statements, MAX_CACHED_FOLDERS);
  /** Returns the paths of all music folders except the first. */
  const otherRoots = (): string[] => keys().filter(Boolean).map(rootPathOf);
  const paramsOf = (path: string): Params => ({
    from: path === ROOT ? '\u0001' : `${path}/`,
    end: path === ROOT ? AFTER_ALL : `${path}${AFTER_SLASH}`,
    skip: path === ROOT ? 1 : [...path].length + 2,
    others: JSON.stringify(otherRoots()),
  });
  /** Returns whether the path is that of another music folder, which does not count as part of the first one. */
  const isOtherRoot = (path: string): boolean => otherRoots().includes(path);
  const findRow = (path: string): FolderRow | undefined =>
    statements.row(`SELECT id, path FROM source_folders WHERE source = '${SOURCE}' AND path = @path`, { path });
  const findFirstPathFrom = (path: string): string | undefined =>
    statements.column<string>(
      `SELECT path FROM source_folders WHERE source = '${SOURCE}' AND path >= @path ORDER BY path LIMIT 1`,
      { path },
    )[0];

  function* childNames(path: string): Generator<string> {
    const prefix = path === ROOT ? '' : `${path}/`;
    for (let from = path === ROOT ? '\u0001' : prefix; ;) {
      const nextPath = findFirstPathFrom(from);
      if (nextPath === undefined || !nextPath.startsWith(prefix)) return;
      const name = nextPath.slice(prefix.length).split('/', 1)[0] as string;
      yield name;
      from = nextPath.length > prefix.length + name.length ? `${prefix}${name}${AFTER_SLASH}` : `${nextPath}\u0001`;
    }
  }

  const rangeBelow = (path: string): { from: string; below: string } => ({
    from: path === ROOT ? '' : `${path}/`.normalize('NFC'),
    below: path === ROOT ? AFTER_ALL : `${path}${AFTER_SLASH}`.normalize('NFC'),
  });

  /** Part of the cache key: a file may disappear while its track row, and thus the version, stays the same. */
  const fileVersion = (): Params => ({
    gone: statements.value<number>("SELECT count(*) FROM source_files WHERE state = 'gone' AND track_id > 0", {}),
  });

  const toRef = ({ id, path }: FolderRow): FolderRef => ({
    id,
    path,
    name: path.slice(path.lastIndexOf('/') + 1),
  });

  return {
    others: otherRoots,
    /** Returns the top folder of the music folder with this key. */
    root: (key = ''): FolderRef | undefined => {
      const row = findRow(rootPathOf(key));
      return row && toRef(row);
    },

    find(id: number): FolderRef | undefined {
      const row = statements.row<FolderRow>(
        `SELECT id, path FROM source_folders WHERE source = '${SOURCE}' AND id = @id`,
        { id },
      );
      return row && toRef(row);
    },

    /** Returns the parent folder; undefined for a music folder itself. */
    parentOf({ path }: FolderRef): FolderRef | undefined {
      if (path === ROOT || isOtherRoot(path)) return undefined;
      const row = findRow(path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ROOT);
      return row && toRef(row);
    },

    /** Returns the direct subfolders that the last scan saw, in no certain order. */
    async childrenOf({ path }: Pick<FolderRef, 'path'>): Promise<FolderRef[]> {
      const prefix = path === ROOT ? '' : `${path}/`;
      const children = new Map<string, FolderRef>();
      await inSlices(childNames(path), (name) => {
        const row = children.has(name) ? undefined : findRow(prefix + name);
        if (row && !isOtherRoot(row.path)) children.set(name, toRef(row));
      });
      return [...children.values()];
    },

    /**
     * Returns a page of the direct subfolders, by name. The thread of long lists reads it, and the result is cached.
     */
    async pageOf({ path }: Pick<FolderRef, 'path'>, { limit, offset }: Page): Promise<Paged<FolderRef>> {
      const version = statements.version(['library']);
      const ids = childIdCache.find(['library'], path) ?? (await readAside(CHILDREN, paramsOf(path)));
      childIdCache.put(path, version, ids);
      const pageIds = JSON.stringify(ids.slice(offset, offset + limit));
      return { items: statements.rows<FolderRow>(FOLDERS_BY_ID, { ids: pageIds }).map(toRef), total: ids.length };
    },

    /** Returns the folder at the path, in the form of `source_id`. */
    findPath(path: string): FolderRef | undefined {
      const row = findRow(path);
      return row && toRef(row);
    },

    /** Counts the tracks whose files are directly in the folder. */
    countTracks: ({ id }: Pick<FolderRef, 'id'>): number =>
      statements.value<number>(`SELECT count(*) ${FILES_IN_FOLDER}`, { id }),

    /**
     * Finds folders whose name contains all of these terms, the shortest name first; at most 1,000. Paged like
     * `pageOf`.
     */
    async search(terms: readonly Term[], { limit, offset }: Page): Promise<Paged<FolderRef>> {
      const ids = await readAside(FOLDERS_BY_NAME, {
        terms: termsJson(terms),
        others: JSON.stringify(otherRoots()),
      });
      const pageIds = JSON.stringify(ids.slice(offset, offset + limit));
      return { items: statements.rows<FolderRow>(FOLDERS_BY_ID, { ids: pageIds }).map(toRef), total: ids.length };
    },

    /** Returns the tracks whose files are directly in the folder, by file name. */
    tracksIn: ({ id }: Pick<FolderRef, 'id'>): TrackId[] =>
      statements.column<TrackId>(`SELECT track_id ${FILES_IN_FOLDER} ORDER BY name`, { id }),

    /** Returns a track in the folder or further down. */
    firstTrackBelow: ({ path }: Pick<FolderRef, 'path'>): TrackId | undefined =>
      statements.row<FirstTrack>(FIRST_BELOW, rangeBelow(path))?.trackId,

    /**
     * Returns the album that all tracks in the folder and below it belong to, or else their artist. A folder named
     * after an artist that contains only one album stands for the artist.
     */
    musicOf({ id, path, name }: FolderRef): { albumId: AlbumId } | { artistId: ArtistId } | undefined {
      const range = rangeBelow(path);
      const firstTrack = path === ROOT ? undefined : statements.row<FirstTrack>(FIRST_BELOW, range);
      if (!firstTrack) return undefined;
      const { albumId, artistId } = firstTrack;
      const isAlbum = albumId !== null && statements.value<number>(OTHER_ALBUM, { ...range, albumId }) === 0;
      const foldedName = sortKey(name);
      const isNamedForArtist =
        foldedName === firstTrack.artistSortKey && foldedName !== firstTrack.albumKey && this.countTracks({ id }) === 0;
      if (isAlbum && !isNamedForArtist) return { albumId };
      if (artistId === null || statements.value<number>(OTHER_ARTIST, { ...range, artistId }) === 1) return undefined;
      return { artistId };
    },

    /** Returns albums with a track that is in no folder: uploaded, saved, fetched, or with a file that is gone. */
    albumsElsewhere: async (): Promise<AlbumId[]> =>
      (await readAside(
        `SELECT DISTINCT album_id FROM tracks t WHERE id IN (${TRACKS_ELSEWHERE}) AND ${inNamedAlbum('t')}`,
        fileVersion(),
      )) as AlbumId[],
    /** Returns tracks without an album that are in no folder. */
    singlesElsewhere: async (): Promise<TrackId[]> =>
      (await readAside(
        `SELECT id FROM tracks WHERE id IN (${TRACKS_ELSEWHERE}) AND album_sort = '' ORDER BY title_sort, id`,
        fileVersion(),
      )) as TrackId[],
    hasElsewhere: async (): Promise<boolean> =>
      (await readAside(`${TRACKS_ELSEWHERE} LIMIT 1`, fileVersion())).length > 0,
  };
}
