// The sizes in which covers are drawn, by their longest side in pixels. Pages request no other sizes, so the cache of
// thumbnails stays small.

export const COVER_SIZES = [64, 160, 300, 600, 1200] as const;
export type CoverSize = (typeof COVER_SIZES)[number];
export const LARGEST_COVER: CoverSize = 1200;

/** Returns the nearest of COVER_SIZES; the larger one of two. */
export const nearestSize = (pixels: number): number =>
  COVER_SIZES.reduce((nearest, size) => (Math.abs(size - pixels) <= Math.abs(nearest - pixels) ? size : nearest));
