// A table of any length: the header stays, rows on screen are in the document, one row is the tab stop. Columns are data, so that choosing,
// ordering and sizing them changes an array and nothing else.
import { useCallback, useEffect, useRef, useState, type HTMLAttributes, type KeyboardEvent, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { usePlaceInScroller, useScroller } from './scroller.ts';
import { Skeleton } from './states.tsx';
import { TableHeader, type ColumnSizing } from './table-header.tsx';
import { useLateFocus, useOncePerFrame, useRowWindow } from './use-row-window.ts';
import styles from './virtual-table.module.css';

export interface Column<T> {
  id: string;
  label: string;
  /** Width as a grid track, such as `2fr` or `72px`. */
  width: string;
  align?: 'end';
  /** Left out on narrow windows. */
  wideOnly?: boolean;
  sortable?: boolean;
  cell: (item: T, index: number) => ReactNode;
}

/** Rows that can be chosen, several at a time. */
export interface RowChoice<T> {
  isChosen: (item: T) => boolean;
  /** Shift on an arrow, Home, End or page key: everything from the last choice to this row. */
  onExtend: (to: number) => void;
  /** Keys that the table has no use for; true when it was handled. */
  onKey: (event: KeyboardEvent, index: number) => boolean;
  /** What else a row does: clicks, dragging, the context menu. */
  rowProps: (index: number) => HTMLAttributes<HTMLDivElement>;
}

interface VirtualTableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  count: number;
  item: (index: number) => T | undefined;
  sort: { id: string; descending: boolean };
  onSort: (columnId: string) => void;
  onRange: (first: number, last: number) => void;
  onOpen: (index: number) => void;
  isCurrent: (item: T) => boolean;
  choice?: RowChoice<T>;
  sizing?: ColumnSizing;
  /** Goes to a row whenever the object changes: where typing led. */
  goTo?: { row: number } | undefined;
}

const ROW_HEIGHT = 48;
const HEADER_HEIGHT = 36;
const OVERSCAN = 8;

export function VirtualTable<T>({ label, columns, count, item, sort, onSort, onRange, onOpen, isCurrent, choice, sizing, goTo }: VirtualTableProps<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const scroller = useScroller();
  const { top, width } = usePlaceInScroller(ref);
  const [stop, setStop] = useState(0);
  const shown = width < 720 ? columns.filter((column) => !column.wideOnly) : columns;
  const template = shown.map((column) => column.width).join(' ');
  const tabStop = Math.min(stop, count - 1);

  const { height, range, rows, reveal } = useRowWindow({ count, rowHeight: ROW_HEIGHT, overscan: OVERSCAN, margin: top + HEADER_HEIGHT, head: HEADER_HEIGHT, kept: tabStop });
  useEffect(() => { if (range.last >= range.first) onRange(range.first, range.last); }, [onRange, range.first, range.last]);
  const focus = useLateFocus((row) => ref.current?.querySelector<HTMLElement>(`[data-index="${row}"]`));

  const isFirstInFrame = useOncePerFrame();
  const go = useCallback((row: number) => {
    setStop(row);
    reveal(row);
    focus(row);
  }, [reveal, focus]);
  useEffect(() => { if (goTo) go(goTo.row); }, [goTo]);

  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    if (!row || event.target !== row) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const page = Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const to = { ArrowUp: stop - 1, ArrowDown: stop + 1, PageUp: stop - page, PageDown: stop + page, Home: 0, End: count - 1 }[event.key];
    if (plain && to !== undefined) {
      const next = Math.min(count - 1, Math.max(0, to));
      if (!event.repeat || isFirstInFrame()) {
        go(next);
        if (event.shiftKey) choice?.onExtend(next);
      }
    } else if (plain && event.key === 'Enter') onOpen(stop);
    else if (!choice?.onKey(event, stop)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={ref} role="grid" aria-label={label} aria-rowcount={count + 1} aria-colcount={shown.length} aria-multiselectable={choice ? true : undefined}
      className={styles.table} onKeyDown={onKeyDown}>
      <TableHeader columns={shown} template={template} height={HEADER_HEIGHT} sort={sort} onSort={onSort} {...(sizing && { sizing })} />
      <div role="rowgroup" className={styles.body} style={{ height }}>
        {rows.map(({ index, top: start }) => {
          const row = item(index);
          return (
            <div key={index} role="row" aria-rowindex={index + 2} data-index={index} tabIndex={index === tabStop ? 0 : -1}
              aria-current={(row && isCurrent(row)) || undefined} aria-selected={choice && (row ? choice.isChosen(row) : false)}
              className={styles.row} onFocus={() => setStop(index)} onDoubleClick={() => onOpen(index)} {...choice?.rowProps(index)}
              style={{ gridTemplateColumns: template, height: ROW_HEIGHT, transform: `translateY(${start}px)` }}>
              {shown.map((column, i) => (
                <div key={column.id} role="gridcell" aria-colindex={i + 1} className={classNames(styles.cell, column.align === 'end' && styles.end)}>
                  {row ? column.cell(row, index) : <Skeleton width={i === 0 ? '32px' : '60%'} height="12px" />}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
