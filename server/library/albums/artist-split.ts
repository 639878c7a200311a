// Splits a tag value that names several artists. By default, only separators that band names do not contain count: `;`,
// a slash between spaces, and `\\`. `AC/DC`, `Smith/Kotzen` and `Simon & Garfunkel` are not split, nor are names marked
// "never split". Other separators are a setting; they do not split a name that is known as one artist.
import { ARTIST_SEPARATORS } from '../../config/tag-separators.ts';
import { identityKey } from '../tracks/sort-and-identity-keys.ts';

export interface ArtistSplitting {
  separators: readonly string[];
  isNeverSplit: (nameKey: string) => boolean;
  /** Returns whether the library knows that this name is one artist. */
  isOneArtist: (name: string) => boolean;
}

/** Splits at the default separators only, and any name. */
export const DEFAULT_SPLITTING: ArtistSplitting = {
  separators: ARTIST_SEPARATORS,
  isNeverSplit: () => false,
  isOneArtist: () => false,
};

/** Larger lists are split at every separator, because each combination of parts might be a name. */
const MAX_COMBINED_PARTS = 12;

/** A part of a value, with the separator before it. */
interface Part {
  start: number;
  end: number;
  separator: string;
}

/**
 * Splits a tag that has a single value; if a tag has several values, they are used as they are. Drops blank and
 * repeated names.
 */
export function splitArtists(values: readonly string[], splitting: ArtistSplitting = DEFAULT_SPLITTING): string[] {
  const [value] = values;
  if (values.length !== 1 || value === undefined) return distinct(values);
  if (isPlainName(value, splitting.separators)) return distinct(values);
  const parts = partsOf(value, splitting.separators);
  if (parts.length < 2 || splitting.isNeverSplit(identityKey(value))) return distinct(values);
  const names = distinct(joinWholeNames(value, parts, splitting.isOneArtist));
  return names.length > 0 ? names : distinct(values); // an artist may be called `;`
}

const PRINTABLE_ASCII = /^[ -~]*$/;

/** Returns whether an ASCII name has no separator, like most names. `partsOf` takes twenty times as long for these. */
function isPlainName(value: string, separators: readonly string[]): boolean {
  if (!PRINTABLE_ASCII.test(value)) return false;
  const lowerValue = value.toLowerCase();
  return !separators.some((separator) => separator !== '' && lowerValue.includes(separator.toLowerCase()));
}

function partsOf(value: string, separators: readonly string[]): Part[] {
  const text = comparableText(value);
  const wanted = separators.map((separator) => [separator, comparableText(separator)] as const);
  const parts: Part[] = [{ start: 0, end: value.length, separator: '' }];
  for (let position = 0; position < text.length;) {
    const match = wanted.find(([, separator]) => separator !== '' && text.startsWith(separator, position));
    if (!match) {
      position++;
      continue;
    }
    const [separator] = match;
    (parts.at(-1) as Part).end = position;
    position += separator.length;
    parts.push({ start: position, end: value.length, separator });
  }
  return parts;
}

/** Returns the text with one form of slashes, semicolons, spaces and letters, of the same length. */
const comparableText = (text: string): string =>
  [...text].map((character) => COMPARABLE[character] ?? lowerCase(character)).join('');
const COMPARABLE: Record<string, string> = { '\uff1b': ';', '\uff0f': '/', '\u3000': ' ', '\t': ' ', '\u00a0': ' ' };
const lowerCase = (character: string): string => {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
};

/** Joins parts again that are known as one artist, unless a default separator is between them. */
function joinWholeNames(value: string, parts: readonly Part[], isOneArtist: (name: string) => boolean): string[] {
  const names: string[] = [];
  for (let i = 0; i < parts.length;) {
    let last = i;
    if (parts.length <= MAX_COMBINED_PARTS)
      for (let j = i + 1; j < parts.length && !ARTIST_SEPARATORS.includes(parts[j]?.separator ?? ''); j++)
        if (isOneArtist(textOf(value, parts, i, j))) last = j;
    names.push(textOf(value, parts, i, last));
    i = last + 1;
  }
  return names;
}

const textOf = (value: string, parts: readonly Part[], first: number, last: number): string =>
  value.slice(parts[first]?.start, parts[last]?.end).trim();

function distinct(values: readonly string[]): string[] {
  const keys = new Set<string>(['']);
  return values
    .map((name) => name.trim())
    .filter((name) => {
      const key = identityKey(name);
      return !keys.has(key) && keys.add(key);
    });
}
