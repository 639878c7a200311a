// A look at a WMA file before music-metadata reads it, which keeps every tag and every part that a file claims to have.
import { MAX_COMMENTS } from '../limits.ts';
import { UnreadableAudio, type ByteSource } from '../types.ts';
import { asfObjects, CONTENT_TAGS, METADATA_TAGS, viewOf } from './asf-objects.ts';

/** Throws UnreadableAudio when there are more parts or tags than music has. */
export function refuseCrowdedAsf(source: ByteSource): void {
  let tags = 0;
  for (const { id, at } of asfObjects(source)) {
    if (id !== CONTENT_TAGS && !METADATA_TAGS.includes(id)) continue;
    const count = viewOf(source, at, 2);
    if (count.length === 2) tags += count.readUInt16LE(0);
    if (tags > MAX_COMMENTS) throw new UnreadableAudio(`the file has more than ${MAX_COMMENTS} tags`);
  }
}
