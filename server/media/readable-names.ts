// Makes readable file names, `Album Artist/Year Album/01 Title.ext`, that are valid on every system.
import { trimBoth } from '../runtime/trim-text.ts';
const UNSAFE_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
/** Matches device names of Windows, with any extension. */
const RESERVED_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i;
/** Maximum length of a name: three names and an extension stay below the 260 characters of a path on Windows. */
const MAX_NAME_CHARACTERS = 80;
/** Maximum length in bytes: Linux and macOS allow 255, and `numbered` adds some. */
const MAX_NAME_BYTES = 200;

interface NamedTrack {
  title: string;
  trackNumber: number | null;
  discNumber: number | null;
  /** Number of discs of the album. */
  discCount: number;
  /** The extension, without a dot. */
  extension: string;
}

/** Returns a valid part of a path on every system; `fallback` when nothing of the text remains. */
export function safeName(text: string, fallback: string): string {
  const clean = text.toWellFormed().normalize('NFC').replace(UNSAFE_CHARACTERS, '_').replace(/\s+/g, ' ');
  const name = trimBoth(shorten(clean.trim()), /[. ]/);
  if (name === '') return fallback;
  return RESERVED_NAME.test(name) ? `_${name}` : name;
}

export function albumFolder(artist: string | null, year: number | null, title: string): string {
  const album = year === null ? title : `${year} ${title}`;
  return `${safeName(artist ?? '', 'Unknown Artist')}/${safeName(album, 'Unknown Album')}`;
}

/** Returns a track's file name without extension, to which `numbered` can add a number. */
export function trackName({ title, trackNumber, discNumber, discCount }: Omit<NamedTrack, 'extension'>): string {
  const number =
    trackNumber === null
      ? ''
      : `${discCount > 1 && discNumber !== null ? `${discNumber}-` : ''}${String(trackNumber).padStart(2, '0')} `;
  return safeName(`${number}${title}`, `${number}Untitled`.trim());
}

/** Returns `Name`, `Name (2)`, `Name (3)` … */
export const numbered = (name: string, n: number): string => (n === 1 ? name : `${name} (${n})`);

/**
 * Returns a key that is equal for names of the same file on a case-insensitive file system. Upper case comes first,
 * because `ſ` and `s` have the same upper case.
 */
export const nameKey = (path: string): string => path.normalize('NFC').toUpperCase().toLowerCase();

function shorten(text: string): string {
  const characters = [...text].slice(0, MAX_NAME_CHARACTERS);
  while (Buffer.byteLength(characters.join('')) > MAX_NAME_BYTES) characters.pop();
  return characters.join('');
}
