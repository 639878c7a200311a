// Groups the tracks of each album name into albums as the rule in releases.ts says. Code that writes tracks notes the
// names whose albums may change; these are regrouped at the end of the batch, and those with many tracks at the end of
// the scan. Runs inside the caller's write transaction.
import type { Sqlite } from '../../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { albums, tracks } from '../../db/schema.ts';
import { isNamed } from '../../db/unknown-names.ts';
import { albumName, folderKey, folderOfTrack, LAST_CHARACTER, partsOfName } from './album-names.ts';
import type { TrackNames } from '../tracks/annotations.ts';
import { releasesOf, type NamedTrack } from './releases.ts';
import type { Resolver } from '../tracks/resolve.ts';
import type { SearchIndex } from '../search-index/search-index.ts';
import { identityKey, sortKey } from '../tracks/sort-and-identity-keys.ts';
import { HAS_OWN_EDITION, IS_RELEASE_OF_FILE } from '../lists/track-rows.ts';
import { createTrackSounds } from '../tracks/track-sounds.ts';
import { TYPED_RELEASE } from '../tracks/track-values.ts';
import { bindContext } from '../../runtime/bind-context.ts';

/** Names with more tracks are regrouped at the end of the scan instead of at the end of a batch. */
const MAX_TRACKS_IN_BATCH = 500;

interface AlbumRow extends RowAs<typeof albums, 'id' | 'title' | 'fixedBy'> {
  isCompilation: number;
}
interface TrackRow extends RowAs<
  typeof tracks,
  'id' | 'source' | 'sourceId' | 'title' | 'discNumber' | 'trackNumber' | 'durationMs' | 'year'
> {
  albumId: AlbumId;
  isTyped: number;
  releaseMbid: string | null;
  edition: string | null;
}
/** A track with its current album. */
export type PlacedTrack = NamedTrack & { album: AlbumId };

interface AlbumReleasesDeps {
  client: Sqlite;
  resolver: Resolver;
  search: SearchIndex;
  namesOf: (id: TrackId, album: AlbumId | null) => TrackNames;
  noteRename: (id: TrackId, previousNames: TrackNames) => void;
  /** Called after tracks joined or left the album. */
  settleAlbum: (id: AlbumId) => void;
  sweepEmpty: (albumIds: Iterable<AlbumId>, artistIds: Iterable<ArtistId>) => void;
  now: () => Date;
}

export type AlbumReleases = ReturnType<typeof createAlbumReleases>;

export function createAlbumReleases(deps: AlbumReleasesDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { regroupSmallAlbums, listNotedNames, proposal, regroupAlbums, albumsOf }),
    tracksOf: (name: string): PlacedTrack[] => tracksOf(context, albumsOf(context, name)),
    put: (name: string, placements: readonly (readonly [AlbumId, readonly PlacedTrack[]])[]) =>
      putIntoAlbums(context, name, placements),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ client, resolver, search, now, ...writer }: AlbumReleasesDeps) {
  const listNames = client
    .prepare<[], string>("SELECT name FROM unsettled_albums WHERE name > '' ORDER BY name")
    .pluck();
  const deleteName = client.prepare<[string]>('DELETE FROM unsettled_albums WHERE name = ?');
  const listAlbums = client.prepare<{ artist: number; titleSort: string }, AlbumRow>(
    `SELECT a.id, a.title, a.is_compilation AS isCompilation, a.fixed_by AS fixedBy FROM albums a
      WHERE a.artist_id IS nullif(@artist, 0) AND a.title_sort = @titleSort ORDER BY a.id`,
  );
  const findAlbum = client.prepare<[AlbumId], RowAs<typeof albums, 'artistId' | 'title'>>(
    `SELECT artist_id AS artistId, title FROM albums a WHERE id = ? AND ${isNamed('a')}`,
  );
  const countTracks = client
    .prepare<[string], number>('SELECT total(track_count) FROM albums WHERE id IN (SELECT value FROM json_each(?))')
    .pluck();
  const listTracks = client.prepare<[string], TrackRow>(
    `SELECT t.id, t.album_id AS albumId, t.source, t.source_id AS sourceId, t.title, t.disc_number AS discNumber,
        t.track_number AS trackNumber, t.duration_ms AS durationMs, t.year,
        t.provenance ->> '${TYPED_RELEASE}' IS NOT NULL AS isTyped,
        iif(${IS_RELEASE_OF_FILE}, m.tags ->> '$.releaseMbid', NULL) AS releaseMbid,
        iif(${HAS_OWN_EDITION}, m.tags ->> '$.edition[0]', NULL) AS edition
      FROM json_each(?) ids CROSS JOIN tracks t ON t.album_id = ids.value LEFT JOIN more_tags m ON m.track_id = t.id
      ORDER BY t.id`,
  );
  const sounds = createTrackSounds(client);
  const moveTrack = client.prepare<[AlbumId, number, TrackId]>(
    'UPDATE tracks SET album_id = ?, updated_at = ? WHERE id = ?',
  );
  const deleteKeys = client.prepare<{ prefix: string; last: string }>(
    'DELETE FROM album_keys WHERE key >= @prefix AND key < @prefix || @last',
  );
  const putKey = client.prepare<[string, AlbumId]>(
    'INSERT INTO album_keys (key, album_id) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET album_id = excluded.album_id',
  );
  const moveFolderKeys = client.prepare<{ to: AlbumId; from: AlbumId; track: TrackId; title: string }>(
    `UPDATE album_keys SET album_id = @to WHERE album_id = @from AND EXISTS (SELECT 1 FROM
      (SELECT f.folder_id || ':' || @title AS inFolder FROM source_files f WHERE f.track_id = @track)
      WHERE key = 'g:' || inFolder OR substr(key, 1, length(inFolder) + 3) = 'u:' || inFolder || char(10))`,
  );
  const touchAlbum = client.prepare<[number, AlbumId]>('UPDATE albums SET updated_at = ? WHERE id = ?');
  return {
    resolver,
    search,
    now,
    writer,
    listNames,
    deleteName,
    listAlbums,
    findAlbum,
    countTracks,
    listTracks,
    sounds,
    moveTrack,
    deleteKeys,
    putKey,
    moveFolderKeys,
    touchAlbum,
  };
}

