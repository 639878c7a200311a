// The text of the lyrics editor, and its timed lines.
import { formatLrc, lrcTime } from '../../../server/media/lrc-format.ts';
import type { LyricsOut } from '../../api/routes.ts';

const STAMP = /^\s*\[(\d{1,3}):(\d{1,2}(?:[.:]\d{1,3})?)\]\s?/;
const WORD_STAMP = /<(\d{1,3}):(\d{1,2}(?:[.:]\d{1,3})?)>/g;

interface EditedLine {
  startMs: number | undefined;
  text: string;
}

const toMs = (minutes: string, seconds: string): number =>
  Math.round((Number(minutes) * 60 + Number(seconds.replace(':', '.'))) * 1_000);

export const toText = ({ lines }: LyricsOut): string =>
  formatLrc(
    lines.map(({ start_ms, text, words, background }) => ({
      startMs: start_ms,
      text,
      isBackground: background,
      words: words?.map((word) => ({ startMs: word.start_ms, text: word.text })),
    })),
  );

export const linesOf = (text: string): EditedLine[] =>
  text.split('\n').map((row) => {
    const [stamp, minutes = '', seconds = ''] = STAMP.exec(row) ?? [];
    return stamp === undefined
      ? { startMs: undefined, text: row }
      : { startMs: toMs(minutes, seconds), text: row.slice(stamp.length) };
  });

const textOf = (lines: readonly EditedLine[]): string =>
  lines.map(({ startMs, text }) => (startMs === undefined ? text : `[${lrcTime(startMs)}]${text}`)).join('\n');

export const withTime = (text: string, index: number, startMs: number | undefined): string =>
  textOf(linesOf(text).map((line, i) => (i === index ? { ...line, startMs } : line)));

/** Returns the text with every time of lines and words moved by `byMs`, but not before 0. */
export const shifted = (text: string, byMs: number): string => {
  const movedTime = (ms: number): number => Math.max(0, ms + byMs);
  return textOf(
    linesOf(text).map(({ startMs, text: lineText }) => ({
      startMs: startMs === undefined ? undefined : movedTime(startMs),
      text: lineText.replace(
        WORD_STAMP,
        (_, minutes: string, seconds: string) => `<${lrcTime(movedTime(toMs(minutes, seconds)))}>`,
      ),
    })),
  );
};
