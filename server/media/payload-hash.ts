// Hash of the audio payload without tags, which identifies a file even if it was moved and retagged at the same time.
// Prefixed with a version, so that hashes of different versions never match.
import { createHash, type Hash } from 'node:crypto';
import { forEachPageBody, LARGEST_PAGE } from './formats/ogg-pages.ts';
import type { AudioFacts, ByteSource } from './types.ts';
import { formatFacts } from './audio-formats.ts';

const WHOLE = 'p1:';
const SAMPLED = 's1:';
const CHUNK = 256 << 10;
/** Of larger payloads, only start, middle and end are read. */
const SAMPLE_ABOVE = 25 * 1024 * 1024;
const EDGE = 256 << 10;
const MIDDLE = 512 << 10;

type Range = readonly [from: number, to: number];

/** Undefined if the position of the payload is unknown. */
export function hashPayload(
  source: ByteSource,
  { format, payload }: Pick<AudioFacts, 'format' | 'payload'>,
): string | undefined {
  if (!payload || payload.end <= payload.start) return undefined;
  const { start, end } = payload;
  const hash = createHash('sha256');
  const length = end - start;
  const isSampled = length > SAMPLE_ABOVE;
  const middle = start + ((length - MIDDLE) >> 1);
  const ranges: Range[] = isSampled
    ? [
        [start, start + EDGE],
        [middle, middle + MIDDLE],
        [end - EDGE, end],
      ]
    : [[start, end]];
  // the length stands in for what is not sampled; the position may differ
  if (isSampled) hash.update(`${format}:${length}:`);
  const add = isOgg(format) ? addPages : addBytes;
  let bytes = 0;
  for (const range of ranges) bytes += add(hash, source, range);
  return bytes > 0 ? (isSampled ? SAMPLED : WHOLE) + digestOf(hash) : undefined;
}

const isOgg = (format: string): boolean => formatFacts(format)?.demuxer === 'ogg';

const digestOf = (hash: Hash): string => hash.digest('base64url').slice(0, 22);

function addBytes(hash: Hash, source: ByteSource, [from, to]: Range): number {
  let at = from;
  while (at < to) {
    const bytes = source.read(at, Math.min(CHUNK, to - at));
    if (bytes.length === 0) break;
    hash.update(bytes);
    at += bytes.length;
  }
  return at - from;
}

/** Hashes page bodies only, since retagging an Ogg file renumbers its pages. Starts with the first complete page. */
function addPages(hash: Hash, source: ByteSource, [from, to]: Range): number {
  let bytes = 0;
  forEachPageBody(source, findPage(source, from), to, (body) => {
    hash.update(body);
    bytes += body.length;
  });
  return bytes;
}

function findPage(source: ByteSource, from: number): number {
  const found = Buffer.from(source.read(from, LARGEST_PAGE)).indexOf('OggS\0', 0, 'latin1');
  return found < 0 ? from : from + found;
}
