// Splits a search query into words that must all match. Used for the `q` of lists and by search/.
import { searchFold } from '../tracks/sort-and-identity-keys.ts';
import { gramOf } from './search-grams.ts';

// Characters that separate words. Control characters are among them: a NUL would end the MATCH expression early.
const SEPARATORS = /[\s\u0000-\u001f\u007f-\u009f\u200b\ufeff]+/u;
const MAX_WORDS = 16;
const TRIGRAM_LENGTH = 3;
/** Longer words are cut: they would match nothing, and the cost of a phrase grows with its length. */
const MAX_WORD_CHARACTERS = 200;

/** Returns at most 16 distinct words, folded like the index. */
export function wordsOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const words = searchFold(text.toWellFormed()).split(SEPARATORS).filter(Boolean);
  return [...new Set(words)]
    .slice(0, MAX_WORDS)
    .map((word) => (word.length > MAX_WORD_CHARACTERS ? word.slice(0, MAX_WORD_CHARACTERS).toWellFormed() : word));
}

/** Returns whether the trigram index can find the word, which takes three code points. */
const isLong = (word: string): boolean => word.length >= TRIGRAM_LENGTH && [...word].length >= TRIGRAM_LENGTH;

/** An FTS5 MATCH expression for the words that one of the search tables can find. */
export interface Match {
  table: 'search_trigrams' | 'search_grams';
  match: string;
  words: string[];
}

/** Returns expressions that an item with all words matches. Words are quoted, so that none is an operator. */
export function matchesOf(words: readonly string[]): Match[] {
  // a word contained in another word is implied, and short words match nearly everything
  const decisiveWords = words.filter(
    (word) => !words.some((otherWord) => otherWord.length > word.length && otherWord.includes(word)),
  );
  const longWords = decisiveWords.filter(isLong);
  const shortWords = decisiveWords.filter((word) => !isLong(word));
  return [
    ...(longWords.length > 0 ? [{ table: 'search_trigrams', match: allOf(longWords), words: longWords } as const] : []),
    ...(shortWords.length > 0
      ? [{ table: 'search_grams', match: allOf(shortWords.map(gramOf)), words: shortWords } as const]
      : []),
  ];
}

const allOf = (words: readonly string[]): string =>
  words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
