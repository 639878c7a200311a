// Reads LIST INFO of a WAV file, which has fields with names of four letters.
// https://exiftool.org/TagNames/RIFF.html#Info
import { TAGGED_FIELDS } from '../../db/track-fields.ts';
import { fourCc, u32be, u32le } from '../integers.ts';
import { MAX_COMMENTS, MAX_VALUE_BYTES } from '../limits.ts';
import { TagBuilder, type TextField } from '../tag-builder.ts';
import { decodeUtf8 } from '../text.ts';
import type { Tags } from '../types.ts';
import type { Window } from '../buffered-source.ts';

const FIELDS = new Map<number, TextField>(
  Object.entries({
    INAM: 'title',
    IART: 'artist',
    IPRD: 'album',
    ICRD: 'date',
    YEAR: 'date',
    IDIT: 'date',
    IGNR: 'genre',
    ITRK: 'track',
    IPRT: 'track',
    IAAR: 'albumArtist',
    IRTD: 'rating',
  } as const).map(([name, field]) => [fourCc(name), field]),
);
for (const { field, tags } of TAGGED_FIELDS) for (const name of tags.riff ?? []) FIELDS.set(fourCc(name), field);

/** Returns the field with this name of four letters. */
export const infoFieldOf = (name: number): TextField | undefined => FIELDS.get(name);

export function readListInfo(window: Window, start: number, end: number): Tags {
  const builder = new TagBuilder();
  let position = start;
  for (let n = 0; n < MAX_COMMENTS && position + 8 <= end; n++) {
    const i = window.at(position, 8);
    if (i < 0) break;
    const field = infoFieldOf(u32be(window.bytes, i));
    const size = u32le(window.bytes, i + 4);
    if (field !== undefined && size <= MAX_VALUE_BYTES && position + 8 + size <= end) {
      const k = window.at(position + 8, size);
      if (k >= 0) builder.add(field, decodeUtf8(window.bytes, k, k + size));
    }
    position += 8 + size + (size & 1);
  }
  return builder.finish();
}
