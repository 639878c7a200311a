import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconRate, IconRated } from '../ui/icons.ts';
import { ratingQuery, useLike, useLiked, useRating, type Likeable, type LikeType } from '../api/likes.ts';
import { useUndoNotice } from '../ui/undo-notice.tsx';
import styles from './like-button.module.css';
import { readingStep } from '../ui/reading-direction.ts';

const MOST = 5;

/** 0 to 5 stars; pressing the current star clears the rating. Keys 0 to 5 and the arrows work too. */
export function Stars({ type, item, name }: { type: LikeType; item: Likeable; name: string }) {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const liked = useLiked(type, item);
  const read = useQuery(ratingQuery(type, item.id));
  const rating = useRating(type, item.id) ?? read.data ?? 0;
  const like = useLike((error) => tell(t('like.failed', { name, detail: error.message })));
  const rate = (next: number) =>
    like.mutate({ type, item: { id: item.id, liked }, rating: Math.min(MOST, Math.max(0, next)) });

  const onKeyDown = (event: KeyboardEvent) => {
    const step = readingStep(event.key);
    const to = /^[0-5]$/.test(event.key)
      ? Number(event.key)
      : {
          ...(step && { [event.key]: rating + step }),
          ArrowUp: rating + 1,
          ArrowDown: rating - 1,
          Home: 0,
          End: MOST,
        }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    rate(to);
  };
  return (
    <span
      role="slider"
      tabIndex={0}
      className={styles.stars}
      aria-label={t('like.rating', { name })}
      aria-valuemin={0}
      aria-valuemax={MOST}
      aria-valuenow={rating}
      aria-valuetext={t('like.stars', { count: rating })}
      onKeyDown={onKeyDown}
    >
      {Array.from({ length: MOST }, (_, i) => {
        const Symbol = i < rating ? IconRated : IconRate;
        return (
          <span
            key={i}
            className={styles.star}
            data-on={i < rating || undefined}
            onClick={() => rate(rating === i + 1 ? 0 : i + 1)}
          >
            <Symbol size={18} stroke={1.5} aria-hidden />
          </span>
        );
      })}
    </span>
  );
}
