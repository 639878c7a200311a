// Converts file names on disk, which are bytes, to text and back without loss. Valid UTF-8 stays as it is, not
// normalized. Other bytes become `\xNN`, and a backslash that would look like such an escape becomes `\x5c`. This works
// for names and for relative paths with `/`.
import { isUtf8 } from 'node:buffer';
import { join, sep } from 'node:path';
import { AppError } from '../errors.ts';

const ESCAPE = /\\x([0-9a-f]{2})/gi;
const BACKSLASH = 0x5c;
const LOWER_X = 0x78;

export function nameToText(name: Buffer): string {
  if (isUtf8(name) && !name.includes('\\x')) return name.toString('utf8');
  const parts: string[] = [];
  for (let offset = 0; offset < name.length;) {
    const length = sequenceLength(name, offset);
    const isValid = length > 0 && !startsEscape(name, offset);
    parts.push(
      isValid
        ? name.toString('utf8', offset, offset + length)
        : `\\x${(name[offset] ?? 0).toString(16).padStart(2, '0')}`,
    );
    offset += isValid ? length : 1;
  }
  return parts.join('');
}

/** Returns a string when the name is valid UTF-8, else bytes; `node:fs` accepts both. */
export function textToName(text: string): Buffer | string {
  if (text.search(ESCAPE) < 0) return text;
  const parts: Buffer[] = [];
  let copiedChars = 0;
  for (const match of text.matchAll(ESCAPE)) {
    parts.push(Buffer.from(text.slice(copiedChars, match.index), 'utf8'), Buffer.from(match[1] ?? '', 'hex'));
    copiedChars = match.index + match[0].length;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(copiedChars), 'utf8')]);
}

const IS_WINDOWS = process.platform === 'win32';
/**
 * Matches names in a path that mean a folder, its parent or the root. On Windows a backslash is a separator, elsewhere
 * a letter.
 */
const DOT_NAMES = IS_WINDOWS ? /(?:^|[/\\])\.{0,2}(?:[/\\]|$)/ : /(?:^|\/)\.{0,2}(?:\/|$)/;
/** Matches NUL, and escapes that nameToText never writes: decoded, they would become dots and separators. */
const UNSAFE_ESCAPES = IS_WINDOWS ? /\0|\\x(?=[0-7][0-9a-f])/i : /\0|\\x(?!5c)(?=[0-7][0-9a-f])/i;

/** Returns whether a relative path, as text, leads to a place inside its folder and not to the folder itself. */
export const isPathInside = (text: string): boolean => !DOT_NAMES.test(text) && !UNSAFE_ESCAPES.test(text);

/**
 * Returns the path below the folder. Throws `invalid` for a path that leads out of the folder. Does not follow links.
 */
export function pathBelow(folder: string, text: string): Buffer | string {
  if (!isPathInside(text)) throw new AppError('invalid', `${JSON.stringify(text)} is not a path inside a folder.`);
  const name = textToName(text);
  if (typeof name === 'string') return join(folder, name);
  return Buffer.concat([Buffer.from(folder.endsWith(sep) ? folder : folder + sep), name]);
}

function startsEscape(name: Buffer, offset: number): boolean {
  return (
    name[offset] === BACKSLASH &&
    name[offset + 1] === LOWER_X &&
    /^[0-9a-f]{2}$/i.test(name.toString('latin1', offset + 2, offset + 4))
  );
}

/** Returns the length in bytes of the valid UTF-8 sequence at this position; 0 when there is none. */
function sequenceLength(name: Buffer, offset: number): number {
  const leadByte = name[offset] ?? 0;
  const length =
    leadByte < 0x80 ? 1 : leadByte < 0xc2 ? 0 : leadByte < 0xe0 ? 2 : leadByte < 0xf0 ? 3 : leadByte < 0xf5 ? 4 : 0;
  return length > 0 && offset + length <= name.length && isUtf8(name.subarray(offset, offset + length)) ? length : 0;
}
