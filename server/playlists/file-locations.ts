// Where a playlist file says a track is, as the parts of a path that can be compared with the library's. Files come
// from other machines, with other folders in front, other separators, and names in another spelling of Unicode.

/**
 * Readings of one location, the likeliest first; each is the parts of a path, folders first. Empty for what is no file
 * at all.
 */
export function readingsOf(location: string): string[][] {
  const text = location.trim();
  if (/^file:/i.test(text))
    return unique([partsOf(decoded(text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '')) ?? text.slice(5), true)]);
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(text)) return []; // an address; a drive has one letter
  const plain = decoded(text);
  const ways = [text, ...(plain !== undefined && plain !== text ? [plain] : [])];
  return unique(
    ways.flatMap((way) => (way.includes('\\') ? [partsOf(way, true), partsOf(way, false)] : [partsOf(way, false)])),
  );
}

/** `.` and `..` mean places that nobody knows here: what they cancel is left out, and none of them remains. */
function partsOf(path: string, backslashes: boolean): string[] {
  const parts: string[] = [];
  for (const part of path.normalize('NFC').split(backslashes ? /[/\\]+/ : /\/+/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return /^[a-z]:$/i.test(parts[0] ?? '') ? parts.slice(1) : parts;
}

/** Undefined when there is nothing to decode, or not in UTF-8. */
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

/** For comparing names that one system wrote and another one keeps. */
export const foldPart = (part: string): string => part.normalize('NFC').toLowerCase();

/** How many parts, from the last one backwards, are the same. */
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

/** Without its ending. */
export const plainName = (name: string): string =>
  name
    .replace(/\.[a-z\d]{2,5}$/i, '')
    .replaceAll('_', ' ')
    .trim();

/** What the name of a file says of a track: `03 - Title.mp3`, `Artist - Title.flac`. */
export function titleInName(name: string): string {
  const plain = plainName(name);
  return plain.replace(/^(?:\d-)?\d{1,3}(?:\s*[-.)]\s*|\s+)(?=\S)/, '') || plain;
}
