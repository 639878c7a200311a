// ID3v2.2, 2.3 and 2.4: finds the tag and iterates over its frames, which id3-frames.ts parses.
// https://id3.org/id3v2.4.0-structure
import { inflateSync } from 'node:zlib';
import { PlainReader, type ByteReader } from '../byte-reader.ts';
import { syncsafe, u24be, u32be } from '../integers.ts';
import { MAX_ENCODED_PICTURE_BYTES, MAX_ID3_BYTES, MAX_ID3_FRAMES, MAX_VALUE_BYTES, refuseOver } from '../limits.ts';
import { TagBuilder } from '../tag-builder.ts';
import { UnreadableAudio } from '../types.ts';
import type { Window } from '../buffered-source.ts';
import { Id3Frames, isPictureFrame, isSupportedFrame } from './id3-frames.ts';
import { UnsyncedReader, undoUnsync } from './id3-unsync.ts';

const HEADER_BYTES = 10;
const UNSYNCHRONISED = 0x80;
const EXTENDED_HEADER = 0x40; // in v2.2, this bit means an undefined compression
const HAS_FOOTER = 0x10;
// flags of a v2.4 frame
const GROUPED = 0x40;
const COMPRESSED = 0x08;
const ENCRYPTED = 0x04;
const HAS_LENGTH = 0x01;
/**
 * The number of bytes of a picture frame that suffice for its type, its description, and the first bytes of the
 * picture.
 */
const PICTURE_HEAD_BYTES = 1024;
/** Limits of the search for a complete frame after a damaged frame: how often, and how far. */
const MAX_SEARCHES = 8;
const MAX_SEARCH_BYTES = 1 << 20;
/** Maximum number of possible frames in one search: for each, the bytes after it are read from the file. */
const MAX_CANDIDATES = 1_000;

export interface Id3Tag {
  version: number;
  flags: number;
  start: number;
  bodyStart: number;
  bodyEnd: number;
  end: number;
}

/** Finds the tag at `position`. Throws UnreadableAudio if the tag is too large. */
export function findId3(window: Window, position: number): Id3Tag | undefined {
  const i = window.at(position, HEADER_BYTES);
  if (i < 0) return undefined;
  const b = window.bytes;
  if (b[i] !== 0x49 || b[i + 1] !== 0x44 || b[i + 2] !== 0x33) return undefined;
  const version = b[i + 3] as number;
  const flags = b[i + 5] as number;
  const size = syncsafe(b, i + 6);
  if (version < 2 || version > 4 || b[i + 4] === 0xff || size < 0) return undefined;
  refuseOver('the ID3 tag', size, MAX_ID3_BYTES);
  const bodyStart = position + HEADER_BYTES;
  const bodyEnd = bodyStart + size;
  const footer = version === 4 && flags & HAS_FOOTER ? HEADER_BYTES : 0;
  return { version, flags, start: position, bodyStart, bodyEnd, end: bodyEnd + footer };
}

/** Reads all frames into a builder. `keepPictures` decodes pictures that are stored encoded. */
export function readId3(window: Window, tag: Id3Tag, keepPictures = false): TagBuilder {
  const builder = new TagBuilder();
  const frames = new Id3Frames(builder, tag.version);
  const isUnsynchronised = tag.version < 4 && (tag.flags & UNSYNCHRONISED) !== 0;
  const reader = isUnsynchronised
    ? new UnsyncedReader(window, tag.bodyStart, tag.bodyEnd)
    : new PlainReader(window, tag.bodyStart, tag.bodyEnd);
  if (tag.version === 2) {
    if (!(tag.flags & EXTENDED_HEADER)) readShortFrames(reader, frames, keepPictures);
  } else if (!(tag.flags & EXTENDED_HEADER) || skipExtendedHeader(reader, tag.version)) {
    readFrames(window, tag, reader, frames, keepPictures);
  }
  frames.finish();
  return builder;
}

function skipExtendedHeader(reader: ByteReader, version: number): boolean {
  const i = reader.take(4);
  if (i < 0) return false;
  // in v2.4 the size is syncsafe and includes these four bytes
  const size = version === 4 ? syncsafe(reader.bytes, i) - 4 : u32be(reader.bytes, i);
  return size >= 0 && reader.skip(size);
}

