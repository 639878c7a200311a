import { createPlaceCounter, limitError, TEXT_LIMITS } from '../runtime/text-limits.ts';

/** Keys under which exporters put the list of entries. */
const LIST_KEYS = new Set(['listens', 'track', 'tracks', 'scrobbles']);
const MAX_KEY_CHARS = 10;
const { depth: MAX_DEPTH, entryChars: MAX_CHARS, gapChars: MAX_GAP } = TEXT_LIMITS.history;

/**
 * Streams the entries of a JSON export: the objects of an array, which may be nested (`{"recenttracks": {"track":
 * […]}}`, or several such pages). Yields the text of each entry, and undefined for an entry that is too long. Throws
 * `too_large` if the text is nested too deeply, or if no entry ends for too long.
 */
export async function* jsonItems(chunks: AsyncIterable<string>): AsyncGenerator<string | undefined> {
  const openBrackets: string[] = [];
  const place = createPlaceCounter();
  let item: { depth: number; text: string; isTooLong: boolean } | undefined;
  let itemEnd = 0; // offset of the end of the last item
  let isInString = false;
  let isEscaped = false;
  let word = ''; // the beginning of the last string, which is the key of the value that follows

  const add = (text: string): void => {
    if (!item) return;
    item.isTooLong ||= item.text.length + text.length > MAX_CHARS;
    item.text = item.isTooLong ? '' : item.text + text;
  };

  for await (const chunk of chunks) {
    let start = 0; // where the part of the chunk begins that is not in item.text yet
    for (let i = 0; i < chunk.length; i++) {
      const char = chunk[i] as string;
      if (char === '\n') place.lineBreak(i);
      if (isInString) {
        isInString = isEscaped || char !== '"';
        isEscaped = !isEscaped && char === '\\';
        if (isInString && word.length <= MAX_KEY_CHARS) word += char;
      } else if (char === '"') {
        isInString = true;
        word = '';
      } else if (char === '{' || char === '[') {
        if (openBrackets.length === MAX_DEPTH)
          throw limitError(place.placeAt(i), `brackets are nested more than ${MAX_DEPTH} levels deep.`);
        if (char === '[' && LIST_KEYS.has(word)) item = undefined; // this object only contains the list
        if (char === '{' && !item && openBrackets.at(-1) !== '{') {
          item = { depth: openBrackets.length, text: '', isTooLong: false };
          start = i;
        }
        openBrackets.push(char);
      } else if (char === '}' || char === ']') {
        openBrackets.pop();
        if (item?.depth !== openBrackets.length) continue;
        add(chunk.slice(start, i + 1));
        yield item.isTooLong ? undefined : item.text;
        item = undefined;
        itemEnd = place.offsetOf(i);
      }
    }
    const end = chunk.length - 1;
    if (item) add(chunk.slice(start));
    if (place.offsetOf(end) - itemEnd > MAX_GAP)
      throw limitError(place.placeAt(end), `no play ends within the last ${MAX_GAP} characters.`);
    place.chunkEnd(chunk.length);
  }
}
