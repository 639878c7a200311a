// How names are compared. Identity keeps accents (Bjork is not Björk); sorting and searching do not. No name that a
// person can see has an empty key: '' means that there is no name.

const ASCII = /^[\x20-\x7e]*$/;
const BLANKS = /[\s\p{Cc}]+/gu;
/** Zero-width blanks and joiners, soft hyphens, variation selectors, marks of direction. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}+/gu;
/** Typographic forms, which one tagger writes and the next does not. */
const APOSTROPHES = /[\u2018\u2019\u02bc\u2032]/g;
const QUOTES = /[\u201c\u201d\u2033]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
/**
 * Accents and vowel points that people leave out. Vowel signs of Indic scripts and the voicing of kana are letters, not
 * accents.
 */
const MARKS =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]--[\u3099\u309a]]+/gv;
/** Letters that Unicode does not take apart. */
const LETTERS: Record<string, string> = { æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ŧ: 't' };
const WHOLE_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/**
 * Same artist, album title or genre: equal but for width, case, blanks and typographic quotes and dashes.
 */
export function identityKey(text: string): string {
  return oneBlank(ASCII.test(text) ? text.toLowerCase() : folded(text).normalize('NFKC'));
}

/** Folded for finding: width, case, accents and marks do not count. */
export function searchFold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return folded(text)
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(WHOLE_LETTERS, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

/** Key by which names stand in order. Blanks are as one; a name of signs or marks only keeps them. */
export const sortKey = (text: string): string => oneBlank(searchFold(text)) || identityKey(text);

/** The key of a text that may be absent. */
export const foldedText = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : sortKey(text);

/** `The Quays` → `Quays, The`: how an artist is filed when the tags do not say. */
export function sortName(name: string): string {
  const [, article, rest] = /^(the)\s+(\S.*)$/i.exec(name.trim()) ?? [];
  return rest ? `${rest}, ${article}` : name.trim();
}

const oneBlank = (text: string): string => text.replace(BLANKS, ' ').trim();

/** One width, one case, nothing unseen, plain quotes and dashes. */
const folded = (text: string): string =>
  foldCase(text.normalize('NFKC').replace(UNSEEN, ''))
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .replace(DASHES, '-');

/**
 * Through upper case, where ß is SS and both small sigmas are one; the four Turkish letters i become one, whoever
 * folded them before.
 */
const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
