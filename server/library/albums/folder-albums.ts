// Makes one album of the files in a folder that name the same album but no album artist, also if their artists differ.
// Most of the folder has to be that album, and its track numbers must not be those of several albums. Runs at the end
// of a scan.
import type { Sqlite } from '../../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { albums, tracks } from '../../db/schema.ts';
import { type AlbumName, type ArtistRef, type Resolver } from '../tracks/resolve.ts';
import { findAlbumArtist, VARIOUS_ARTISTS } from './compilations.ts';

type Row = RowAs<typeof tracks, 'id' | 'artistId' | 'discNumber' | 'trackNumber' | 'metadataStatus'> & {
  albumId: AlbumId;
  artistName: string | null;
};
export type FolderTrack = Pick<Row, 'artistId' | 'artistName' | 'discNumber' | 'trackNumber'>;
type AlbumRow = RowAs<typeof albums, 'id' | 'artistId' | 'trackCount'> & { isChosen: number };

/** Albums with the same title whose tracks are in the same folder. */
interface SplitAlbum {
  stem: string;
  albumIds: string;
}

/**
 * Returns whether the files of a folder are one album, by the number of artists per track number: two discs without
 * disc numbers may still be one album of many artists.
 */
export function isOneAlbum(group: readonly FolderTrack[], folderTrackCount: number): boolean {
  if (group.length * 2 < folderTrackCount) return false;
  const artists = new Set(group.map(({ artistId }) => artistId)).size;
  const numberedTracks = group.filter(({ trackNumber }) => trackNumber !== null);
  const byNumber = Map.groupBy(numberedTracks, ({ discNumber, trackNumber }) => `${discNumber ?? 1}-${trackNumber}`);
  const maxArtistsPerNumber = Math.max(
    0,
    ...[...byNumber.values()].map((sameNumber) => new Set(sameNumber.map((track) => track.artistId)).size),
  );
  return maxArtistsPerNumber < 2 || maxArtistsPerNumber * 2 <= artists;
}

