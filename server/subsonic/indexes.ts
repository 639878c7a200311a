// Groups names by their first letter, for the index that clients show.
import { sortKey } from '../library/tracks/sort-and-identity-keys.ts';

/** Articles ignored when sorting (library/sort-and-identity-keys.ts). */
export const IGNORED_ARTICLES = 'The';

/** Returns groups in alphabetical order, with `#` for digits and symbols at the end. Items keep their order. */
export function groupByLetter<T>(items: readonly T[], nameOf: (item: T) => string): { name: string; items: T[] }[] {
  const groups = Map.groupBy(items, (item) => letterOf(nameOf(item)));
  return [...groups]
    .sort(([a], [b]) => Number(a === '#') - Number(b === '#') || (a < b ? -1 : 1))
    .map(([name, group]) => ({ name, items: group }));
}

function letterOf(name: string): string {
  const [firstCharacter = '#'] = sortKey(name);
  return /\p{L}/u.test(firstCharacter) ? firstCharacter.toUpperCase() : '#';
}
