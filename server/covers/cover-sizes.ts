// The sizes in which covers are made, by their longest side in pixels. Pages ask for no others, so the cache of
// thumbnails stays small.

export const COVER_SIZES = [64, 160, 300, 600, 1200] as const;
export type CoverSize = (typeof COVER_SIZES)[number];
export const LARGEST_COVER: CoverSize = 1200;

/** The nearest of COVER_SIZES; the larger one of two. */
export const nearestSize = (wanted: number): number =>
  COVER_SIZES.reduce((best, size) => (Math.abs(size - wanted) <= Math.abs(best - wanted) ? size : best));
