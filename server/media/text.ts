// Decodes text without ever failing. Text that is invalid in its declared encoding keeps its bytes, like text without a
// declared encoding; unmarked-text.ts decodes it.
import { isUtf8 } from 'node:buffer';
import { keepBytes } from './unmarked-text.ts';

export function decodeUtf8(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  return text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end)) ? keepBytes(bytes, start, end) : text;
}

/** Decodes UTF-16 in the byte order of its BOM; without a BOM, as `bigEndian` says. */
export function decodeUtf16(bytes: Buffer, start: number, end: number, bigEndian: boolean): string {
  let order = bigEndian;
  let offset = start;
  if (end - start >= 2) {
    const mark = ((bytes[start] as number) << 8) | (bytes[start + 1] as number);
    if (mark === 0xfeff || mark === 0xfffe) {
      order = mark === 0xfeff;
      offset += 2;
    }
  }
  const even = offset + ((end - offset) & ~1);
  if (!order) return bytes.toString('utf16le', offset, even);
  return Buffer.from(bytes.subarray(offset, even)).swap16().toString('utf16le');
}

/** Removes whitespace, control characters (including NUL) and BOMs from both ends. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function isBlank(code: number): boolean {
  if (code <= 0x20) return true;
  if (code < 0x7f) return false;
  return (
    code <= 0xa0 ||
    code === 0xfeff ||
    code === 0x3000 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x1680
  );
}

const CONTROL_CHARACTERS = /[\0-\x1f\x7f-\x9f]+/g;
const TEXT_CONTROL_CHARACTERS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+/g;

/** Returns a name on one line, without control characters and lone surrogates, cut to `maxLength`. */
export function toOneLine(text: string, maxLength: number): string {
  const cleanedText = text.search(CONTROL_CHARACTERS) < 0 ? text : trimmed(text.replace(CONTROL_CHARACTERS, ' '));
  return truncate(cleanedText, maxLength).toWellFormed();
}

/** Cleans text that may have line breaks and tabs, otherwise like `toOneLine`. */
export const plainText = (text: string, maxLength = Infinity): string =>
  truncate(text.replace(TEXT_CONTROL_CHARACTERS, ''), maxLength).toWellFormed();

function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = maxLength - 1;
  const splitsPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return `${text.slice(0, splitsPair ? end - 1 : end)}…`;
}

/** Splits a list into at most `limit` values; drops blank values. */
export function splitValues(text: string, separator: string, limit: number): string[] {
  if (!text.includes(separator)) {
    const single = trimmed(text);
    return single === '' ? [] : [single];
  }
  return text
    .split(separator, limit)
    .map(trimmed)
    .filter((value) => value !== '');
}

/** Returns the index of the first NUL in `[start, end)`, or -1. */
export function indexOfNul(bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) if (bytes[i] === 0) return i;
  return -1;
}
