// A table of any length: sticky header, only rows on screen in the document, one row is the tab stop. Columns are
// data, so that choosing, ordering and resizing them only changes an array. Cells rerender only when their track or a
// column changes, and rows have no handlers of their own, because a held page key renders a screenful thirty times a
// second. Elements of rows that leave are reused for rows that enter.
import {
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type SyntheticEvent,
} from 'react';
import { classNames } from '../class-names.ts';
import { useRowHeight } from '../theme/density.ts';
import { usePlaceInScroller, useScroller } from './scroller.ts';
import { TableHeader, type ColumnSizing, type HeaderColumn } from './table-header.tsx';
import { useLast } from '../use-last.ts';
import { useLateFocus, useOncePerFrame, useRowWindow } from './use-row-window.ts';
import styles from './virtual-table.module.css';

export interface Column<T> extends HeaderColumn {
  /** Width as a grid track, such as `2fr` or `72px`. */
  width: string;
  /** Hidden on narrow windows. */
  wideOnly?: boolean;
  /** Minimum table width at which the column is visible, so that enough width is left for the title. */
  fromWidth?: number;
  /** Renders a cell; called again only for another item, another index or another array of columns. */
  cell: (item: T, index: number) => ReactNode;
}

type RowHandler<E extends SyntheticEvent> = (event: E, index: number, row: HTMLElement) => void;

/** Selectable rows. */
export interface RowChoice<T> {
  isChosen: (item: T) => boolean;
  /** Extends the selection from the row selected last to this row: Shift with an arrow, Home, End or page key. */
  onExtend: (to: number) => void;
  /** Handles keys that the table itself does not handle; returns true if the key was handled. */
  onKey: (event: KeyboardEvent, index: number) => boolean;
  onClick: RowHandler<MouseEvent>;
  onDragStart?: RowHandler<DragEvent>;
  onDragEnd: () => void;
  onDragOver?: RowHandler<DragEvent>;
  onDragLeave?: RowHandler<DragEvent>;
  onDrop?: RowHandler<DragEvent>;
}

export interface VirtualTableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  count: number;
  item: (index: number) => T | undefined;
  sort: { id: string; descending: boolean };
  onSort: (columnId: string) => void;
  /** Reports the rows in the document, from `first` to `last`, and the tab stop, which can be outside of them. */
  onRange: (firstRow: number, lastRow: number, stop: number) => void;
  onOpen: (index: number) => void;
  isCurrent: (item: T) => boolean;
  /** Returns attributes that identify a row in the document. */
  marks?: (item: T) => Record<`data-${string}`, string | number | true | undefined>;
  choice?: RowChoice<T>;
  sizing?: ColumnSizing;
  /**
   * Row height on a narrow window, where cells contain the values of hidden columns; by default the normal row height.
   */
  narrowRowHeight?: number | undefined;
  /** Scrolls to a row whenever the object changes, such as after type-ahead. */
  goTo?: { row: number } | undefined;
}

const HEADER_HEIGHT = 32;
const OVERSCAN = 8;

