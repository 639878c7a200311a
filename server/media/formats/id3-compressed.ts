// Frames of ID3v2 that say more about themselves before the body: group, encryption, length, zlib.
import { inflateSync } from 'node:zlib';

const GROUPED = 0x40;
const COMPRESSED = 0x08;
const ENCRYPTED = 0x04;
const HAS_LENGTH = 0x01;

/** The body of a frame by its v2.4 format flags, or undefined when it is encrypted, damaged or larger than `limit`. */
export function decodeFrame(stored: Buffer, flags: number, limit: number): Buffer | undefined {
  if (flags & ENCRYPTED) return undefined;
  const body = stored.subarray((flags & GROUPED ? 1 : 0) + (flags & HAS_LENGTH ? 4 : 0));
  if (!(flags & COMPRESSED)) return body;
  try {
    return inflateSync(body, { maxOutputLength: limit });
  } catch {
    return undefined; // a damaged frame is no reason to lose the others
  }
}
