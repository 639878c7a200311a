// Lists pictures in local files that may be the cover of an album, in the order of `nearby-cover-order.ts`.
import { readdir } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { AlbumId } from '../db/ids.ts';
import { albumFolderOf } from '../media/disc-folders.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { nameToText } from '../storage/file-names.ts';
import { toFileUri } from '../storage/uri.ts';
import { listCoverNames } from './nearby-cover-order.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import { COVER_EXTENSIONS, MAX_COVER_BYTES, UnusablePicture } from './picture.ts';
import type { CoverSources } from './queries.ts';

/**
 * Maximum number of tracks opened per album: when the pictures of the first tracks are broken, those of the others are
 * broken, too.
 */
const MAX_TRACKS = 3;
const MAX_PICTURES_PER_FOLDER = 40;
const PICTURE_EXTENSIONS = new Set([...COVER_EXTENSIONS, 'jpeg']);

export interface NearbyPicture {
  origin: 'embedded' | 'folder';
  /**
   * Returns the unchecked bytes; undefined if the file contains no picture. Throws UnusablePicture, `gone` or
   * `unavailable`.
   */
  read(): Promise<Buffer | undefined>;
}

export interface NearbyPictureDeps {
  sources: CoverSources;
  audioStore: AudioStore;
  embedded: EmbeddedPictures;
}

/**
 * Yields pictures, the best first: those in the tags, then those in the album's folder, or in the folder above it if
 * that contains the folders of discs. A caller that uses a picture stops, so the next ones are not looked for. The
 * cover archive comes later, in a job of its own (`tasks.ts`), because it is slow; a cover that a person chose is never
 * replaced.
 */
export async function* listNearbyPictures(
  albumId: AlbumId,
  { sources, audioStore, embedded }: NearbyPictureDeps,
): AsyncGenerator<NearbyPicture> {
  for (const { storageUri } of sources.audioWithPicture(albumId, MAX_TRACKS))
    yield { origin: 'embedded', read: () => readEmbedded(storageUri, { audioStore, embedded }) };
  const pictureAt = (path: string): NearbyPicture => ({
    origin: 'folder',
    read: () => readFolderPicture(path, audioStore),
  });
  const bestPaths = listImagePaths(albumId, sources);
  for (const path of bestPaths) yield pictureAt(path);
  // none of these can be used, but there may be others beside them
  for (const folder of new Set(bestPaths.map(parentOf)))
    for (const name of listCoverNames(await listPictureNames(folder, audioStore))) {
      const path = joinPath(folder, name);
      if (!bestPaths.includes(path)) yield pictureAt(path);
    }
}

/**
 * Lists all pictures in a folder. The list is empty for a folder that cannot be read or that is a music folder itself.
 */
export async function listPictureNames(folder: string, audioStore: AudioStore): Promise<string[]> {
  try {
    const { path } = await audioStore.resolve(toFileUri(folder));
    if (path === undefined) return [];
    const names = (await readdir(path, { encoding: 'buffer' })).map(nameToText);
    return names
      .filter((name) => !name.startsWith('.') && PICTURE_EXTENSIONS.has(extensionOf(name)))
      .toSorted()
      .slice(0, MAX_PICTURES_PER_FOLDER);
  } catch (error) {
    if (!isOutOfReach(error)) throw error;
    return [];
  }
}

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/**
 * Returns the cover in stored audio, or with `skip` a further picture. Throws UnusablePicture, `gone` or `unavailable`.
 */
export async function readEmbedded(
  storageUri: string,
  { audioStore, embedded }: Omit<NearbyPictureDeps, 'sources'>,
  skip = 0,
): Promise<Buffer | undefined> {
  const file = await audioStore.resolve(storageUri);
  const { size } = await file.stat(); // `stat` throws `gone` for a missing file
  return embedded.read(file.path === undefined ? { size, open: file.open } : { path: file.path }, skip);
}

/** Returns the bytes of a picture in a music folder. Throws UnusablePicture, `gone` or `unavailable`. */
export async function readFolderPicture(path: string, audioStore: AudioStore): Promise<Buffer> {
  const file = await audioStore.resolve(toFileUri(path));
  const { size } = await file.stat();
  if (size > MAX_COVER_BYTES) throw new UnusablePicture('the picture is larger than 20 MB');
  return readAll((await file.open()).stream);
}

/** Lists the folders of an album. Each folder of a disc is followed by its parent. */
export const listAlbumFolders = (
  albumId: AlbumId,
  sources: NearbyPictureDeps['sources'],
): { path: string; imageName: string | null }[] =>
  sources.foldersOf(albumId).flatMap((folder) => {
    const parentPath = albumFolderOf(folder.path);
    return parentPath === undefined ? [folder] : [folder, { path: parentPath, imageName: sources.imageIn(parentPath) }];
  });

function listImagePaths(albumId: AlbumId, sources: NearbyPictureDeps['sources']): string[] {
  const paths = listAlbumFolders(albumId, sources).flatMap(({ path, imageName }) =>
    imageName === null ? [] : [joinPath(path, imageName)],
  );
  return [...new Set(paths)];
}

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Reads a picture. Throws UnusablePicture beyond MAX_COVER_BYTES, also for a file that grows while it is read. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_COVER_BYTES) throw new UnusablePicture('the picture is larger than 20 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns whether the file may be readable later, so that the error does not mean that the album has no cover. */
export const isOutOfReach = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'gone' || error.code === 'unavailable');
