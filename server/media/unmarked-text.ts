// Decodes text that does not declare its charset. The readers replace each of its bytes beyond ASCII by a private-use
// character, so that it can be decoded when the charset is known.
import { decodeCharset, detectCharsets, USUAL_CHARSET, type Charset } from './charset.ts';
import type { AudioRead, Chapter, Tags } from './types.ts';

const FIRST_CODE = 0xf700;
const MARKED_CHARACTER = /[\uf780-\uf7ff]/;
const MARKED_RUN = /[\0-\x7f\uf780-\uf7ff]+/g;
/** Maximum number of texts used as evidence: names come first, lyrics last. */
const MAX_EVIDENCE_TEXTS = 8;
const MAX_EVIDENCE_CHARACTERS = 120;

/** Number of texts beyond ASCII whose bytes were kept in this thread; most files have none. */
let keptTexts = 0;

/** Keeps the bytes of a text without a declared charset. */
export function keepBytes(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end);
  let ascii = start;
  // the loop takes a third of a regular expression's time
  while (ascii < end && (bytes[ascii] as number) < 0x80) ascii++;
  if (ascii >= end) return text;
  keptTexts++;
  return text.replace(/[\x80-\xff]/g, (letter) => String.fromCharCode(FIRST_CODE + letter.charCodeAt(0)));
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0) & 0xff);

export const decodeKept = (text: string, charset: Charset): string =>
  MARKED_CHARACTER.test(text)
    ? text.replace(MARKED_RUN, (run) => (MARKED_CHARACTER.test(run) ? decodeCharset(bytesOf(run), charset) : run))
    : text;

/** Decodes a single text; its charset is changed only if the detection is certain. */
export function decodeAlone(text: string): string {
  if (!MARKED_CHARACTER.test(text)) return text;
  const markedLines = text.split('\n').filter((line) => MARKED_CHARACTER.test(line));
  return decodeKept(text, detectCharsets([[bytesOf(markedLines.join('\n'))]])[0] ?? USUAL_CHARSET);
}

/** Yields every text of the tags. */
function* textsOf(tags: Tags): Generator<string> {
  for (const value of Object.values(tags)) {
    if (typeof value === 'string') yield value;
    else if (Array.isArray(value)) for (const item of value) yield typeof item === 'string' ? item : item.title;
  }
  for (const { text } of tags.lyrics?.lines ?? []) yield text;
}

function mapTexts(tags: Tags, map: (text: string) => string): Tags {
  const mapItem = (item: string | Chapter): string | Chapter =>
    typeof item === 'string' ? map(item) : { ...item, title: map(item.title) };
  const mappedTags = Object.fromEntries(
    Object.entries(tags).map(([name, value]) => [
      name,
      typeof value === 'string' ? map(value) : Array.isArray(value) ? value.map(mapItem) : value,
    ]),
  ) as unknown as Tags;
  const { lyrics } = tags;
  if (lyrics) mappedTags.lyrics = { ...lyrics, lines: lyrics.lines.map((line) => ({ ...line, text: map(line.text) })) };
  return mappedTags;
}

/** Returns the texts of a file that are not ASCII and do not declare their charset. */
function evidenceOf(tags: Tags): Uint8Array[] {
  const texts = new Set<string>();
  for (const text of textsOf(tags)) {
    if (MARKED_CHARACTER.test(text)) texts.add(text.slice(0, MAX_EVIDENCE_CHARACTERS));
    if (texts.size === MAX_EVIDENCE_TEXTS) break;
  }
  return Array.from(texts, bytesOf);
}

/** Decodes the tags with a charset, or with the charset detected from this file alone. */
export function decodeTags<R extends AudioRead>(audioRead: R, charset?: Charset): R {
  const undecodedTags = audioRead.unmarked ?? audioRead.tags;
  const evidence = evidenceOf(undecodedTags);
  if (evidence.length === 0) return audioRead;
  const usedCharset = charset ?? detectCharsets([evidence])[0] ?? USUAL_CHARSET;
  return {
    ...audioRead,
    unmarked: undecodedTags,
    charset: usedCharset,
    tags: mapTexts(undecodedTags, (text) => decodeKept(text, usedCharset)),
  };
}

/** Decodes the tags of a file that `read` reads, if any of its texts needs it. */
export function readDecoded<R extends AudioRead>(read: () => R | undefined): R | undefined {
  const previousKeptTexts = keptTexts;
  const audioRead = read();
  return audioRead === undefined || keptTexts === previousKeptTexts ? audioRead : decodeTags(audioRead);
}

/** Decodes the tags of files of one album. detectCharsets explains `knownCharsets`. */
export function decodeAlbum<R extends AudioRead>(reads: readonly R[], knownCharsets: readonly Charset[]): R[] {
  const charsets = detectCharsets(
    reads.map(({ unmarked }) => (unmarked ? evidenceOf(unmarked) : [])),
    knownCharsets,
  );
  return reads.map((audioRead, i) => (audioRead.unmarked ? decodeTags(audioRead, charsets[i]) : audioRead));
}

/** Returns whether a text of the `unmarked` tags has bytes that have to be decoded with the charset. */
export const isUnmarked = (text: string | undefined): boolean => text !== undefined && MARKED_CHARACTER.test(text);
