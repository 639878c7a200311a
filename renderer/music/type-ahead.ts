// Type-ahead in a list that the server sorts and that is mostly not loaded: a binary search finds a row among a
// million in twenty requests.
import { useRef, useState, type KeyboardEvent } from 'react';
import { detailOf } from '../api/problem.ts';
import { comparable } from '../ui/comparable.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';

const PAUSE_MS = 900;
/** Keys that are single-key shortcuts of the window; letters are typed with Shift. */
const SHORTCUT_LETTERS = 'eflpq012345';

/**
 * Returns a function that joins letters typed in quick succession to one text, and returns undefined for other keys.
 */
function useTypeAhead(): (event: KeyboardEvent) => string | undefined {
  const typedText = useRef({ text: '', at: 0 });
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || [...event.key].length !== 1) return undefined;
    const now = Date.now();
    const previousText = now - typedText.current.at < PAUSE_MS ? typedText.current.text : '';
    if (previousText === '' && (SHORTCUT_LETTERS.includes(event.key) || !/[\p{L}\p{N}]/u.test(event.key)))
      return undefined;
    typedText.current = { text: previousText + event.key, at: now };
    return typedText.current.text;
  };
}

interface JumpOptions {
  count: number;
  /** Returns the name that the list is sorted by; undefined if the list is not sorted by a name. */
  nameAt: ((row: number) => Promise<string | undefined>) | undefined;
  descending: boolean;
}

/** Jumps to names: by typing in the list, or by the letters beside the list. */
export function useJump({ count, nameAt, descending }: JumpOptions) {
  const textOfKey = useTypeAhead();
  const [goTo, setGoTo] = useState<{ row: number } | undefined>();
  const { tell } = useUndoNotice();
  /** Counts jumps, because the response to the first letter may arrive after the response to both. */
  const lastJump = useRef(0);
  const jump = (text: string): void => {
    if (!nameAt || count === 0) return;
    const ownJump = (lastJump.current += 1);
    findRow(text, count, nameAt, descending).then(
      (row) => ownJump === lastJump.current && setGoTo({ row }),
      (error: unknown) => tell(detailOf(error)),
    );
  };
  return {
    /** The row to scroll to, as a new object for each jump. */
    goTo,
    setGoTo,
    jump,
    /** Returns true if the key was typed as text. */
    onType: (event: KeyboardEvent): boolean => {
      const text = textOfKey(event);
      if (text === undefined) return false;
      jump(text);
      return true;
    },
    letters: nameAt !== undefined && count >= LINEAR_SEARCH_ROWS ? { descending, onJump: jump } : null,
  };
}

/** Lists with fewer rows have no letters beside them. */
const LINEAR_SEARCH_ROWS = 60;

/**
 * Returns the first row whose name is not before `text`; `nameAt` returns undefined for rows without a name, which are
 * last.
 */
export async function findRow(
  text: string,
  count: number,
  nameAt: (row: number) => Promise<string | undefined>,
  descending: boolean,
): Promise<number> {
  const prefix = comparable(text);
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const name = await nameAt(middle);
    const key = name === undefined ? undefined : comparable(name);
    const isBefore = key !== undefined && (descending ? key > prefix && !key.startsWith(prefix) : key < prefix);
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, Math.max(0, count - 1));
}
