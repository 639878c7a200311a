// Reads pictures in the tags of a WMA file, which music-metadata cuts at the wrong place.
import { MAX_PICTURE_BYTES } from '../limits.ts';
import type { ByteSource } from '../types.ts';
import { asfObjects, CONTENT_TAGS, METADATA_TAGS, viewOf } from './asf-objects.ts';

interface AsfPicture {
  /** Kind of the picture; 3 is the front cover. */ kind: number;
  bytes: Buffer;
}

const PICTURE_TAG = 'WM/Picture';
/** Size limit of an object with tags: a picture and some text. */
const MAX_TAGS_BYTES = MAX_PICTURE_BYTES + (4 << 20);

/** Lists pictures in file order. After a damaged tag, the rest of its object is skipped. */
export function asfPictures(source: ByteSource): AsfPicture[] {
  const pictures: AsfPicture[] = [];
  for (const { id, position, size } of asfObjects(source)) {
    const isMetadata = METADATA_TAGS.includes(id);
    if ((id !== CONTENT_TAGS && !isMetadata) || size > MAX_TAGS_BYTES) continue;
    const body = Buffer.from(viewOf(source, position, size)); // copied: the view is only valid until the next read
    for (const { name, value } of isMetadata ? metadataTags(body) : contentTags(body)) {
      const picture = name === PICTURE_TAG ? toPicture(value) : undefined;
      if (picture) pictures.push(picture);
    }
  }
  return pictures;
}

interface Tag {
  name: string;
  value: Buffer;
}

/** Yields the tags of an object with the layout: name length, name, type, value length, value. */
function* contentTags(body: Buffer): Generator<Tag> {
  for (let position = 2; position + 2 <= body.length;) {
    const nameEnd = position + 2 + body.readUInt16LE(position);
    if (nameEnd + 4 > body.length) return;
    const end = nameEnd + 4 + body.readUInt16LE(nameEnd + 2);
    yield { name: textIn(body, position + 2, nameEnd), value: body.subarray(nameEnd + 4, end) };
    position = end;
  }
}

/** Yields the tags of an object with the layout: language, stream, name length, type, value length, name, value. */
function* metadataTags(body: Buffer): Generator<Tag> {
  for (let position = 2; position + 12 <= body.length;) {
    const nameEnd = position + 12 + body.readUInt16LE(position + 4);
    const end = nameEnd + body.readUInt32LE(position + 8);
    yield { name: textIn(body, position + 12, nameEnd), value: body.subarray(nameEnd, end) };
    position = end;
  }
}

/** Parses a picture with the layout: kind, size, NUL-terminated MIME type and description, bytes. */
function toPicture(value: Buffer): AsfPicture | undefined {
  if (value.length < 9) return undefined;
  const start = skipText(value, skipText(value, 5));
  return { kind: value[0] ?? 0, bytes: value.subarray(start, start + value.readUInt32LE(1)) };
}

function skipText(value: Buffer, from: number): number {
  let position = from;
  while (position + 2 <= value.length && value.readUInt16LE(position) !== 0) position += 2;
  return position + 2;
}

const textIn = (body: Buffer, start: number, end: number): string =>
  body.toString('utf16le', start, Math.min(end, body.length)).split('\0', 1)[0] ?? '';
