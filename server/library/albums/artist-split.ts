// Splits a tag value that names several artists, and only at separators that band names do not contain: `;` and a slash
// between spaces. `AC/DC`, `Smith/Kotzen` and `Simon & Garfunkel` are not split, nor are names marked "never split".
import { identityKey } from '../tracks/sort-and-identity-keys.ts';

const SEPARATOR = /[;\uff1b]|\s[/\uff0f]\s/;

/**
 * Splits a tag that has a single value; if a tag has several values, they are used as they are. Drops blank and
 * repeated names.
 */
export function splitArtists(values: readonly string[], isNeverSplit: (nameKey: string) => boolean): string[] {
  const [singleValue] = values;
  if (
    values.length !== 1 ||
    singleValue === undefined ||
    !SEPARATOR.test(singleValue) ||
    isNeverSplit(identityKey(singleValue))
  )
    return distinct(values);
  const names = distinct(singleValue.split(SEPARATOR));
  return names.length > 0 ? names : distinct(values); // an artist may be called `;`
}

function distinct(values: readonly string[]): string[] {
  const keys = new Set<string>(['']);
  return values
    .map((name) => name.trim())
    .filter((name) => {
      const key = identityKey(name);
      return !keys.has(key) && keys.add(key);
    });
}
