// Reads ID3v2 tags at the start of a file: usually one, but some taggers add more.
import { fillGaps, type EmbeddedPicture } from '../tag-builder.ts';
import type { Tags } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { findId3, readId3 } from './id3.ts';

const MAX_TAGS = 4;

interface LeadingId3 {
  tags: Tags;
  pictures: EmbeddedPicture[];
  count: number;
  end: number;
}

/** Reads the tags from `at` on; the first tag has precedence. */
export function readLeadingId3(window: Window, position: number, keepPictures: boolean): LeadingId3 {
  const leadingTags: LeadingId3 = {
    tags: { artists: [], albumArtists: [], genres: [] },
    pictures: [],
    count: 0,
    end: position,
  };
  for (
    let tag = findId3(window, position);
    tag && leadingTags.count < MAX_TAGS;
    tag = findId3(window, leadingTags.end)
  ) {
    const builder = readId3(window, tag, keepPictures);
    if (leadingTags.count === 0) leadingTags.tags = builder.tags;
    else fillGaps(leadingTags.tags, builder.tags);
    leadingTags.pictures.push(...builder.bestPictures());
    leadingTags.count++;
    leadingTags.end = tag.end;
  }
  return leadingTags;
}

/** Returns the start of the content, without parsing tags. */
export function skipId3(window: Window): number {
  let position = 0;
  for (let n = 0; n < MAX_TAGS; n++) {
    const tag = findId3(window, position);
    if (!tag) break;
    position = tag.end;
  }
  return position;
}
