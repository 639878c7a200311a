// What plays and what comes next: jump, reorder by drag or Alt+arrow, remove. Long queues keep only the rows on screen in the document.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { QueueEntry } from '../../player/types.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { QueueRow } from './queue-row.tsx';
import styles from './queue.module.css';

const ROW_HEIGHT = 56;

export function QueueList() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const queue = usePlayer((state) => state.queue);
  const index = usePlayer((state) => state.index);
  const scroller = useRef<HTMLDivElement>(null);
  const [stop, setStop] = useState(index);
  const [said, setSaid] = useState('');
  const [dragged, setDragged] = useState<number | null>(null);
  const wantsFocus = useRef(false);
  const virtualizer = useVirtualizer({ count: queue.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_HEIGHT, overscan: 6 });

  useLayoutEffect(() => virtualizer.scrollToIndex(Math.max(0, index - 1), { align: 'start' }), [virtualizer]);
  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${stop}"] [data-stop]`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus();
  });

  const goTo = useCallback((to: number) => {
    wantsFocus.current = true;
    setStop(to);
    virtualizer.scrollToIndex(to, { align: 'auto' });
  }, [virtualizer]);

  const onKeyDown = (event: KeyboardEvent, entry: QueueEntry, at: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const last = queue.length - 1;
    if (step && event.altKey) {
      const to = Math.min(last, Math.max(0, at + step));
      player.move(entry.key, to);
      setSaid(t('queue.movedTo', { title: entry.track.title, position: to + 1, count: queue.length }));
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
    <div ref={scroller} className={styles.scroller}>
      <p id="queue-keys" hidden>{t('queue.keys')}</p>
      <div role="status" className="visually-hidden">{said}</div>
      <ul className={styles.rows} style={{ height: virtualizer.getTotalSize() }} aria-label={t('queue.queue')}>
        {virtualizer.getVirtualItems().map(({ index: at, start }) => {
          const entry = queue[at];
          if (!entry) return null;
          return (
            <li key={entry.key} data-index={at} aria-setsize={queue.length} aria-posinset={at + 1} className={styles.item} style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
              onKeyDown={(event) => onKeyDown(event, entry, at)} onFocus={() => setStop(at)}
              onDragStart={() => setDragged(entry.key)} onDragEnd={() => setDragged(null)}
              onDragOver={(event) => {
                if (dragged === null) return;
                event.preventDefault();
                if (dragged !== entry.key) player.move(dragged, at);
              }}>
              <QueueRow entry={entry} state={at === index ? 'current' : at < index ? 'played' : 'coming'} tabIndex={at === Math.min(stop < 0 ? 0 : stop, queue.length - 1) ? 0 : -1} dragged={dragged === entry.key} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
