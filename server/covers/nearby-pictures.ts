// Lists pictures in local files that may be the cover of an album, in the order of `nearby-cover-order.ts`.
import type { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import type { AlbumId } from '../db/ids.ts';
import { albumFolderOf } from '../media/disc-folders.ts';
import type { AudioStore } from '../storage/audio-store.ts';
import { toFileUri } from '../storage/uri.ts';
import { NEARBY_ORDER } from './nearby-cover-order.ts';
import type { EmbeddedPictures } from './embedded-pictures.ts';
import { MAX_COVER_BYTES, UnusablePicture } from './picture.ts';
import type { CoverSources } from './queries.ts';

/**
 * Maximum number of tracks opened per album: when the pictures of the first tracks are broken, those of the others are
 * broken, too.
 */
const MAX_TRACKS = 3;

export interface NearbyPicture {
  origin: (typeof NEARBY_ORDER)[number];
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

export function listNearbyPictures(
  albumId: AlbumId,
  { sources, audioStore, embedded }: NearbyPictureDeps,
): NearbyPicture[] {
  const readersByOrigin: Record<NearbyPicture['origin'], () => (() => Promise<Buffer | undefined>)[]> = {
    embedded: () =>
      sources.audioWithPicture(albumId, MAX_TRACKS).map(
        ({ storageUri }) =>
          () =>
            readEmbedded(storageUri, { audioStore, embedded }),
      ),
    folder: () => listImagePaths(albumId, sources).map((path) => async () => readFolderPicture(path, audioStore)),
  };
  return NEARBY_ORDER.flatMap((origin) => readersByOrigin[origin]().map((read) => ({ origin, read })));
}

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
