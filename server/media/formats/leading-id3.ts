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
  const leading: LeadingId3 = {
    tags: { artists: [], albumArtists: [], genres: [] },
    pictures: [],
    count: 0,
    end: position,
  };
  for (let tag = findId3(window, position); tag && leading.count < MAX_TAGS; tag = findId3(window, leading.end)) {
    const builder = readId3(window, tag, keepPictures);
    if (leading.count === 0) leading.tags = builder.tags;
    else fillGaps(leading.tags, builder.tags);
    leading.pictures.push(...builder.bestPictures());
    leading.count++;
    leading.end = tag.end;
  }
  return leading;
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
