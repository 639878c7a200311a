// The identity of audio: a hash of its payload without tags, so that a file that was moved and retagged in one go is still known
// (decisions 6). A version stands in front; a hash of another version is never compared with this one.
import { createHash, type Hash } from 'node:crypto';
import { forEachPageBody } from './formats/ogg-pages.ts';
import type { AudioFacts, ByteSource } from './types.ts';

const WHOLE = 'p1:';
const SAMPLED = 's1:';
const CHUNK = 256 << 10;
/** Above this many bytes of payload only its start, middle and end are read. */
const SAMPLE_ABOVE = 25 * 1024 * 1024;
const EDGE = 256 << 10;
const MIDDLE = 512 << 10;

/** Undefined when it is not known where the payload is. */
export function hashPayload(source: ByteSource, { format, payload }: Pick<AudioFacts, 'format' | 'payload'>): string | undefined {
  if (!payload || payload.end <= payload.start) return undefined;
  const { start, end } = payload;
  const hash = createHash('sha256');
  const length = end - start;
  if (length > SAMPLE_ABOVE) {
    hash.update(`${format}:${length}:`); // the same audio in another place of an equally long file is still the same
    const middle = start + ((length - MIDDLE) >> 1);
    for (const [from, to] of [[start, start + EDGE], [middle, middle + MIDDLE], [end - EDGE, end]] as const) update(hash, source, from, to);
    return SAMPLED + digestOf(hash);
  }
  // Retagging an Ogg file renumbers its pages: their headers do not count.
  if (isOgg(format)) forEachPageBody(source, start, end, (body) => hash.update(body));
  else update(hash, source, start, end);
  return WHOLE + digestOf(hash);
}

const isOgg = (format: string): boolean => format === 'ogg' || format === 'opus' || format === 'spx';

const digestOf = (hash: Hash): string => hash.digest('base64url').slice(0, 22);

function update(hash: Hash, source: ByteSource, from: number, to: number): void {
  for (let at = from; at < to;) {
    const bytes = source.read(at, Math.min(CHUNK, to - at));
    if (bytes.length === 0) return;
    hash.update(bytes);
    at += bytes.length;
  }
}
