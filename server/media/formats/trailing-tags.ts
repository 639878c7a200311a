// Reads tags after the audio of an MP3 or ADTS file: ID3v1, APEv2, Lyrics3 and appended ID3v2.4, in any order.
import { syncsafe } from '../integers.ts';
import { MAX_ID3_BYTES } from '../limits.ts';
import { matches } from '../picture-mime.ts';
import { fillGaps, type EmbeddedPicture } from '../tag-builder.ts';
import type { Tags } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { findApeTag, readApeTag, type ApeTag } from './ape-tag.ts';
import { findId3, readId3, type Id3Tag } from './id3.ts';
import { hasId3v1, ID3V1_BYTES, readId3v1 } from './id3v1.ts';

const LYRICS3_FOOTER_BYTES = 15;
const ID3_FOOTER_BYTES = 10;
const MAX_TAGS = 6;
const TAIL_BYTES = 4096;

interface TrailingTags {
  /** Start of the tags, which is the end of the audio. */
  start: number;
  id3v1End: number | undefined;
  ape: ApeTag | undefined;
  id3: Id3Tag | undefined;
}

export function findTrailingTags(window: Window, from: number): TrailingTags {
  const trailing: TrailingTags = { start: window.size, id3v1End: undefined, ape: undefined, id3: undefined };
  // reads the tail once for all searches below
  window.at(Math.max(0, window.size - TAIL_BYTES), Math.min(TAIL_BYTES, window.size));
  for (let n = 0; n < MAX_TAGS; n++) {
    const previousStart = trailing.start;
    stepBack(window, trailing, from);
    if (trailing.start === previousStart) break;
    if (trailing.start <= from) {
      trailing.start = previousStart;
      break;
    }
  }
  return trailing;
}

export const hasTrailingTags = (window: Window): boolean => findTrailingTags(window, 0).start < window.size;

/** Moves `start` before one more tag, if there is another. */
function stepBack(window: Window, trailing: TrailingTags, from: number): void {
  const end = trailing.start;
  if (hasId3v1(window, end)) {
    trailing.id3v1End ??= end;
    trailing.start = end - ID3V1_BYTES;
    return;
  }
  const i = window.at(end - 32, 32);
  if (i < 0) return;
  const b = window.bytes;
  if (matches(b, i, 'APETAGEX')) {
    const ape = findApeTag(window, end);
    if (!ape || ape.start < from) return;
    trailing.ape ??= ape;
    trailing.start = ape.start;
  } else if (matches(b, i + 32 - 9, 'LYRICS200')) {
    const size = Number.parseInt(b.toString('latin1', i + 32 - LYRICS3_FOOTER_BYTES, i + 32 - 9), 10);
    if (size > 0) trailing.start = Math.max(from, end - LYRICS3_FOOTER_BYTES - size);
  } else if (matches(b, i + 32 - ID3_FOOTER_BYTES, '3DI')) {
    const size = syncsafe(b, i + 32 - 4);
    if (size < 0 || size > MAX_ID3_BYTES) return;
    const id3 = findId3(window, end - 2 * ID3_FOOTER_BYTES - size);
    if (id3?.end !== end) return;
    trailing.id3 ??= id3;
    trailing.start = id3.start;
  }
}

/** Completes the tags at the start of the file from the trailing ones; pictures of the latter come last. */
export function addTrailingTags(window: Window, trailing: TrailingTags, tags: Tags, pictures: EmbeddedPicture[]): void {
  for (const builder of [
    trailing.id3 && readId3(window, trailing.id3),
    trailing.ape && readApeTag(window, trailing.ape),
  ]) {
    if (!builder) continue;
    fillGaps(tags, builder.tags);
    pictures.push(...builder.bestPictures());
  }
  if (trailing.id3v1End !== undefined) fillGaps(tags, readId3v1(window, trailing.id3v1End, tags));
}
