// Lines and CSV rows of a stream. Throws `too_large` at a line or row over a limit.
import { overLimit, TEXT_LIMITS } from '../runtime/text-limits.ts';

const { entryChars: MAX_CHARS, cells: MAX_CELLS } = TEXT_LIMITS.history;

/** Lines without line breaks; skips blank ones. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let line = 1;
  for await (const chunk of chunks) {
    const text = rest + chunk;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      assertShort(end - start, line++);
      const part = text.slice(start, end).trimEnd();
      if (part.trim() !== '') yield part;
      start = end + 1;
    }
    rest = text.slice(start);
    assertShort(rest.length, line);
  }
  if (rest.trim() !== '') yield rest;
}

function assertShort(chars: number, line: number): void {
  if (chars > MAX_CHARS) throw overLimit({ line }, `it has more than ${MAX_CHARS} characters.`);
}

/** Rows as in RFC 4180: quoted fields may contain the separator, doubled quotes and line breaks. */
export async function* csvRows(chunks: AsyncIterable<string>, separator: string): AsyncGenerator<string[]> {
  let row: string[] = [];
  let field = '';
  let rowChars = 0;
  let line = 1;
  let quoted = false;
  let wasQuote = false; // a quote in a quoted field: its end, or the first of two
  const endField = (): void => {
    if (row.length === MAX_CELLS) throw overLimit({ line }, `a row has more than ${MAX_CELLS} cells.`);
    row.push(field);
    field = '';
  };
  for await (const chunk of chunks) {
    for (const char of chunk) {
      if (++rowChars > MAX_CHARS) throw overLimit({ line }, `a row has more than ${MAX_CHARS} characters.`);
      if (char === '\n') line++;
      if (quoted && !wasQuote) {
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
        quoted = false;
      }
      if (char === '"' && field === '') quoted = true;
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
