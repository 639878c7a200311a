// What makes two namings the same song: players, taggers and other services spell guests, accents and typography
// differently.
import { hash } from 'node:crypto';
import { sortKey } from '../library/fold.ts';

const GUESTS = String.raw`(?:feat\.?|ft\.?|featuring)`;
/** `Song (feat. B)`, `Song [ft. B]`. */
const GUESTS_IN_BRACKETS = new RegExp(String.raw`\s*[([]${GUESTS}\s[^)\]]*[)\]]`, 'giu');
/** `A feat. B`: from there to the end. */
const GUESTS_AT_END = new RegExp(String.raw`\s${GUESTS}\s.*$`, 'iu');

const withoutGuests = (name: string): string => name.replace(GUESTS_IN_BRACKETS, '').replace(GUESTS_AT_END, '');

/** A title folded, without the guests it names; equal for the same song. */
export const titleKey = (title: string): string => sortKey(withoutGuests(title)) || sortKey(title);

/** The names under which an artist may be known, the likeliest first. */
export const artistNames = (name: string): string[] =>
  [...new Set([name.trim(), withoutGuests(name).trim()])].filter(Boolean);

/** A number of 48 bits that stands for artist and title. */
export function songKey(artistName: string | null, title: string): number {
  const artist = sortKey(withoutGuests(artistName ?? ''));
  return hash('sha256', `${artist}\n${titleKey(title)}`, 'buffer').readUIntBE(0, 6);
}
