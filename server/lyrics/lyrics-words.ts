// Splits lyrics, and searches in them, into the words of the search index. Pure functions.
import { searchFold } from '../library/tracks/sort-and-identity-keys.ts';

export interface WordQuery {
  words: string[];
  /** Whether the last word may be the start of a longer one, since the person may still be typing. */
  isOpen: boolean;
}

export interface MatchingLine {
  /** The index of the line; of the first one, if the words continue on the next lines. */
  index: number;
  text: string;
}

const MAX_QUERY_WORDS = 24;
/** Longer words are cut in the index and in searches. */
const MAX_WORD_CHARACTERS = 64;
/** The last word of a search matches longer words from this length on; shorter ones would match nearly all lyrics. */
const MIN_PREFIX_CHARACTERS = 3;
const MAX_LINES_SHOWN = 3;
const MAX_TEXT_CHARACTERS = 300;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
const APOSTROPHES = /'+/g;
/**
 * Characters of scripts without spaces between words, with their marks: each counts as a word. These are Han, the two
 * Japanese syllabaries, Thai, Lao, Khmer and Myanmar.
 */
const SINGLE = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]\p{M}*/gu;

/** Returns the words of a text, folded; `don't` is one word. */
export const wordsOfText = (text: string): string[] => splitWords(foldText(text));

const foldText = (text: string): string =>
  searchFold(text.toWellFormed()).replace(APOSTROPHES, '').replace(SINGLE, ' $& ');

const splitWords = (foldedText: string): string[] =>
  (foldedText.match(WORD) ?? []).map((word) =>
    word.length > MAX_WORD_CHARACTERS ? word.slice(0, MAX_WORD_CHARACTERS).toWellFormed() : word,
  );

/** Returns the words of a search; undefined if there are none. */
export function parseWordQuery(text: string): WordQuery | undefined {
  const words = wordsOfText(text).slice(0, MAX_QUERY_WORDS);
  const lastWord = words.at(-1);
  if (lastWord === undefined) return undefined;
  return { words, isOpen: lastWord.length >= MIN_PREFIX_CHARACTERS && /[\p{L}\p{N}\p{M}]$/u.test(text.trimEnd()) };
}

/** Returns FTS5 expressions for the words one after the other, and for all words, but not one after the other. */
export function matchesOf({ words, isOpen }: WordQuery): { phrase: string; scattered: string | undefined } {
  const end = isOpen ? ' *' : '';
  const phrase = `"${words.join(' ')}"${end}`;
  if (words.length === 1) return { phrase, scattered: undefined };
  const allWords = words.map((word, index) => `"${word}"${index === words.length - 1 ? end : ''}`).join(' AND ');
  return { phrase, scattered: `(${allWords}) NOT (${phrase})` };
}

/**
 * Returns the line where the words are one after the other, with the next lines if they continue there; else the line
 * with most of the words. Undefined if no line has any.
 */
export function findMatchingLine(lines: readonly { text: string }[], query: WordQuery): MatchingLine | undefined {
  const lineWords = wordsOfLines(lines, query);
  const phrase = findPhrase(lineWords, query);
  if (phrase) return { index: phrase.first, text: textOf(lines.slice(phrase.first, phrase.last + 1)) };
  const counts = lineWords.map((words) => countWords(words, query));
  const highestCount = Math.max(0, ...counts);
  const index = counts.indexOf(highestCount);
  return highestCount === 0 ? undefined : { index, text: textOf(lines.slice(index, index + 1)) };
}

/** The words of a line without any word of the search: they need not be known, and end a phrase. */
const OTHER_WORDS = [''];

/** Returns the words of each line. Folding all lines at once takes a third of the time. */
function wordsOfLines(lines: readonly { text: string }[], { words }: WordQuery): string[][] {
  const text = lines.map((line) => line.text.replaceAll('\n', ' ')).join('\n');
  return foldText(text)
    .split('\n')
    .map((line) => {
      if (words.some((word) => line.includes(word))) return splitWords(line);
      return WORD_CHARACTER.test(line) ? OTHER_WORDS : [];
    });
}

function findPhrase(lineWords: readonly string[][], query: WordQuery): { first: number; last: number } | undefined {
  const places = lineWords.flatMap((words, line) => words.map((word) => ({ word, line })));
  const start = places.findIndex((_, from) =>
    query.words.every((word, offset) => isWord(places[from + offset]?.word, word, query, offset)),
  );
  const [first, last] = [places[start], places[start + query.words.length - 1]];
  return first && last && { first: first.line, last: last.line };
}

const isWord = (candidate: string | undefined, word: string, { words, isOpen }: WordQuery, index: number): boolean =>
  isOpen && index === words.length - 1 ? candidate?.startsWith(word) === true : candidate === word;

const countWords = (lineWords: readonly string[], query: WordQuery): number =>
  query.words.filter((word, index) => lineWords.some((candidate) => isWord(candidate, word, query, index))).length;

function textOf(lines: readonly { text: string }[]): string {
  const text = lines
    .map((line) => line.text.trim())
    .filter(Boolean)
    .slice(0, MAX_LINES_SHOWN)
    .join(' / ');
  return text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()}…` : text;
}
