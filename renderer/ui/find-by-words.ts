import { comparable } from './comparable.ts';

/** Something that people find by its name or by other words for it. */
interface Findable {
  name: string;
  synonyms: readonly string[];
}

/** Spells umlauts with their base letter, also those that are written with an e: “ueber” is “uber”. */
const withoutUmlauts = (text: string): string => comparable(text).replaceAll(/([aou])e/g, '$1');

/**
 * Returns the items whose name and synonyms contain every word of the query: first those with exactly this name, then
 * those with exactly this synonym, then those whose name or synonym begins with it, then the others.
 */
export function findByWords<T extends Findable>(items: readonly T[], q: string): T[] {
  const query = withoutUmlauts(q);
  const words = query.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rankOf = ({ name, synonyms }: Findable): number => {
    const [title = '', ...others] = [name, ...synonyms].map(withoutUmlauts);
    if (title === query) return 0;
    if (others.includes(query)) return 1;
    if (title.startsWith(query)) return 2;
    if (words.every((word) => title.includes(word))) return 3;
    if (others.some((other) => other.startsWith(query))) return 4;
    return words.every((word) => [title, ...others].some((text) => text.includes(word))) ? 5 : Infinity;
  };
  return items
    .map((item) => ({ item, rank: rankOf(item) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
