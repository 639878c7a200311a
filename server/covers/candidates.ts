// The pictures that can be chosen as the cover of an album: in its files, in its folders, and in the cover archive. The
// id of a picture says where it is, so nothing is stored.
import { hash } from 'node:crypto';
import type { Db } from '../db/client.ts';
import type { AlbumId } from '../db/ids.ts';
import { AppError, notFound } from '../errors.ts';
import { MAX_PICTURES } from '../media/limits.ts';
import { toFileUri } from '../storage/uri.ts';
import type { ArchiveAnswer, CoverArchive } from './cover-archive.ts';
import {
  joinPath,
  listAlbumFolders,
  isOutOfReach,
  listPictureNames,
  readEmbedded,
  readFolderPicture,
  type NearbyPictureDeps,
} from './nearby-pictures.ts';
import { checkPicture, UnusablePicture, type Cover } from './picture.ts';
import { findReleaseGroup, findCoverRow, type TrackWithPicture } from './queries.ts';

/** Number of tracks that are searched: all pictures of the first track, and one picture of each other track. */
const MAX_TRACKS = 12;
const MAX_FOLDERS = 20;
const ARCHIVE_ID = /^archive-([0-9a-f-]{36})-(\d{1,20})$/;

export interface Candidate {
  id: string;
  origin: 'embedded' | 'folder' | 'archive';
  /** The title of the track, the name of the file, or what the picture shows according to the archive. */
  name: string;
  /** Width in pixels; null when the picture was not read. */
  width: number | null;
  height: number | null;
  /** Whether the picture is the album's cover. */
  isCurrent: boolean;
}

/** A picture in an audio file or in a folder. */
interface LocalPicture extends Pick<Candidate, 'id' | 'name'> {
  origin: 'embedded' | 'folder';
  /**
   * Returns the bytes of the picture; undefined if the file has no picture. Throws UnusablePicture, `gone` or
   * `unavailable`.
   */
  read(): Promise<Buffer | undefined>;
  /** Returns a key that changes when the file changes. */
  cacheKey(): Promise<string>;
}

/** A candidate whose bytes can be read. */
interface ReadableCandidate {
  /** A cache key that identifies the content of the picture. */
  key: string;
  /** Returns the original picture. Throws `not_found` or `unavailable`, and the reason of `signal`. */
  read(signal?: AbortSignal): Promise<Buffer>;
  /** Returns the picture in a size for display. Throws like `read`. */
  readSmall(): Promise<Buffer>;
}

interface CandidatesDeps extends NearbyPictureDeps {
  db: Db;
  archive: Pick<CoverArchive, 'isEnabled' | 'listImages' | 'findImage'>;
}

