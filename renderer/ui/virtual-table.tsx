// A table of any length: the header stays, rows on screen are in the document, one row is the tab stop. Columns are data, so that choosing,
// ordering and sizing them changes an array and nothing else.
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { usePlaceInScroller, useScroller } from './scroller.ts';
import { Skeleton } from './states.tsx';
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
}

const ROW_HEIGHT = 48;
const HEADER_HEIGHT = 36;
const OVERSCAN = 8;

export function VirtualTable<T>({ label, columns, count, item, sort, onSort, onRange, onOpen, isCurrent }: VirtualTableProps<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const scroller = useScroller();
  const { top, width } = usePlaceInScroller(ref);
  const [stop, setStop] = useState(0);
  const wantsFocus = useRef(false);
  const shown = width < 720 ? columns.filter((column) => !column.wideOnly) : columns;
  const template = shown.map((column) => column.width).join(' ');

  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: top + HEADER_HEIGHT,
    scrollPaddingStart: HEADER_HEIGHT,
    rangeExtractor: useCallback((range: Range) => {
      const rows = defaultRangeExtractor(range);
      return stop >= range.count || rows.includes(stop) ? rows : [...rows, stop].sort((a, b) => a - b);
    }, [stop]),
  });

  const first = virtualizer.range?.startIndex ?? 0;
  const last = (virtualizer.range?.endIndex ?? 0) + OVERSCAN;
  useEffect(() => onRange(first, Math.min(last, count - 1)), [onRange, first, last, count]);

  useEffect(() => {
    if (!wantsFocus.current) return;
    const target = ref.current?.querySelector<HTMLElement>(`[data-index="${stop}"]`);
    if (!target) return;
    wantsFocus.current = false;
    target.focus({ preventScroll: true });
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    if (!row || event.target !== row || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
    const to = { ArrowUp: stop - 1, ArrowDown: stop + 1, PageUp: stop - page, PageDown: stop + page, Home: 0, End: count - 1 }[event.key];
    if (to !== undefined) {
      const next = Math.min(count - 1, Math.max(0, to));
      wantsFocus.current = true;
      setStop(next);
      virtualizer.scrollToIndex(next, { align: 'auto' });
    } else if (event.key === 'Enter') onOpen(stop);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={ref} role="grid" aria-label={label} aria-rowcount={count + 1} aria-colcount={shown.length} className={styles.table} onKeyDown={onKeyDown}>
      <div role="row" aria-rowindex={1} className={styles.header} style={{ gridTemplateColumns: template, height: HEADER_HEIGHT }}>
        {shown.map((column) => {
          const sorted = sort.id === column.id ? (sort.descending ? 'descending' : 'ascending') : undefined;
          return (
            <div key={column.id} role="columnheader" aria-sort={column.sortable ? sorted ?? 'none' : undefined} className={classNames(column.align === 'end' && styles.end)}>
              {column.sortable ? (
                <button type="button" onClick={() => onSort(column.id)}>
                  {column.label}
                  {sorted && (sort.descending ? <IconChevronDown size={14} aria-hidden /> : <IconChevronUp size={14} aria-hidden />)}
                </button>
              ) : <span className={styles.plain}>{column.label}</span>}
            </div>
          );
        })}
      </div>
      <div role="rowgroup" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = item(index);
          return (
            <div key={index} role="row" aria-rowindex={index + 2} data-index={index} tabIndex={index === Math.min(stop, count - 1) ? 0 : -1}
              aria-current={(row && isCurrent(row)) || undefined} className={styles.row} onFocus={() => setStop(index)} onDoubleClick={() => onOpen(index)}
              style={{ gridTemplateColumns: template, height: ROW_HEIGHT, transform: `translateY(${start - top - HEADER_HEIGHT}px)` }}>
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
