// The queue: jump, reorder by dragging (long press on touch screens) or Alt+arrow, remove. Only rows on screen are
// rendered, and the dragged one.
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
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import { QueueRow } from './queue-row.tsx';
import styles from './queue.module.css';

const ROW_HEIGHT = 56;
/** The list announces moves itself, in the user's language. */
const SILENT = {
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
  const scroller = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(index);
  const [said, setSaid] = useState('');
  const [dragged, setDragged] = useState<number | null>(null);
  const [dropAt, setDropAt] = useState<number | null>(null);
  const { tell } = useUndoNotice();
  const wantsFocus = useRef(false);
  const keys = useMemo(() => queue.map(({ key }) => key), [queue]);
  const draggedAt = dragged === null ? -1 : keys.indexOf(dragged);
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
  );
  /** What was there before: entries that come later slide in, those that only scroll into view do not. */
  const seen = useRef(new Set(keys));
  const isNew = (key: number) => !seen.current.has(key);
  useEffect(() => {
    seen.current = new Set(keys);
  }, [keys]);
  const virtualizer = useVirtualizer({
    count: queue.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    rangeExtractor: (range) => {
      const rows = defaultRangeExtractor(range);
      return draggedAt < 0 || rows.includes(draggedAt) ? rows : [...rows, draggedAt].toSorted((a, b) => a - b);
    },
  });

  useLayoutEffect(() => virtualizer.scrollToIndex(Math.max(0, index - 1), { align: 'start' }), [virtualizer]);
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
      virtualizer.scrollToIndex(to, { align: 'auto' });
    },
    [virtualizer],
  );

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

  /** The place between two rows that is nearest to the pointer. */
  const placeAt = (event: DragEvent): number => {
    const rows = scroller.current?.querySelector('ul')?.getBoundingClientRect();
    return Math.min(queue.length, Math.max(0, Math.round((event.clientY - (rows?.top ?? 0)) / ROW_HEIGHT)));
  };
  const onDragOver = (event: DragEvent) => {
    if (!isTrackDrag(event)) return;
    event.preventDefault();
    event.stopPropagation();
    event.dataTransfer.dropEffect = 'copy';
    setDropAt(placeAt(event));
  };
  const onDrop = (event: DragEvent) => {
    const group = takeDragged(event);
    setDropAt(null);
    if (!group) return;
    event.preventDefault();
    event.stopPropagation();
    const at = placeAt(event);
    void group.load().then(
      (tracks) => {
        player.addAt(tracks, at);
        setSaid(t('queue.dropped', { count: tracks.length }));
      },
      (error: unknown) => tell(detailOf(error)),
    );
  };

  const onKeyDown = (event: KeyboardEvent, entry: QueueEntry, at: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const last = queue.length - 1;
    if (step && event.altKey) {
      const to = Math.min(last, Math.max(0, at + step));
      moveTo(entry, to);
      goTo(to);
    } else if (step) goTo(Math.min(last, Math.max(0, at + step)));
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(last);
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      player.remove(entry.key);
      setSaid(t('queue.removed', { title: entry.track.title }));
      if (last > 0) goTo(Math.min(at, last - 1));
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
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDropAt(null);
      }}
      onDrop={onDrop}
    >
      <p id="queue-keys" hidden>
        {t('queue.keys')}
      </p>
      <div role="status" className="visually-hidden">
        {said}
      </div>
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        accessibility={SILENT}
        onDragStart={({ active }) => setDragged(Number(active.id))}
        onDragCancel={() => setDragged(null)}
        onDragEnd={onDragEnd}
      >
        <SortableContext items={keys} strategy={verticalListSortingStrategy}>
          <ul className={styles.rows} style={{ height: virtualizer.getTotalSize() }} aria-label={t('queue.queue')}>
            {dropAt !== null && <li aria-hidden className={styles.line} style={{ top: dropAt * ROW_HEIGHT }} />}
            {virtualizer.getVirtualItems().map(({ index: at, start }) => {
              const entry = queue[at];
              if (!entry) return null;
              return (
                <li
                  key={entry.key}
                  data-index={at}
                  data-new={isNew(entry.key) || undefined}
                  aria-setsize={queue.length}
                  aria-posinset={at + 1}
                  className={styles.item}
                  style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
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