/** Reads the frames of v2.2: a name of three letters and three bytes of length. */
function readShortFrames(reader: ByteReader, frames: Id3Frames, keepPictures: boolean): void {
  for (let count = 0; ; count++) {
    const i = reader.take(6);
    if (i < 0 || !isFrameName(reader.bytes, i, 3)) return;
    assertFrameCount(count);
    const name = u24be(reader.bytes, i);
    if (!readBody(reader, frames, name, u24be(reader.bytes, i + 3), keepPictures)) return;
  }
}

function readFrames(window: Window, tag: Id3Tag, from: ByteReader, frames: Id3Frames, keepPictures: boolean): void {
  let reader = from;
  let searches = 0;
  /** Continues with the next complete frame after a damaged frame at `position`; returns false if there is none. */
  const skipDamage = (position: number): boolean => {
    const next = position < 0 || ++searches > MAX_SEARCHES ? -1 : findFrame(window, tag, position + 1);
    if (next >= 0) reader = new PlainReader(window, next, tag.bodyEnd);
    return next >= 0;
  };
  let lastFrameAt = reader.position();
  for (let count = 0; ; count++) {
    const position = reader.position();
    const i = reader.take(HEADER_BYTES);
    if (i < 0) return;
    if (!isFrameName(reader.bytes, i, 4)) {
      // the previous frame has a wrong length, unless this is padding
      if (isPadding(reader.bytes, i) || !skipDamage(lastFrameAt)) return;
      continue;
    }
    assertFrameCount(count);
    lastFrameAt = position;
    const { bytes } = reader;
    const name = isShortName(bytes, i) ? u24be(bytes, i) : u32be(bytes, i);
    const format = bytes[i + 9] as number;
    const plainSize = u32be(bytes, i + 4);
    const size = tag.version === 3 ? plainSize : frameSize24(window, tag, reader.position(), bytes, i + 4);
    if (position >= 0 && size > reader.remaining() && skipDamage(position)) continue;
    const encoding =
      tag.version === 3
        ? (format & 0xe0) !== 0 // bits for compressed, encrypted, grouped
          ? v23Encoding(format)
          : 0
        : (format & 0x4f) | (tag.flags & UNSYNCHRONISED ? 0x02 : 0);
    const isEncoded = tag.version === 3 ? (format & 0xe0) !== 0 : encoding !== 0;
    const isRead = isEncoded
      ? readEncoded(reader, frames, name, size, encoding, keepPictures)
      : readBody(reader, frames, name, size, keepPictures);
    if (!isRead) return;
  }
}

function isPadding(bytes: Buffer, i: number): boolean {
  for (let k = 0; k < HEADER_BYTES; k++) if (bytes[i + k] !== 0) return false;
  return true;
}

/** Finds the first frame from `start` on that is followed by another frame, padding or the end; -1 if none is near. */
function findFrame(window: Window, tag: Id3Tag, start: number): number {
  const length = Math.min(tag.bodyEnd, window.size, start + MAX_SEARCH_BYTES) - start;
  const i = length < HEADER_BYTES ? -1 : window.at(start, length);
  if (i < 0) return -1;
  const bytes = Buffer.from(window.bytes.subarray(i, i + length)); // copied, because the window moves below
  for (let k = 0, candidates = 0; k + HEADER_BYTES < length && candidates < MAX_CANDIDATES; k++) {
    if (!isFrameName(bytes, k, 4) || !isSupportedFrame(u32be(bytes, k))) continue;
    candidates++;
    const sizes = tag.version === 3 ? [u32be(bytes, k + 4)] : [syncsafe(bytes, k + 4), u32be(bytes, k + 4)];
    const bodyAt = start + k + HEADER_BYTES;
    if (sizes.some((size) => size > 0 && bodyAt + size <= tag.bodyEnd && followsFrame(window, tag, bodyAt + size)))
      return start + k;
  }
  return -1;
}

function assertFrameCount(count: number): void {
  if (count >= MAX_ID3_FRAMES) throw new UnreadableAudio(`the ID3 tag has more than ${MAX_ID3_FRAMES} frames`);
}

/** Converts v2.3's flags to v2.4's: compressed (preceded by the length), encrypted, grouped. */
const v23Encoding = (format: number): number =>
  (format & 0x80 ? 0x09 : 0) | (format & 0x40 ? 0x04 : 0) | (format & 0x20 ? 0x40 : 0);

/**
 * Returns the length of a v2.4 frame. The length should be syncsafe, but some programs write a plain number; the bytes
 * after the frame tell which.
 */
