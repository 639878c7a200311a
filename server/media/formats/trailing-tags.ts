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
  const trailingTags: TrailingTags = { start: window.size, id3v1End: undefined, ape: undefined, id3: undefined };
  // reads the tail once for all searches below
  window.at(Math.max(0, window.size - TAIL_BYTES), Math.min(TAIL_BYTES, window.size));
  for (let n = 0; n < MAX_TAGS; n++) {
    const previousStart = trailingTags.start;
    stepBack(window, trailingTags, from);
    if (trailingTags.start === previousStart) break;
    if (trailingTags.start <= from) {
      trailingTags.start = previousStart;
      break;
    }
  }
  return trailingTags;
}

export const hasTrailingTags = (window: Window): boolean => findTrailingTags(window, 0).start < window.size;

/** Moves `start` before one more tag, if there is another. */
function stepBack(window: Window, trailingTags: TrailingTags, from: number): void {
  const end = trailingTags.start;
  if (hasId3v1(window, end)) {
    trailingTags.id3v1End ??= end;
    trailingTags.start = end - ID3V1_BYTES;
    return;
  }
  const i = window.at(end - 32, 32);
  if (i < 0) return;
  const b = window.bytes;
  if (matches(b, i, 'APETAGEX')) {
    const ape = findApeTag(window, end);
    if (!ape || ape.start < from) return;
    trailingTags.ape ??= ape;
    trailingTags.start = ape.start;
  } else if (matches(b, i + 32 - 9, 'LYRICS200')) {
    const size = Number.parseInt(b.toString('latin1', i + 32 - LYRICS3_FOOTER_BYTES, i + 32 - 9), 10);
    if (size > 0) trailingTags.start = Math.max(from, end - LYRICS3_FOOTER_BYTES - size);
  } else if (matches(b, i + 32 - ID3_FOOTER_BYTES, '3DI')) {
    const size = syncsafe(b, i + 32 - 4);
    if (size < 0 || size > MAX_ID3_BYTES) return;
    const id3 = findId3(window, end - 2 * ID3_FOOTER_BYTES - size);
    if (id3?.end !== end) return;
    trailingTags.id3 ??= id3;
    trailingTags.start = id3.start;
  }
}

/** Completes the tags at the start of the file from the trailing ones; pictures of the latter come last. */
export function addTrailingTags(
  window: Window,
  trailingTags: TrailingTags,
  tags: Tags,
  pictures: EmbeddedPicture[],
): void {
  for (const builder of [
    trailingTags.id3 && readId3(window, trailingTags.id3),
    trailingTags.ape && readApeTag(window, trailingTags.ape),
  ]) {
    if (!builder) continue;
    fillGaps(tags, builder.tags);
    pictures.push(...builder.bestPictures());
  }
  if (trailingTags.id3v1End !== undefined) fillGaps(tags, readId3v1(window, trailingTags.id3v1End, tags));
}
