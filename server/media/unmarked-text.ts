// Text that does not say its charset passes the readers with each byte beyond ASCII as one private character, so that
// it can be decoded when the charset is known.
import { decodeCharset, detectCharsets, USUAL_CHARSET, type Charset } from './charset.ts';
import type { AudioRead, Chapter, Tags } from './types.ts';

const FIRST = 0xf700;
const MARKED = /[\uf780-\uf7ff]/;
const RUN = /[\0-\x7f\uf780-\uf7ff]+/g;
/** Of a file: names come first, lyrics last. */
const MOST_TEXTS = 8;
const MOST_CHARACTERS = 120;

/** Texts beyond ASCII whose bytes were kept in this thread: most files have none, and nothing to decode. */
let keptTexts = 0;

/** Keeps the bytes of a text without a declared charset. */
export function keepBytes(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end);
  let ascii = start;
  while (ascii < end && (bytes[ascii] as number) < 0x80) ascii++; // a third of a regular expression's time
  if (ascii >= end) return text;
  keptTexts++;
  return text.replace(/[\x80-\xff]/g, (letter) => String.fromCharCode(FIRST + letter.charCodeAt(0)));
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0) & 0xff);

export const decodeKept = (text: string, charset: Charset): string =>
  MARKED.test(text)
    ? text.replace(RUN, (run) => (MARKED.test(run) ? decodeCharset(bytesOf(run), charset) : run))
    : text;

/** Decodes a single text; its charset is changed only if it is certain. */
export function decodeAlone(text: string): string {
  if (!MARKED.test(text)) return text;
  const telling = text.split('\n').filter((line) => MARKED.test(line));
  return decodeKept(text, detectCharsets([[bytesOf(telling.join('\n'))]])[0] ?? USUAL_CHARSET);
}

/** Every text in the tags. */
function* textsOf(tags: Tags): Generator<string> {
  for (const value of Object.values(tags)) {
    if (typeof value === 'string') yield value;
    else if (Array.isArray(value)) for (const one of value) yield typeof one === 'string' ? one : one.title;
  }
  for (const { text } of tags.lyrics?.lines ?? []) yield text;
}

function mapTexts(tags: Tags, map: (text: string) => string): Tags {
  const mapOne = (one: string | Chapter): string | Chapter =>
    typeof one === 'string' ? map(one) : { ...one, title: map(one.title) };
  const mapped = Object.fromEntries(
    Object.entries(tags).map(([name, value]) => [
      name,
      typeof value === 'string' ? map(value) : Array.isArray(value) ? value.map(mapOne) : value,
    ]),
  ) as unknown as Tags;
  const { lyrics } = tags;
  if (lyrics) mapped.lyrics = { ...lyrics, lines: lyrics.lines.map((line) => ({ ...line, text: map(line.text) })) };
  return mapped;
}

/** The texts of a file that are not ASCII and do not say their charset. */
function evidenceOf(tags: Tags): Uint8Array[] {
  const texts = new Set<string>();
  for (const text of textsOf(tags)) {
    if (MARKED.test(text)) texts.add(text.slice(0, MOST_CHARACTERS));
    if (texts.size === MOST_TEXTS) break;
  }
  return Array.from(texts, bytesOf);
}

/** Decodes the tags with a charset, or with what can be told from this file alone. */
export function decodeTags<R extends AudioRead>(read: R, charset?: Charset): R {
  const kept = read.unmarked ?? read.tags;
  const evidence = evidenceOf(kept);
  if (evidence.length === 0) return read;
  const used = charset ?? detectCharsets([evidence])[0] ?? USUAL_CHARSET;
  return { ...read, unmarked: kept, charset: used, tags: mapTexts(kept, (text) => decodeKept(text, used)) };
}

/** Decodes the tags of a file that `read` reads, if any of its texts needs it. */
export function readDecoded<R extends AudioRead>(read: () => R | undefined): R | undefined {
  const before = keptTexts;
  const found = read();
  return found === undefined || keptTexts === before ? found : decodeTags(found);
}

/** Decodes the tags of files of one album; `known`: see detectCharsets. */
export function decodeAlbum<R extends AudioRead>(reads: readonly R[], known: readonly Charset[]): R[] {
  const charsets = detectCharsets(
    reads.map(({ unmarked }) => (unmarked ? evidenceOf(unmarked) : [])),
    known,
  );
  return reads.map((read, i) => (read.unmarked ? decodeTags(read, charsets[i]) : read));
}

/** Whether a text of `unmarked` tags has bytes that are decoded with the charset. */
export const isUnmarked = (text: string | undefined): boolean => text !== undefined && MARKED.test(text);
