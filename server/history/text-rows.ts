// Reads lines and CSV rows of a stream. Throws `too_large` for a line or row that exceeds a limit.
import { limitError, TEXT_LIMITS } from '../runtime/text-limits.ts';

const { entryChars: MAX_CHARS, cells: MAX_CELLS } = TEXT_LIMITS.history;

/** Yields lines without their line breaks; blank lines are skipped. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let unfinishedLine = '';
  let line = 1;
  for await (const chunk of chunks) {
    const text = unfinishedLine + chunk;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      assertShort(end - start, line++);
      const lineText = text.slice(start, end).trimEnd();
      if (lineText.trim() !== '') yield lineText;
      start = end + 1;
    }
    unfinishedLine = text.slice(start);
    assertShort(unfinishedLine.length, line);
  }
  if (unfinishedLine.trim() !== '') yield unfinishedLine;
}

function assertShort(chars: number, line: number): void {
  if (chars > MAX_CHARS) throw limitError({ line }, `it has more than ${MAX_CHARS} characters.`);
}

/** Yields rows as in RFC 4180: quoted fields may contain the separator, doubled quotes and line breaks. */
export async function* csvRows(chunks: AsyncIterable<string>, separator: string): AsyncGenerator<string[]> {
  let row: string[] = [];
  let field = '';
  let rowChars = 0;
  let line = 1;
  let isQuoted = false;
  // whether the last character was a quote in a quoted field: the field's end, or the first of two quotes
  let wasQuote = false;
  const endField = (): void => {
    if (row.length === MAX_CELLS) throw limitError({ line }, `a row has more than ${MAX_CELLS} cells.`);
    row.push(field);
    field = '';
  };
  for await (const chunk of chunks) {
    for (const char of chunk) {
      if (++rowChars > MAX_CHARS) throw limitError({ line }, `a row has more than ${MAX_CHARS} characters.`);
      if (char === '\n') line++;
      if (isQuoted && !wasQuote) {
        if (char === '"') wasQuote = true;
        else field += char;
        continue;
      }
      if (wasQuote) {
        wasQuote = false;
        if (char === '"') {
          field += '"';
          continue;
        }
        isQuoted = false;
      }
      if (char === '"' && field === '') isQuoted = true;
      else if (char === separator) endField();
      else if (char === '\n') {
        endField();
        if (row.length > 1 || row[0]?.trim() !== '') yield row;
        row = [];
        rowChars = 0;
      } else if (char !== '\r') field += char;
    }
  }
  endField();
  if (row.length > 1 || row[0]?.trim() !== '') yield row;
}