/** Returns the tracks of the albums; those of `fixed` albums stay in them. */
function tracksOf(
  context: Context,
  albumRows: readonly AlbumRow[],
  fixedAlbumIds: ReadonlySet<AlbumId> = new Set(),
): PlacedTrack[] {
  const byId = new Map(albumRows.map((album) => [album.id, album]));
  return context.listTracks.all(JSON.stringify([...byId.keys()])).map((row) => {
    const album = byId.get(row.albumId);
    const isLoose = row.source !== 'local_folder' || row.isTyped === 1;
    return {
      id: row.id,
      album: row.albumId,
      folder: isLoose ? undefined : folderOfTrack(row.source, row.sourceId),
      fixedAlbum: fixedAlbumIds.has(row.albumId) ? row.albumId : undefined,
      isTyped: row.isTyped === 1,
      disc: row.discNumber ?? 1,
      number: row.trackNumber,
      title: identityKey(row.title),
      durationMs: row.durationMs ?? 0,
      releaseMbid: row.releaseMbid ?? undefined,
      edition: row.edition === null ? undefined : identityKey(row.edition),
      year: album?.isCompilation === 1 ? undefined : (row.year ?? undefined),
    };
  });
}

/**
 * Returns the albums that have this name, in the order of their ids; none if the text is not the name of an album.
 */
function albumsOf(context: Context, name: string): AlbumRow[] {
  const { artistId, titleKey } = partsOfName(name) ?? {};
  if (artistId === undefined || titleKey === undefined) return [];
  return context.listAlbums
    .all({ artist: artistId, titleSort: sortKey(titleKey) })
    .filter(({ title }) => identityKey(title) === titleKey);
}

function nameOfAlbum(context: Context, id: AlbumId): string | undefined {
  const album = context.findAlbum.get(id);
  return album && albumName(album.artistId, album.title);
}

/** Groups the tracks of these albums into releases. With `released`, albums of an earlier version are not fixed. */
function releasesIn(context: Context, albumRows: readonly AlbumRow[], includeReleased = false): PlacedTrack[][] {
  const isFixed = ({ fixedBy }: AlbumRow): boolean =>
    fixedBy === 'person' || (fixedBy === 'upgrade' && !includeReleased);
  const fixedAlbumIds = new Set(albumRows.filter(isFixed).map(({ id }) => id));
  return releasesOf(tracksOf(context, albumRows, fixedAlbumIds), context.sounds()) as PlacedTrack[][];
}

