// A grid that renders only the cells on screen, with one tab stop: arrow keys, Home, End and the page keys move
// inside. The focused cell stays in the document when it scrolls out of view, so that focus is never lost. ARIA
// attributes state the full size.
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { usePlaceInScroller, useScroller } from './scroller.ts';
import { useLateFocus, useOncePerFrame, useRowWindow } from './use-row-window.ts';
import styles from './virtual-grid.module.css';
import { readingStep } from '../theme/reading-direction.ts';

interface VirtualGridProps {
  label: string;
  count: number;
  /** Approximate cell width in CSS pixels; the best-fitting number of cells shares the row. */
  cellWidth: number;
  gap?: { column: number; row: number };
  /** Returns the height of a cell of this width. */
  cellHeight: (width: number) => number;
  /** Renders a cell; `tabIndex` belongs on the only focusable element in the cell, which also needs `data-stop`. */
  renderCell: (index: number, tabIndex: 0 | -1, width: number) => ReactNode;
  /** Reports the cells in the document, from `first` to `last`, and the tab stop, which can be outside of them. */
  onRange: (firstCell: number, lastCell: number, tabStop: number) => void;
  /** Handles a key on a cell; returns true if the key was handled. */
  onCellKey?: (event: KeyboardEvent, index: number) => boolean;
  /** Returns false for a cell that is blank until it is loaded; if absent, all cells count as loaded. */
  isLoaded?: (index: number) => boolean;
  /** Scrolls to a cell whenever the object changes. */
  goTo?: { row: number } | undefined;
}

const OVERSCAN_ROWS = 3;
const NO_GAP = { column: 0, row: 0 };

export function VirtualGrid({
  label,
  count,
  cellWidth,
  gap = NO_GAP,
  cellHeight,
  renderCell,
  onRange,
  onCellKey,
  isLoaded = () => true,
  goTo: target,
}: VirtualGridProps) {
  const ref = useRef<HTMLDivElement>(null);
  const scroller = useScroller();
  const { top, width } = usePlaceInScroller(ref);
  const [chosenStop, setTabStop] = useState(0);

  const columns = Math.max(1, Math.round((width + gap.column) / (cellWidth + gap.column)));
  const shareWidth = Math.floor((width - gap.column * (columns - 1)) / columns);
  const rowHeight = cellHeight(shareWidth) + gap.row;
  const rows = Math.ceil(count / columns);
  const tabStop = Math.min(chosenStop, count - 1);
  const stopRow = Math.min(rows - 1, Math.floor(chosenStop / columns));

  const {
    height,
    range,
    rows: visibleRows,
    isWaiting,
    reveal,
  } = useRowWindow({
    count: width > 0 ? rows : 0,
    rowHeight,
    overscan: OVERSCAN_ROWS,
    margin: top,
    keptRow: stopRow,
    isLoaded: (row) => isLoaded(row * columns) && isLoaded(Math.min(count, (row + 1) * columns) - 1),
  });
  const firstCell = range.first * columns;
  const lastCell = Math.min((range.last + 1) * columns, count) - 1;
  useEffect(() => {
    if (lastCell >= firstCell) onRange(firstCell, lastCell, tabStop);
  }, [onRange, firstCell, lastCell, tabStop]);
  const focus = useLateFocus((index) => ref.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-stop]`));

  const isFirstInFrame = useOncePerFrame();
  const goTo = (index: number) => {
    const to = Math.min(count - 1, Math.max(0, index));
    setTabStop(to);
    reveal(Math.floor(to / columns));
    focus(to);
  };

  useEffect(() => {
    if (target) goTo(target.row);
  }, [target]);

  const onKeyDown = (event: KeyboardEvent) => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    if (!cell || event.defaultPrevented) return;
    const index = Number(cell.dataset['index']);
    const page = Math.max(1, Math.floor((scroller?.clientHeight ?? 0) / rowHeight) - 1) * columns;
    const step = readingStep(event.key);
    // moves start at the tab stop, because after a jump the focused cell can be one that stays only until the next
    // cells are loaded
    const moves: Record<string, number> = {
      ...(step && { [event.key]: tabStop + step }),
      ArrowUp: tabStop - columns,
      ArrowDown: tabStop + columns,
      PageUp: tabStop - page,
      PageDown: tabStop + page,
      Home: 0,
      End: count - 1,
    };
    const to = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key];
    const isMove = to !== undefined && !(columns === 1 && step);
    if (isMove && (!event.repeat || (!isWaiting && isFirstInFrame())))
      goTo(
        event.key === 'ArrowUp' && to < 0
          ? tabStop
          : event.key === 'ArrowDown' && to >= count && stopRow === rows - 1
            ? tabStop
            : to,
      );
    if (isMove || onCellKey?.(event, index)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  return (
    <div
      ref={ref}
      className={styles.grid}
      role="grid"
      aria-label={label}
      aria-rowcount={rows}
      aria-colcount={columns}
      aria-busy={isWaiting || undefined}
      style={{ height }}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
        if (cell) setTabStop(Number(cell.dataset['index']));
      }}
    >
      {visibleRows.map((row) => (
        <div
          key={row.slot}
          className={styles.row}
          role="row"
          aria-rowindex={row.index + 1}
          style={{
            top: row.top,
            gridTemplateColumns: `repeat(${columns}, ${shareWidth}px)`,
            columnGap: gap.column,
            height: rowHeight - gap.row,
          }}
        >
          {Array.from({ length: Math.min(columns, count - row.index * columns) }, (_, column) => {
            const index = row.index * columns + column;
            return (
              <div key={column} role="gridcell" aria-colindex={column + 1} data-index={index} className={styles.cell}>
                {renderCell(index, index === tabStop ? 0 : -1, shareWidth)}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
