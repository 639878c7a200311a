// Reads ID3v1 and 1.1: 128 bytes at the end of a file.
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
 * Reads the fields that `presentTags` lack from the tag that ends at `end`. The other fields are not read, because the
 * charset of their texts is unknown. Requires `hasId3v1`.
 */
export function readId3v1(window: Window, end: number, presentTags: Tags): Tags {
  const i = window.at(end - ID3V1_BYTES, ID3V1_BYTES);
  const b = window.bytes;
  const builder = new TagBuilder();
  const readText = (position: number, length: number): string => {
    const nul = indexOfNul(b, i + position, i + position + length);
    return keepBytes(b, i + position, nul < 0 ? i + position + length : nul);
  };
  if (presentTags.title === undefined) builder.add('title', readText(3, 30));
  if (presentTags.artists.length === 0) builder.add('artist', readText(33, 30));
  if (presentTags.album === undefined) builder.add('album', readText(63, 30));
  if (presentTags.year === undefined) builder.add('date', readText(93, 4));
  const hasTrack = b[i + 125] === 0 && b[i + 126] !== 0;
  if (presentTags.comment === undefined) builder.add('comment', readText(97, hasTrack ? 28 : 30));
  if (hasTrack) builder.add('track', String(b[i + 126]));
  if (presentTags.genres.length === 0) builder.add('genre', ID3_GENRES[b[i + 127] as number] ?? '');
  return builder.finish();
}
