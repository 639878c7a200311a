// One tag value can name several artists. Only separators that no band uses inside its name split: `;` and a slash
// between blanks. `AC/DC`, `Smith/Kotzen`, `Simon & Garfunkel` stay whole; a name marked "never split" stays whole
// whatever it holds.
import { identityKey } from './fold.ts';

const SEPARATOR = /\s*[;\uff1b]\s*|\s+[/\uff0f]\s+/;

/** Several values as given are taken as they are; a single one is split. Blank and repeated names are dropped. */
export function splitArtists(values: readonly string[], isWhole: (nameKey: string) => boolean): string[] {
  const [only] = values;
  if (values.length !== 1 || only === undefined || !SEPARATOR.test(only) || isWhole(identityKey(only)))
    return distinct(values);
  const names = distinct(only.split(SEPARATOR));
  return names.length > 0 ? names : distinct(values); // `;` is a name, too
}

function distinct(values: readonly string[]): string[] {
  const seen = new Set<string>(['']);
  return values
    .map((name) => name.trim())
    .filter((name) => {
      const key = identityKey(name);
      return !seen.has(key) && seen.add(key);
    });
}
