// Pictures of artists in the music folders: `artist.jpg` in a folder with the artist's music or above it, and the
// picture of a folder that is named after the artist and has a folder for each of their albums.
import type { MainDb } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { artists, sourceFolders } from '../db/schema.ts';
import { messageOf } from '../errors.ts';
import { isVariousArtists } from '../library/albums/compilations.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import type { Log } from '../log/log.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { ArtistPictures } from './artist-pictures.ts';
import type { PassOptions } from './nearby-finder.ts';
import { isDiscFolder } from '../media/disc-folders.ts';
import { joinPath, isOutOfReach, readFolderPicture } from './nearby-pictures.ts';
import { UnusablePicture } from './picture.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Maximum number of rows per query, so that no query takes longer than a few milliseconds. */
const FOLDERS_PER_QUERY = 200;
/** A folder with the music of more artists than this belongs to none of them. */
const MAX_ARTISTS = 50;

type Folder = RowAs<typeof sourceFolders, 'id' | 'path' | 'imageName' | 'artistImage'>;
type Artist = RowAs<typeof artists, 'id' | 'name' | 'nameKey' | 'sortKey'>;

interface ArtistFoldersDeps {
  db: MainDb;
  log: Log;
  audioStore: AudioStore;
  pictures: Pick<ArtistPictures, 'isWanted' | 'offer'>;
}

export function createArtistFolders({ db, log, audioStore, pictures }: ArtistFoldersDeps) {
  const listFolders = db.$client.prepare<[number], Folder>(
    `SELECT id, path, image_name AS imageName, artist_image AS artistImage FROM source_folders
      WHERE id > ? AND (artist_image IS NOT NULL OR image_name IS NOT NULL) ORDER BY id LIMIT ${FOLDERS_PER_QUERY}`,
  );
  // '0' is the character after '/', so the range contains everything below the folder
  const listArtists = db.$client.prepare<{ source: string; path: string }, Artist>(`
    SELECT DISTINCT x.id, x.name, x.name_key AS nameKey, x.sort_key AS sortKey
    FROM source_folders d JOIN source_files s ON s.folder_id = d.id JOIN tracks t ON t.id = s.track_id
    JOIN albums a ON a.id = t.album_id JOIN artists x ON x.id = a.artist_id
    WHERE d.source = @source AND (d.path = @path OR (d.path > @path || '/' AND d.path < @path || '0'))
    LIMIT ${MAX_ARTISTS + 1}`);
  const hasTracks = db.$client.prepare<[number], object>(
    'SELECT 1 FROM source_files WHERE folder_id = ? AND track_id IS NOT NULL LIMIT 1',
  );
  const listSubfolders = db.$client
    .prepare<{ source: string; path: string }, string>(
      `SELECT path FROM source_folders WHERE source = @source AND path > @path || '/' AND path < @path || '0'
        LIMIT 1000`,
    )
    .pluck();

  /** Returns the file name of the picture in the folder, and the artist whom it shows. */
  function findArtistPicture({
    id,
    path,
    imageName,
    artistImage,
  }: Folder): { artist: Artist; name: string } | undefined {
    const location = { source: 'local_folder', path };
    if (artistImage === null && (imageName === null || hasTracks.get(id) || !hasAlbumFolders(path))) return undefined;
    const folderArtists = listArtists.all(location).filter(({ name }) => !isVariousArtists(name));
    if (folderArtists.length > MAX_ARTISTS) return undefined;
    const folderName = sortKey(path.slice(path.lastIndexOf('/') + 1));
    const namesake = folderArtists.find(
      (artist) => artist.sortKey === folderName || sortKey(artist.name) === folderName,
    );
    const artist = namesake ?? (artistImage !== null && folderArtists.length === 1 ? folderArtists[0] : undefined);
    const name = artistImage ?? imageName;
    return artist && name !== null ? { artist, name } : undefined;
  }

  /**
   * Returns whether the folder contains folders of albums. The folder of an album itself contains at most folders of
   * discs.
   */
  const hasAlbumFolders = (path: string): boolean =>
    listSubfolders
      .all({ source: 'local_folder', path })
      .some((folder) => !isDiscFolder(folder.slice(path.length + 1).split('/', 1)[0] ?? ''));

  async function offerPicture(artist: Artist, path: string): Promise<boolean> {
    const provenance = { origin: 'folder' as const, source: path, credit: null };
    if (!pictures.isWanted(artist.nameKey, provenance)) return false;
    try {
      return await pictures.offer(artist.nameKey, await readFolderPicture(path, audioStore), provenance);
    } catch (error) {
      if (!(error instanceof UnusablePicture) && !isOutOfReach(error)) throw error;
      log.warn({ artist_id: artist.id, path, reason: messageOf(error) }, 'cannot use the picture of an artist');
      return false;
    }
  }

  /**
   * Searches all folders with a picture, and returns the number of pictures found. Throws only errors that affect all
   * folders: `storage_full`, `unavailable`.
   */
  return async ({ signal }: Omit<PassOptions, 'progress'>): Promise<number> => {
    let foundCount = 0;
    for (let lastId = 0; ;) {
      const folders = listFolders.all(lastId);
      for (const folder of folders) {
        signal.throwIfAborted();
        const picture = findArtistPicture(folder);
        if (picture && (await offerPicture(picture.artist, joinPath(folder.path, picture.name)))) foundCount++;
        await yieldIfDue();
      }
      const lastFolder = folders.at(-1);
      if (!lastFolder || folders.length < FOLDERS_PER_QUERY) return foundCount;
      lastId = lastFolder.id;
    }
  };
}
