// ID3v1 and 1.1: 128 bytes at the end of a file.
import { ID3_GENRES } from '../genres.ts';
import { matches } from '../picture-mime.ts';
import { TagBuilder } from '../tag-builder.ts';
import { indexOfNul } from '../text.ts';
import type { Tags } from '../types.ts';
import { keepBytes } from '../unmarked-text.ts';
import type { Window } from '../buffered-source.ts';

export const ID3V1_BYTES = 128;

export function hasId3v1(window: Window, end: number): boolean {
  const i = window.at(end - ID3V1_BYTES, ID3V1_BYTES);
  return i >= 0 && matches(window.bytes, i, 'TAG');
}

/**
 * What the tag that ends at `end` adds to `known`: its texts do not say their charset, so the others are not even read.
 * Requires `hasId3v1`.
 */
export function readId3v1(window: Window, end: number, known: Tags): Tags {
  const i = window.at(end - ID3V1_BYTES, ID3V1_BYTES);
  const b = window.bytes;
  const builder = new TagBuilder();
  const text = (at: number, length: number): string => {
    const nul = indexOfNul(b, i + at, i + at + length);
    return keepBytes(b, i + at, nul < 0 ? i + at + length : nul);
  };
  if (known.title === undefined) builder.add('title', text(3, 30));
  if (known.artists.length === 0) builder.add('artist', text(33, 30));
  if (known.album === undefined) builder.add('album', text(63, 30));
  if (known.year === undefined) builder.add('date', text(93, 4));
  const hasTrack = b[i + 125] === 0 && b[i + 126] !== 0;
  if (known.comment === undefined) builder.add('comment', text(97, hasTrack ? 28 : 30));
  if (hasTrack) builder.add('track', String(b[i + 126]));
  if (known.genres.length === 0) builder.add('genre', ID3_GENRES[b[i + 127] as number] ?? '');
  return builder.finish();
}
