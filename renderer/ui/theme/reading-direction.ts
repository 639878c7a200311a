// The reading direction. A right-to-left language mirrors the page and its arrow keys.

export const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl';

/** Returns 1 for the arrow key in reading direction, -1 for the opposite arrow key, undefined for every other key. */
export function readingStep(key: string): 1 | -1 | undefined {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return undefined;
  return (key === 'ArrowRight') === isRightToLeft() ? -1 : 1;
}
