// Parses subtitles in SubRip (`.srt`) and WebVTT (`.vtt`) as timed lyrics. https://www.w3.org/TR/webvtt1/
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import type { Lyrics, LyricsLine } from './types.ts';

/** `00:01:02,500 --> 00:01:04,000`; WebVTT writes a dot, and may leave out the hours. */
const TIMES = /^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})\s*-->/;
const MARKUP = /<[^<>]{0,100}>|\{\\[^{}]{0,100}\}/g;
const { lines: MAX_LINES } = TEXT_LIMITS.lyrics;

/** Returns whether one of the first rows has the times of a subtitle. */
export const isSubtitles = (text: string): boolean =>
  text
    .slice(0, 2_000)
    .split(/\r\n|\n|\r/)
    .some((row) => TIMES.test(row));

/** Returns undefined when no subtitle has text. The rows of one subtitle become one line. */
export function parseSubtitles(text: string): Lyrics | undefined {
  const subtitles: { startMs: number; rows: string[] }[] = [];
  let subtitle: { startMs: number; rows: string[] } | undefined;
  for (const row of text.split(/\r\n|\n|\r/)) {
    const times = TIMES.exec(row);
    if (times) {
      if (subtitles.length === MAX_LINES) break;
      subtitle = { startMs: toMs(times), rows: [] };
      subtitles.push(subtitle);
    } else if (row.trim() === '') subtitle = undefined;
    else subtitle?.rows.push(row.replace(MARKUP, '').trim());
  }
  const timedLines = subtitles.flatMap(({ startMs, rows }): LyricsLine[] => {
    const lineText = rows.filter((row) => row !== '').join(' ');
    return lineText === '' ? [] : [{ startMs, text: lineText }];
  });
  if (timedLines.length === 0) return undefined;
  return { synced: true, lines: timedLines.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)) };
}

function toMs([, hours = '0', minutes, seconds, fraction = '0']: RegExpExecArray): number {
  const wholeSeconds = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return wholeSeconds * 1_000 + Math.round(Number(`0.${fraction}`) * 1_000);
}
