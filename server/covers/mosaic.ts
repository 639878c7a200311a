// Makes one picture of up to four covers, for artists and playlists. The etag of a mosaic is derived from the etags of
// its covers, so it changes with them.
import { hash } from 'node:crypto';
import { AppError } from '../errors.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { composePictures, UnusablePicture, type SizedFormat, type Tile } from './picture.ts';
import type { StoredCover, StoredPicture } from './queries.ts';

interface Mosaic {
  /** Name of the mosaic's folder in the cache, such as `artist-7`. */
  owner: string;
  covers: readonly StoredCover[];
  etag: string;
}
/** The picture of an artist, which is not a mosaic. */
interface ArtistPicture extends StoredPicture {
  /** Name of the picture's folder in the cache, such as `artist-7`. */
  owner: string;
}
export type ShownCover = StoredCover | ArtistPicture | Mosaic;

export const MAX_MOSAIC_COVERS = 4;
/** Must be raised with each change of the layouts. */
const LAYOUT_VERSION = 1;
/** Left, top, width and height of each tile, in halves of the side, by number of covers. */
const LAYOUTS: Record<number, readonly [number, number, number, number][]> = {
  1: [[0, 0, 2, 2]],
  2: [
    [0, 0, 1, 2],
    [1, 0, 1, 2],
  ],
  3: [
    [0, 0, 1, 2],
    [1, 0, 1, 1],
    [1, 1, 1, 1],
  ],
  4: [
    [0, 0, 1, 1],
    [1, 0, 1, 1],
    [0, 1, 1, 1],
    [1, 1, 1, 1],
  ],
};

export const isMosaic = (cover: ShownCover): cover is Mosaic => 'covers' in cover;

/**
 * Returns a mosaic of the first four different covers, or a single cover as it is. Returns undefined without covers.
 */
export function mosaicOf(owner: string, covers: readonly StoredCover[]): ShownCover | undefined {
  const distinctCovers = [...new Map(covers.toReversed().map((cover) => [cover.etag, cover])).values()]
    .toReversed()
    .slice(0, MAX_MOSAIC_COVERS);
  const [firstCover] = distinctCovers;
  if (!firstCover || distinctCovers.length === 1) return firstCover;
  return {
    owner,
    covers: distinctCovers,
    etag: hash('sha256', [LAYOUT_VERSION, ...distinctCovers.map(({ etag }) => etag)].join(' '), 'hex').slice(0, 32),
  };
}

/**
 * Draws a mosaic. Throws UnusablePicture when none of the covers is usable, and errors of `readOriginal` other than
 * `not_found`.
 */
export async function makeMosaic(
  { covers }: Mosaic,
  size: number,
  format: SizedFormat,
  readOriginal: (cover: StoredCover) => Promise<Buffer>,
): Promise<Buffer> {
  let originals = await Promise.all(covers.map((cover) => readOriginal(cover).catch(undefinedIfGone)));
  for (;;) {
    const pictures = originals.filter((bytes) => bytes !== undefined);
    if (pictures.length === 0) throw new UnusablePicture('none of its covers is usable');
    const result = await composePictures(tilesOf(pictures, size), size, format);
    if (result.picture) return result.picture;
    // tries again without the unusable pictures, in the layout for fewer pictures
    originals = pictures.filter((bytes) => !result.unusable.includes(bytes));
  }
}

export function tilesOf(pictures: readonly Buffer[], size: number): Tile[] {
  const halfPx = Math.round(size / 2);
  return (LAYOUTS[pictures.length] ?? []).map(([left, top, width, height], i) => ({
    bytes: pictures[i] as Buffer,
    left: left * halfPx,
    top: top * halfPx,
    width: width === 2 ? size : halfPx,
    height: height === 2 ? size : halfPx,
  }));
}

function undefinedIfGone(error: unknown): undefined {
  const isGoneError =
    isAbsent(error) || error instanceof UnusablePicture || (error instanceof AppError && error.code === 'not_found');
  if (!isGoneError) throw error;
  return undefined;
}
