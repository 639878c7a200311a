// Resolves names to artists, albums and genres, and creates missing ones. Runs inside the caller's write transaction;
// unique indexes protect against concurrent writers. Statements are prepared, since a scan calls this code per file.
import type { Sqlite } from '../../db/client.ts';
import type { AlbumId, ArtistId, GenreId, TrackId } from '../../db/ids.ts';
import type { RowOf } from '../../db/rows.ts';
import type { albums, artists, genres, sourceFolders, trackArtists, tracks } from '../../db/schema.ts';
import { ARTIST_SEPARATORS } from '../../config/tag-separators.ts';
import type { ArtistSplitting } from '../albums/artist-split.ts';
import { SAME_LENGTH_MS } from '../../media/fingerprint-match.ts';
import { albumName, folderKey, folderOfAlbum, LAST_CHARACTER, TITLE_END } from '../albums/album-names.ts';
import { identityKey, sortKey, sortName } from './sort-and-identity-keys.ts';
import type { SearchIndex } from '../search-index/search-index.ts';
import { isNamed, UNKNOWN_ALBUM, UNKNOWN_ARTIST, UNNAMED_KEYS } from '../../db/unknown-names.ts';
import { bindContext } from '../../runtime/bind-context.ts';

/** Returns the name if it has a visible character and is no placeholder. */
export const visibleName = (name: string | undefined): string | undefined =>
  name !== undefined && identityKey(name) !== '' && !PLACEHOLDER_KEYS.has(sortKey(name)) ? name : undefined;
const PLACEHOLDER_KEYS: ReadonlySet<string> = new Set(Object.values(UNNAMED_KEYS));

export interface ArtistRef {
  id: ArtistId;
  sortKey: string;
  hasMbid: boolean;
}

export interface AlbumName {
  title: string;
  artist: ArtistRef | undefined;
  /** All album artists, if there are several; `artist` is the first of them. */
  artists?: ArtistRef[] | undefined;
  artistName: string | undefined;
  /** True if the album artist is the artist of the track, since the tags name no album artist. */
  isGuessed: boolean;
  year: number | undefined;
  genre: string | undefined;
  isCompilation: boolean;
  releaseGroupMbid: string | undefined;
  /** Folder of the file, if it has one. */
  folder: number | undefined;
  /** Absent for a new track. */
  track?: TrackId | undefined;
  /** Place of a track without a folder, by which albums of the same name are told apart. */
  place?: PlaceInAlbum | undefined;
}

interface PlaceInAlbum {
  disc: number;
  number: number;
  title: string;
  durationMs: number | null;
}

export interface AlbumRef {
  id: AlbumId;
  titleSort: string;
}

const UNNAMED_ALBUM = {
  title: UNKNOWN_ALBUM,
  artistName: undefined,
  isGuessed: false,
  year: undefined,
  genre: undefined,
  isCompilation: false,
  releaseGroupMbid: undefined,
  folder: undefined,
} as const;

type Spelling = RowOf<typeof trackArtists, 'credit'> & { uses: number };
type ArtistRow = RowOf<typeof artists, 'id' | 'name' | 'sortKey' | 'artistMbid'>;
type AlbumRow = RowOf<typeof albums, 'id' | 'title' | 'titleSort' | 'year' | 'artistId' | 'releaseGroupMbid'>;

/** Limits how many albums of one name an upload is compared with. */
const MAX_LOOSE_ALBUMS = 50;

export type Resolver = ReturnType<typeof createResolver>;

interface ResolverDeps {
  client: Sqlite;
  search: SearchIndex;
  now: () => Date;
  /** Called for a new artist whose name contains a slash; credits with the parts of the name may be this artist. */
  onSlashedName?: ((id: ArtistId) => void) | undefined;
  /** The setting ARTIST_SEPARATORS; the default if absent. */
  artistSeparators?: (() => readonly string[]) | undefined;
}

export function createResolver(deps: ResolverDeps) {
  const context = createContext(deps);

  return bindContext(context, {
    remember,
    forget,
    stopRemembering,
    artistSplitting,
    hasArtist,
    renameAlbum,
    insertAlbumLike,
    noteAlbum,
    respellAlbum,
    respell,
    applyUsualSpellings,
    artist,
    album,
    unnamedAlbum,
    genre,
  });
}

type Context = ReturnType<typeof createContext>;

