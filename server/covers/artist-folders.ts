// Pictures of artists in the music folders: `artist.jpg` in a folder of the artist's music or above it, and the picture
// of a folder that is named for the artist and has their albums in folders of their own.
import type { MainDb } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { artists, sourceFolders } from '../db/schema.ts';
import { messageOf } from '../errors.ts';
import { isVariousArtists } from '../library/tracks/resolve.ts';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';
import type { Log } from '../log/log.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import type { ArtistPictures } from './artist-pictures.ts';
import type { PassOptions } from './nearby-finder.ts';
import { isDiscFolder } from '../media/disc-folders.ts';
import { below, isOutOfReach, readFile } from './nearby-pictures.ts';
import { UnusablePicture } from './picture.ts';
import { yieldIfDue } from '../runtime/time-slices.ts';

/** Folders per query, so that none takes longer than a few milliseconds. */
const FOLDERS_AT_ONCE = 200;
/** A folder of more artists is nobody's. */
const MOST_ARTISTS = 50;

type Folder = RowAs<typeof sourceFolders, 'id' | 'path' | 'imageName' | 'artistImage'>;
type Artist = RowAs<typeof artists, 'id' | 'name' | 'nameKey' | 'sortKey'>;

interface ArtistFoldersDeps {
  db: MainDb;
  log: Log;
  audioStore: AudioStore;
  pictures: Pick<ArtistPictures, 'isWanted' | 'offer'>;
}

export function createArtistFolders({ db, log, audioStore, pictures }: ArtistFoldersDeps) {
  const list = db.$client.prepare<[number], Folder>(
    `SELECT id, path, image_name AS imageName, artist_image AS artistImage FROM source_folders
      WHERE id > ? AND (artist_image IS NOT NULL OR image_name IS NOT NULL) ORDER BY id LIMIT ${FOLDERS_AT_ONCE}`,
  );
  // '0' follows '/'
  const artistsIn = db.$client.prepare<{ source: string; path: string }, Artist>(`
    SELECT DISTINCT x.id, x.name, x.name_key AS nameKey, x.sort_key AS sortKey
    FROM source_folders d JOIN source_files s ON s.folder_id = d.id JOIN tracks t ON t.id = s.track_id
    JOIN albums a ON a.id = t.album_id JOIN artists x ON x.id = a.artist_id
    WHERE d.source = @source AND (d.path = @path OR (d.path > @path || '/' AND d.path < @path || '0'))
    LIMIT ${MOST_ARTISTS + 1}`);
  const hasTracks = db.$client.prepare<[number], object>(
    'SELECT 1 FROM source_files WHERE folder_id = ? AND track_id IS NOT NULL LIMIT 1',
  );
  const foldersIn = db.$client
    .prepare<{ source: string; path: string }, string>(
      `SELECT path FROM source_folders WHERE source = @source AND path > @path || '/' AND path < @path || '0'
        LIMIT 1000`,
    )
    .pluck();

  /** Whose picture the folder has, and its name. */
  function find({ id, path, imageName, artistImage }: Folder): { artist: Artist; name: string } | undefined {
    const where = { source: 'local_folder', path };
    if (artistImage === null && (imageName === null || hasTracks.get(id) || !hasAlbumFolders(path))) return undefined;
    const found = artistsIn.all(where).filter(({ name }) => !isVariousArtists(name));
    if (found.length > MOST_ARTISTS) return undefined;
    const folderName = sortKey(path.slice(path.lastIndexOf('/') + 1));
    const named = found.find((artist) => artist.sortKey === folderName || sortKey(artist.name) === folderName);
    const artist = named ?? (artistImage !== null && found.length === 1 ? found[0] : undefined);
    const name = artistImage ?? imageName;
    return artist && name !== null ? { artist, name } : undefined;
  }

  /** Discs alone make it the folder of an album. */
  const hasAlbumFolders = (path: string): boolean =>
    foldersIn
      .all({ source: 'local_folder', path })
      .some((folder) => !isDiscFolder(folder.slice(path.length + 1).split('/', 1)[0] ?? ''));

  async function take(artist: Artist, path: string): Promise<boolean> {
    const from = { origin: 'folder' as const, source: path, credit: null };
    if (!pictures.isWanted(artist.nameKey, from)) return false;
    try {
      return await pictures.offer(artist.nameKey, await readFile(path, audioStore), from);
    } catch (error) {
      if (!(error instanceof UnusablePicture) && !isOutOfReach(error)) throw error;
      log.warn({ artist_id: artist.id, path, reason: messageOf(error) }, 'picture of an artist not used');
      return false;
    }
  }

  /** Looks through all folders with a picture. Throws what would stop it for any: `storage_full`, `unavailable`. */
  return async ({ signal }: Omit<PassOptions, 'progress'>): Promise<number> => {
    let found = 0;
    for (let after = 0; ;) {
      const folders = list.all(after);
      for (const folder of folders) {
        signal.throwIfAborted();
        const own = find(folder);
        if (own && (await take(own.artist, below(folder.path, own.name)))) found++;
        await yieldIfDue();
      }
      const last = folders.at(-1);
      if (!last || folders.length < FOLDERS_AT_ONCE) return found;
      after = last.id;
    }
  };
}
