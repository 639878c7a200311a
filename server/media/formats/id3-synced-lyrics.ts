// Reads SYLT frames: timed lyrics as a sequence of text, NUL and time.
import { u32be } from '../integers.ts';
import { MAX_LYRICS } from '../limits.ts';
import { lyricsLanguage } from '../lyrics-language.ts';
import type { Lyrics, LyricsLine } from '../types.ts';
import { afterTerminator, decodeText } from './id3-text.ts';

const MILLISECONDS = 2;
const LYRICS = 1;
const TRANSCRIPTION = 2;

/** Reads timed lyrics. Returns undefined for other content (chords, events) and for times in MPEG frames. */
export function readSyncedLyrics(b: Buffer, start: number, end: number): Lyrics | undefined {
  if (end - start < 7 || b[start + 4] !== MILLISECONDS || (b[start + 5] !== LYRICS && b[start + 5] !== TRANSCRIPTION))
    return undefined;
  const encoding = b[start] as number;
  const pieces: LyricsLine[] = [];
  let charCount = 0;
  for (let i = afterTerminator(encoding, b, start + 6, end); i >= 0 && i < end && charCount < MAX_LYRICS;) {
    const timeAt = afterTerminator(encoding, b, i, end);
    if (timeAt < 0 || timeAt + 4 > end) break;
    const text = decodeText(encoding, b, i, timeAt).replace(/[\0\ufeff]/g, '');
    charCount += text.length + 1;
    pieces.push({ startMs: u32be(b, timeAt), text });
    i = timeAt + 4;
  }
  const lines = joinPieces(pieces);
  const language = lyricsLanguage(b.toString('latin1', start + 1, start + 4));
  return lines.some((line) => line.text !== '')
    ? { synced: true, lines, ...(language !== undefined && { language }) }
    : undefined;
}

/**
 * Joins the syllables that karaoke files time. A line break stands at the start of a line, or at the end of the one
 * before. Without breaks, every piece is a line.
 */
function joinPieces(pieces: LyricsLine[]): LyricsLine[] {
  const hasBreaks = pieces.some(
    ({ text }, i) => (i > 0 && /^[\r\n]/.test(text)) || (i < pieces.length - 1 && /[\r\n]$/.test(text)),
  );
  const lines: LyricsLine[] = [];
  let isLineOpen = false;
  for (const piece of pieces) {
    const lastLine = lines.at(-1);
    if (hasBreaks && isLineOpen && lastLine && !/^[\r\n]/.test(piece.text)) lastLine.text += piece.text;
    else lines.push({ ...piece });
    isLineOpen = !/[\r\n]$/.test(piece.text);
  }
  for (const line of lines) line.text = line.text.trim();
  return lines;
}
