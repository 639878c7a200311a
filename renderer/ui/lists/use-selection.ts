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
  fetchRows: (firstRow: number, lastRow: number) => Promise<T[]>;
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

let wasCovered = false;
// the capture phase runs before the same key closes an open dialog
addEventListener(
  'keydown',
  () => {
    wasCovered = document.querySelector('[role="dialog"], [role="menu"]') !== null;
  },
  { capture: true },
);

/**
 * Returns whether a dialog or menu was open when Escape was pressed; Escape then closes it and keeps the selection.
 */
export const isCovered = (): boolean => wasCovered;

/** Handles a click on a row outside its links and buttons. On touch screens a click is the only way to open a row. */
export function chooseByClick(
  selection: Pick<ChosenRows, 'only' | 'toggle' | 'extend'>,
  event: MouseEvent,
  index: number,
  open: () => void,
): void {
  if ((event.target as HTMLElement).closest('a, button')) return;
  if (event.shiftKey) selection.extend(index, event.ctrlKey || event.metaKey);
  else if (event.ctrlKey || event.metaKey) selection.toggle(index);
  else if (event.nativeEvent instanceof PointerEvent && event.nativeEvent.pointerType === 'touch') open();
  else selection.only(index);
}

export function useSelection<T>({ total, item, idOf, fetchRows }: SelectionOptions<T>): ChosenRows {
  const [selection, setSelection] = useState<Selection>(EMPTY_SELECTION);
  const anchor = useRef(0);
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const latestProps = useRef({ total, item, idOf, fetchRows, t, tell });
  latestProps.current = { total, item, idOf, fetchRows, t, tell };
  /** Counts selections that replace the previous one, so that a range that arrives later is ignored. */
  const lastTurn = useRef(0);

  const idAt = (index: number): number | undefined => {
    const row = latestProps.current.item(index);
    return row === undefined ? undefined : latestProps.current.idOf(row);
  };
  /** Returns the ids of the loaded rows, which are selected at once. */
  const loadedIds = (firstRow: number, lastRow: number): Set<number> => {
    const ids = new Set<number>();
    for (let index = firstRow; index <= lastRow; index += 1) {
      const id = idAt(index);
      if (id !== undefined) ids.add(id);
    }
    return ids;
  };
  const startAt = useCallback(
    (index: number, change: (id: number) => (now: Selection) => Selection, replaces: boolean) => {
      if (replaces) lastTurn.current += 1;
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
        const ownTurn = (lastTurn.current += 1);
        const [firstRow, lastRow] = [Math.min(anchor.current, to), Math.max(anchor.current, to)];
        if (lastRow - firstRow >= MAX_SELECTED_ROWS) {
          if (firstRow === 0 && lastRow === latestProps.current.total - 1) setSelection(EVERYTHING);
          else
            latestProps.current.tell(
              latestProps.current.t('select.tooMany', { most: formatNumber(MAX_SELECTED_ROWS) }),
            );
          return;
        }
        const loadedRowIds = loadedIds(firstRow, lastRow);
        setSelection((now) => (add ? withRows(now, loadedRowIds, true) : choose(loadedRowIds)));
        if (loadedRowIds.size === lastRow - firstRow + 1) return;
        void latestProps.current.fetchRows(firstRow, lastRow).then((rows) => {
          if (lastTurn.current !== ownTurn) return;
          const ids = rows.map(latestProps.current.idOf).filter((id) => !loadedRowIds.has(id));
          setSelection((now) => withRows(now, ids, true));
        });
      },
      all: () => {
        lastTurn.current += 1;
        setSelection(EVERYTHING);
      },
      clear: () => {
        lastTurn.current += 1;
        setSelection(EMPTY_SELECTION);
      },
    }),
    [startAt],
  );

  return { selection, count: countChosen(selection, total), has: (id) => isChosen(selection, id), ...commands };
}
