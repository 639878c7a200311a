// Many ids as one text: a row for each would take up to twice the time.

/** Of a statement that gives ids in its first column. */
export const asText = (sql: string): string => `SELECT group_concat(id) FROM (${sql})`;

const [ZERO, COMMA] = [48, 44];

export function fromText(text: string | null | undefined): Int32Array {
  if (!text) return new Int32Array();
  let count = 1;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === COMMA) count++;
  const ids = new Int32Array(count);
  let id = 0;
  let n = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === COMMA) {
      ids[n++] = id;
      id = 0;
    } else id = id * 10 + sign - ZERO;
  }
  ids[n] = id;
  return ids;
}