function regroupAlbums(context: Context, notedName: string): void {
  context.deleteName.run(notedName);
  const name = notedName.startsWith('#') ? nameOfAlbum(context, Number(notedName.slice(1)) as AlbumId) : notedName;
  if (name === undefined) return;
  const albumRows = albumsOf(context, name);
  const releases = releasesIn(context, albumRows);
  const albumByRelease = placeReleases(releases);
  putIntoAlbums(
    context,
    name,
    releases.map((release, n) => [
      albumByRelease.get(n) ?? context.resolver.insertAlbumLike(release[0]?.album as AlbumId),
      release,
    ]),
  );
}

/** Moves tracks of a name into these albums, which contain no other tracks. */
function putIntoAlbums(
  context: Context,
  name: string,
  placements: readonly (readonly [AlbumId, readonly PlacedTrack[]])[],
): void {
  for (const prefix of [`d:${name}`, `l:${name}`]) context.deleteKeys.run({ prefix, last: LAST_CHARACTER });
  const moves: [track: PlacedTrack, to: AlbumId][] = [];
  for (const [to, release] of placements) {
    for (const folder of new Set(release.map((track) => track.folder)))
      context.putKey.run(folder === undefined ? `l:${name}${to}` : folderKey(name, folder), to);
    for (const track of release) if (track.album !== to) moves.push([track, to]);
  }
  if (moves.length > 0) move(context, moves, partsOfName(name)?.titleKey ?? '');
}

function move(context: Context, moves: readonly (readonly [PlacedTrack, AlbumId])[], title: string): void {
  const time = context.now().getTime();
  const previousNames = moves.map(([{ id, album }]) => context.writer.namesOf(id, album));
  for (const [{ id, album, folder }, to] of moves) {
    context.moveTrack.run(to, time, id);
    context.search.set('track', id);
    if (folder !== undefined) context.moveFolderKeys.run({ to, from: album, track: id, title });
  }
  moves.forEach(([{ id }], n) => context.writer.noteRename(id, previousNames[n] as TrackNames));
  const formerAlbums = new Set(moves.map(([{ album }]) => album));
  context.writer.sweepEmpty(formerAlbums, []);
  for (const id of new Set([...formerAlbums, ...moves.map(([, to]) => to)])) {
    context.writer.settleAlbum(id);
    context.touchAlbum.run(time, id);
  }
}

/** Regroups the noted names, except those with many tracks. */
function regroupSmallAlbums(context: Context): void {
  for (const name of context.listNames.all()) {
    const ids = albumsOf(context, name).map(({ id }) => id);
    if ((context.countTracks.get(JSON.stringify(ids)) ?? 0) <= MAX_TRACKS_IN_BATCH) regroupAlbums(context, name);
  }
}

/** Returns all noted names, including those of an interrupted batch. */
const listNotedNames = ({ listNames }: Context): string[] => listNames.all();

/**
 * Returns the releases into which the rule divides the albums of an earlier version; undefined if nothing changes.
 */
function proposal(context: Context, name: string): PlacedTrack[][] | undefined {
  const releases = releasesIn(context, albumsOf(context, name), true);
  const isEachInOneAlbum = releases.every((release) => new Set(release.map(({ album }) => album)).size === 1);
  return isEachInOneAlbum && releases.length === new Set(releases.map(([firstTrack]) => firstTrack?.album)).size
    ? undefined
    : releases;
}

/**
 * Returns the album that each release becomes: the album that most of its tracks are in, unless another release has
 * more tracks of that album. Between equal albums, the older one is chosen. A release without an entry becomes a new
 * album.
 */
function placeReleases(releases: readonly PlacedTrack[][]): Map<number, AlbumId> {
  const shares = releases.flatMap((release, n) =>
    [...Map.groupBy(release, (track) => track.album)].map(([album, albumTracks]) => ({
      n,
      album,
      size: albumTracks.length,
    })),
  );
  const albumByRelease = new Map<number, AlbumId>();
  const takenAlbums = new Set<AlbumId>();
  const firstId = (n: number): number => Math.min(...(releases[n] ?? []).map(({ id }) => id));
  for (const { n, album } of shares.toSorted(
    (a, b) => b.size - a.size || a.album - b.album || firstId(a.n) - firstId(b.n),
  )) {
    if (albumByRelease.has(n) || takenAlbums.has(album)) continue;
    albumByRelease.set(n, album);
    takenAlbums.add(album);
  }
  return albumByRelease;
}
