/** The next line is highlighted this early, because people read a little ahead of what they hear. */
const AHEAD_MS = 200;

/** Returns the index of the current line, or -1 before the first line. Lines are sorted by time. */
export function lineAt(lines: readonly { start_ms?: number | undefined }[], positionMs: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.start_ms ?? 0) <= positionMs + AHEAD_MS) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the index of a line, or that of the line before to which it is the background voice. */
export function leadingLine(lines: readonly { background?: boolean | undefined }[], index: number): number {
  let leading = index;
  while (leading > 0 && lines[leading]?.background) leading--;
  return leading;
}
