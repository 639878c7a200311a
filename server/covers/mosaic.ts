// One picture of up to four covers, for artists and playlists. Its etag is derived from theirs, so it changes with
// them.
import { hash } from 'node:crypto';
import { AppError } from '../errors.ts';
import { isAbsent } from '../storage/file-errors.ts';
import { composePictures, UnusablePicture, type SizedFormat, type Tile } from './picture.ts';
import type { StoredCover, StoredPicture } from './queries.ts';

interface Mosaic {
  /** Name of its folder in the cache, such as `artist-7`. */
  owner: string;
  covers: readonly StoredCover[];
  etag: string;
}
/** The picture of an artist. */
interface OwnPicture extends StoredPicture {
  /** Name of its folder in the cache, such as `artist-7`. */
  owner: string;
}
export type ShownCover = StoredCover | OwnPicture | Mosaic;

export const MOSAIC_COVERS = 4;
/** To be raised with each change of the layouts. */
const LAYOUT_VERSION = 1;
/** Left, top, width and height in halves of the side, by number of covers. */
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

/** Of the first four different covers. A single one is returned as is; undefined without any. */
export function mosaicOf(owner: string, covers: readonly StoredCover[]): ShownCover | undefined {
  const different = [...new Map(covers.toReversed().map((cover) => [cover.etag, cover])).values()]
    .toReversed()
    .slice(0, MOSAIC_COVERS);
  const [first] = different;
  if (!first || different.length === 1) return first;
  return {
    owner,
    covers: different,
    etag: hash('sha256', [LAYOUT_VERSION, ...different.map(({ etag }) => etag)].join(' '), 'hex').slice(0, 32),
  };
}

/** Throws UnusablePicture when none of the covers is usable, and errors of `readOriginal` other than `not_found`. */
export async function makeMosaic(
  { covers }: Mosaic,
  size: number,
  format: SizedFormat,
  readOriginal: (cover: StoredCover) => Promise<Buffer>,
): Promise<Buffer> {
  let usable = await Promise.all(covers.map((cover) => readOriginal(cover).catch(undefinedIfGone)));
  for (;;) {
    const pictures = usable.filter((bytes) => bytes !== undefined);
    if (pictures.length === 0) throw new UnusablePicture('none of its covers is usable');
    const made = await composePictures(tilesOf(pictures, size), size, format);
    if (made.picture) return made.picture;
    usable = pictures.filter((bytes) => !made.unusable.includes(bytes)); // fewer, with another layout
  }
}

export function tilesOf(pictures: readonly Buffer[], size: number): Tile[] {
  const half = Math.round(size / 2);
  return (LAYOUTS[pictures.length] ?? []).map(([left, top, width, height], i) => ({
    bytes: pictures[i] as Buffer,
    left: left * half,
    top: top * half,
    width: width === 2 ? size : half,
    height: height === 2 ? size : half,
  }));
}

function undefinedIfGone(error: unknown): undefined {
  const isGone =
    isAbsent(error) || error instanceof UnusablePicture || (error instanceof AppError && error.code === 'not_found');
  if (!isGone) throw error;
  return undefined;
}
