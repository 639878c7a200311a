// Reads Vorbis comments: the tags of FLAC, Ogg Vorbis, Opus and Speex. They are read as a stream, so that a block may
// span Ogg pages and large pictures are skipped. https://xiph.org/vorbis/doc/v-comment.html
import type { ByteReader } from '../byte-reader.ts';
import { fieldOfName, instrumentInName } from '../field-names.ts';
import { u32le } from '../integers.ts';
import {
  MAX_COMMENT_BYTES,
  MAX_COMMENTS,
  MAX_ENCODED_PICTURE_BYTES,
  MAX_LYRICS,
  MAX_VALUE_BYTES,
  refuseOver,
} from '../limits.ts';
import type { TagBuilder } from '../tag-builder.ts';
import { decodeUtf8 } from '../text.ts';
import { UnreadableAudio } from '../types.ts';
import { readPictureBlock } from './picture-block.ts';

const EQUALS = 0x3d;
const PICTURE = 'METADATA_BLOCK_PICTURE';
const OLD_PICTURE = 'COVERART';
/**
 * The number of base64 characters of a picture that suffice for the start of its block and the first bytes of the
 * picture.
 */
const PICTURE_HEAD_CHARS = 400;
/**
 * The number of bytes that are read first, to decide how much of a long comment is needed; most comments are shorter.
 */
const HEAD_BYTES = 512;

/**
 * Adds all comments; returns false if a damaged length ends the list. Throws UnreadableAudio for too many or too long
 * comments.
 */
export function readVorbisComment(reader: ByteReader, builder: TagBuilder, keepPictures: boolean): boolean {
  const vendor = readLength(reader);
  if (vendor < 0 || !reader.skip(vendor)) return false;
  const count = readLength(reader);
  if (count < 0) return false;
  let textBytes = 0;
  for (let n = 0; n < count; n++) {
    if (n >= MAX_COMMENTS) throw new UnreadableAudio(`the file has more than ${MAX_COMMENTS} comments`);
    const length = readLength(reader);
    if (length < 0) return false;
    const headLength = Math.min(length, HEAD_BYTES);
    const i = reader.take(headLength);
    if (i < 0) return false;
    const { bytes } = reader;
    const equals = indexOfEquals(bytes, i, i + headLength);
    const restLength = length - headLength;
    const name = equals < 0 ? '' : bytes.toString('latin1', i, equals);
    const isPicture = isPictureName(name);
    const isChapter =
      restLength === 0 && name.length > 8 && name.length < 16 && isChapterOf(builder, name, bytes, equals, i + length);
    const namedField = isPicture ? undefined : fieldOfName(name);
    const instrument = isPicture || namedField !== undefined ? undefined : instrumentInName(name);
    const field = instrument === undefined ? namedField : 'performer';
    if (isPicture) {
      if (!addPicture(reader, builder, name, i, equals, headLength, restLength, keepPictures)) return false;
    } else if (isChapter || field === undefined || length > MAX_VALUE_BYTES) {
      if (restLength > 0 && !reader.skip(restLength)) return false;
    } else if (restLength === 0) {
      const value = decodeUtf8(bytes, equals + 1, i + length);
      builder.add(field, instrument === undefined || value.trim() === '' ? value : `${value} (${instrument})`);
    } else {
      const neededLength = field === 'lyrics' ? Math.min(restLength, 2 * MAX_LYRICS) : restLength;
      const head = Buffer.from(bytes.subarray(equals + 1, i + headLength));
      const k = reader.take(neededLength);
      if (k < 0) return false;
      const value = Buffer.concat([head, reader.bytes.subarray(k, k + neededLength)]);
      builder.add(field, decodeUtf8(value, 0, value.length));
      if (neededLength < restLength && !reader.skip(restLength - neededLength)) return false;
    }
    // counts bytes that exist, so that a file with a damaged length is not refused
    if (!isPicture) refuseOver('the comment block', (textBytes += length), MAX_COMMENT_BYTES);
  }
  return true;
}

const isChapterOf = (builder: TagBuilder, name: string, bytes: Buffer, equals: number, end: number): boolean =>
  /^chapter/i.test(name) && builder.addChapter(name, decodeUtf8(bytes, equals + 1, end));

function readLength(reader: ByteReader): number {
  const i = reader.take(4);
  return i < 0 ? -1 : u32le(reader.bytes, i);
}

function indexOfEquals(bytes: Buffer, start: number, end: number): number {
  for (let i = start; i < end; i++) if (bytes[i] === EQUALS) return i;
  return -1;
}

function isPictureName(name: string): boolean {
  if (name.length !== PICTURE.length && name.length !== OLD_PICTURE.length) return false;
  const upperName = name.toUpperCase();
  return upperName === PICTURE || upperName === OLD_PICTURE;
}

/** Adds a picture; returns false if its comment is longer than the rest of the block. */
function addPicture(
  reader: ByteReader,
  builder: TagBuilder,
  name: string,
  i: number,
  equals: number,
  headLength: number,
  restLength: number,
  keepPicture: boolean,
): boolean {
  const neededLength =
    keepPicture && restLength <= MAX_ENCODED_PICTURE_BYTES ? restLength : Math.min(restLength, PICTURE_HEAD_CHARS);
  const head = reader.bytes.toString('latin1', equals + 1, i + headLength);
  const k = reader.take(neededLength);
  if (k < 0) return false;
  const decodedBytes = Buffer.from(head + reader.bytes.toString('latin1', k, k + neededLength), 'base64');
  readPictureBlock(decodedBytes, 0, decodedBytes.length, -1, builder, {
    isBare: name.length === OLD_PICTURE.length,
    keepBytes: keepPicture && neededLength === restLength,
  });
  return neededLength === restLength || reader.skip(restLength - neededLength);
}
