// Splits a search query into terms that must all match. Used for the `q` of lists and by search/.
import { searchFold } from '../tracks/sort-and-identity-keys.ts';
import { formsOf, hasLetter, isCommonSign, splitBlanks, withAnd } from './search-forms.ts';
import { gramOf } from './search-grams.ts';

const MAX_TERMS = 16;
const TRIGRAM_LENGTH = 3;
/** Longer terms are cut: they would match nothing, and the cost of a phrase grows with its length. */
const MAX_TERM_CHARACTERS = 200;
/** Quotes of several languages; the folding has made `"` of the English ones. */
const OTHER_QUOTES = /[„‟«»‹›「」『』]/g;
const YEAR = /^(?:19|20)\d\d$/;

/** A word of a query, or a phrase in quotes. */
export interface Term {
  /** The forms of the term. An item matches if one of its names contains one of them. */
  forms: string[];
  isPhrase?: boolean;
}

/** Returns at most 16 distinct terms, folded like the index. Text between two quotes is a phrase. */
export function termsOf(text: string | undefined): Term[] {
  if (text === undefined) return [];
  const parts = searchFold(text.toWellFormed()).replace(OTHER_QUOTES, '"').split('"');
  const terms = new Map<string, Term>();
  for (const [i, part] of parts.entries()) {
    const isClosed = i % 2 === 1 && i < parts.length - 1;
    for (const term of isClosed && hasLetter(part) ? [phraseOf(part)] : wordsOf(part))
      if (!terms.has(JSON.stringify(term))) terms.set(JSON.stringify(term), term);
  }
  const allTerms = [...terms.values()];
  const termsWithLetters = allTerms.filter(({ forms: [form = ''] }) => !isCommonSign(form));
  return (termsWithLetters.length > 0 ? termsWithLetters : allTerms).slice(0, MAX_TERMS);
}

const phraseOf = (text: string): Term => ({ forms: formsOf(text).map(cut), isPhrase: true });

const wordsOf = (text: string): Term[] =>
  withAnd(splitBlanks(text))
    .map((word) => ({ forms: formsOf(hasLetter(word) ? word : word.replaceAll("'", '')).map(cut) }))
    .filter(({ forms: [form] }) => form !== '');

const cut = (form: string): string =>
  form.length > MAX_TERM_CHARACTERS ? form.slice(0, MAX_TERM_CHARACTERS).toWellFormed() : form;

const isYear = ({ forms: [form = ''], isPhrase }: Term): boolean => !isPhrase && YEAR.test(form);

/** Returns the year if there is no other term. */
export const yearOf = (terms: readonly Term[]): number | undefined =>
  terms.length === 1 && isYear(terms[0] as Term) ? Number(terms[0]?.forms[0]) : undefined;

/** Returns the last term that is a year and stands beside other terms, and those terms. */
export function splitYear(terms: readonly Term[]): { year: number | undefined; otherTerms: readonly Term[] } {
  const yearTerm = terms.length > 1 ? terms.findLast(isYear) : undefined;
  return {
    year: yearTerm && Number(yearTerm.forms[0]),
    otherTerms: terms.filter((term) => term !== yearTerm),
  };
}

/** Returns the terms for the SQL function `names_hold`, which tests whether names contain them. */
export const termsJson = (terms: readonly Term[]): string => JSON.stringify(terms.map(({ forms }) => forms));

/** Returns whether the trigram index can find the form, which takes three code points. */
const isLong = (form: string): boolean => form.length >= TRIGRAM_LENGTH && [...form].length >= TRIGRAM_LENGTH;

/** Returns whether the trigram index can find the term. */
export const isLongTerm = ({ forms: [form = ''] }: Term): boolean => isLong(form);

/** An FTS5 MATCH expression for the terms that one of the search tables can find. */
export interface Match {
  table: 'search_trigrams' | 'search_grams';
  match: string;
  terms: Term[];
}

/** Returns expressions that an item with all terms matches. Forms are quoted, so that none is an operator. */
export function matchesOf(terms: readonly Term[]): Match[] {
  // a term contained in another term is implied, and short terms match nearly everything
  const decisiveTerms = terms.filter((term) => !terms.some((otherTerm) => implies(otherTerm, term)));
  const longTerms = decisiveTerms.filter(isLongTerm);
  const shortTerms = decisiveTerms.filter((term) => !isLongTerm(term));
  return [
    ...(longTerms.length > 0
      ? [{ table: 'search_trigrams', match: allOf(longTerms.map(({ forms }) => forms)), terms: longTerms } as const]
      : []),
    ...(shortTerms.length > 0
      ? [
          {
            table: 'search_grams',
            match: allOf(shortTerms.map(({ forms: [form] }) => [gramOf(form as string)])),
            terms: shortTerms.map((term) => ({ ...term, forms: term.forms.slice(0, 1) })),
          } as const,
        ]
      : []),
  ];
}

/** Returns whether every name that contains the longer term contains the other one. */
const implies = (longerTerm: Term, term: Term): boolean =>
  (longerTerm.forms[0] as string).length > (term.forms[0] as string).length &&
  longerTerm.forms.every((longerForm) => term.forms.some((form) => longerForm.includes(form)));

const allOf = (alternatives: readonly (readonly string[])[]): string =>
  alternatives
    .map((forms) => (forms.length === 1 ? quote(forms[0] as string) : `(${forms.map(quote).join(' OR ')})`))
    .join(' AND ');

const quote = (form: string): string => `"${form.replaceAll('"', '""')}"`;