function frameSize24(window: Window, tag: Id3Tag, bodyAt: number, bytes: Buffer, i: number): number {
  const plainSize = u32be(bytes, i);
  const syncsafeSize = syncsafe(bytes, i);
  if (plainSize < 0x80) return plainSize;
  if (syncsafeSize < 0) return plainSize;
  if (bodyAt < 0 || followsFrame(window, tag, bodyAt + syncsafeSize) || !followsFrame(window, tag, bodyAt + plainSize))
    return syncsafeSize;
  return plainSize;
}

/** Returns whether a frame, padding or the end of the tag is at `position`. */
function followsFrame(window: Window, tag: Id3Tag, position: number): boolean {
  if (position === tag.bodyEnd) return true;
  if (position + HEADER_BYTES > tag.bodyEnd) return false;
  const i = window.at(position, 4);
  return i >= 0 && (window.bytes[i] === 0 || isFrameName(window.bytes, i, 4));
}

function isFrameName(bytes: Buffer, i: number, length: number): boolean {
  for (let k = 0; k < length; k++) {
    const c = bytes[i + k] as number;
    if (!((c >= 0x41 && c <= 0x5a) || (k > 0 && c >= 0x30 && c <= 0x39) || (k === 3 && (c === 0x20 || c === 0))))
      return false;
  }
  return true;
}

/** Returns whether the name is a v2.2 name in a tag of a later version, as iTunes wrote them. */
const isShortName = (bytes: Buffer, i: number): boolean => bytes[i + 3] === 0x20 || bytes[i + 3] === 0;

/**
 * Reads the body of a frame; returns false if the frame is longer than the rest of the tag. For a truncated text, the
 * rest is read.
 */
function readBody(reader: ByteReader, frames: Id3Frames, name: number, size: number, keepPictures: boolean): boolean {
  const isPicture = isPictureFrame(name);
  if (!isPicture && (size > MAX_VALUE_BYTES || !isSupportedFrame(name))) return reader.skip(size);
  const position = reader.position();
  const length = isPicture && !(keepPictures && position < 0) ? Math.min(size, PICTURE_HEAD_BYTES) : size;
  if (length > MAX_ENCODED_PICTURE_BYTES) return reader.skip(size);
  const i = reader.take(length);
  if (i < 0) {
    const remaining = isPicture ? 0 : reader.remaining();
    const k = remaining > 0 && remaining < length ? reader.take(remaining) : -1;
    if (k >= 0) frames.frame(name, reader.bytes, k, k + remaining);
    return false;
  }
  if (isPicture) frames.picture(reader.bytes, i, i + length, position, size, keepPictures && position < 0);
  else frames.frame(name, reader.bytes, i, i + length);
  return length === size || reader.skip(size - length);
}

/** Reads a frame that is compressed, unsynchronised or preceded by a length. */
function readEncoded(
  reader: ByteReader,
  frames: Id3Frames,
  name: number,
  size: number,
  encoding: number,
  keepPictures: boolean,
): boolean {
  const isPicture = isPictureFrame(name);
  if (!isPicture && (size > MAX_VALUE_BYTES || !isSupportedFrame(name))) return reader.skip(size);
  const isCompressed = (encoding & 0x08) !== 0;
  const length = isPicture && !keepPictures && !isCompressed ? Math.min(size, PICTURE_HEAD_BYTES) : size;
  const i = reader.take(length);
  if (i < 0) return false;
  const storedBytes = reader.bytes.subarray(i, i + length);
  const body = decodeFrame(
    encoding & 0x02 ? undoUnsync(storedBytes) : storedBytes,
    encoding,
    isPicture ? MAX_ENCODED_PICTURE_BYTES : MAX_VALUE_BYTES,
  );
  if (body) {
    if (isPicture) frames.picture(body, 0, body.length, -1, body.length, keepPictures);
    else frames.frame(name, body, 0, body.length);
  }
  return length === size || reader.skip(size - length);
}

/** Decodes the body of a frame by its v2.4 flags; undefined if it is encrypted, damaged or larger than `limit`. */
function decodeFrame(storedBytes: Buffer, flags: number, limit: number): Buffer | undefined {
  if (flags & ENCRYPTED) return undefined;
  const body = storedBytes.subarray((flags & GROUPED ? 1 : 0) + (flags & HAS_LENGTH ? 4 : 0));
  if (!(flags & COMPRESSED)) return body;
  try {
    return inflateSync(body, { maxOutputLength: limit });
  } catch {
    return undefined; // the other frames are still read
  }
}
