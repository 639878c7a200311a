// Encodes text in charsets that Node can only decode, by trying what each byte or pair of bytes decodes to.
import type { Charset } from '../../server/media/charset.ts';

const tables = new Map<Charset, Map<string, number[]>>();

function tableOf(charset: Charset): Map<string, number[]> {
  const knownTable = tables.get(charset);
  if (knownTable) return knownTable;
  const table = new Map<string, number[]>();
  const decoder = new TextDecoder(charset, { fatal: true });
  const add = (...bytes: number[]): void => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if ([...text].length === 1 && !table.has(text)) table.set(text, bytes);
    } catch {
      // the charset has no character for these bytes
    }
  };
  for (let byte = 0; byte < 256; byte++) add(byte);
  // the main rows come first, because the extensions repeat some characters
  for (const from of [0xa1, 0x80])
    for (let lead = from; lead < 256; lead++) for (let trail = 0x40; trail < 256; trail++) add(lead, trail);
  tables.set(charset, table);
  return table;
}

/** Encodes a text; returns undefined if the charset lacks one of its characters. */
export function encodeCharset(text: string, charset: Charset): Buffer | undefined {
  if (charset === 'utf-8') return Buffer.from(text);
  const bytes: number[] = [];
  for (const letter of text) {
    const encodedLetter = tableOf(charset).get(letter);
    if (!encodedLetter) return undefined;
    bytes.push(...encodedLetter);
  }
  return Buffer.from(bytes);
}
