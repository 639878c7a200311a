// Orders search results by how their names match: equal to the query, starting with it, with every query word at the
// start of a word, with every query word anywhere; then matches in album title or other artists; then by name. All text
// is folded.

export interface Candidate {
  id: number;
  name: string;
  /** The artist's name; empty for artists. From the third rank on, its words count like those of the name. */
  artist: string;
}

type Rank = 0 | 1 | 2 | 3 | 4;

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;

export function rankOf({ name, artist }: Candidate, query: string, words: readonly string[]): Rank {
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  const text = `${name}\n${artist}`;
  if (words.every((word) => startsWord(text, word))) return 2;
  return words.every((word) => text.includes(word)) ? 3 : 4;
}

function startsWord(text: string, word: string): boolean {
  for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + 1)) {
    if (index === 0 || !WORD_CHARACTER.test(text.charAt(index - 1)) || !WORD_CHARACTER.test(word.charAt(0)))
      return true;
  }
  return false;
}

/** Returns the ids of the candidates, best first. */
export const rankCandidates = (candidates: readonly Candidate[], query: string, words: readonly string[]): number[] =>
  candidates
    .map(({ id, name, artist }) => ({ id, name, rank: rankOf({ id, name, artist }, query, words) }))
    .sort((a, b) => a.rank - b.rank || compare(a.name, b.name) || a.id - b.id)
    .map(({ id }) => id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
