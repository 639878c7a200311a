// Normalizes artists and titles for comparing plays, since taggers and services differ in how they write guests,
// accents and punctuation.
import { hash } from 'node:crypto';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';

/** Guests in brackets, as in `Song (feat. B)` and `Song [ft. B (of C)]`. */
const GUESTS_IN_BRACKETS = /[([](?:feat\.?|ft\.?|featuring)\s[^()[\]]*(?:[([][^()[\]]*[)\]][^()[\]]*)?[)\]]/giu;
/** Guests up to the end of the text, as in `A feat. B`. */
const GUESTS_AT_END = /\s(?:feat\.?|ft\.?|featuring)\s.*/isu;

const withoutGuests = (name: string): string =>
  name.replace(GUESTS_IN_BRACKETS, '').replace(GUESTS_AT_END, '').replace(/\s+/g, ' ').trim();

/** Returns the folded title without guests. */
export const titleKey = (title: string): string => sortKey(withoutGuests(title)) || sortKey(title);

/** Returns possible names of the artist in the library, beginning with the most likely one. */
export const artistNames = (name: string): string[] => [...new Set([name.trim(), withoutGuests(name)])].filter(Boolean);

/** Returns a 48-bit hash of artist and title. */
export function songKey(artistName: string | null, title: string): number {
  const artist = sortKey(withoutGuests(artistName ?? ''));
  return hash('sha256', `${artist}\n${titleKey(title)}`, 'buffer').readUIntBE(0, 6);
}
