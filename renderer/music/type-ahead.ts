// Type-ahead in a list that is sorted by the server and mostly not loaded: a binary search finds a row among a million
// in twenty requests.
import { useRef, useState, type KeyboardEvent } from 'react';
import { detailOf } from '../api/problem.ts';
import { comparable } from '../ui/comparable.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';

const PAUSE_MS = 900;
/** Single-key shortcuts of the window; with Shift they are typed. */
const SHORTCUT_LETTERS = 'eflpq';

/** Letters typed in quick succession, as one text; undefined for other keys. */
function useTypeAhead(): (event: KeyboardEvent) => string | undefined {
  const typed = useRef({ text: '', at: 0 });
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || [...event.key].length !== 1) return undefined;
    const now = Date.now();
    const previousText = now - typed.current.at < PAUSE_MS ? typed.current.text : '';
    if (previousText === '' && (SHORTCUT_LETTERS.includes(event.key) || !/[\p{L}\p{N}]/u.test(event.key)))
      return undefined;
    typed.current = { text: previousText + event.key, at: now };
    return typed.current.text;
  };
}

interface JumpOptions {
  count: number;
  /** The name that the list is sorted by; undefined where it is sorted by something else. */
  nameAt: ((row: number) => Promise<string | undefined>) | undefined;
  descending: boolean;
}

/** Jumping to names: by typing in the list, or by the letters beside it. */
export function useJump({ count, nameAt, descending }: JumpOptions) {
  const typed = useTypeAhead();
  const [goTo, setGoTo] = useState<{ row: number } | undefined>();
  const { tell } = useUndoNotice();
  /** Counts jumps: the answer to the first letter may come after that to both. */
  const turn = useRef(0);
  const jump = (text: string): void => {
    if (!nameAt || count === 0) return;
    const mine = (turn.current += 1);
    findRow(text, count, nameAt, descending).then(
      (row) => mine === turn.current && setGoTo({ row }),
      (error: unknown) => tell(detailOf(error)),
    );
  };
  return {
    /** The row to show, as a new object for each jump. */
    goTo,
    setGoTo,
    jump,
    /** True when the key was typed text. */
    onType: (event: KeyboardEvent): boolean => {
      const text = typed(event);
      if (text === undefined) return false;
      jump(text);
      return true;
    },
    letters: nameAt !== undefined && count >= LINEAR_SEARCH_ROWS ? { descending, onJump: jump } : null,
  };
}

/** Fewer rows than this need no letters. */
const LINEAR_SEARCH_ROWS = 60;

/**
 * The first row whose name is not before `text`; `nameAt` returns undefined for rows without a name, which come last.
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
