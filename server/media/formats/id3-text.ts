// Decodes ID3v2 text: an encoding byte, and descriptions that end with a NUL in that encoding.
import { decodeUtf16, decodeUtf8, indexOfNul } from '../text.ts';
import { keepBytes } from '../unmarked-text.ts';

/** Decodes text in one of ID3's four encodings. */
export function decodeText(encoding: number, b: Buffer, start: number, end: number): string {
  switch (encoding) {
    case 0:
      return keepBytes(b, start, end);
    case 1:
      return decodeUtf16(b, start, end, false);
    case 2:
      return decodeUtf16(b, start, end, true);
    case 3:
      return decodeUtf8(b, start, end);
    default:
      return encoding >= 0x20 ? keepBytes(b, start - 1, end) : ''; // the encoding byte may be missing
  }
}

/** Returns the index after the NUL that ends a description, or -1. In UTF-16, NUL is two bytes at an even offset. */
export function afterTerminator(encoding: number, b: Buffer, start: number, end: number): number {
  if (encoding !== 1 && encoding !== 2) {
    return indexOfNul(b, start, end) + 1 || -1;
  }
  for (let i = start; i + 1 < end; i += 2) if (b[i] === 0 && b[i + 1] === 0) return i + 2;
  return -1;
}
