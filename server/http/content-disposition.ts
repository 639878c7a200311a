// Builds the file name that a browser suggests (RFC 6266, RFC 8187), safe on every system.
import { trimBoth } from '../runtime/trim-text.ts';

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
const MAX_CHARACTERS = 120;

/**
 * Returns `inline; filename="Name.mp3"; filename*=UTF-8''…`: the name first in ASCII for old clients, then exact.
 * `untitled` replaces a title without any valid character.
 */
export function contentDisposition(
  kind: 'inline' | 'attachment',
  { title, extension, untitled }: { title: string; extension: string | null; untitled: string },
): string {
  const safeTitle =
    trimBoth(
      [...title.toWellFormed().replace(UNSAFE, '_').replace(/\s+/g, ' ')].slice(0, MAX_CHARACTERS).join(''),
      /[.\s]/,
    ) || untitled;
  const name = extension ? `${safeTitle}.${extension}` : safeTitle;
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\x20-\x7e]|%/g, '_');
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encodeExact(name)}`;
}

/** Encodes a name for `filename*`; encodeURIComponent leaves a few characters that RFC 8187 does not allow. */
const encodeExact = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
