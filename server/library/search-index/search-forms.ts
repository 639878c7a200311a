// The forms of a name by which people type it: without punctuation (`AC/DC` as `acdc`), and with blanks in place of
// punctuation (`ac dc`). The index has both forms of every name, so a query word with punctuation matches either.
// The functions take text that is already folded (searchFold).

/** Characters that separate words. Control characters are among them: a NUL would end a MATCH expression early. */
const BLANKS = /[\s\u0000-\u001f\u007f-\u009f\u200b\ufeff]+/u;
const PLAIN_NAME = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
const PLAIN_WORD = /^[\p{L}\p{N}\p{M}]+$/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const NOT_LETTERS = /[^\p{L}\p{N}\p{M}]+/gu;

/** Symbols written for a letter: `Ke$ha`, `A$AP`, `P!nk`, `M@ster`. An exclamation mark also ends words. */
const SYMBOL_LETTERS = /\$(?!\p{N})|(?<=\p{L})[!@€](?=\p{L})/gu;
const LETTER_OF_SYMBOL: Record<string, string> = { $: 's', '!': 'i', '@': 'a', '€': 'e' };

/** An apostrophe before three letters stands between words (`L'italiano`), before fewer it does not (`don't`). */
const APOSTROPHES_IN_WORDS = /'(?!\p{L}{3})/gu;
const SHORT_AND = /(?<=\p{L})'n(?:'|$)/gu;
const SIGN_FOR_AND = /(?<=\p{L})[&+](?=\p{L})/gu;
const AND = new Set(['&', '+', 'n', "'n", "n'", "'n'"]);

/** Signs that are not searched for: they stand in names without a meaning, or separate the parts of a query. */
const COMMON_SIGNS = /[\s'"()[\].,:;/|-]+/gu;
const OTHER_SIGNS = /[^\p{L}\p{N}\p{M}\s'"()[\].,:;/|-]+/gu;

export const splitBlanks = (text: string): string[] => text.split(BLANKS).filter(Boolean);
export const hasLetter = (text: string): boolean => LETTER.test(text);

/** Replaces `&`, `+` and `'n'` between two words by `and`. */
export const withAnd = (words: readonly string[]): string[] =>
  words.map((word, i) =>
    AND.has(word) && hasLetter(words[i - 1] ?? '') && hasLetter(words[i + 1] ?? '') ? 'and' : word,
  );

/**
 * Returns the form of a name without punctuation (`dont stop`, `acdc`, `kesha`) and, if it differs, that with blanks in
 * its place (`ac dc`, `blink 182`, `rock and roll`). A name of signs only stays as it is.
 */
export function formsOf(name: string): string[] {
  if (PLAIN_NAME.test(name) && !name.includes(' n ')) return [name];
  const words = withAnd(splitBlanks(name));
  const letteredWords = words.filter(hasLetter);
  if (letteredWords.length === 0) return [words.join(' ')];
  const joinedForm = letteredWords.map(joinedWord).join(' ');
  const spacedForm = withAnd(letteredWords.flatMap(splitWord)).filter(hasLetter).join(' ');
  return joinedForm === spacedForm ? [joinedForm] : [joinedForm, spacedForm];
}

const joinedWord = (word: string): string =>
  PLAIN_WORD.test(word) ? word : withLetters(word).replace(NOT_LETTERS, '');

const splitWord = (word: string): string[] =>
  PLAIN_WORD.test(word)
    ? [word]
    : withLetters(word.replace(SHORT_AND, ' n ').replace(SIGN_FOR_AND, ' & '))
        .replace(APOSTROPHES_IN_WORDS, '')
        .split(' ')
        .flatMap((part) => (part === '&' ? part : part.split(NOT_LETTERS)))
        .filter(Boolean);

const withLetters = (word: string): string =>
  /\p{L}/u.test(word) ? word.replace(SYMBOL_LETTERS, (symbol) => LETTER_OF_SYMBOL[symbol] as string) : word;

/** Returns the signs of a name by which it can be found, such as `÷` or `?`. */
export const signsOf = (name: string): string[] => (PLAIN_NAME.test(name) ? [] : (name.match(OTHER_SIGNS) ?? []));

/** Returns whether a word of a query has only signs that are not searched for. */
export const isCommonSign = (word: string): boolean => word.replace(COMMON_SIGNS, '') === '';

/** Words of scripts that are written with letters, which can be mistyped by one. */
const MISTYPED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}0-9]{3,32}$/u;

/** Returns the words of a search text that a mistyped word may mean. */
export const vocabularyOf = (text: string): string[] => splitBlanks(text).filter((word) => MISTYPED.test(word));
