// Lines and CSV rows of a stream. Too long ones are truncated, to limit memory.
const MAX_CHARS = 64 * 1024;

/** Lines without line breaks; skips blank ones. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split(/\r?\n/);
    rest = (parts.pop() ?? '').slice(0, MAX_CHARS);
    for (const part of parts) if (part.trim() !== '') yield part;
  }
  if (rest.trim() !== '') yield rest;
}

/** Rows as in RFC 4180: quoted fields may contain the separator, doubled quotes and line breaks. */
export async function* csvRows(chunks: AsyncIterable<string>, separator: string): AsyncGenerator<string[]> {
  let row: string[] = [];
  let field = '';
  let quoted = false;
  let wasQuote = false; // a quote in a quoted field: its end, or the first of two
  const endField = (): void => {
    row.push(field);
    field = '';
  };
  for await (const chunk of chunks) {
    for (const char of chunk) {
      if (quoted && !wasQuote) {
        if (char === '"') wasQuote = true;
        else if (field.length < MAX_CHARS) field += char;
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
      } else if (char !== '\r' && field.length < MAX_CHARS) field += char;
    }
  }
  endField();
  if (row.length > 1 || row[0]?.trim() !== '') yield row;
}