export function createCandidates({ db, sources, audioStore, embedded, archive }: CandidatesDeps) {
  const pictureInAudio = ({ id, title, storageUri, updatedAt }: TrackWithPicture, index: number): LocalPicture => ({
    id: `embedded-${id}-${index}`,
    origin: 'embedded',
    name: title,
    read: () => readEmbedded(storageUri, { audioStore, embedded }, index),
    cacheKey: () => Promise.resolve(`${id} ${index} ${updatedAt} ${storageUri}`),
  });
  const pictureInFolder = (path: string): LocalPicture => ({
    id: `folder-${hash('sha256', path, 'hex').slice(0, 32)}`,
    origin: 'folder',
    name: path.slice(path.lastIndexOf('/') + 1),
    read: () => readFolderPicture(path, audioStore),
    async cacheKey() {
      const { size, modifiedAt } = await (await audioStore.resolve(toFileUri(path))).stat();
      return `${path} ${size} ${modifiedAt.getTime()}`;
    },
  });

  async function listLocalPictures(albumId: AlbumId): Promise<LocalPicture[]> {
    const [firstTrack, ...otherTracks] = sources.audioWithPicture(albumId, MAX_TRACKS);
    const picturesInFirst = firstTrack
      ? Array.from({ length: MAX_PICTURES }, (_, index) => pictureInAudio(firstTrack, index))
      : [];
    const paths = new Set<string>();
    for (const { path, imageName } of listAlbumFolders(albumId, sources).slice(0, MAX_FOLDERS)) {
      if (imageName !== null) paths.add(joinPath(path, imageName));
      for (const name of await listPictureNames(path, audioStore)) paths.add(joinPath(path, name));
    }
    return [
      ...picturesInFirst,
      ...otherTracks.map((track) => pictureInAudio(track, 0)),
      ...[...paths].map(pictureInFolder),
    ];
  }

  return {
    /** Lists the different usable pictures in the files and folders of the album. */
    async listNearby(albumId: AlbumId): Promise<Candidate[]> {
      const currentEtag = findCoverRow(db, albumId)?.etag;
      const candidatesByEtag = new Map<string, Candidate>();
      for (const { id, origin, name, read } of await listLocalPictures(albumId)) {
        const cover = await tryRead(read);
        if (!cover || candidatesByEtag.has(cover.etag)) continue;
        const { width, height, etag } = cover;
        candidatesByEtag.set(etag, { id, origin, name, width, height, isCurrent: etag === currentEtag });
      }
      return [...candidatesByEtag.values()];
    },

    /** Lists the pictures of the archive, or returns the reason why there are none. Throws the reason of `signal`. */
    async listFromArchive(
      albumId: AlbumId,
      signal: AbortSignal,
    ): Promise<{ items: Candidate[]; reason: string | null }> {
      const mbid = findReleaseGroup(db, albumId);
      if (!archive.isEnabled()) return { items: [], reason: 'The cover archive is switched off in the settings.' };
      if (mbid === null) return { items: [], reason: 'The album has not been identified.' };
      const answer = await archive.listImages(mbid, signal);
      if (answer.result !== 'images') return { items: [], reason: reasonOf(answer) };
      const items = answer.images.map(({ release, id, types }): Candidate => ({
        id: `archive-${release}-${id}`,
        origin: 'archive',
        name: types.join(', '),
        width: null,
        height: null,
        isCurrent: false,
      }));
      return { items, reason: null };
    },

    /**
     * Returns one of the pictures. Throws `not_found` for a picture that the album does not have, `gone` and
     * `unavailable`.
     */
    async find(albumId: AlbumId, id: string): Promise<ReadableCandidate> {
      const [, release, image] = ARCHIVE_ID.exec(id) ?? [];
      if (release !== undefined && image !== undefined) {
        const fetchImage = async (isSmall: boolean, signal?: AbortSignal): Promise<Buffer> => {
          const answer = await archive.findImage({ release, id: image }, isSmall, signal);
          if (answer.result === 'picture') return answer.bytes;
          if (answer.result === 'none') throw notFound('picture', id);
          throw new AppError('unavailable', reasonOf(answer) ?? '');
        };
        return { key: id, read: (signal) => fetchImage(false, signal), readSmall: () => fetchImage(true) };
      }
      const localPicture = (await listLocalPictures(albumId)).find((picture) => picture.id === id);
      if (!localPicture) throw notFound('picture', id);
      const read = async (): Promise<Buffer> => {
        const bytes = await localPicture.read().catch((error: unknown) => {
          if (!(error instanceof UnusablePicture)) throw error;
          return undefined;
        });
        if (!bytes) throw notFound('picture', id);
        return bytes;
      };
      return { key: await localPicture.cacheKey(), read, readSmall: read };
    },
  };
}

async function tryRead(read: LocalPicture['read']): Promise<Cover | undefined> {
  try {
    const bytes = await read();
    return bytes && (await checkPicture(bytes));
  } catch (error) {
    if (error instanceof UnusablePicture || isOutOfReach(error)) return undefined;
    throw error;
  }
}

function reasonOf(answer: Exclude<ArchiveAnswer, { result: 'picture' }>): string | null {
  if (answer.result === 'none') return null;
  if (answer.result === 'paused') return 'The cover archive cannot be reached right now.';
  return `The cover archive cannot be used right now: ${answer.reason}.`;
}
