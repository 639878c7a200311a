// The chapters of an audiobook, with the current chapter and the resume position. A click plays from a chapter.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { chaptersQuery } from '../api/chapters.ts';
import { detailOf } from '../api/problem.ts';
import { currentEntry, type QueueTrack } from '../player/player.ts';
import { usePlayer, usePlayerCommands } from '../player/use-player.ts';
import { Button } from '../ui/controls/button.tsx';
import { formatClock, formatNumber } from '../ui/format.ts';
import { IconPlay } from '../ui/theme/icons.ts';
import { ErrorState, Skeleton } from '../ui/states.tsx';
import '../i18n/page-texts.ts';
import styles from './chapters.module.css';

interface ChaptersProps {
  track: QueueTrack;
  /** True to keep the current chapter in view. */
  follows?: boolean;
}

export function Chapters({ track, follows = false }: ChaptersProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { data, error, refetch } = useQuery(chaptersQuery(track.id));
  const isCurrent = usePlayer((state) => currentEntry(state)?.track.id === track.id);
  const currentIndex = usePlayer((state) =>
    isCurrent ? (data?.items.findLastIndex(({ start_ms }) => start_ms <= state.positionMs) ?? -1) : -1,
  );
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (follows) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [follows, currentIndex]);

  const playFrom = (positionMs: number) => {
    if (!isCurrent) return player.playTracks([track], { positionMs, shuffle: false, from: track.album_title });
    player.seek(positionMs);
    return player.play();
  };
  if (error) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height="120px" />;
  const place = isCurrent ? null : data.position_ms;
  return (
    <>
      {place !== null && (
        <Button icon={IconPlay} className={styles.goOn} onClick={() => playFrom(place)}>
          {t('chapters.goOn', { time: formatClock(place) })}
        </Button>
      )}
      <ol ref={list} className={styles.chapters}>
        {data.items.map(({ start_ms, title }, i) => (
          <li key={i}>
            <button type="button" aria-current={i === currentIndex || undefined} onClick={() => playFrom(start_ms)}>
              <span className={styles.number}>{formatNumber(i + 1)}</span>
              <span className={styles.title}>{title || t('chapters.chapter', { number: formatNumber(i + 1) })}</span>
              <span className={styles.time}>{formatClock(start_ms)}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
