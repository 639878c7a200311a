// Parses lyrics in YAML, as LRCGET writes them ("lyricsfile"): a list `lines` with texts, times and words, and plain
// text under `plain`.
import { CST, Lexer, parse } from 'yaml';
import { z } from 'zod';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { plainLyrics } from './plain-lyrics.ts';
import { toOneLine } from './text.ts';
import type { Lyrics, LyricsLine } from './types.ts';

const { lines: MAX_LINES } = TEXT_LIMITS.lyrics;
/** Two days. */
const MAX_TIME_MS = 172_800_000;
const MAX_NESTING = 8;
const Time = z.number().min(0).max(MAX_TIME_MS).transform(Math.round);
const Offset = z.number().min(-MAX_TIME_MS).max(MAX_TIME_MS).transform(Math.round);
const Text = z.string().transform((text) => toOneLine(text, Infinity));
const Word = z.object({ text: Text, start_ms: Time });
const Line = z.object({
  text: Text.catch(''),
  start_ms: Time.optional().catch(undefined),
  words: z.array(Word).optional().catch(undefined),
});
const LyricsFile = z.object({
  metadata: z
    .object({ offset_ms: Offset.catch(0).default(0) })
    .optional()
    .catch(undefined),
  lines: z.array(Line).max(MAX_LINES).optional().catch(undefined),
  plain: z.string().optional().catch(undefined),
});

/** Returns whether the text is a mapping with `lines` or `plain` in it. */
export const isYamlLyrics = (text: string): boolean => /^(?:lines|plain)[ \t]*:/m.test(text.slice(0, 4_000));

/** Returns undefined when the text is no YAML of this form, or has no lines. */
export function parseYamlLyrics(text: string): Lyrics | undefined {
  let value: unknown;
  try {
    if (!isShallow(text)) return undefined;
    value = parse(text, { maxAliasCount: 0, uniqueKeys: false, schema: 'core', logLevel: 'silent' });
  } catch {
    return undefined;
  }
  const { data } = LyricsFile.safeParse(value);
  if (!data) return undefined;
  const offsetMs = data.metadata?.offset_ms ?? 0;
  const lines = (data.lines ?? []).filter((line) => line.text.trim() !== '');
  if (lines.length === 0) return plainLyrics((data.plain ?? '').split(/\r\n|\n|\r/));
  const withOffset = (startMs: number): number => Math.max(0, startMs - offsetMs);
  const timedLines = lines.flatMap(({ text: lineText, start_ms, words = [] }): LyricsLine[] =>
    start_ms === undefined
      ? []
      : [
          {
            startMs: withOffset(start_ms),
            text: lineText.trim(),
            ...(words.length > 1 && {
              words: words.map((word) => ({ startMs: withOffset(word.start_ms), text: word.text })),
            }),
          },
        ],
  );
  if (timedLines.length < lines.length)
    return { synced: false, lines: lines.map((line) => ({ text: line.text.trim() })) };
  return { synced: true, lines: timedLines.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)) };
}

/**
 * Returns whether lists and mappings are nested only as lyrics need it, and all keys are plain. The library turns lists
 * and mappings that are keys into text, again at each level, which takes hours for a text of 1 KB.
 */
function isShallow(text: string): boolean {
  let depth = 0;
  let itemsInRow = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    const type: CST.TokenType | null = isScalar ? null : CST.tokenType(token);
    isScalar = type === 'scalar';
    if (type === 'explicit-key-ind') return false;
    if (type === 'flow-seq-start' || type === 'flow-map-start') depth++;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') depth = Math.max(0, depth - 1);
    else if (type === 'newline') itemsInRow = 0;
    else if (type === 'seq-item-ind') itemsInRow++;
    if (depth > MAX_NESTING || itemsInRow > MAX_NESTING) return false;
  }
  return true;
}
