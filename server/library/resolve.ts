// The one place that decides which artist, album and genre a name means. Runs inside the caller's writing transaction;
// unique indexes make two writers that meet the same new name safe. Prepared statements, because a scan comes through
// here for every file.
import type { Sqlite } from '../db/client.ts';
import type { AlbumId, ArtistId, GenreId } from '../db/ids.ts';
import type { RowOf } from '../db/rows.ts';
import type { albums, artists } from '../db/schema.ts';
import { identityKey, sortKey, sortName } from './fold.ts';
import type { SearchIndex } from './search-index.ts';

export const VARIOUS_ARTISTS = 'Various Artists';
const VARIOUS_KEYS = new Set(['various artists', 'various', 'va', 'v.a.', 'v/a']);

export const isVariousArtists = (name: string): boolean => VARIOUS_KEYS.has(identityKey(name));

export interface ArtistRef {
  id: ArtistId;
  sortKey: string;
  hasMbid: boolean;
}

export interface AlbumName {
  title: string;
  artist: ArtistRef | undefined;
  artistName: string | undefined;
  year: number | undefined;
  genre: string | undefined;
  isCompilation: boolean;
  releaseGroupMbid: string | undefined;
  /** Folder of the file, where it has one. */
  folder: number | undefined;
}

export interface AlbumRef {
  id: AlbumId;
  titleSort: string;
}

type ArtistRow = RowOf<typeof artists, 'id' | 'name' | 'sortKey' | 'artistMbid'>;
type AlbumRow = RowOf<typeof albums, 'id' | 'title' | 'titleSort' | 'year' | 'artistId' | 'releaseGroupMbid'>;

/**
 * Ends the title in an album's key. No folded title holds one, so that `Star Wars` is not the beginning of `Star Wars:
 * Dark Forces`.
 */
const TITLE_END = '\n';

export type Resolver = ReturnType<typeof createResolver>;

