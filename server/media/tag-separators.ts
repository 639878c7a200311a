// Splits tag values that name several genres, moods or people: `Rock; Pop`, `calm, dark`. The separators of each kind
// are settings. Names of artists have rules of their own, see library/albums/artist-split.ts.
import { isCustomTag } from '../db/custom-tags.ts';
import { CREDIT_TAGS } from '../db/more-tags.ts';
import { ID3_GENRES } from './genres.ts';
import { MAX_LIST_VALUES } from './limits.ts';
import type { AudioRead, Tags } from './types.ts';

/** The separators of each kind of value. */
export interface Separators {
  genres: readonly string[];
  moods: readonly string[];
  /** Composers, conductors, lyricists and other people who are no artists. */
  credits: readonly string[];
  /** Values of tags that a person named. */
  custom: readonly string[];
}

export const NO_SEPARATORS: Separators = { genres: [], moods: [], credits: [], custom: [] };

/** In the settings, `|` stands between separators. Blanks belong to them: ` / ` splits `A / B`, but not `A/B`. */
export const parseSeparators = (text: string): string[] => text.split('|').filter((separator) => separator !== '');

/** Returns a function that parses a setting again only after it changed. */
export function separatorsOfSetting(readSetting: () => string): () => readonly string[] {
  let text: string | undefined;
  let separators: readonly string[] = [];
  return () => {
    const currentText = readSetting();
    if (currentText !== text) separators = parseSeparators(currentText);
    text = currentText;
    return separators;
  };
}

/** Splits values in the tags of a file, also in those that are kept undecoded. */
export function separateValues({ tags, unmarked }: Pick<AudioRead, 'tags' | 'unmarked'>, separators: Separators): void {
  for (const fileTags of [tags, ...(unmarked ? [unmarked] : [])]) separateTags(fileTags, separators);
}

function separateTags(tags: Tags, { genres, moods, credits, custom }: Separators): void {
  tags.genres = splitValues(tags.genres, genres);
  if (tags.mood) tags.mood = splitValues(tags.mood, moods);
  if (tags.composer) tags.composer = splitValues(tags.composer, credits);
  for (const tag of CREDIT_TAGS) {
    const names = tags[tag];
    if (names) tags[tag] = splitValues(names, credits);
  }
  for (const tag of Object.keys(tags)) {
    const values = isCustomTag(tag) ? tags[tag] : undefined;
    if (isCustomTag(tag) && values) tags[tag] = splitValues(values, custom);
  }
}

/** Returns the parts of all values, each once. A value that is nothing but separators stays as it is. */
export function splitValues(values: readonly string[], separators: readonly string[]): string[] {
  const parts = new Set<string>();
  for (const value of values) {
    const valueParts = splitValue(value, separators);
    for (const part of valueParts.length > 0 ? valueParts : [value]) parts.add(part);
  }
  return [...parts].slice(0, MAX_LIST_VALUES);
}

const splitValue = (value: string, separators: readonly string[]): string[] =>
  separators
    .reduce<string[]>((parts, separator) => parts.flatMap((part) => part.split(separator)), [value])
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Splits `Rock/Pop` if each part is an ID3 genre and the whole is not: ID3v2.3 files join genres like this. Other
 * slashes belong to the name.
 */
export function splitKnownGenres(value: string): string[] {
  if (!value.includes('/') || isKnownGenre(value)) return [value];
  const parts = value.split('/').map((part) => part.trim());
  return parts.every(isKnownGenre) ? parts : [value];
}

const knownGenres = new Set(ID3_GENRES.map((genre) => genre.toLowerCase()));
const isKnownGenre = (name: string): boolean => knownGenres.has(name.trim().toLowerCase());
