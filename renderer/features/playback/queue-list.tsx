// The queue: jump, reorder by dragging (by the handle on touch screens) or Alt+arrow, remove. Only rows on screen and
// the dragged row are rendered. Scrolling loads more rows of a long list.
import {
  closestCenter,
  DndContext,
  MouseSensor,
  TouchSensor,
  useSensor,
  useSensors,
  type DragEndEvent,
} from '@dnd-kit/core';
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type DragEvent,
  type KeyboardEvent,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { QueueEntry } from '../../player/player.ts';
import { detailOf } from '../../api/problem.ts';
import { isTrackDrag, takeDragged } from '../../music/track-drag.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { formatNumber } from '../../ui/format.ts';
import { linesOf, type QueuePart } from './queue-lines.ts';
import { QueueRow } from './queue-row.tsx';
import styles from './queue.module.css';

const ROW_HEIGHT = 56;
/** Height of a row with the reason why a radio chose the track. */
const REASON_HEIGHT = 76;
const HEAD_HEIGHT = 40;
/** The library's own announcements are silenced, because the list announces moves in the user's language. */
const SILENT_FEED = {
  announcements: {
    onDragStart: () => undefined,
    onDragOver: () => undefined,
    onDragEnd: () => undefined,
    onDragCancel: () => undefined,
  },
  screenReaderInstructions: { draggable: '' },
};

