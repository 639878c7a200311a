/** The sort key of names: without diacritics, case and punctuation. */
export const comparable = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim();

/** Whether a name has every word of a query, as the server finds them; names that begin with it come first. */
export function findNames<T>(items: readonly T[], nameOf: (item: T) => string, q: string): T[] {
  const query = comparable(q);
  const words = query.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return items
    .map((item) => ({ item, name: comparable(nameOf(item)) }))
    .filter(({ name }) => words.every((word) => name.includes(word)))
    .sort((a, b) => Number(b.name.startsWith(query)) - Number(a.name.startsWith(query)))
    .map(({ item }) => item);
}
