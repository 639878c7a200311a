// Reads APEv2 tags at the end of MP3 files. https://wiki.hydrogenaud.io/index.php?title=APEv2_specification
import { fieldOfName, instrumentInName } from '../field-names.ts';
import { u32le } from '../integers.ts';
import { MAX_COMMENTS, MAX_ENCODED_PICTURE_BYTES, MAX_LIST_VALUES, MAX_VALUE_BYTES } from '../limits.ts';
import { matches, sniffPicture } from '../picture-mime.ts';
import { TagBuilder } from '../tag-builder.ts';
import { decodeUtf8, indexOfNul, splitValues } from '../text.ts';
import type { Window } from '../buffered-source.ts';

const FOOTER_BYTES = 32;
const HAS_HEADER = 0x80000000;
const KIND = 6; // bits 1 and 2 of an item's flags: 0 text, 2 binary

export interface ApeTag {
  start: number;
  itemsStart: number;
  itemsEnd: number;
  count: number;
}

/** Finds the tag whose footer ends at `end`. */
export function findApeTag(window: Window, end: number): ApeTag | undefined {
  const i = window.at(end - FOOTER_BYTES, FOOTER_BYTES);
  if (i < 0 || !matches(window.bytes, i, 'APETAGEX')) return undefined;
  const size = u32le(window.bytes, i + 12); // size of the items and the footer
  const count = u32le(window.bytes, i + 16);
  const flags = u32le(window.bytes, i + 20);
  const itemsStart = end - size;
  const start = itemsStart - (flags & HAS_HEADER ? FOOTER_BYTES : 0);
  if (size < FOOTER_BYTES || start < 0) return undefined;
  return { start, itemsStart, itemsEnd: end - FOOTER_BYTES, count };
}

export function readApeTag(window: Window, tag: ApeTag): TagBuilder {
  const builder = new TagBuilder();
  let position = tag.itemsStart;
  for (let n = Math.min(tag.count, MAX_COMMENTS); n > 0 && position + 8 < tag.itemsEnd; n--) {
    const i = window.at(position, Math.min(8 + 256, tag.itemsEnd - position));
    if (i < 0) break;
    const b = window.bytes;
    const length = u32le(b, i);
    const kind = u32le(b, i + 4) & KIND;
    const nul = indexOfNul(b, i + 8, i + Math.min(8 + 256, tag.itemsEnd - position));
    if (nul < 0) break;
    const name = b.toString('latin1', i + 8, nul);
    const valueAt = position + (nul + 1 - i);
    position = valueAt + length;
    if (position > tag.itemsEnd) break;
    if (kind === 0) readText(window, builder, name, valueAt, length);
    else if (kind === 2) readPicture(window, builder, name, valueAt, length);
  }
  builder.finish();
  return builder;
}

function readText(window: Window, builder: TagBuilder, name: string, position: number, length: number): void {
  const instrument = instrumentInName(name);
  const field = instrument === undefined ? fieldOfName(name) : 'performer';
  if (field === undefined || length > MAX_VALUE_BYTES) return;
  const i = window.at(position, length);
  if (i < 0) return;
  for (const value of splitValues(decodeUtf8(window.bytes, i, i + length), '\0', MAX_LIST_VALUES))
    builder.add(field, instrument === undefined ? value : `${value} (${instrument})`);
}

/** Reads `Cover Art (Front)`: a file name, NUL, the picture. */
function readPicture(window: Window, builder: TagBuilder, name: string, position: number, length: number): void {
  if (!name.toLowerCase().startsWith('cover art') || length > MAX_ENCODED_PICTURE_BYTES) return;
  const head = Math.min(length, 600);
  const i = window.at(position, head);
  if (i < 0) return;
  const nul = indexOfNul(window.bytes, i, i + head);
  if (nul < 0) return;
  const mime = sniffPicture(window.bytes, nul + 1);
  const skippedBytes = nul + 1 - i;
  if (mime)
    builder.addPicture({
      mime,
      kind: /front/i.test(name) ? 3 : 0,
      position: position + skippedBytes,
      length: length - skippedBytes,
    });
}
