// Keys by which names are compared. Identity keys keep accents (Bjork is not Björk); sorting and searching ignore them.
// A key is empty only for a name without visible characters.

const ASCII = /^[\x20-\x7e]*$/;
const BLANKS = /[\s\p{Cc}]+/gu;
/** Invisible characters: zero-width spaces and joiners, soft hyphens, variation selectors, bidi marks. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;
/** Typographic apostrophes, which only some taggers write. */
const APOSTROPHES = /[\u2018\u2019\u02bc\u2032]/g;
const QUOTES = /[\u201c\u201d\u2033]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
/**
 * Accents and vowel points, which people leave out when typing. Vowel signs of Indic scripts and kana voicing marks are
 * part of the letter and stay.
 */
const MARKS =
  /[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Cyrillic}]]--[\u3099\u309a]]+/gv;
/** Letters that have no Unicode decomposition. */
const LETTERS: Record<string, string> = { æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ŧ: 't' };
const WHOLE_LETTERS = /[æœøłđðþħŧ]/g;

/**
 * Returns the identity of an artist, album title or genre: ignores width, case, whitespace and typographic quotes and
 * dashes.
 */
export function identityKey(text: string): string {
  return collapseBlanks(ASCII.test(text) ? text.toLowerCase() : fold(text).normalize('NFKC'));
}

/** Folds a text for search: ignores width, case, accents and marks. */
export function searchFold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return fold(text)
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(WHOLE_LETTERS, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

/** Returns the collation key of a name. Collapses whitespace; a name that consists only of marks keeps them. */
export const sortKey = (text: string): string => collapseBlanks(searchFold(text)) || identityKey(text);

/** Returns the `sortKey` of an optional text. */
export const foldedText = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : sortKey(text);

/** Returns the default sort name for tags that have none: `The Quays` → `Quays, The`. */
export function sortName(name: string): string {
  const [, article, nameWithoutArticle] = /^(the)\s+(\S.*)$/i.exec(name.trim()) ?? [];
  return nameWithoutArticle ? `${nameWithoutArticle}, ${article}` : name.trim();
}

const collapseBlanks = (text: string): string => text.replace(BLANKS, ' ').trim();

/** Normalizes width, case, quotes and dashes, and drops invisible characters. */
const fold = (text: string): string =>
  foldCase(text.normalize('NFKC').replace(INVISIBLE, ''))
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .replace(DASHES, '-');

/** Folds case via upper case, which unifies ß with SS and both lower-case sigmas. The four Turkish i's become one. */
const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
