import type { FoundPicture } from '../tag-builder.ts';
import type { AudioFacts, Tags } from '../types.ts';

/** What a format's reader gives: the parts of AudioRead before the last checks. */
export interface FileRead {
  facts: AudioFacts;
  tags: Tags;
  pictures: FoundPicture[];
}
