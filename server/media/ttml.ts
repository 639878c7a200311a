// Parses lyrics in TTML (https://www.w3.org/TR/ttml2/), as Apple Music and others write them: a `p` per line, a `span`
// per word. Deliberately no XML parser is used: only the predefined entities are expanded.
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { lyricsLanguage } from './lyrics-language.ts';
import { unescapeXml } from './xml-text.ts';
import type { Lyrics, LyricsLine, LyricsWord } from './types.ts';

// These expressions run in linear time: none of them scans ahead from many starting points.
const LINE_END = /<\/p\s*>/i;
const LINE_TAG = /<p\b([^<>]*)>/i;
const TAG_OR_TEXT = /<(\/?)([\w:-]+)(?![\w:-])([^<>]*?)(\/?)>|([^<]+)/g;
const BEGIN_ATTRIBUTE = /\bbegin\s*=\s*["']([^"']*)["']/i;
/** The language of the document, in its first tag. */
const LANGUAGE_ATTRIBUTE = /^[^<]*(?:<[?!][^<>]*>\s*)*<tt\b[^<>]*\bxml:lang\s*=\s*["']([^"']*)["']/i;
const BACKGROUND_ROLE = /\brole\s*=\s*["']x-bg["']/i;
const { lines: MAX_LINES } = TEXT_LIMITS.lyrics;

export const isTtml = (text: string): boolean => /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<tt[\s>:]/i.test(text);

/** Parses a document; returns undefined if there is no line. */
export function parseTtml(text: string): Lyrics | undefined {
  const lines: LyricsLine[] = [];
  for (const paragraph of text.split(LINE_END).slice(0, -1)) {
    if (lines.length === MAX_LINES) break;
    const start = LINE_TAG.exec(paragraph);
    if (!start) continue;
    const [tag, attributes = ''] = start;
    const [voice, background] = readLine(paragraph.slice(start.index + tag.length));
    const startMs = timeOf(attributes) ?? voice.words[0]?.startMs;
    if (voice.text !== '') lines.push(toLine(voice, startMs));
    if (background.text !== '')
      lines.push({ ...toLine(background, background.words[0]?.startMs ?? startMs), isBackground: true });
  }
  if (lines.length === 0) return undefined;
  const languageTag = LANGUAGE_ATTRIBUTE.exec(text)?.[1];
  const language = languageTag === undefined ? undefined : lyricsLanguage(languageTag);
  const languagePart = language === undefined ? {} : { language };
  if (lines.some(({ startMs }) => startMs === undefined))
    return { synced: false, lines: lines.map((line) => ({ text: line.text })), ...languagePart };
  return { synced: true, lines: lines.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)), ...languagePart };
}

/** The text of one voice in a line, with the times of its words. */
interface Voice {
  text: string;
  words: LyricsWord[];
}

const toLine = ({ text, words }: Voice, startMs: number | undefined): LyricsLine => ({
  text,
  ...(startMs !== undefined && { startMs }),
  ...(words.length > 1 && { words }),
});

/** Reads the inside of a line. Spans with the role `x-bg` are the background voice, which may have spans of its own. */
function readLine(content: string): [voice: Voice, background: Voice] {
  const voices: [Voice, Voice] = [
    { text: '', words: [] },
    { text: '', words: [] },
  ];
  const spans: { startMs: number | undefined; isBackground: boolean }[] = [];
  for (const [, closingTag, name, attributes = '', selfClosing, raw] of content.matchAll(TAG_OR_TEXT)) {
    const span = spans.at(-1);
    const voice = voices[span?.isBackground ? 1 : 0];
    if (raw !== undefined) {
      const piece = unescapeXml(raw).replace(/\s+/g, ' ');
      const lastWord = voice.words.at(-1);
      if (span?.startMs !== undefined && lastWord?.startMs !== span.startMs)
        voice.words.push({ startMs: span.startMs, text: piece });
      else if (lastWord) lastWord.text += piece; // blanks between spans belong to the word before them
      voice.text += piece;
    } else if (name?.toLowerCase() === 'br') voice.text += ' ';
    else if (closingTag === '/') spans.pop();
    else if (selfClosing !== '/')
      spans.push({
        startMs: timeOf(attributes) ?? span?.startMs,
        isBackground: span?.isBackground === true || BACKGROUND_ROLE.test(attributes),
      });
  }
  for (const voice of voices) {
    voice.text = voice.text.replace(/\s+/g, ' ').trim();
    voice.words = voice.words.filter((word) => word.text.trim() !== '');
  }
  return voices;
}

/** Returns the milliseconds of `12.345s`, `345ms`, `1:02.5`, `00:01:02.500`, `62.5`; undefined for frames and ticks. */
function timeOf(attributes: string): number | undefined {
  const value = BEGIN_ATTRIBUTE.exec(attributes)?.[1]?.trim();
  if (value === undefined) return undefined;
  const [, amount, unit] = /^(\d{1,6}(?:\.\d+)?)(h|m|s|ms)?$/.exec(value) ?? [];
  if (amount !== undefined)
    return Math.round(Number(amount) * ({ h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }[unit ?? 's'] ?? 1_000));
  const [, hours = '0', minutes, seconds] = /^(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:\.\d+)?)$/.exec(value) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000);
}
