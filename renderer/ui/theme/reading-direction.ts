// Which way one reads. A language that is written from right to left mirrors the page, and its arrow keys.

export const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl';

/** 1 for the arrow key that points the way one reads, -1 for the one back; undefined for every other key. */
export function readingStep(key: string): 1 | -1 | undefined {
  if (key !== 'ArrowRight' && key !== 'ArrowLeft') return undefined;
  return (key === 'ArrowRight') === isRightToLeft() ? -1 : 1;
}
