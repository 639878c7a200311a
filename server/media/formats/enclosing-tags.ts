// Reads tags before and after the audio, for formats that have no place of their own for tags.
import { UnreadableAudio, type AudioFacts, type Tags } from '../types.ts';
import { fillGaps, type FileRead, type EmbeddedPicture } from '../tag-builder.ts';
import type { Window } from '../buffered-source.ts';
import { readLeadingId3 } from './leading-id3.ts';
import { addTrailingTags, findTrailingTags } from './trailing-tags.ts';

interface EnclosingTags {
  tags: Tags;
  pictures: EmbeddedPicture[];
  /** Start and end of the bytes between the tags. */
  start: number;
  end: number;
}

/** Reads the tags. An APEv2 tag has precedence, because it is the usual tag of these formats. */
export function readEnclosingTags(window: Window, keepPictures: boolean): EnclosingTags {
  const leadingTags = readLeadingId3(window, 0, keepPictures);
  const trailingTags = findTrailingTags(window, leadingTags.end);
  const tags: Tags = { artists: [], albumArtists: [], genres: [] };
  const pictures: EmbeddedPicture[] = [];
  addTrailingTags(window, { ...trailingTags, id3: undefined, id3v1End: undefined }, tags, pictures);
  fillGaps(tags, leadingTags.tags);
  pictures.push(...leadingTags.pictures);
  addTrailingTags(window, { ...trailingTags, ape: undefined }, tags, pictures);
  return { tags, pictures, start: leadingTags.end, end: trailingTags.start };
}

/**
 * Reads a file with tags around the audio. `readFacts` gets the range between the tags, which is also the payload if
 * `readFacts` does not set one.
 */
export function readEnclosed(
  window: Window,
  keepPictures: boolean,
  readFacts: (start: number, end: number) => AudioFacts,
): FileRead {
  const { tags, pictures, start, end } = readEnclosingTags(window, keepPictures);
  if (end <= start) throw new UnreadableAudio('there is no audio after the tags');
  const facts = readFacts(start, end);
  facts.payload ??= { start, end };
  return { facts, tags, pictures };
}
