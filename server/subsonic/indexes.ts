// Names under the letter they are filed by, as clients show them in an index.
import { sortKey } from '../library/fold.ts';

/** Moved behind the name when it is filed (library/fold.ts). */
export const IGNORED_ARTICLES = 'The';

/** Groups in order, signs and digits under `#` at the end; each keeps the order of its items. */
export function underLetters<T>(items: readonly T[], nameOf: (item: T) => string): { name: string; items: T[] }[] {
  const groups = Map.groupBy(items, (item) => letterOf(nameOf(item)));
  return [...groups]
    .sort(([a], [b]) => Number(a === '#') - Number(b === '#') || (a < b ? -1 : 1))
    .map(([name, group]) => ({ name, items: group }));
}

function letterOf(name: string): string {
  const [first = '#'] = sortKey(name);
  return /\p{L}/u.test(first) ? first.toUpperCase() : '#';
}
