// Splits locations in playlist files into path segments that can be compared with the library's. Files may come from
// other machines, with other parent folders, separators and Unicode normalization.

/**
 * Returns possible readings of a location, most likely first, each as path segments; empty if the location is not a
 * file.
 */
export function readingsOf(location: string): string[][] {
  const text = location.trim();
  if (/^file:/i.test(text))
    return unique([
      segmentsOf(decodePercent(text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '')) ?? text.slice(5), true),
    ]);
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return []; // a URL; a single letter would be a drive
  const decodedText = decodePercent(text);
  const spellings = [text, ...(decodedText !== undefined && decodedText !== text ? [decodedText] : [])];
  return unique(
    spellings.flatMap((spelling) =>
      spelling.includes('\\')
        ? [segmentsOf(spelling, true), segmentsOf(spelling, false)]
        : [segmentsOf(spelling, false)],
    ),
  );
}

/** Resolves `.` and `..`; leading ones are dropped, since the base folder is unknown. */
function segmentsOf(path: string, backslashes: boolean): string[] {
  const segments: string[] = [];
  for (const segment of path.normalize('NFC').split(backslashes ? /[/\\]/ : '/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return /^[a-z]:$/i.test(segments[0] ?? '') ? segments.slice(1) : segments;
}

/** Decodes percent-encoding; undefined if the result is not UTF-8. */
function decodePercent(text: string): string | undefined {
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

/** Folds a path segment for comparing names across file systems. */
export const foldPart = (segment: string): string => segment.normalize('NFC').toLowerCase();

/** Returns the number of equal segments, counted from the end. */
export function commonTail(a: readonly string[], b: readonly string[]): number {
  let commonLength = 0;
  while (
    commonLength < a.length &&
    commonLength < b.length &&
    foldPart(a[a.length - 1 - commonLength] as string) === foldPart(b[b.length - 1 - commonLength] as string)
  )
    commonLength++;
  return commonLength;
}

/** Returns a file name without its extension. */
export const plainName = (name: string): string =>
  name
    .replace(/\.[a-z\d]{2,5}$/i, '')
    .replaceAll('_', ' ')
    .trim();

/** Returns the title in a file name: `03 - Title.mp3`, `Artist - Title.flac`. */
export function titleInName(name: string): string {
  const plainText = plainName(name);
  return plainText.replace(/^(?:\d-)?\d{1,3}(?:\s*[-.)]\s*|\s+)(?=\S)/, '') || plainText;
}
