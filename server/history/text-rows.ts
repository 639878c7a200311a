// Lines and CSV rows of a file that is read in pieces. A line or row that never ends is cut: it is no play, and would
// fill the memory.
const MOST_CHARS = 64 * 1024;

/** Lines without their ends; blank ones are left out. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split(/\r?\n/);
    rest = (parts.pop() ?? '').slice(0, MOST_CHARS);
    for (const part of parts) if (part.trim() !== '') yield part;
  }
  if (rest.trim() !== '') yield rest;
}

/** Rows of fields as RFC 4180 has them: quoted fields may hold the separator, doubled quotes and line breaks. */
export async function* csvRows(chunks: AsyncIterable<string>, separator: string): AsyncGenerator<string[]> {
  let row: string[] = [];
  let field = '';
  let quoted = false;
  let wasQuote = false; // a quote inside a quoted field: its end, or the first of two
  const endField = (): void => {
    row.push(field);
    field = '';
  };
  for await (const chunk of chunks) {
    for (const char of chunk) {
      if (quoted && !wasQuote) {
        if (char === '"') wasQuote = true;
        else if (field.length < MOST_CHARS) field += char;
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
      } else if (char !== '\r' && field.length < MOST_CHARS) field += char;
    }
  }
  endField();
  if (row.length > 1 || row[0]?.trim() !== '') yield row;
}