export function createResolver({ client, search, now }: { client: Sqlite; search: SearchIndex; now: () => Date }) {
  const findArtist = client.prepare<[string], ArtistRow>(
    'SELECT id, name, sort_key, artist_mbid FROM artists WHERE name_key = ?',
  );
  const insertArtist = client.prepare(
    'INSERT INTO artists (name, name_key, sort_name, sort_key, artist_mbid, created_at, updated_at) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const findWhole = client.prepare<[string], { id: number }>(
    'SELECT id FROM artists WHERE name_key = ? AND never_split = 1',
  );
  const setArtistMbid = client.prepare('UPDATE artists SET artist_mbid = ?, updated_at = ? WHERE id = ?');
  const spellingsOf = client.prepare<[ArtistId], { credit: string; uses: number }>(
    'SELECT credit, count(*) AS uses FROM track_artists WHERE artist_id = ? GROUP BY credit',
  );
  const findNames = client.prepare<[ArtistId], RowOf<typeof artists, 'name' | 'sortName'>>(
    'SELECT name, sort_name FROM artists WHERE id = ?',
  );
  const renameArtist = client.prepare('UPDATE artists SET name = ?, sort_name = ?, updated_at = ? WHERE id = ?');

  const findAlbum = client.prepare<[string], AlbumRow>(
    'SELECT a.id, a.title, a.title_sort, a.year, a.artist_id, a.release_group_mbid FROM album_keys k ' +
      'JOIN albums a ON a.id = k.album_id WHERE k.key = ?',
  );
  const findAlbumsByPrefix = client.prepare<[string, string], AlbumRow>(
    `SELECT DISTINCT a.id, a.title, a.title_sort, a.year, a.artist_id, a.release_group_mbid FROM album_keys k
      JOIN albums a ON a.id = k.album_id
     WHERE k.key >= ? AND k.key < ? LIMIT 2`,
  );
  const insertAlbum =
    client.prepare(`INSERT INTO albums (title, title_sort, artist_id, artist_sort, year, genre, is_compilation,
      release_group_mbid, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertKey = client.prepare('INSERT OR IGNORE INTO album_keys (key, album_id) VALUES (?, ?)');
  const setReleaseGroup = client.prepare('UPDATE albums SET release_group_mbid = ? WHERE id = ?');
  const setYear = client.prepare('UPDATE albums SET year = ? WHERE id = ?');
  const findTitle = client.prepare<[AlbumId], RowOf<typeof albums, 'title'>>('SELECT title FROM albums WHERE id = ?');
  const setArtist = client.prepare('UPDATE albums SET artist_id = ?, artist_sort = ? WHERE id = ?');
  const setTitle = client.prepare('UPDATE albums SET title = ? WHERE id = ?');

  const findGenre = client.prepare<[string], { id: GenreId }>('SELECT id FROM genres WHERE name_key = ?');
  const insertGenre = client.prepare('INSERT INTO genres (name, name_key) VALUES (?, ?)');

  const respelled = new Set<ArtistId>();
  // Tracks of an album come one after another: within a batch, what they name is remembered.
  let memory: Memory | undefined;

  /** The artist of this name, made when there is none. The name must have a key. */
  function artist(name: string, extra: { sortName?: string | undefined; mbid?: string | undefined } = {}): ArtistRef {
    const remembered = memory?.artists.get(name);
    if (remembered && (remembered.hasMbid || extra.mbid === undefined)) return remembered;
    const ref = findOrMakeArtist(name, extra);
    memory?.artists.set(name, ref);
    return ref;
  }

  function findOrMakeArtist(
    name: string,
    extra: { sortName?: string | undefined; mbid?: string | undefined },
  ): ArtistRef {
    const key = identityKey(name);
    const found = findArtist.get(key);
    if (found) {
      if (found.name !== name) respelled.add(found.id);
      if (extra.mbid !== undefined && found.artist_mbid === null)
        setArtistMbid.run(extra.mbid, now().getTime(), found.id);
      return { id: found.id, sortKey: found.sort_key, hasMbid: found.artist_mbid !== null || extra.mbid !== undefined };
    }
    const filed = extra.sortName ?? sortName(name);
    const order = sortKey(filed);
    const time = now().getTime();
    const { lastInsertRowid } = insertArtist.run(name, key, filed, order, extra.mbid ?? null, time, time);
    const id = Number(lastInsertRowid) as ArtistId;
    search.add('artist', id);
    return { id, sortKey: order, hasMbid: extra.mbid !== undefined };
  }

  /**
   * The album of this name: by release group, else by album artist, title and year when known. A track without a year
   * joins the only album of that artist and title; an album without a year takes the first one that is known. On
   * compilations and best-ofs tracks carry the years of their songs: so on a compilation, and between files of one
   * folder, the year does not count.
   */
  function album(name: AlbumName): AlbumRef {
    const { releaseGroupMbid, artist, year, isCompilation, folder, title } = name;
    const key = `${releaseGroupMbid ?? ''}|${artist?.id ?? 0}|${year ?? ''}|${isCompilation}|${folder ?? ''}|${title}`;
    const ref = memory?.albums.get(key) ?? findOrMakeAlbum(name);
    memory?.albums.set(key, ref);
    return ref;
  }

  function findOrMakeAlbum(name: AlbumName): AlbumRef {
    const groupKey = name.releaseGroupMbid && `rg:${name.releaseGroupMbid}`;
    const stem = `t:${name.artist?.id ?? 0}:${identityKey(name.title)}${TITLE_END}`;
    const year = name.isCompilation ? undefined : name.year;
    const titleKey = `${stem}${year ?? ''}`;
    const folderKey = name.folder === undefined ? undefined : `f:${name.folder}:${stem}`;
    const anyArtistKey = name.folder === undefined ? undefined : `g:${name.folder}:${identityKey(name.title)}`;
    const found = (groupKey && findAlbum.get(groupKey)) || entitled();
    const id = found?.id ?? insertRow(name);
    // a key that another album has stays with it
    for (const key of [groupKey, folderKey, anyArtistKey, titleKey]) if (key) insertKey.run(key, id);
    return found ? known(found, name) : { id, titleSort: sortKey(name.title) };

    /** Of two release groups with the same title, neither is the other. */
    function entitled(): AlbumRow | undefined {
      const row =
        (folderKey && findAlbum.get(folderKey)) || nameless() || findAlbum.get(titleKey) || adoptable(stem, year, name);
      return row && groupKey && row.release_group_mbid ? undefined : row;
    }

    /** In a folder, a file that names no artist belongs to the album with its title, and the other way round. */
    function nameless(): AlbumRow | undefined {
      const row = anyArtistKey ? findAlbum.get(anyArtistKey) : undefined;
      return row && (name.artist === undefined || row.artist_id === null) ? row : undefined;
    }
  }

  function adoptable(stem: string, year: number | undefined, name: AlbumName): AlbumRow | undefined {
    if (name.isCompilation) return undefined;
    if (year === undefined) {
      const candidates = findAlbumsByPrefix.all(stem, `${stem}\u{10ffff}`);
      return candidates.length === 1 ? candidates[0] : undefined;
    }
    const yearless = findAlbum.get(stem);
    return yearless?.year === null ? yearless : undefined;
  }

  function known(row: AlbumRow, name: AlbumName): AlbumRef {
    if (row.release_group_mbid === null && name.releaseGroupMbid) setReleaseGroup.run(name.releaseGroupMbid, row.id);
    if (row.year === null && name.year !== undefined) setYear.run(name.year, row.id);
    if (row.artist_id === null && name.artist) {
      setArtist.run(name.artist.id, name.artist.sortKey, row.id);
      search.setAlbum(row.id);
    }
    if (isShouted(row.title) && isSpelling(name.title, row.title) && !isShouted(name.title))
      setTitle.run(name.title, row.id);
    return { id: row.id, titleSort: row.title_sort };
  }

  function insertRow(name: AlbumName): AlbumId {
    const time = now().getTime();
    const { lastInsertRowid } = insertAlbum.run(
      name.title,
      sortKey(name.title),
      name.artist?.id ?? null,
      name.artist?.sortKey ?? '',
      name.year ?? null,
      name.genre ?? null,
      name.isCompilation ? 1 : 0,
      name.releaseGroupMbid ?? null,
      time,
      time,
    );
    const id = Number(lastInsertRowid) as AlbumId;
    search.add('album', id);
    return id;
  }

  function genre(name: string): GenreId {
    const key = identityKey(name);
    const id =
      memory?.genres.get(name) ??
      findGenre.get(key)?.id ??
      (Number(insertGenre.run(name, key).lastInsertRowid) as GenreId);
    memory?.genres.set(name, id);
    return id;
  }

  return {
    /** From here to `stopRemembering`, which must be in the same transaction: rows may be gone after it. */
    remember(): void {
      memory = { artists: new Map(), albums: new Map(), genres: new Map() };
    },
    /** A savepoint was rolled back, or an empty artist or album was removed: what was remembered may not be there. */
    forget(): void {
      if (memory) memory = { artists: new Map(), albums: new Map(), genres: new Map() };
    },
    stopRemembering(): void {
      memory = undefined;
    },
    artist,
    album,
    genre,
    isWhole: (nameKey: string): boolean => findWhole.get(nameKey) !== undefined,
    /** A retagged track respells its album; another name by which the album is found does not. */
    respellAlbum(id: AlbumId, title: string): void {
      const old = findTitle.get(id)?.title;
      if (old !== undefined && isSpelling(title, old) && (isShouted(old) || !isShouted(title))) setTitle.run(title, id);
    },
    /** Artists whose usual spelling may be another one now. */
    respell: (ids: Iterable<ArtistId>): void => {
      for (const id of ids) respelled.add(id);
    },
    /**
     * Gives artists met in several spellings the one that most tracks use, so that the order of reading does not
     * matter. Call before the transaction ends.
     */
    settleSpellings(): void {
      for (const id of respelled) {
        const usual = usualSpelling(spellingsOf.all(id));
        const current = findNames.get(id);
        if (!usual || !current || usual === current.name) continue;
        const filed = current.sort_name === sortName(current.name) ? sortName(usual) : current.sort_name;
        renameArtist.run(usual, filed, now().getTime(), id);
      }
      respelled.clear();
    },
  };
}

interface Memory {
  artists: Map<string, ArtistRef>;
  albums: Map<string, AlbumRef>;
  genres: Map<string, GenreId>;
}

/** The most used; of equals one that is not all capitals. */
function usualSpelling(spellings: readonly { credit: string; uses: number }[]): string | undefined {
  const [first] = spellings.toSorted(
    (a, b) =>
      b.uses - a.uses || Number(isShouted(a.credit)) - Number(isShouted(b.credit)) || (a.credit < b.credit ? -1 : 1),
  );
  return first?.credit;
}

/** Another writing of the same title. A release group can join titles that are not. */
const isSpelling = (title: string, of: string): boolean => title !== of && identityKey(title) === identityKey(of);
const isShouted = (text: string): boolean => text === text.toUpperCase() && text !== text.toLowerCase();

interface Memory {
  artists: Map<string, ArtistRef>;
  albums: Map<string, AlbumRef>;
  genres: Map<string, GenreId>;
}
