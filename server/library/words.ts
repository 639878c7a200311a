// What a person types into a search box, as words that must each be found. Shared by the `q` of lists and by search/.
import { searchFold } from './fold.ts';

// Words are folded like the index. Control characters separate too: a NUL would end the text of a MATCH early.
const SEPARATORS = /[\s\u0000-\u001f\u007f-\u009f\u200b\ufeff]+/u;
const MOST_WORDS = 16;
const TRIGRAM = 3;

/** At most 16 different words; more only cost time. */
export function wordsOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const words = searchFold(text.toWellFormed()).split(SEPARATORS).filter(Boolean);
  return [...new Set(words)].slice(0, MOST_WORDS);
}

/** True when the trigram index can find the word: it has three characters (not code units). */
export const isIndexed = (word: string): boolean => word.length >= TRIGRAM && [...word].length >= TRIGRAM;

/** The word as a phrase of an FTS5 MATCH, with nothing in it that is read as an operator. */
export const toPhrase = (word: string): string => `"${word.replaceAll('"', '""')}"`;

/** The word as the pattern of a LIKE with ESCAPE '\', anywhere in the text. */
export const toPattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;
