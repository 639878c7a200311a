// Splits locations in playlist files into path segments that can be compared with the library's. Files may come from
// other machines, with other parent folders, separators and Unicode normalization.

/**
 * Returns possible readings of a location, most likely first, each as path segments; empty if the location is not a
 * file. `base` is the folder of the playlist file: a relative location is read as a path in it first.
 */
export function readingsOf(location: string, base: readonly string[] = []): string[][] {
  const text = location.trim();
  if (/^file:/i.test(text))
    return unique([segmentsOf(decodePercent(text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '')), true)]);
  // Kodi names network shares in this way: the first name is that of the server
  if (/^(?:smb|cifs|nfs|afp):\/\//i.test(text))
    return unique([segmentsOf(decodePercent(text.slice(text.indexOf('//') + 2)), true)]);
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return []; // a URL; a single letter would be a drive
  const decodedText = decodePercent(text);
  const spellings = [text, ...(decodedText !== text ? [decodedText] : [])];
  const isRelative = base.length > 0 && !/^(?:[/\\]|[a-z]:)/i.test(text);
  const readings = (from: readonly string[]): string[][] =>
    spellings.flatMap((spelling) =>
      spelling.includes('\\')
        ? [segmentsOf(spelling, true, from), segmentsOf(spelling, false, from)]
        : [segmentsOf(spelling, false, from)],
    );
  return unique([...(isRelative ? readings(base) : []), ...readings([])]);
}

/** Resolves `.` and `..` from a folder; those that lead above everything are dropped. */
function segmentsOf(path: string, backslashes: boolean, from: readonly string[] = []): string[] {
  const segments = [...from];
  for (const segment of path.normalize('NFC').split(backslashes ? /[/\\]/ : '/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return /^[a-z]:$/i.test(segments[0] ?? '') ? segments.slice(1) : segments;
}

/** Decodes percent-encoding, of UTF-8 or of the encoding that older programs of Western systems use. */
function decodePercent(text: string): string {
  if (!/%[\da-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    const decoder = new TextDecoder('windows-1252');
    return text.replace(/%([\da-f]{2})/gi, (_, hex: string) => decoder.decode(Buffer.from(hex, 'hex')));
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

const EXTENSION = /\.[a-z\d]{2,5}$/i;

/** Folds a file name without its extension, which changes when a library is converted. */
export const foldStem = (name: string): string => foldPart(name.replace(EXTENSION, ''));

/** Returns a file name without its extension. */
export const plainName = (name: string): string => name.replace(EXTENSION, '').replaceAll('_', ' ').trim();

/** Returns the title in a file name: `03 - Title.mp3`, `Artist - Title.flac`. */
export function titleInName(name: string): string {
  const plainText = plainName(name);
  return plainText.replace(/^(?:\d-)?\d{1,3}(?:\s*[-.)]\s*|\s+)(?=\S)/, '') || plainText;
}
