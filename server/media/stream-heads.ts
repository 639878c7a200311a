// The heads of streams: what comes before the first audio, so that a stream can be continued by another one.
import { PROFILES, type ProfileName } from './transcode.ts';

/** Returns the number of bytes before the first audio; undefined when more of the stream is needed to know that. */
export function headLength(profile: ProfileName, stream: Buffer): number | undefined {
  const { container } = PROFILES[profile];
  if (container === 'ogg') return oggHeadLength(stream);
  return container === 'mp4' ? mp4HeadLength(stream) : 0;
}

const OGG_HEADER_BYTES = 27;
const GRANULE_OFFSET = 6;

/** Returns the length of the pages with the granule position 0: the headers are alone in their pages (RFC 7845, 3). */
function oggHeadLength(stream: Buffer): number | undefined {
  for (let position = 0; ;) {
    if (position + OGG_HEADER_BYTES > stream.length) return undefined;
    if (stream.readBigInt64LE(position + GRANULE_OFFSET) !== 0n) return position;
    const bodyStart = position + OGG_HEADER_BYTES + stream.readUInt8(position + OGG_HEADER_BYTES - 1);
    if (bodyStart > stream.length) return undefined;
    position = stream.subarray(position + OGG_HEADER_BYTES, bodyStart).reduce((sum, length) => sum + length, bodyStart);
  }
}

const BOX_HEADER_BYTES = 8;

/** Returns the length of the boxes before the first fragment. */
function mp4HeadLength(stream: Buffer): number | undefined {
  for (let position = 0; position + BOX_HEADER_BYTES <= stream.length;) {
    const [size, type] = [stream.readUInt32BE(position), stream.toString('latin1', position + 4, position + 8)];
    if (type === 'moof' || size < BOX_HEADER_BYTES) return position;
    position += size;
  }
  return undefined;
}
