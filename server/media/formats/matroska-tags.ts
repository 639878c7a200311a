// Reads the tags of Matroska files by what they are about: the album (50) or the track (30). The default is 50, but
// files of ffmpeg and others that have no tag with a 30 mean the track by it. music-metadata always takes it for the
// track.
// https://www.matroska.org/technical/tagging.html
import { fieldOfName } from '../field-names.ts';
import { MAX_LIST_VALUES, MAX_VALUE_BYTES } from '../limits.ts';
import { TagBuilder, type TextField } from '../tag-builder.ts';
import { decodeUtf8 } from '../text.ts';
import type { Tags } from '../types.ts';

const TAG = 0x7373;
const TARGETS = 0x63c0;
const TARGET_TYPE_VALUE = 0x68ca;
const SIMPLE_TAG = 0x67c8;
const TAG_NAME = 0x45a3;
const TAG_STRING = 0x4487;
const ALBUM_LEVEL = 50;
const TRACK_LEVEL = 30;
const MAX_TAGS = 10_000;

/** Fields whose names mean something else in a tag about the album. */
const ALBUM_FIELDS: Record<string, TextField> = {
  TITLE: 'album',
  SUBTITLE: 'edition',
  ARTIST: 'albumArtist',
  ARTISTSORT: 'albumArtistSort',
  TITLESORT: 'albumSort',
  SORT_WITH: 'albumSort',
  PART_NUMBER: 'disc',
  TOTAL_PARTS: 'trackTotal',
  DATE_RECORDED: 'originalYear',
};
const TRACK_FIELDS: Record<string, TextField> = { PART_NUMBER: 'track', DATE_RECORDED: 'date' };

interface Tag {
  level: number | undefined;
  values: [name: string, text: string][];
}

interface Element {
  id: number;
  start: number;
  end: number;
}

/** Converts the content of the element `Tags`. Damaged parts are left out. */
export function matroskaTags(bytes: Buffer): Tags {
  const tags = elementsIn(bytes, 0, bytes.length)
    .filter(({ id }) => id === TAG)
    .map((element) => tagOf(bytes, element));
  const hasTrackTag = tags.some(({ level }) => level === TRACK_LEVEL);
  const builder = new TagBuilder();
  for (const { level = hasTrackTag ? ALBUM_LEVEL : TRACK_LEVEL, values } of tags) {
    if (level !== ALBUM_LEVEL && level !== TRACK_LEVEL) continue;
    const fields = level === ALBUM_LEVEL ? ALBUM_FIELDS : TRACK_FIELDS;
    for (const [name, text] of values) {
      const field = fields[name.toUpperCase()] ?? fieldOfName(name);
      if (field !== undefined) for (const value of text.split('\0', MAX_LIST_VALUES)) builder.add(field, value);
    }
  }
  return builder.finish();
}

function tagOf(bytes: Buffer, tag: Element): Tag {
  let level: number | undefined;
  const values: Tag['values'] = [];
  for (const element of elementsIn(bytes, tag.start, tag.end))
    if (element.id === TARGETS) level = levelOf(bytes, element);
    else if (element.id === SIMPLE_TAG) {
      const parts = elementsIn(bytes, element.start, element.end);
      const [name, text] = [TAG_NAME, TAG_STRING].map((id) => parts.find((part) => part.id === id));
      if (name && text) values.push([textOf(bytes, name), textOf(bytes, text)]);
    }
  return { level, values };
}

function levelOf(bytes: Buffer, targets: Element): number | undefined {
  const value = elementsIn(bytes, targets.start, targets.end).find(({ id }) => id === TARGET_TYPE_VALUE);
  return value && bytes.subarray(value.start, value.end).reduce((number, byte) => number * 256 + byte, 0);
}

const textOf = (bytes: Buffer, { start, end }: Element): string =>
  end - start > MAX_VALUE_BYTES ? '' : decodeUtf8(bytes, start, end);

/** Lists the elements in a range, up to the first damaged one. */
function elementsIn(bytes: Buffer, from: number, until: number): Element[] {
  const elements: Element[] = [];
  for (let position = from; position < until && elements.length < MAX_TAGS;) {
    const idLength = lengthOfNumber(bytes[position]);
    const sizeAt = position + idLength;
    const sizeLength = lengthOfNumber(bytes[sizeAt]);
    const start = sizeAt + sizeLength;
    if (idLength > 4 || sizeLength > 6 || start > until) break;
    const size = bytes.readUIntBE(sizeAt, sizeLength) - 2 ** (7 * sizeLength);
    if (start + size > until) break;
    elements.push({ id: bytes.readUIntBE(position, idLength), start, end: start + size });
    position = start + size;
  }
  return elements;
}

/** Returns how many bytes an EBML number has, from its first byte; 9 for an invalid one. */
const lengthOfNumber = (firstByte = 0): number => (firstByte === 0 ? 9 : Math.clz32(firstByte) - 23);
