// What a person types into a search box, as words that must each be found. Shared by the `q` of lists and by search/.
import { searchFold } from './fold.ts';
import { gramOf } from './search-grams.ts';

// Words are folded like the index. Control characters separate too: a NUL would end the text of a MATCH early.
const SEPARATORS = /[\s\u0000-\u001f\u007f-\u009f\u200b\ufeff]+/u;
const MOST_WORDS = 16;
const TRIGRAM = 3;
/** Of a word: longer ones find nothing, and phrases cost time by their length. */
const MOST_CHARACTERS = 200;

/** At most 16 different words; more only cost time. */
export function wordsOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const words = searchFold(text.toWellFormed()).split(SEPARATORS).filter(Boolean);
  return [...new Set(words)]
    .slice(0, MOST_WORDS)
    .map((word) => (word.length > MOST_CHARACTERS ? word.slice(0, MOST_CHARACTERS).toWellFormed() : word));
}

/** True when the trigram index can find the word: it has three characters (not code units). */
const isLong = (word: string): boolean => word.length >= TRIGRAM && [...word].length >= TRIGRAM;

/** A part of what was typed that one of the search tables can find, as a MATCH of FTS5. */
export interface Match {
  table: 'search_trigrams' | 'search_grams';
  match: string;
  words: string[];
}

/** What has every word is found by all of these. Words are quoted: nothing in them is read as an operator. */
export function matchesOf(words: readonly string[]): Match[] {
  // `kalo` holds `a`, which nearly everything does
  const asked = words.filter((word) => !words.some((other) => other.length > word.length && other.includes(word)));
  const long = asked.filter(isLong);
  const short = asked.filter((word) => !isLong(word));
  return [
    ...(long.length > 0 ? [{ table: 'search_trigrams', match: allOf(long), words: long } as const] : []),
    ...(short.length > 0 ? [{ table: 'search_grams', match: allOf(short.map(gramOf)), words: short } as const] : []),
  ];
}

const allOf = (words: readonly string[]): string =>
  words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
