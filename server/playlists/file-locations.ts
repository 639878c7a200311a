// Splits locations in playlist files into path segments that can be compared with the library's. Files may come from
// other machines, with other parent folders, separators and Unicode normalization.

/** Possible readings of a location, most likely first, each as path segments. Empty for anything but a file. */
export function readingsOf(location: string): string[][] {
  const text = location.trim();
  if (/^file:/i.test(text))
    return unique([partsOf(decoded(text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '')) ?? text.slice(5), true)]);
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return []; // a URL; drives have one letter
  const plain = decoded(text);
  const ways = [text, ...(plain !== undefined && plain !== text ? [plain] : [])];
  return unique(
    ways.flatMap((way) => (way.includes('\\') ? [partsOf(way, true), partsOf(way, false)] : [partsOf(way, false)])),
  );
}

/** Resolves `.` and `..`; leading ones are dropped, since the base folder is unknown. */
function partsOf(path: string, backslashes: boolean): string[] {
  const parts: string[] = [];
  for (const part of path.normalize('NFC').split(backslashes ? /[/\\]/ : '/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return /^[a-z]:$/i.test(parts[0] ?? '') ? parts.slice(1) : parts;
}

/** Percent-decoded, or undefined if that is not UTF-8. */
function decoded(text: string): string | undefined {
  if (!/%[\da-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    return undefined;
  }
}

const unique = (readings: string[][]): string[][] => [
  ...new Map(readings.filter((parts) => parts.length > 0).map((parts) => [parts.join('/'), parts])).values(),
];

/** For comparing names across file systems. */
export const foldPart = (part: string): string => part.normalize('NFC').toLowerCase();

/** Number of equal segments, counted from the end. */
export function commonTail(a: readonly string[], b: readonly string[]): number {
  let same = 0;
  while (
    same < a.length &&
    same < b.length &&
    foldPart(a[a.length - 1 - same] as string) === foldPart(b[b.length - 1 - same] as string)
  )
    same++;
  return same;
}

/** A file name without its extension. */
export const plainName = (name: string): string =>
  name
    .replace(/\.[a-z\d]{2,5}$/i, '')
    .replaceAll('_', ' ')
    .trim();

/** The title in a file name: `03 - Title.mp3`, `Artist - Title.flac`. */
export function titleInName(name: string): string {
  const plain = plainName(name);
  return plain.replace(/^(?:\d-)?\d{1,3}(?:\s*[-.)]\s*|\s+)(?=\S)/, '') || plain;
}