/** Returns the row of an event; null for the header, and for menus, which are portals. */
const rowOf = (event: SyntheticEvent) => (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
const indexOf = (row: HTMLElement) => Number(row.dataset['index']);

function onRow<E extends SyntheticEvent>(handle: RowHandler<E> | undefined) {
  return (
    handle &&
    ((event: E) => {
      const row = rowOf(event);
      if (row) handle(event, indexOf(row), row);
    })
  );
}

export function VirtualTable<T>({
  label,
  columns,
  count,
  item,
  sort,
  onSort,
  onRange,
  onOpen,
  isCurrent,
  marks,
  choice,
  sizing,
  goTo,
  narrowRowHeight,
}: VirtualTableProps<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const scroller = useScroller();
  const { top, width } = usePlaceInScroller(ref);
  const isNarrow = width < 720;
  const usualHeight = useRowHeight();
  const rowHeight = (isNarrow && narrowRowHeight) || usualHeight;
  const [stop, setStop] = useState(0);
  const shownIds = columns
    .filter(({ wideOnly, fromWidth = 0 }) => width >= fromWidth && !(isNarrow && wideOnly))
    .map(({ id }) => id)
    .join();
  const shownColumns = useMemo(() => columns.filter(({ id }) => shownIds.split(',').includes(id)), [columns, shownIds]);
  const template = shownColumns.map((column) => column.width).join(' ');
  const tabStop = Math.min(stop, count - 1);

  const { height, range, rows, isWaiting, reveal } = useRowWindow({
    count,
    rowHeight,
    overscan: OVERSCAN,
    margin: top + HEADER_HEIGHT,
    head: HEADER_HEIGHT,
    keptRow: tabStop,
    isLoaded: (row) => item(row) !== undefined,
  });
  useEffect(() => {
    if (range.last >= range.first) onRange(range.first, range.last, tabStop);
  }, [onRange, range.first, range.last, tabStop]);
  const focus = useLateFocus((row) => ref.current?.querySelector<HTMLElement>(`[data-index="${row}"]`));

  const isFirstInFrame = useOncePerFrame();
  const moveTo = useCallback(
    (row: number) => {
      setStop(row);
      reveal(row);
      focus(row);
    },
    [reveal, focus],
  );
  useEffect(() => {
    if (goTo) moveTo(goTo.row);
  }, [goTo]);

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rowOf(event);
    if (!row || event.target !== row) return;
    const hasNoModifier = !event.ctrlKey && !event.metaKey && !event.altKey;
    const page = Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / rowHeight) - 2);
    const to = {
      ArrowUp: stop - 1,
      ArrowDown: stop + 1,
      PageUp: stop - page,
      PageDown: stop + page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (hasNoModifier && to !== undefined) {
      const next = Math.min(count - 1, Math.max(0, to));
      if (!event.repeat || (!isWaiting && isFirstInFrame())) {
        moveTo(next);
        if (event.shiftKey) choice?.onExtend(next);
      }
    } else if (hasNoModifier && event.key === 'Enter') onOpen(stop);
    else if (!choice?.onKey(event, stop)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={ref}
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={shownColumns.length}
      aria-multiselectable={choice ? true : undefined}
      aria-busy={isWaiting || undefined}
      className={styles.table}
      data-narrow={isNarrow || undefined}
      onKeyDown={onKeyDown}
    >
      <TableHeader
        columns={shownColumns}
        template={template}
        height={HEADER_HEIGHT}
        sort={sort}
        onSort={onSort}
        {...(sizing && { sizing })}
      />
      <div
        role="rowgroup"
        className={styles.body}
        style={{ height }}
        onFocus={onRow((_, index) => setStop(index))}
        onDoubleClick={onRow((event, index) => {
          if (!(event.target as HTMLElement).closest('a, button')) onOpen(index);
        })}
        onClick={onRow(choice?.onClick)}
        onDragStart={onRow(choice?.onDragStart)}
        onDragEnd={choice?.onDragEnd}
        onDragOver={onRow(choice?.onDragOver)}
        onDragLeave={onRow(choice?.onDragLeave)}
        onDrop={onRow(choice?.onDrop)}
      >
        {rows.map(({ index, top: start, slot }) => {
          const row = item(index);
          // A blank row is focused only when the keyboard moves to it.
          return (
            <div
              key={slot}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              tabIndex={index === tabStop ? 0 : row && -1}
              draggable={(choice && row !== undefined) || undefined}
              data-blank={row === undefined || undefined}
              aria-busy={row === undefined || undefined}
              aria-current={(row && isCurrent(row)) || undefined}
              aria-selected={choice && (row ? choice.isChosen(row) : false)}
              {...(row && marks?.(row))}
              className={styles.row}
              style={{ gridTemplateColumns: template, height: rowHeight, top: start }}
            >
              <Cells columns={shownColumns} item={row} index={index} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface CellsProps<T> {
  columns: readonly Column<T>[];
  item: T | undefined;
  index: number;
}

const Cells = memo(function Cells<T>({ columns, item, index }: CellsProps<T>) {
  const shownItem = useLast(item);
  return (
    shownItem !== undefined &&
    columns.map((column, i) => (
      <div
        key={column.id}
        role="gridcell"
        aria-colindex={i + 1}
        className={classNames(styles.cell, column.align === 'end' && styles.end)}
      >
        {column.cell(shownItem, index)}
      </div>
    ))
  );
}) as <T>(props: CellsProps<T>) => ReactNode;
