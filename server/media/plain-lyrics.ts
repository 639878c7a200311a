// Lyrics without times.
import type { Lyrics } from './types.ts';

/** Removes blank rows at the start and the end. Returns undefined when there are no others. */
export function plainLyrics(rows: readonly string[]): Lyrics | undefined {
  const lines = rows.map((row) => row.replaceAll('\0', '').trim());
  let start = 0;
  let end = lines.length;
  while (start < end && lines[start] === '') start++;
  while (end > start && lines[end - 1] === '') end--;
  return start === end ? undefined : { synced: false, lines: lines.slice(start, end).map((text) => ({ text })) };
}