export function createFolderAlbums({
  client,
  resolver,
  sweepEmpty,
  now,
}: {
  client: Sqlite;
  resolver: Resolver;
  sweepEmpty: (albumIds: Iterable<AlbumId>, artistIds: Iterable<ArtistId>) => void;
  now: () => Date;
}) {
  // `u:<folder>:<title>`, line break, artist: albums whose artists the files in the folder do not name
  const listSplit = client.prepare<[], SplitAlbum>(
    `SELECT substr(key, 1, instr(key, char(10))) AS stem, json_group_array(DISTINCT album_id) AS albumIds
      FROM album_keys WHERE key >= 'u:' AND key < 'u;' GROUP BY stem HAVING count(DISTINCT album_id) > 1`,
  );
  const listTracks = client.prepare<[number], Row>(
    `SELECT t.id, t.album_id AS albumId, t.artist_id AS artistId, t.disc_number AS discNumber,
        t.track_number AS trackNumber, t.metadata_status AS metadataStatus, ar.name AS artistName
      FROM source_files f JOIN tracks t ON t.id = f.track_id LEFT JOIN artists ar ON ar.id = t.artist_id
      WHERE f.folder_id = ? AND f.state = 'track'`,
  );
  const listAlbums = client.prepare<[string], AlbumRow>(
    `SELECT a.id, a.artist_id AS artistId, a.track_count AS trackCount,
        EXISTS (SELECT 1 FROM users u CROSS JOIN like_states l ON l.user_id = u.id
          WHERE l.item_type = 'album' AND l.item_id = a.id AND (l.liked = 1 OR l.rating > 0))
          OR EXISTS (SELECT 1 FROM album_covers c WHERE c.album_id = a.id AND c.origin = 'manual') AS isChosen
      FROM json_each(?) ids CROSS JOIN albums a ON a.id = ids.value ORDER BY isChosen DESC, a.track_count DESC, a.id`,
  );
  const moveTrack = client.prepare<[AlbumId, AlbumId, number, TrackId]>(
    `UPDATE tracks SET album_id = ?, album_sort = (SELECT title_sort FROM albums WHERE id = ?), updated_at = ?
      WHERE id = ?`,
  );
  const moveKeys = client.prepare<[AlbumId, AlbumId, string, string]>(
    'UPDATE album_keys SET album_id = ? WHERE album_id = ? AND substr(key, 1, length(?)) = ?',
  );
  const findTitle = client.prepare<[AlbumId], RowAs<typeof albums, 'title' | 'year' | 'genre'>>(
    'SELECT title, year, genre FROM albums WHERE id = ?',
  );
  const deleteKeys = client.prepare<[AlbumId, string, string]>(
    'DELETE FROM album_keys WHERE album_id = ? AND key LIKE ? AND key NOT LIKE ?',
  );
  const setCompilation = client.prepare<[number, number, AlbumId]>(
    'UPDATE albums SET is_compilation = ?, updated_at = ? WHERE id = ?',
  );

  function gather({ stem, albumIds }: SplitAlbum): void {
    const folder = Number(stem.split(':')[1]);
    const title = stem.slice(stem.indexOf(':', 2) + 1, -1);
    const splitAlbums = listAlbums.all(albumIds);
    const ids = new Set<AlbumId>(splitAlbums.map(({ id }) => id));
    const folderTracks = listTracks.all(folder);
    const group = folderTracks.filter(({ albumId }) => ids.has(albumId));
    const [mainAlbum] = splitAlbums;
    if (!mainAlbum || !isOneAlbum(group, folderTracks.length)) return;

    const albumArtist = findAlbumArtist(group.map(({ artistName }) => artistName));
    const name = nameOf(mainAlbum, albumArtist, folder);
    const otherAlbums = splitAlbums.filter(({ id }) => id !== mainAlbum.id);
    const isInOtherFolders = mainAlbum.trackCount > group.filter(({ albumId }) => albumId === mainAlbum.id).length;
    // albums that people liked or gave a cover stay unchanged, and an album with tracks in other folders keeps its
    // artist
    if (otherAlbums.some(({ isChosen }) => isChosen === 1)) return;
    if (isInOtherFolders && mainAlbum.artistId !== name.artist.id) return;

    const time = now().getTime();
    for (const { id, albumId, metadataStatus } of group)
      if (albumId !== mainAlbum.id && metadataStatus !== 'manual') moveTrack.run(mainAlbum.id, mainAlbum.id, time, id);
    for (const { id } of otherAlbums)
      for (const prefix of [`g:${folder}:${title}`, `u:${folder}:${title}`])
        moveKeys.run(mainAlbum.id, id, prefix, prefix);
    // files that later name one of the other artists as album artist become an album of that artist
    for (const prefix of ['d:t:', 'l:t:']) deleteKeys.run(mainAlbum.id, `${prefix}%`, `${prefix}${name.artist.id}:%`);
    setCompilation.run(albumArtist === undefined ? 1 : 0, time, mainAlbum.id);
    resolver.renameAlbum(mainAlbum.id, name);
    sweepEmpty(
      otherAlbums.map(({ id }) => id),
      splitAlbums.flatMap(({ artistId }) => artistId ?? []),
    );
  }

  function nameOf(
    { id }: AlbumRow,
    albumArtist: string | undefined,
    folder: number,
  ): AlbumName & { artist: ArtistRef } {
    const { title = '', year = null, genre = null } = findTitle.get(id) ?? {};
    const artistName = albumArtist ?? VARIOUS_ARTISTS;
    return {
      title,
      artist: resolver.artist(artistName),
      artistName,
      isGuessed: false,
      year: year ?? undefined,
      genre: genre ?? undefined,
      isCompilation: albumArtist === undefined,
      releaseGroupMbid: undefined,
      folder,
    };
  }

  return {
    /** Lists albums of one title and folder that may be one album. */
    list: (): SplitAlbum[] => listSplit.all(),
    /** Runs inside the caller's transaction. */
    gather,
  };
}
