// Reads the header objects of a WMA file, including those of its header extension.
import { MAX_CHUNKS, MAX_COMMENTS } from '../limits.ts';
import { UnreadableAudio, type ByteSource } from '../types.ts';

const HEADER_BYTES = 30;
const OBJECT_HEADER_BYTES = 24;
const EXTENSION_HEADER_BYTES = 46;
const EXTENSION = 'b503bf5f2ea9cf118ee300c00c205365';
const DATA = '3626b2758e66cf11a6d900aa0062ce6c';
/** Size of the data object's header, with the file's id and the number of packets. */
const DATA_HEADER_BYTES = 50;
/** Ids of objects with tags, by the layout of the tags. Each object starts with the number of tags. */
export const CONTENT_TAGS = '40a4d0d207e3d21197f000a0c95ea850';
export const METADATA_TAGS = ['eacbf8c5af5b77488467aa8c44fa4cca', '941c23449894d149a1411d134e457054'];

/** An object; `at` and `size` are those of its content. */
interface AsfObject {
  id: string;
  position: number;
  size: number;
}

/** Yields the header objects. Throws UnreadableAudio for more than MAX_CHUNKS objects. */
export function* asfObjects(source: ByteSource): Generator<AsfObject> {
  let count = 0;
  for (let position = HEADER_BYTES, end = endOfHeader(source); position + OBJECT_HEADER_BYTES <= end;) {
    const head = viewOf(source, position, OBJECT_HEADER_BYTES);
    if (head.length < OBJECT_HEADER_BYTES) return;
    const id = head.toString('hex', 0, 16);
    const size = Math.max(Number(head.readBigUInt64LE(16)), OBJECT_HEADER_BYTES);
    if (++count > MAX_CHUNKS) throw new UnreadableAudio(`the file has more than ${MAX_CHUNKS} parts`);
    yield { id, position: position + OBJECT_HEADER_BYTES, size: size - OBJECT_HEADER_BYTES };
    position += id === EXTENSION ? EXTENSION_HEADER_BYTES : size;
  }
}

function endOfHeader(source: ByteSource): number {
  const head = viewOf(source, 0, HEADER_BYTES);
  return head.length < HEADER_BYTES ? 0 : Math.min(source.size, Number(head.readBigUInt64LE(16)));
}

/** Returns the range of the packets in the data object; undefined when it does not follow the header. */
export function asfPayload(source: ByteSource): { start: number; end: number } | undefined {
  const position = endOfHeader(source);
  const head = viewOf(source, position, DATA_HEADER_BYTES);
  if (head.length < DATA_HEADER_BYTES || head.toString('hex', 0, 16) !== DATA) return undefined;
  const size = Number(head.readBigUInt64LE(16)) || Infinity; // the size is 0 in a recording that was cut off
  return { start: position + DATA_HEADER_BYTES, end: Math.min(source.size, position + size) };
}

export function viewOf(source: ByteSource, position: number, length: number): Buffer {
  const bytes = source.read(position, length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Throws UnreadableAudio if there are too many tags. To be called before music-metadata, which holds all tags in
 * memory.
 */
export function refuseCrowdedAsf(source: ByteSource): void {
  let tags = 0;
  for (const { id, position } of asfObjects(source)) {
    if (id !== CONTENT_TAGS && !METADATA_TAGS.includes(id)) continue;
    const count = viewOf(source, position, 2);
    if (count.length === 2) tags += count.readUInt16LE(0);
    if (tags > MAX_COMMENTS) throw new UnreadableAudio(`the file has more than ${MAX_COMMENTS} tags`);
  }
}