function createContext({
  client,
  search,
  now,
  onSlashedName,
  artistSeparators = () => ARTIST_SEPARATORS,
}: ResolverDeps) {
  const findArtist = client.prepare<[string], ArtistRow>(
    'SELECT id, name, sort_key, artist_mbid FROM artists WHERE name_key = ?',
  );
  const insertArtist = client.prepare(
    'INSERT INTO artists (name, name_key, sort_name, sort_key, artist_mbid, created_at, updated_at) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const findNeverSplit = client.prepare<[string], RowOf<typeof artists, 'id'>>(
    'SELECT id FROM artists WHERE name_key = ? AND never_split = 1',
  );
  const findOneArtist = client.prepare<[string], RowOf<typeof artists, 'id'>>(
    'SELECT id FROM artists WHERE name_key = ? AND (never_split = 1 OR artist_mbid IS NOT NULL)',
  );
  const setArtistMbid = client.prepare('UPDATE artists SET artist_mbid = ?, updated_at = ? WHERE id = ?');
  const spellingsOf = client.prepare<[ArtistId], Spelling>(
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
  const findFixedOf = client.prepare<[TrackId], AlbumRow>(
    `SELECT a.id, a.title, a.title_sort, a.year, a.artist_id, a.release_group_mbid FROM tracks t
      JOIN albums a ON a.id = t.album_id AND a.fixed_by IS NOT NULL WHERE t.id = ?`,
  );
  const listLoose = client.prepare<[string, string], AlbumRow>(
    `SELECT a.id, a.title, a.title_sort, a.year, a.artist_id, a.release_group_mbid FROM album_keys k
      JOIN albums a ON a.id = k.album_id WHERE k.key >= ? AND k.key < ? ORDER BY a.id LIMIT ${MAX_LOOSE_ALBUMS}`,
  );
  const listAtPlace = client.prepare<
    [AlbumId, number, number, TrackId | 0],
    RowOf<typeof tracks, 'title' | 'durationMs'>
  >(
    `SELECT title, duration_ms FROM tracks WHERE album_id = ? AND coalesce(disc_number, 1) = ? AND track_number = ?
      AND id <> ?`,
  );
  // whether there are several albums of a name, or several folders and uploads with its tracks: the rule then decides
  const isDivided = client
    .prepare<{ artist: ArtistId | null; titleSort: string; name: string; last: string }, number>(
      `SELECT (SELECT count(*) FROM albums WHERE artist_id IS @artist AND title_sort = @titleSort) > 1
        OR (SELECT count(*) FROM album_keys WHERE key >= 'd:' || @name AND key < 'd:' || @name || @last)
          + (SELECT count(*) FROM album_keys WHERE key >= 'l:' || @name AND key < 'l:' || @name || @last) > 1`,
    )
    .pluck();
  const noteUnsettled = client.prepare<[string]>('INSERT OR IGNORE INTO unsettled_albums (name) VALUES (?)');
  const insertAlbum =
    client.prepare(`INSERT INTO albums (title, title_sort, artist_id, artist_sort, year, genre, is_compilation,
      release_group_mbid, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const copyAlbum = client.prepare<{ id: AlbumId | null; like: AlbumId; time: number }>(
    `INSERT OR IGNORE INTO albums (id, title, title_sort, artist_id, artist_sort, year, genre, is_compilation,
      release_group_mbid, created_at, updated_at)
    SELECT @id, title, title_sort, artist_id, artist_sort, year, genre, is_compilation, release_group_mbid, @time, @time
      FROM albums WHERE id = @like`,
  );
  const insertKey = client.prepare('INSERT OR IGNORE INTO album_keys (key, album_id) VALUES (?, ?)');
  const setReleaseGroup = client.prepare('UPDATE albums SET release_group_mbid = ? WHERE id = ?');
  const setYear = client.prepare('UPDATE albums SET year = ? WHERE id = ?');
  const findTitle = client.prepare<[AlbumId], RowOf<typeof albums, 'title'>>('SELECT title FROM albums WHERE id = ?');
  const findName = client.prepare<[AlbumId], RowOf<typeof albums, 'title' | 'artistId'>>(
    `SELECT title, artist_id FROM albums a WHERE id = ? AND ${isNamed('a')}`,
  );
  const setArtist = client.prepare('UPDATE albums SET artist_id = ?, artist_sort = ? WHERE id = ?');
  const nameAlbum = client.prepare(
    'UPDATE albums SET title = ?, title_sort = ?, artist_id = ?, artist_sort = ? WHERE id = ?',
  );
  const setTitle = client.prepare('UPDATE albums SET title = ? WHERE id = ?');
  const findFolder = client.prepare<[number], RowOf<typeof sourceFolders, 'source' | 'path'>>(
    'SELECT source, path FROM source_folders WHERE id = ?',
  );
  const findGenre = client.prepare<[string], RowOf<typeof genres, 'id'>>('SELECT id FROM genres WHERE name_key = ?');
  const insertGenre = client.prepare('INSERT INTO genres (name, name_key) VALUES (?, ?)');
  const respelledArtists = new Set<ArtistId>();
  return {
    search,
    now,
    onSlashedName,
    artistSeparators,
    findArtist,
    insertArtist,
    findNeverSplit,
    findOneArtist,
    setArtistMbid,
    spellingsOf,
    findNames,
    renameArtist,
    findAlbum,
    findFixedOf,
    listLoose,
    listAtPlace,
    isDivided,
    noteUnsettled,
    insertAlbum,
    copyAlbum,
    insertKey,
    setReleaseGroup,
    setYear,
    findTitle,
    findName,
    setArtist,
    nameAlbum,
    setTitle,
    findFolder,
    findGenre,
    insertGenre,
    respelledArtists, // Cache within a batch, since tracks of an album usually come one after another.
    nameCache: undefined as NameCache | undefined,
  };
}

/** Finds or creates the artist. The name must have a visible character. */
function artist(
  context: Context,
  name: string,
  extraFields: { sortName?: string | undefined; mbid?: string | undefined } = {},
): ArtistRef {
  const cachedRef = context.nameCache?.artists.get(name);
  if (cachedRef && (cachedRef.hasMbid || extraFields.mbid === undefined)) return cachedRef;
  const ref = findOrMakeArtist(context, name, extraFields);
  context.nameCache?.artists.set(name, ref);
  return ref;
}

function findOrMakeArtist(
  context: Context,
  name: string,
  extraFields: { sortName?: string | undefined; mbid?: string | undefined },
): ArtistRef {
  const key = identityKey(name);
  const row = context.findArtist.get(key);
  if (row) {
    if (row.name !== name) context.respelledArtists.add(row.id);
    if (extraFields.mbid !== undefined && row.artist_mbid === null)
      context.setArtistMbid.run(extraFields.mbid, context.now().getTime(), row.id);
    return { id: row.id, sortKey: row.sort_key, hasMbid: row.artist_mbid !== null || extraFields.mbid !== undefined };
  }
  const filingName = extraFields.sortName ?? sortName(name);
  const order = sortKey(filingName);
  const time = context.now().getTime();
  const { lastInsertRowid } = context.insertArtist.run(
    name,
    key,
    filingName,
    order,
    extraFields.mbid ?? null,
    time,
    time,
  );
  const id = Number(lastInsertRowid) as ArtistId;
  context.search.add('artist', id);
  if (name.includes('/')) context.onSlashedName?.(id);
  return { id, sortKey: order, hasMbid: extraFields.mbid !== undefined };
}

/**
 * Finds or creates the album of the folder and the folders of its discs; for a track without a folder, an album in
 * which its place is free. If several albums have the name, album-releases.ts decides later which of them are one. A
 * track stays in an album that is fixed for as long as it has its name.
 */
function album(context: Context, name: AlbumName): AlbumRef {
  const fixedAlbum = fixedAlbumOf(context, name);
  if (fixedAlbum) return completeAlbum(context, fixedAlbum, name);
  const { releaseGroupMbid, artist, year, isCompilation, folder, title } = name;
  const key = `${releaseGroupMbid ?? ''}|${artist?.id ?? 0}|${year ?? ''}|${isCompilation}|${folder ?? ''}|${title}`;
  // not cached, since the result depends on the tracks already in the album
  if (folder === undefined) return findOrMakeAlbum(context, name);
  const ref = context.nameCache?.albums.get(key) ?? findOrMakeAlbum(context, name);
  context.nameCache?.albums.set(key, ref);
  return ref;
}

function fixedAlbumOf(context: Context, { track, artist: albumArtist, title }: AlbumName): AlbumRow | undefined {
  const row = track === undefined ? undefined : context.findFixedOf.get(track);
  return row && albumName(row.artist_id, row.title) === albumName(albumArtist?.id, title) ? row : undefined;
}

/** Finds or creates the album without a name, for tracks of the artist that have no album. */
function unnamedAlbum(context: Context, trackArtist: ArtistRef | undefined): AlbumRef {
  const owner = trackArtist ?? artist(context, UNKNOWN_ARTIST);
  const key = `t:${owner.id}:${TITLE_END}`;
  const id =
    context.nameCache?.albums.get(key)?.id ??
    context.findAlbum.get(key)?.id ??
    insertRow(context, { ...UNNAMED_ALBUM, artist: owner });
  context.insertKey.run(key, id);
  const ref = { id, titleSort: '' };
  context.nameCache?.albums.set(key, ref);
  return ref;
}

function keysOf(context: Context, { artist: albumArtist, title, folder, isGuessed }: AlbumName) {
  const name = albumName(albumArtist?.id, title);
  const row = folder === undefined ? undefined : context.findFolder.get(folder);
  const inFolder = row && folderOfAlbum(row.source, row.path);
  return {
    name,
    inFolder,
    inFolderKey: inFolder === undefined ? undefined : folderKey(name, inFolder),
    anyArtistKey: folder === undefined ? undefined : `g:${folder}:${identityKey(title)}`,
    guessKey:
      folder === undefined || !isGuessed
        ? undefined
        : `u:${folder}:${identityKey(title)}${TITLE_END}${albumArtist?.id ?? 0}`,
  };
}

function findOrMakeAlbum(context: Context, name: AlbumName): AlbumRef {
  const keys = keysOf(context, name);
  const row =
    name.folder === undefined
      ? context.listLoose
          .all(`l:${keys.name}`, `l:${keys.name}${LAST_CHARACTER}`)
          .find((candidate) => !isPlaceTaken(candidate))
      : (findByKey(keys.guessKey) ?? findByKey(keys.inFolderKey) ?? findAnyArtistAlbum());
  const id = row?.id ?? insertRow(context, name);
  // an album of several artists (folder-albums.ts) does not get the tracks that each of them has in other folders
  const artistId = row?.artist_id ?? name.artist?.id ?? null;
  const ownName = albumName(artistId, name.title);
  const inFolderKey = keys.inFolder === undefined ? undefined : folderKey(ownName, keys.inFolder);
  // keys that other albums have are not moved
  for (const key of [inFolderKey, keys.anyArtistKey, keys.guessKey]) if (key) context.insertKey.run(key, id);
  if (name.folder === undefined) context.insertKey.run(`l:${ownName}${id}`, id);
  const titleSort = sortKey(name.title);
  const isUncertain = name.folder === undefined && row !== undefined;
  if (isUncertain || context.isDivided.get({ artist: artistId, titleSort, name: ownName, last: LAST_CHARACTER }))
    context.noteUnsettled.run(ownName);
  return row ? completeAlbum(context, row, name) : { id, titleSort };

  function findByKey(key: string | undefined): AlbumRow | undefined {
    return key === undefined ? undefined : context.findAlbum.get(key);
  }

  function isPlaceTaken({ id: albumId }: AlbumRow): boolean {
    if (!name.place) return false;
    const { disc, number, title, durationMs } = name.place;
    return context.listAtPlace
      .all(albumId, disc, number, name.track ?? 0)
      .some(
        (occupant) =>
          identityKey(occupant.title) !== identityKey(title) ||
          Math.abs((occupant.duration_ms ?? 0) - (durationMs ?? 0)) > SAME_LENGTH_MS,
      );
  }

  /**
   * Finds an album of the folder with any artist: within a folder, files with and without an album artist belong to
   * the same album if the title is the same.
   */
  function findAnyArtistAlbum(): AlbumRow | undefined {
    const albumInFolder = findByKey(keys.anyArtistKey);
    return albumInFolder && (name.artist === undefined || albumInFolder.artist_id === null) ? albumInFolder : undefined;
  }
}

function completeAlbum(context: Context, row: AlbumRow, name: AlbumName): AlbumRef {
  if (row.release_group_mbid === null && name.releaseGroupMbid)
    context.setReleaseGroup.run(name.releaseGroupMbid, row.id);
  if (row.year === null && name.year !== undefined) context.setYear.run(name.year, row.id);
  if (row.artist_id === null && name.artist) {
    context.setArtist.run(name.artist.id, name.artist.sortKey, row.id);
    context.search.setAlbum(row.id);
  }
  if (isAllCaps(row.title) && isSpelling(name.title, row.title) && !isAllCaps(name.title))
    context.setTitle.run(name.title, row.id);
  return { id: row.id, titleSort: row.title_sort };
}

function insertRow(context: Context, name: AlbumName): AlbumId {
  const time = context.now().getTime();
  const { lastInsertRowid } = context.insertAlbum.run(
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
  context.search.add('album', id);
  return id;
}

function genre(context: Context, name: string): GenreId {
  const key = identityKey(name);
  const id =
    context.nameCache?.genres.get(name) ??
    context.findGenre.get(key)?.id ??
    (Number(context.insertGenre.run(name, key).lastInsertRowid) as GenreId);
  context.nameCache?.genres.set(name, id);
  return id;
}

/**
 * Caches names until `stopRemembering`, which must follow in the same transaction, since rows may be deleted later.
 */
function remember(context: Context): void {
  context.nameCache = { artists: new Map(), albums: new Map(), genres: new Map() };
}

/** Clears the cache. To be called after rolling back a savepoint or removing empty artists or albums. */
function forget(context: Context): void {
  if (context.nameCache) context.nameCache = { artists: new Map(), albums: new Map(), genres: new Map() };
}

function stopRemembering(context: Context): void {
  context.nameCache = undefined;
}

/** Returns how values that name several artists are split. */
const artistSplitting = (context: Context): ArtistSplitting => ({
  separators: context.artistSeparators(),
  isNeverSplit: (nameKey) => context.findNeverSplit.get(nameKey) !== undefined,
  isOneArtist: (name) => context.findOneArtist.get(identityKey(name)) !== undefined,
});

const hasArtist = ({ findArtist }: Context, name: string): boolean => findArtist.get(identityKey(name)) !== undefined;

/** Renames an album. Keys that other albums have are not moved. */
function renameAlbum(context: Context, id: AlbumId, name: AlbumName): void {
  const keys = keysOf(context, name);
  const looseKey = name.folder === undefined ? `l:${keys.name}${id}` : undefined;
  for (const key of [keys.inFolderKey, keys.anyArtistKey, looseKey]) if (key) context.insertKey.run(key, id);
  context.noteUnsettled.run(keys.name);
  context.nameAlbum.run(name.title, sortKey(name.title), name.artist?.id ?? null, name.artist?.sortKey ?? '', id);
  context.search.setAlbum(id);
  forget(context);
}

/** Inserts another album of the same name; it gets the requested id if that is free. */
function insertAlbumLike(
  { copyAlbum, now, search }: Context,
  like: AlbumId,
  requestedId: AlbumId | null = null,
): AlbumId {
  const { changes, lastInsertRowid } = copyAlbum.run({ id: requestedId, like, time: now().getTime() });
  const id = requestedId ?? (Number(lastInsertRowid) as AlbumId);
  if (changes > 0) search.add('album', id);
  return id;
}

/**
 * Notes an album whose tracks changed in other ways than by their names: its releases have to be determined anew.
 */
function noteAlbum({ findName, noteUnsettled }: Context, id: AlbumId): void {
  const row = findName.get(id);
  if (row) noteUnsettled.run(albumName(row.artist_id, row.title));
}

/** Takes over the spelling of a retagged track, but not another name of the same album. */
function respellAlbum({ findTitle, setTitle }: Context, id: AlbumId, title: string): void {
  const oldTitle = findTitle.get(id)?.title;
  if (oldTitle !== undefined && isSpelling(title, oldTitle) && (isAllCaps(oldTitle) || !isAllCaps(title)))
    setTitle.run(title, id);
}

/** Marks artists for `applyUsualSpellings`. */
function respell({ respelledArtists }: Context, ids: Iterable<ArtistId>): void {
  for (const id of ids) respelledArtists.add(id);
}

/**
 * Renames artists to the spelling that most tracks use, so that the order in which files are read does not matter.
 * To be called before the transaction ends.
 */
function applyUsualSpellings({ respelledArtists, spellingsOf, findNames, renameArtist, now }: Context): void {
  for (const id of respelledArtists) {
    const usualName = usualSpelling(spellingsOf.all(id));
    const current = findNames.get(id);
    if (!usualName || !current || usualName === current.name) continue;
    const filingName = current.sort_name === sortName(current.name) ? sortName(usualName) : current.sort_name;
    renameArtist.run(usualName, filingName, now().getTime(), id);
  }
  respelledArtists.clear();
}

/** Returns the most used spelling; of equally used ones, a spelling that is not in capitals. */
function usualSpelling(spellings: readonly Spelling[]): string | undefined {
  const [bestSpelling] = spellings.toSorted(
    (a, b) =>
      b.uses - a.uses || Number(isAllCaps(a.credit)) - Number(isAllCaps(b.credit)) || (a.credit < b.credit ? -1 : 1),
  );
  return bestSpelling?.credit;
}

/** Returns true for another spelling of the same title. Albums joined by a release group may have different titles. */
const isSpelling = (title: string, otherTitle: string): boolean =>
  title !== otherTitle && identityKey(title) === identityKey(otherTitle);
const isAllCaps = (text: string): boolean => text === text.toUpperCase() && text !== text.toLowerCase();

interface NameCache {
  artists: Map<string, ArtistRef>;
  albums: Map<string, AlbumRef>;
  genres: Map<string, GenreId>;
}
