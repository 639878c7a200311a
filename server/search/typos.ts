// Finds the words of the library that a mistyped word may mean. The words are sorted, so the search goes through them
// like through a tree: as soon as the first letters of a word differ too much, it skips all words that begin with them.
// One edit costs some hundred look-ups of 2 µs, however large the library is.
import type { Term } from '../library/search-index/search-words.ts';
import type { Statements } from '../library/lists/statement-cache.ts';

/** A term with the words that may be meant. `edits` has the number of edits of each form, 0 for the typed ones. */
export interface TypoTerm extends Term {
  edits: number[];
}

/** Returns the first word of the library that is not before `from`. */
type FindWord = (from: string) => string | undefined;

const MIN_LETTERS = 4;
const MIN_LETTERS_FOR_TWO_EDITS = 8;
const MAX_LETTERS = 32;
const MAX_LOOKUPS = 4_000;
const MAX_CORRECTIONS = 10;
const AFTER_ALL = '\uffff';
const DIGITS = /^\d+$/;

/** Returns the terms with the words that may be meant, at most `maxEdits` edits away; undefined if there are none. */
export function withCorrections(
  statements: Statements,
  terms: readonly Term[],
  maxEdits: 1 | 2,
): TypoTerm[] | undefined {
  const findWord: FindWord = (from) =>
    statements.value<string | undefined>('SELECT word FROM search_words WHERE word >= @from ORDER BY word LIMIT 1', {
      from,
    });
  const typoTerms = terms.map((term): TypoTerm => {
    const corrections = isCorrectable(term) ? correctionsOf(term.forms[0] as string, maxEdits, findWord) : [];
    return {
      ...term,
      forms: [...term.forms, ...corrections.map(({ word }) => word)],
      edits: [...term.forms.map(() => 0), ...corrections.map(({ edits }) => edits)],
    };
  });
  return typoTerms.some(({ edits }) => edits.some((count) => count > 0)) ? typoTerms : undefined;
}

/** Returns the number of edits that the longest term may have. */
export const maxEditsOf = (terms: readonly Term[]): 0 | 1 | 2 => {
  const lengths = terms.filter(isCorrectable).map(({ forms: [form = ''] }) => form.length);
  return lengths.length === 0 ? 0 : Math.max(...lengths) >= MIN_LETTERS_FOR_TWO_EDITS ? 2 : 1;
};

const isCorrectable = ({ forms: [form = ''], isPhrase }: Term): boolean =>
  !isPhrase && form.length >= MIN_LETTERS && form.length <= MAX_LETTERS && !DIGITS.test(form);

interface Correction {
  word: string;
  edits: number;
}

/** Returns the most likely corrections: those with the fewest edits, of the same first letter, of about the length. */
function correctionsOf(word: string, maxEdits: number, findWord: FindWord): Correction[] {
  const edits = word.length >= MIN_LETTERS_FOR_TWO_EDITS ? maxEdits : Math.min(maxEdits, 1);
  const corrections = [...findPair(word, findWord), ...findSimilarWords(word, edits, findWord)].toSorted(
    (a, b) =>
      a.edits - b.edits ||
      Number(b.word.startsWith(word.charAt(0))) - Number(a.word.startsWith(word.charAt(0))) ||
      Math.abs(a.word.length - word.length) - Math.abs(b.word.length - word.length),
  );
  return corrections
    .filter((correction, i) => !corrections.slice(0, i).some((earlier) => correction.word.startsWith(earlier.word)))
    .slice(0, MAX_CORRECTIONS);
}

/** Finds two words between which the blank was forgotten. */
function findPair(word: string, findWord: FindWord): Correction[] {
  const isWord = (text: string): boolean => text.length < MIN_LETTERS - 1 || findWord(text) === text;
  const isStart = (text: string): boolean => text.length < MIN_LETTERS - 1 || findWord(text)?.startsWith(text) === true;
  return Array.from({ length: word.length - 1 }, (_, i) => [word.slice(0, i + 1), word.slice(i + 1)] as const)
    .filter(([first, second]) => isWord(first) && isStart(second))
    .map((pair) => ({ word: pair.join(' '), edits: 1 }));
}

/**
 * Finds words, and starts of words, that differ from the typed word by 1 to `maxEdits` edits: a letter that is wrong,
 * missing or too much, or two that are swapped. With two edits the first letter has to be right.
 */
export function findSimilarWords(word: string, maxEdits: number, findWord: FindWord): Correction[] {
  const start = maxEdits > 1 ? word.charAt(0) : '';
  const corrections: Correction[] = [];
  // row d has the distances of the first d letters of the current word from the starts of the typed word
  const rows = [Array.from({ length: word.length + 1 }, (_, i) => i)];
  let letters = '';
  let from = start;
  for (let lookups = 0; lookups < MAX_LOOKUPS; lookups++) {
    const candidate = findWord(from);
    if (candidate === undefined || !candidate.startsWith(start)) break;
    letters = sharedStart(letters, candidate);
    rows.length = letters.length + 1;
    let isAlive = true;
    while (isAlive && letters.length < candidate.length) {
      letters = candidate.slice(0, letters.length + 1);
      const row = nextRow(rows, letters, word);
      rows.push(row);
      isAlive = Math.min(...row) <= maxEdits;
      const edits = row[word.length] as number;
      const isWhole = letters.length === candidate.length;
      if (edits > 0 && edits <= maxEdits && (isWhole || letters.endsWith(word.slice(-1))))
        corrections.push({ word: letters, edits });
    }
    from = isAlive ? `${candidate}\u0001` : nextStart(rows, letters, word, maxEdits);
  }
  return corrections;
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

/** Returns the distances of `letters`, whose last letter is new, with swapped letters as one edit. */
function nextRow(rows: readonly number[][], letters: string, word: string): number[] {
  const [letter, previousLetter] = [letters.at(-1), letters.at(-2)];
  const [above, twoAbove] = [rows[letters.length - 1] as number[], rows[letters.length - 2]];
  const row = [letters.length];
  for (let i = 1; i <= word.length; i++) {
    const isSame = word[i - 1] === letter;
    let edits = Math.min(
      (above[i - 1] as number) + (isSame ? 0 : 1),
      (above[i] as number) + 1,
      (row[i - 1] as number) + 1,
    );
    if (twoAbove && i > 1 && word[i - 1] === previousLetter && word[i - 2] === letter)
      edits = Math.min(edits, (twoAbove[i - 2] as number) + 1);
    row.push(edits);
  }
  return row;
}

/** Returns where the words continue after all that start with `letters`, which differ too much. */
function nextStart(rows: readonly number[][], letters: string, word: string, maxEdits: number): string {
  const [start, letter] = [letters.slice(0, -1), letters.slice(-1)];
  const above = rows[start.length] as number[];
  if (Math.min(...above) < maxEdits) return start + String.fromCharCode(letter.charCodeAt(0) + 1);
  // after the last edit only letters of the typed word can follow
  const nextLetters = [...word].filter(
    (nextLetter, i) =>
      nextLetter > letter &&
      ((above[i] as number) <= maxEdits || (word[i + 1] === start.at(-1) && (above[i] as number) <= maxEdits + 1)),
  );
  return nextLetters.length === 0 ? start + AFTER_ALL : start + nextLetters.toSorted()[0];
}
