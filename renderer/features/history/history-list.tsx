// Days and their plays; only rows on screen are rendered. Arrow keys move between plays.
import { useVirtualizer } from '@tanstack/react-virtual';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { addDays } from '../../ui/range-days.ts';
import type { HistoryOut } from '../../api/routes.ts';
import { formatDay, formatNumber } from '../../ui/format.ts';
import { moveAmongRows } from '../../ui/lists/row-keys.ts';
import { usePlaceInScroller, useScroller } from '../../ui/lists/scroller.ts';
import { PlayRow } from './play-row.tsx';
import type { HistoryRow } from './history-rows.ts';
import '../../i18n/page-texts.ts';
import styles from './history.module.css';

const DAY_HEIGHT = 64;
const PLAY_HEIGHT = 56;
const OVERSCAN = 12;
/** The next page is fetched when this many rows are left. */
const ROWS_AHEAD = 40;

interface HistoryListProps {
  rows: readonly HistoryRow[];
  today: string;
  hasMore: boolean;
  onEnd: () => void;
  onTakeBack: (play: HistoryOut) => void;
}

export function HistoryList({ rows, today, hasMore, onEnd, onTakeBack }: HistoryListProps) {
  const { t } = useTranslation();
  const ref = useRef<HTMLDivElement>(null);
  const scroller = useScroller();
  const { top } = usePlaceInScroller(ref);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => (rows[index]?.kind === 'day' ? DAY_HEIGHT : PLAY_HEIGHT),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  const lastIndex = virtualizer.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && lastIndex + ROWS_AHEAD >= rows.length) onEnd();
  });

  return (
    <div
      ref={ref}
      className={styles.list}
      role="group"
      aria-label={t('place.history')}
      aria-busy={hasMore && lastIndex + 1 >= rows.length}
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={moveAmongRows}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start, size }) => {
        const row = rows[index];
        if (!row) return null;
        return (
          <div key={key} className={styles.place} style={{ height: size, transform: `translateY(${start - top}px)` }}>
            {row.kind === 'day' ? (
              <h2 className={styles.day}>
                {dayName(row.day, today, t)}
                <span>{t('history.plays', { count: row.plays, number: formatNumber(row.plays) })}</span>
              </h2>
            ) : (
              <PlayRow play={row.play} onTakeBack={() => onTakeBack(row.play)} />
            )}
          </div>
        );
      })}
    </div>
  );
}

function dayName(day: string, today: string, t: TFunction): string {
  if (day === today) return t('history.today');
  if (day === addDays(today, -1)) return t('history.yesterday');
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  return formatDay(day, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  });
}
