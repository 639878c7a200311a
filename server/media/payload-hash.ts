// Hashes the audio payload without tags, which identifies a file that was moved and retagged at the same time. The hash
// is prefixed with a version, so that hashes of different versions never match.
import { createHash, type Hash } from 'node:crypto';
import { forEachPageBody, MAX_PAGE_BYTES } from './formats/ogg-pages.ts';
import type { AudioFacts, ByteSource } from './types.ts';
import { formatFacts } from './audio-formats.ts';

const WHOLE_PREFIX = 'p1:';
const SAMPLED_PREFIX = 's1:';
const CHUNK_BYTES = 256 << 10;
/** For larger payloads, only start, middle and end are read. */
const MAX_WHOLE_BYTES = 25 * 1024 * 1024;
const EDGE_BYTES = 256 << 10;
const MIDDLE_BYTES = 512 << 10;

type Range = readonly [from: number, to: number];

/** Hashes the payload; returns undefined if its position is unknown. */
export function hashPayload(
  source: ByteSource,
  { format, payload }: Pick<AudioFacts, 'format' | 'payload'>,
): string | undefined {
  if (!payload || payload.end <= payload.start) return undefined;
  const { start, end } = payload;
  const hash = createHash('sha256');
  const length = end - start;
  const isSampled = length > MAX_WHOLE_BYTES;
  const middle = start + ((length - MIDDLE_BYTES) >> 1);
  const ranges: Range[] = isSampled
    ? [
        [start, start + EDGE_BYTES],
        [middle, middle + MIDDLE_BYTES],
        [end - EDGE_BYTES, end],
      ]
    : [[start, end]];
  // the length represents the bytes that are not read; the position of the payload may differ
  if (isSampled) hash.update(`${format}:${length}:`);
  const add = isOgg(format) ? addPages : addBytes;
  let bytes = 0;
  for (const range of ranges) bytes += add(hash, source, range);
  return bytes > 0 ? (isSampled ? SAMPLED_PREFIX : WHOLE_PREFIX) + digestOf(hash) : undefined;
}

const isOgg = (format: string): boolean => formatFacts(format)?.demuxer === 'ogg';

const digestOf = (hash: Hash): string => hash.digest('base64url').slice(0, 22);

function addBytes(hash: Hash, source: ByteSource, [start, end]: Range): number {
  let position = start;
  while (position < end) {
    const bytes = source.read(position, Math.min(CHUNK_BYTES, end - position));
    if (bytes.length === 0) break;
    hash.update(bytes);
    position += bytes.length;
  }
  return position - start;
}

/** Hashes page bodies only, since retagging an Ogg file renumbers its pages. Starts with the first complete page. */
function addPages(hash: Hash, source: ByteSource, [start, end]: Range): number {
  let bytes = 0;
  forEachPageBody(source, findPage(source, start), end, (body) => {
    hash.update(body);
    bytes += body.length;
  });
  return bytes;
}

function findPage(source: ByteSource, start: number): number {
  const pageIndex = Buffer.from(source.read(start, MAX_PAGE_BYTES)).indexOf('OggS\0', 0, 'latin1');
  return pageIndex < 0 ? start : start + pageIndex;
}
