// Selection in a paged list, as in file managers: a click selects one row, Ctrl or Cmd and Space toggle, Shift selects
// a range, Ctrl+A all rows. Rows of a range may not be loaded, so ranges are fetched.
import { useCallback, useMemo, useRef, useState, type MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../format.ts';
import {
  choose,
  countChosen,
  EVERYTHING,
  isChosen,
  MAX_SELECTED_ROWS,
  EMPTY_SELECTION,
  toggled,
  withRows,
  type Selection,
} from './selection.ts';
import { useUndoNotice } from '../controls/undo-notice.tsx';

interface SelectionOptions<T> {
  total: number;
  item: (index: number) => T | undefined;
  idOf: (item: T) => number;
  /** Fetches the rows from `first` to `last`, including those not on screen. */
  fetchRows: (first: number, last: number) => Promise<T[]>;
}

export interface ChosenRows {
  selection: Selection;
  count: number;
  has: (id: number) => boolean;
  only: (index: number) => void;
  toggle: (index: number) => void;
  /** Selects from the row selected last to `to`; `add` keeps the rest of the selection. */
  extend: (to: number, add?: boolean) => void;
  all: () => void;
  clear: () => void;
}

let covered = false;
// the capture phase runs before the same key closes an open dialog
addEventListener(
  'keydown',
  () => {
    covered = document.querySelector('[role="dialog"], [role="menu"]') !== null;
  },
  { capture: true },
);

/**
 * Returns whether a dialog or menu was open when Escape was pressed; Escape then closes it and keeps the selection.
 */
export const isCovered = (): boolean => covered;

/** Handles a click on a row outside its links and buttons. On touch screens a click is the only way to open a row. */
export function chooseByClick(
  chosen: Pick<ChosenRows, 'only' | 'toggle' | 'extend'>,
  event: MouseEvent,
  index: number,
  open: () => void,
): void {
  if ((event.target as HTMLElement).closest('a, button')) return;
  if (event.shiftKey) chosen.extend(index, event.ctrlKey || event.metaKey);
  else if (event.ctrlKey || event.metaKey) chosen.toggle(index);
  else if (event.nativeEvent instanceof PointerEvent && event.nativeEvent.pointerType === 'touch') open();
  else chosen.only(index);
}

export function useSelection<T>({ total, item, idOf, fetchRows }: SelectionOptions<T>): ChosenRows {
  const [selection, setSelection] = useState<Selection>(EMPTY_SELECTION);
  const anchor = useRef(0);
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const latest = useRef({ total, item, idOf, fetchRows, t, tell });
  latest.current = { total, item, idOf, fetchRows, t, tell };
  /** Counts selections that replace the previous one, so that a range that arrives later is ignored. */
  const turn = useRef(0);

  const idAt = (index: number): number | undefined => {
    const row = latest.current.item(index);
    return row === undefined ? undefined : latest.current.idOf(row);
  };
  /** Returns the ids of the loaded rows, which are selected at once. */
  const loadedIds = (first: number, last: number): Set<number> => {
    const ids = new Set<number>();
    for (let index = first; index <= last; index += 1) {
      const id = idAt(index);
      if (id !== undefined) ids.add(id);
    }
    return ids;
  };
  const startAt = useCallback(
    (index: number, change: (id: number) => (now: Selection) => Selection, replaces: boolean) => {
      if (replaces) turn.current += 1;
      anchor.current = index;
      const id = idAt(index);
      if (id !== undefined) setSelection(change(id));
    },
    [],
  );

  const commands = useMemo(
    () => ({
      only: (index: number) => startAt(index, (id) => () => choose([id]), true),
      toggle: (index: number) => startAt(index, (id) => (now) => toggled(now, id), false),
      extend: (to: number, add = false) => {
        const mine = (turn.current += 1);
        const [first, last] = [Math.min(anchor.current, to), Math.max(anchor.current, to)];
        if (last - first >= MAX_SELECTED_ROWS) {
          if (first === 0 && last === latest.current.total - 1) setSelection(EVERYTHING);
          else latest.current.tell(latest.current.t('select.tooMany', { most: formatNumber(MAX_SELECTED_ROWS) }));
          return;
        }
        const loaded = loadedIds(first, last);
        setSelection((now) => (add ? withRows(now, loaded, true) : choose(loaded)));
        if (loaded.size === last - first + 1) return;
        void latest.current.fetchRows(first, last).then((rows) => {
          if (turn.current !== mine) return;
          const ids = rows.map(latest.current.idOf).filter((id) => !loaded.has(id));
          setSelection((now) => withRows(now, ids, true));
        });
      },
      all: () => {
        turn.current += 1;
        setSelection(EVERYTHING);
      },
      clear: () => {
        turn.current += 1;
        setSelection(EMPTY_SELECTION);
      },
    }),
    [startAt],
  );

  return { selection, count: countChosen(selection, total), has: (id) => isChosen(selection, id), ...commands };
}