export function QueueList() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const queue = usePlayer((state) => state.queue);
  const index = usePlayer((state) => state.index);
  const from = usePlayer((state) => state.from);
  const remainingRows = usePlayer((state) => (state.rest ? Math.max(0, state.rest.end - state.rest.next) : 0));
  const lines = useMemo(() => linesOf({ queue, index }), [queue, index]);
  const lineOf = useMemo(() => new Map(lines.map((line, i) => ['at' in line ? line.at : -1, i] as const)), [lines]);
  const scroller = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(index);
  const [announcement, setSaid] = useState('');
  const [dragged, setDragged] = useState<number | null>(null);
  const [drop, setDrop] = useState<{ at: number; top: number } | null>(null);
  const { tell } = useUndoNotice();
  const wantsFocus = useRef(false);
  const keys = useMemo(() => queue.map(({ key }) => key), [queue]);
  const draggedAt = dragged === null ? -1 : keys.indexOf(dragged);
  const sensors = useSensors(useSensor(MouseSensor, { activationConstraint: { distance: 6 } }), useSensor(TouchSensor));
  /** Keys that were displayed before: new entries slide in, entries that only scroll into view do not. */
  const seenKeys = useRef(new Set(keys));
  const isNew = (key: number) => !seenKeys.current.has(key);
  useEffect(() => {
    seenKeys.current = new Set(keys);
  }, [keys]);
  const heightOf = (lineIndex: number): number => {
    const line = lines[lineIndex];
    if (!line) return ROW_HEIGHT;
    if ('head' in line) return HEAD_HEIGHT;
    return queue[line.at]?.why ? REASON_HEIGHT : ROW_HEIGHT;
  };
  const virtualizer = useVirtualizer({
    count: lines.length + (remainingRows > 0 ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: heightOf,
    // a new function makes the virtualizer recompute the heights
    getItemKey: useCallback((line: number) => (lines[line] && 'at' in lines[line] ? line : -line - 1), [lines]),
    overscan: 6,
    rangeExtractor: (range) => {
      const rows = defaultRangeExtractor(range);
      const draggedLine = lineOf.get(draggedAt) ?? -1;
      return draggedLine < 0 || rows.includes(draggedLine) ? rows : [...rows, draggedLine].toSorted((a, b) => a - b);
    },
  });
  const virtualLines = virtualizer.getVirtualItems();
  const isAtEnd = remainingRows > 0 && (virtualLines.at(-1)?.index ?? 0) >= lines.length;
  useEffect(() => {
    if (isAtEnd) player.showMore();
  }, [player, isAtEnd, queue]);

  useLayoutEffect(() => {
    // scrolls to the heading above the current entry
    virtualizer.scrollToIndex(Math.max(0, (lineOf.get(index) ?? 0) - 1), { align: 'start' });
  }, [virtualizer]);
  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${stop}"] [data-stop]`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus();
  });

  const goTo = useCallback(
    (to: number) => {
      wantsFocus.current = true;
      setStop(to);
      virtualizer.scrollToIndex(lineOf.get(to) ?? 0, { align: 'auto' });
    },
    [virtualizer, lineOf],
  );

  const headText = (part: QueuePart) =>
    part === 'from' && from !== null ? t('queue.part.fromName', { name: from }) : t(`queue.part.${part}`);

  const moveTo = (entry: QueueEntry, to: number) => {
    player.move(entry.key, to);
    setSaid(t('queue.movedTo', { title: entry.track.title, position: to + 1, count: queue.length }));
  };
  const onDragEnd = ({ over }: DragEndEvent) => {
    setDragged(null);
    const entry = queue[draggedAt];
    const to = over ? keys.indexOf(Number(over.id)) : -1;
    if (entry && to >= 0 && to !== draggedAt) moveTo(entry, to);
  };

  /** Returns the position between two rows that is nearest to the pointer. */
  const placeAt = (event: DragEvent): { at: number; top: number } => {
    const rows = scroller.current?.querySelector('ul')?.getBoundingClientRect();
    const y = Math.max(0, event.clientY - (rows?.top ?? 0));
    const hoveredRow = virtualizer.getVirtualItemForOffset(y);
    if (!hoveredRow || hoveredRow.index >= lines.length) return { at: queue.length, top: hoveredRow?.start ?? 0 };
    const line = lines[hoveredRow.index]!;
    const next = lines[hoveredRow.index + 1];
    if ('head' in line) return { at: next && 'at' in next ? next.at : 0, top: hoveredRow.end };
    const isBelow = y > hoveredRow.start + hoveredRow.size / 2;
    return { at: line.at + (isBelow ? 1 : 0), top: isBelow ? hoveredRow.end : hoveredRow.start };
  };
  const onDragOver = (event: DragEvent) => {
    if (!isTrackDrag(event)) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = 'copy';
    setDrop(placeAt(event));
  };
  const onDrop = (event: DragEvent) => {
    const group = takeDragged(event);
    setDrop(null);
    if (!group) return;
    event.preventDefault();
    event.stopPropagation();
    const { at } = placeAt(event);
    void group.load().then(
      (tracks) => {
        player.addAt(tracks, at);
        setSaid(t('queue.dropped', { count: tracks.length }));
      },
      (error: unknown) => tell(detailOf(error)),
    );
  };

  const onKeyDown = (event: KeyboardEvent, entry: QueueEntry, position: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const lastPosition = queue.length - 1;
    if (step && event.altKey) {
      const to = Math.min(lastPosition, Math.max(0, position + step));
      moveTo(entry, to);
      goTo(to);
    } else if (step) goTo(Math.min(lastPosition, Math.max(0, position + step)));
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(lastPosition);
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      player.remove(entry.key);
      setSaid(t('queue.removed', { title: entry.track.title }));
      if (lastPosition > 0) goTo(Math.min(position, lastPosition - 1));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={scroller}
      className={styles.scroller}
      onDragOver={onDragOver}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDrop(null);
      }}
      onDrop={onDrop}
    >
      <p id="queue-keys" hidden>
        {t('queue.keys')}
      </p>
      <div role="status" className="visually-hidden">
        {announcement}
      </div>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        accessibility={SILENT_FEED}
        onDragStart={({ active }) => setDragged(Number(active.id))}
        onDragCancel={() => setDragged(null)}
        onDragEnd={onDragEnd}
      >
        <SortableContext items={keys} strategy={verticalListSortingStrategy}>
          <ul className={styles.rows} style={{ height: virtualizer.getTotalSize() }} aria-label={t('queue.queue')}>
            {drop && <li aria-hidden className={styles.line} style={{ top: drop.top }} />}
            {virtualLines.map(({ index: i, start }) => {
              const line = lines[i];
              const place = { height: heightOf(i), transform: `translateY(${start}px)` };
              if (!line)
                return (
                  <li key="more" className={styles.item} style={place}>
                    <p className={styles.more}>
                      {t('queue.more', { count: remainingRows, number: formatNumber(remainingRows) })}
                    </p>
                  </li>
                );
              if ('head' in line)
                return (
                  <li key={`${line.head} ${i}`} className={styles.item} style={place}>
                    <h3 className={styles.part}>{headText(line.head)}</h3>
                  </li>
                );
              const { at } = line;
              const entry = queue[at]!;
              return (
                <li
                  key={entry.key}
                  data-index={at}
                  data-new={(entry.added && isNew(entry.key)) || undefined}
                  aria-setsize={queue.length + remainingRows}
                  aria-posinset={at + 1}
                  className={styles.item}
                  style={place}
                  onKeyDown={(event) => onKeyDown(event, entry, at)}
                  onFocus={() => setStop(at)}
                >
                  <QueueRow
                    entry={entry}
                    state={at === index ? 'current' : at < index ? 'played' : 'coming'}
                    tabIndex={at === Math.min(stop < 0 ? 0 : stop, queue.length - 1) ? 0 : -1}
                  />
                </li>
              );
            })}
          </ul>
        </SortableContext>
      </DndContext>
    </div>
  );
}
