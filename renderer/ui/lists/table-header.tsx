import { useEffect, useRef, type KeyboardEvent, type PointerEvent as ReactPointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconSortedDown, IconSortedUp } from '../theme/icons.ts';
import { classNames } from '../class-names.ts';
import { useScroller } from './scroller.ts';
import styles from './virtual-table.module.css';
import { isRightToLeft, readingStep } from '../theme/reading-direction.ts';

export interface HeaderColumn {
  id: string;
  label: string;
  /** A heading only for screen readers, in place of the label. */
  hiddenLabel?: string;
  align?: 'end';
  sortable?: boolean;
}

export interface ColumnSizing {
  canResize: (columnId: string) => boolean;
  /** Width in CSS pixels; null resets the column to its default width. */
  onResize: (columnId: string, width: number | null) => void;
  onMove: (columnId: string, beforeId: string) => void;
}

interface TableHeaderProps {
  columns: readonly HeaderColumn[];
  template: string;
  height: number;
  sort: { id: string; descending: boolean };
  onSort: (columnId: string) => void;
  sizing?: ColumnSizing;
}

const MIN_COLUMN_WIDTH = 48;
const MAX_COLUMN_WIDTH = 800;
const COLUMN_STEP = 16;
const COLUMN_DRAG_TYPE = 'application/x-tonearm-column';

/** Column headings: click to sort, drag the edge to resize, drag the name to move. */
export function TableHeader({ columns, template, height, sort, onSort, sizing }: TableHeaderProps) {
  const row = useRef<HTMLDivElement>(null);
  const scroller = useScroller();
  useEffect(() => {
    if (!row.current || !scroller) return undefined;
    const header = row.current;
    // one pixel of a stuck header is above the edge of the scroller
    const observer = new IntersectionObserver(
      ([entry]) => header.toggleAttribute('data-stuck', entry !== undefined && entry.intersectionRatio < 1),
      { root: scroller, rootMargin: '-1px 0px 9999px', threshold: 1 },
    );
    observer.observe(header);
    return () => observer.disconnect();
  }, [scroller]);
  return (
    <div
      ref={row}
      role="row"
      aria-rowindex={1}
      className={styles.header}
      style={{ gridTemplateColumns: template, height }}
    >
      {columns.map((column) => {
        const sortDirection = sort.id === column.id ? (sort.descending ? 'descending' : 'ascending') : undefined;
        const canMove = sizing?.canResize(column.id);
        return (
          <div
            key={column.id}
            role="columnheader"
            aria-label={column.hiddenLabel ?? column.label} // the label excludes the resize handle
            aria-sort={column.sortable ? (sortDirection ?? 'none') : undefined}
            className={classNames(styles.head, column.align === 'end' && styles.end)}
            draggable={canMove}
            onDragStart={(event) => event.dataTransfer.setData(COLUMN_DRAG_TYPE, column.id)}
            onDragOver={(event) => {
              if (event.dataTransfer.types.includes(COLUMN_DRAG_TYPE)) event.preventDefault();
            }}
            onDrop={(event) => {
              const id = event.dataTransfer.getData(COLUMN_DRAG_TYPE);
              if (id !== '') sizing?.onMove(id, column.id);
            }}
          >
            {column.sortable ? (
              <button type="button" onClick={() => onSort(column.id)}>
                <span>{column.label}</span>
                {sortDirection &&
                  (sort.descending ? <IconSortedDown size={14} aria-hidden /> : <IconSortedUp size={14} aria-hidden />)}
              </button>
            ) : (
              <span className={column.hiddenLabel ? 'visually-hidden' : styles.plain}>
                {column.hiddenLabel ?? column.label}
              </span>
            )}
            {sizing?.canResize(column.id) && (
              <Resizer label={column.label} onResize={(width) => sizing.onResize(column.id, width)} />
            )}
          </div>
        );
      })}
    </div>
  );
}

const clamp = (width: number) => Math.round(Math.min(MAX_COLUMN_WIDTH, Math.max(MIN_COLUMN_WIDTH, width)));
const cellOf = (edge: Element) => edge.parentElement!.getBoundingClientRect();

/** The resize handle of a column: drag it or use the arrow keys; double click resets the width. */
function Resizer({ label, onResize }: { label: string; onResize: (width: number | null) => void }) {
  const { t } = useTranslation();
  const onPointerDown = (event: ReactPointerEvent<HTMLSpanElement>) => {
    event.preventDefault(); // prevents moving the column and selecting text
    const edge = event.currentTarget;
    const { left, right } = cellOf(edge);
    const widthAt = (x: number): number => clamp(isRightToLeft() ? right - x : x - left);
    edge.setPointerCapture(event.pointerId);
    const listen = new AbortController();
    edge.addEventListener('pointermove', (move: PointerEvent) => onResize(widthAt(move.clientX)), {
      signal: listen.signal,
    });
    for (const end of ['pointerup', 'pointercancel'] as const)
      edge.addEventListener(end, () => listen.abort(), { signal: listen.signal });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLSpanElement>) => {
    const step = readingStep(event.key);
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    onResize(clamp(cellOf(event.currentTarget).width + step * COLUMN_STEP));
  };
  return (
    <span
      role="slider"
      aria-orientation="horizontal"
      aria-label={t('table.resize', { column: label })}
      aria-valuemin={MIN_COLUMN_WIDTH}
      aria-valuemax={MAX_COLUMN_WIDTH}
      aria-valuenow={MIN_COLUMN_WIDTH}
      aria-valuetext={t('table.resizeKeys')}
      tabIndex={0}
      className={styles.edge}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onResize(null)}
    />
  );
}
