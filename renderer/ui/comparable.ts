/** Returns the sort key of a name: without diacritics, case and punctuation. */
export const comparable = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim();

/**
 * Returns the items whose names contain every word of the query, like the server's search; names that begin with the
 * query come first.
 */
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
