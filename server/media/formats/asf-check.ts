// A look at a WMA file before music-metadata reads it, which keeps every tag and every part that a file claims to have.
import { MAX_CHUNKS, MAX_COMMENTS } from '../limits.ts';
import { UnreadableAudio, type ByteSource } from '../types.ts';

const HEADER_BYTES = 30;
const OBJECT_HEADER_BYTES = 24;
const EXTENSION_HEADER_BYTES = 46;
const EXTENSION = 'b503bf5f2ea9cf118ee300c00c205365';
/** Extended content description, metadata, metadata library: each begins with the number of its tags. */
const TAGS = ['40a4d0d207e3d21197f000a0c95ea850', 'eacbf8c5af5b77488467aa8c44fa4cca', '941c23449894d149a1411d134e457054'];

/** Throws UnreadableAudio when there are more parts or tags than music has. */
export function refuseCrowdedAsf(source: ByteSource): void {
  let objects = 0;
  let tags = 0;
  for (let at = HEADER_BYTES, end = endOfHeader(source); at + OBJECT_HEADER_BYTES <= end;) {
    const head = view(source, at, OBJECT_HEADER_BYTES + 2);
    if (head.length < OBJECT_HEADER_BYTES + 2) return;
    const id = head.toString('hex', 0, 16);
    const size = Number(head.readBigUInt64LE(16));
    if (TAGS.includes(id)) tags += head.readUInt16LE(OBJECT_HEADER_BYTES);
    if (++objects > MAX_CHUNKS) throw new UnreadableAudio(`the file has more than ${MAX_CHUNKS} parts`);
    if (tags > MAX_COMMENTS) throw new UnreadableAudio(`the file has more than ${MAX_COMMENTS} tags`);
    at += id === EXTENSION ? EXTENSION_HEADER_BYTES : Math.max(size, OBJECT_HEADER_BYTES); // the extension's own objects follow
  }
}

function endOfHeader(source: ByteSource): number {
  const head = view(source, 0, HEADER_BYTES);
  return head.length < HEADER_BYTES ? 0 : Math.min(source.size, Number(head.readBigUInt64LE(16)));
}

function view(source: ByteSource, at: number, length: number): Buffer {
  const bytes = source.read(at, length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
