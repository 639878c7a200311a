// Writes lyrics as LRC, enhanced if words have times. Pure functions; the editor in the windows uses them too.

interface FormattedLine {
  startMs?: number | undefined;
  text: string;
  words?: readonly { startMs: number; text: string }[] | undefined;
  isBackground?: boolean | undefined;
}

/** Formats a time as `01:02.34`, in hundredths of a second, which all readers accept. */
export function lrcTime(ms: number): string {
  const hundredths = Math.max(0, Math.round(ms / 10));
  const twoDigits = (value: number): string => `${value}`.padStart(2, '0');
  const [minutes, seconds] = [Math.floor(hundredths / 6_000), Math.floor(hundredths / 100) % 60];
  return `${twoDigits(minutes)}:${twoDigits(seconds)}.${twoDigits(hundredths % 100)}`;
}

export const formatLrc = (lines: readonly FormattedLine[]): string =>
  lines
    .map(({ startMs, text, words, isBackground = false }) => {
      const lineText = words ? words.map((word) => `<${lrcTime(word.startMs)}>${word.text}`).join('') : text;
      if (isBackground) return `[bg:${words ? lineText : `<${lrcTime(startMs ?? 0)}>${text}`}]`;
      return startMs === undefined ? text : `[${lrcTime(startMs)}]${lineText}`;
    })
    .join('\n');
