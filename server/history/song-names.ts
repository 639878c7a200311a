// Normalizes artists and titles for comparing plays, since taggers and services write guests, accents and punctuation
// differently.
import { hash } from 'node:crypto';
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';

/** `Song (feat. B)`, `Song [ft. B (of C)]`. */
const GUESTS_IN_BRACKETS = /[([](?:feat\.?|ft\.?|featuring)\s[^()[\]]*(?:[([][^()[\]]*[)\]][^()[\]]*)?[)\]]/giu;
/** `A feat. B`, to the end. */
const GUESTS_AT_END = /\s(?:feat\.?|ft\.?|featuring)\s.*/isu;

const withoutGuests = (name: string): string =>
  name.replace(GUESTS_IN_BRACKETS, '').replace(GUESTS_AT_END, '').replace(/\s+/g, ' ').trim();

/** The folded title without guests. */
export const titleKey = (title: string): string => sortKey(withoutGuests(title)) || sortKey(title);

/** Possible names of the artist in the library, the most likely first. */
export const artistNames = (name: string): string[] => [...new Set([name.trim(), withoutGuests(name)])].filter(Boolean);

/** 48-bit hash of artist and title. */
export function songKey(artistName: string | null, title: string): number {
  const artist = sortKey(withoutGuests(artistName ?? ''));
  return hash('sha256', `${artist}\n${titleKey(title)}`, 'buffer').readUIntBE(0, 6);
}
