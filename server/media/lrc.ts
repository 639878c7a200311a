// Parses lyrics: LRC (`[01:23.45]line`, enhanced with times of words and with background voices), TTML, SubRip, WebVTT
// and YAML as timed lines, anything else as plain lines.
import { MAX_LYRICS } from './limits.ts';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { lyricsLanguage } from './lyrics-language.ts';
import { plainLyrics } from './plain-lyrics.ts';
import { isSubtitles, parseSubtitles } from './srt.ts';
import { isTtml, parseTtml } from './ttml.ts';
import { isYamlLyrics, parseYamlLyrics } from './yaml-lyrics.ts';
import type { Lyrics, LyricsLine, LyricsWord } from './types.ts';

const TIME_STAMP = /^\s*\[(\d{1,3}):([0-5]?\d)(?:[.:](\d{1,3}))?\]/;
const METADATA_LINE = /^\s*\[(ti|ar|al|au|by|re|ve|la|length|tool|offset|#)\s*:([^\]]*)\]\s*$/i;
/** A background voice of enhanced LRC, sung to the line above: `[bg: <00:12.34>(ooh)]`. */
const BACKGROUND_LINE = /^\s*\[bg:(.*)\]\s*$/i;
/** Word times of enhanced LRC: `<00:12.34>`. */
const WORD_TIME = /<(\d{1,3}):([0-5]?\d)(?:[.:](\d{1,3}))?>/g;
/** Maximum number of times of one line. */
const { timesPerLine: MAX_STAMPS } = TEXT_LIMITS.lyrics;

/** Parses lyrics; returns undefined for blank text. Timed lines are sorted by time; `[offset:ms]` is applied. */
export function parseLyrics(source: string): Lyrics | undefined {
  const text = source.length > MAX_LYRICS ? source.slice(0, MAX_LYRICS) : source;
  if (isTtml(text)) return parseTtml(text);
  if (isSubtitles(text)) return parseSubtitles(text);
  if (isYamlLyrics(text)) return parseYamlLyrics(text) ?? plainLyrics(text.split(/\r\n|\n|\r/));
  const rows = text.split(/\r\n|\n|\r/);
  const timedLines: LyricsLine[] = [];
  let offsetMs = 0;
  let language: string | undefined;
  let keptCharacters = 0;
  for (const row of rows) {
    if (keptCharacters > MAX_LYRICS) break; // a long line with many times is repeated for each time
    const header = METADATA_LINE.exec(row);
    if (header) {
      if (header[1]?.toLowerCase() === 'offset') offsetMs = Number.parseInt(header[2] as string, 10) || 0;
      if (header[1]?.toLowerCase() === 'la') language ??= lyricsLanguage(header[2] as string);
      continue;
    }
    const background = BACKGROUND_LINE.exec(row);
    if (background) {
      keptCharacters += pushBackground(background[1] as string, timedLines);
      continue;
    }
    keptCharacters += pushTimed(row, timedLines, MAX_LYRICS - keptCharacters);
  }
  if (timedLines.length > 0) {
    const applyOffset = (startMs: number): number => Math.max(0, startMs - offsetMs);
    for (const line of timedLines) {
      line.startMs = applyOffset(line.startMs as number);
      for (const word of line.words ?? []) word.startMs = applyOffset(word.startMs);
    }
    timedLines.sort((a, b) => (a.startMs as number) - (b.startMs as number));
    return { synced: true, lines: timedLines, ...(language !== undefined && { language }) };
  }
  const plain = plainLyrics(rows.filter((row) => !METADATA_LINE.test(row)));
  return plain && { ...plain, ...(language !== undefined && { language }) };
}

/** Adds a background voice to the line above, at the time of its first word. Returns the characters added. */
function pushBackground(row: string, timed: LyricsLine[]): number {
  const words = wordsOf(row);
  const text = row.replace(WORD_TIME, '').trim();
  const startMs = words[0]?.startMs ?? timed.at(-1)?.startMs;
  if (startMs === undefined || text === '') return 0;
  timed.push({ startMs, text, ...(words.length > 1 && { words }), isBackground: true });
  return text.length + 1;
}

/** Adds a line at each of its times, up to `room` characters; returns the characters added. */
function pushTimed(row: string, timedLines: LyricsLine[], maxCharacters: number): number {
  const starts: number[] = [];
  let remainder = row;
  for (
    let stamp = TIME_STAMP.exec(remainder);
    stamp && starts.length < MAX_STAMPS;
    stamp = TIME_STAMP.exec(remainder)
  ) {
    starts.push(toMs(stamp));
    remainder = remainder.slice(stamp[0].length);
  }
  if (starts.length === 0) return 0;
  const words = starts.length === 1 ? wordsOf(remainder) : [];
  const text = (words.length > 1 ? words.map((word) => word.text).join('') : remainder.replace(WORD_TIME, '')).trim();
  let addedCharacters = 0;
  for (const startMs of starts) {
    if (addedCharacters + text.length > maxCharacters) break;
    timedLines.push({ startMs, text, ...(words.length > 1 && { words }) });
    addedCharacters += text.length + 1;
  }
  return addedCharacters;
}

/** Returns the words with a time before them; a time after the last word ends the line. */
function wordsOf(row: string): LyricsWord[] {
  const stamps = [...row.matchAll(WORD_TIME)];
  return stamps.flatMap((stamp, index) => {
    const wordText = row.slice(stamp.index + stamp[0].length, stamps[index + 1]?.index ?? row.length);
    const text = wordText.replace(/\s+/g, ' ');
    return text.trim() === '' ? [] : [{ startMs: toMs(stamp), text: index === 0 ? text.trimStart() : text }];
  });
}

const toMs = (stamp: RegExpExecArray): number =>
  Number(stamp[1]) * 60_000 +
  Number(stamp[2]) * 1000 +
  (stamp[3] === undefined ? 0 : Math.round(Number(`0.${stamp[3]}`) * 1000));
