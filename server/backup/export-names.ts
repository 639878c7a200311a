// Names for people: `Album Artist/Year Album/01 Title.ext`, such that every system can hold them. Pure.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069/\\:*?"<>|]/g;
/** Names of devices on Windows, with any ending. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i;
/** Three of them and an ending stay below the 260 that a path may have on Windows. */
const MOST_CHARACTERS = 80;
const MOST_BYTES = 200;

export interface NamedTrack {
  title: string;
  trackNumber: number | null;
  discNumber: number | null;
  /** How many the album has. */
  discCount: number;
  /** Without a dot. */
  extension: string;
}

/** One part of a path; never empty, never `.` or `..`, never what Windows cannot make. */
export function safeName(text: string, otherwise: string): string {
  const clean = text.toWellFormed().normalize('NFC').replace(UNSAFE, '_').replace(/\s+/g, ' ');
  const name = shortened(clean.trim()).replace(/^[. ]+|[. ]+$/g, '');
  if (name === '') return otherwise;
  return RESERVED.test(name) ? `_${name}` : name;
}

export function albumFolder(artist: string | null, year: number | null, title: string): string {
  const album = year === null ? title : `${year} ${title}`;
  return `${safeName(artist ?? '', 'Unknown Artist')}/${safeName(album, 'Unknown Album')}`;
}

/** Without its ending, which comes after what tells two of the same name apart. */
export function trackName({ title, trackNumber, discNumber, discCount }: Omit<NamedTrack, 'extension'>): string {
  const number =
    trackNumber === null
      ? ''
      : `${discCount > 1 && discNumber !== null ? `${discNumber}-` : ''}${String(trackNumber).padStart(2, '0')} `;
  return safeName(`${number}${title}`, `${number}Untitled`.trim());
}

/** `Name`, `Name (2)`, `Name (3)` … */
export const numbered = (name: string, n: number): string => (n === 1 ? name : `${name} (${n})`);

/**
 * Two names of this key are one on some system that does not tell case apart; by way of capitals, since `ſ` and `s`
 * have the same one.
 */
export const nameKey = (path: string): string => path.normalize('NFC').toUpperCase().toLowerCase();

function shortened(text: string): string {
  const characters = [...text].slice(0, MOST_CHARACTERS);
  while (Buffer.byteLength(characters.join('')) > MOST_BYTES) characters.pop();
  return characters.join('');
}
