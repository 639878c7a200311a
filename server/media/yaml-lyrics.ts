// Parses lyrics in YAML, as LRCGET writes them ("lyricsfile"): a list `lines` with texts, times and words, and plain
// text under `plain`.
import { parse } from 'yaml';
import { z } from 'zod';
import { TEXT_LIMITS } from '../runtime/text-limits.ts';
import { plainLyrics } from './plain-lyrics.ts';
import type { Lyrics, LyricsLine } from './types.ts';

const { lines: MAX_LINES } = TEXT_LIMITS.lyrics;
const Time = z.number().min(0).max(172_800_000).transform(Math.round);
const Word = z.object({ text: z.string(), start_ms: Time });
const Line = z.object({
  text: z.string().catch(''),
  start_ms: Time.optional().catch(undefined),
  words: z.array(Word).optional().catch(undefined),
});
const LyricsFile = z.object({
  metadata: z
    .object({ offset_ms: z.number().catch(0).default(0) })
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
    value = parse(text, { maxAliasCount: 0, schema: 'core', logLevel: 'silent' });
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
