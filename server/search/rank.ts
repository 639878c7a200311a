// Orders search results by how their names match: equal to the query, without punctuation too; starting with it; with
// every term at the start of a word; with every term anywhere; then by the number of terms that only the album title,
// the composer or other artists have. From the fourth on, shorter names are first, since the query has more of them;
// then by name. All text is folded.
import { formsOf, hasLetter } from '../library/search-index/search-forms.ts';
import type { Term } from '../library/search-index/search-words.ts';
import type { TypoTerm } from './typos.ts';

export interface Candidate {
  id: number;
  name: string;
  /** The artist's name; the sort name of an artist. From the third rank on, its words count like those of the name. */
  artist: string;
}

/** An item whose name starts with the query. `key` is the name as the index has it. */
export interface PrefixMatch {
  id: number;
  key: string;
}

/** A candidate for a mistyped query. `text` is the search text of all its names. */
export interface TypoCandidate extends Candidate {
  text: string;
}

export interface RankedQuery {
  /** The query as it was typed, folded, without quotes. */
  text: string;
  /** The forms of the query without and with blanks in place of punctuation. */
  forms: readonly string[];
  terms: readonly Term[];
}

export const rankedQuery = (text: string, terms: readonly Term[]): RankedQuery => ({
  text,
  forms: formsOf(text),
  terms,
});

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
const ARTICLE = /^the (?=.)|(?<=.) the$/g;

/** Returns how well a name matches the query: 0 is best. The head of this file lists the ranks in order. */
export function rankOf(
  { name, artist }: Omit<Candidate, 'id'>,
  { text, forms: queryForms, terms }: RankedQuery,
): number {
  if (name === text) return 0;
  const nameForms = formsOf(name);
  if (nameForms.some((form) => queryForms.some((key) => withoutArticle(form) === withoutArticle(key)))) return 1;
  if (nameForms.some((form) => queryForms.some((start) => form.startsWith(start)))) return 2;
  const allNames = [...nameForms, ...formsOf(artist)].join('\n');
  if (terms.every(({ forms }) => forms.some((form) => startsWord(allNames, form)))) return 3;
  return 4 + terms.filter(({ forms }) => !forms.some((form) => allNames.includes(form))).length;
}

const withoutArticle = (form: string): string =>
  form.startsWith('the ') || form.endsWith(' the') ? form.replace(ARTICLE, '') : form;

export function startsWord(text: string, form: string): boolean {
  for (let index = text.indexOf(form); index >= 0; index = text.indexOf(form, index + 1)) {
    if (index === 0 || !WORD_CHARACTER.test(text.charAt(index - 1)) || !WORD_CHARACTER.test(form.charAt(0)))
      return true;
  }
  return false;
}

/** Returns the ids of the matches by the start of the name, and of the other candidates, best first. */
export const rankCandidates = (
  prefixMatches: readonly PrefixMatch[],
  candidates: readonly Candidate[],
  query: RankedQuery,
): number[] =>
  [
    ...prefixMatches.map(({ id, key }) => ({
      candidate: { id, name: key, artist: '' },
      rank: rankOfPrefix(key, query.text),
    })),
    ...candidates.map((candidate) => ({ candidate, rank: rankOf(candidate, query) })),
  ]
    .toSorted(compareMatches)
    .map(({ candidate }) => candidate.id);

/** Returns the rank of a name that starts with the query, which is cheap to tell. */
function rankOfPrefix(name: string, text: string): number {
  const rest = name.slice(text.length);
  if (rest === '') return 0;
  return rest === ', the' || !hasLetter(rest) ? 1 : 2;
}

/** Returns the ids of the candidates that contain all terms with the corrections at starts of words, best first. */
export const rankTypoCandidates = (candidates: readonly TypoCandidate[], terms: readonly TypoTerm[]): number[] =>
  candidates
    .flatMap((candidate) => {
      const corrections = terms.map((term) => bestForm(candidate.text, term));
      if (corrections.includes(undefined)) return [];
      const best = corrections as NonNullable<(typeof corrections)[number]>[];
      const query = rankedQuery(
        best.map(({ form }) => form).join(' '),
        best.map(({ form }) => ({ forms: [form] })),
      );
      return [{ candidate, rank: rankOf(candidate, query), edits: best.reduce((sum, { edits }) => sum + edits, 0) }];
    })
    .toSorted((a, b) => a.edits - b.edits || compareMatches(a, b))
    .map(({ candidate }) => candidate.id);

/** Returns the form of the term with the fewest edits that the text contains. */
function bestForm(text: string, { forms, edits }: TypoTerm): { form: string; edits: number } | undefined {
  const candidates = forms.map((form, i) => ({ form, edits: edits[i] as number }));
  return candidates
    .filter((candidate) => (candidate.edits === 0 ? text.includes(candidate.form) : startsWord(text, candidate.form)))
    .toSorted((a, b) => a.edits - b.edits)[0];
}

interface RankedCandidate {
  candidate: Candidate;
  rank: number;
}

const compareMatches = (a: RankedCandidate, b: RankedCandidate): number =>
  a.rank - b.rank ||
  (a.rank > 2 && a.candidate.name.length - b.candidate.name.length) ||
  (a.rank > 2 && a.candidate.artist.length - b.candidate.artist.length) ||
  compare(a.candidate.name, b.candidate.name) ||
  a.candidate.id - b.candidate.id;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
