// One tag value can name several artists. Only separators that no band uses inside its name split: `;` and a slash between
// blanks. `AC/DC`, `Smith/Kotzen`, `Simon & Garfunkel` stay whole; a name marked "never split" stays whole whatever it holds.
import { identityKey } from './fold.ts';

const SEPARATOR = /\s*;\s*|\s+\/\s+/;

/** Several values as given are taken as they are; a single one is split. Blank and repeated names are dropped. */
export function splitArtists(values: readonly string[], isWhole: (nameKey: string) => boolean): string[] {
  const [only] = values;
  const names = values.length === 1 && only !== undefined && SEPARATOR.test(only) && !isWhole(identityKey(only)) ? only.split(SEPARATOR) : values;
  if (names.length === 1) return names.map((n) => n.trim()).filter(Boolean);
  const seen = new Set<string>();
  return names.map((n) => n.trim()).filter((name) => {
    const key = identityKey(name);
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
