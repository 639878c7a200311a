// Type-ahead in a list that is sorted by the server and mostly not loaded: a binary search finds a row among a million
// in twenty requests.
import { useRef, type KeyboardEvent } from 'react';

const PAUSE_MS = 900;
/** Single-key shortcuts of the window; with Shift they are typed. */
const TAKEN = 'elpq';

/** Letters typed in quick succession, as one text; undefined for other keys. */
export function useTypeAhead(): (event: KeyboardEvent) => string | undefined {
  const typed = useRef({ text: '', at: 0 });
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || [...event.key].length !== 1) return undefined;
    const now = Date.now();
    const before = now - typed.current.at < PAUSE_MS ? typed.current.text : '';
    if (before === '' && (TAKEN.includes(event.key) || !/[\p{L}\p{N}]/u.test(event.key))) return undefined;
    typed.current = { text: before + event.key, at: now };
    return typed.current.text;
  };
}

/** The sort key: without diacritics, case and punctuation. */
export const comparable = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .trim();

/**
 * The first row whose name is not before `text`; `nameAt` returns undefined for rows without a name, which come last.
 */
export async function findRow(
  text: string,
  count: number,
  nameAt: (row: number) => Promise<string | undefined>,
  descending: boolean,
): Promise<number> {
  const wanted = comparable(text);
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const name = await nameAt(middle);
    const key = name === undefined ? undefined : comparable(name);
    const isBefore = key !== undefined && (descending ? key > wanted && !key.startsWith(wanted) : key < wanted);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, Math.max(0, count - 1));
}
