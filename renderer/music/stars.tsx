// The rating of a track, an album or an artist as five stars: a click or tap sets it in halves, and a click on the
// current rating removes it. The keys 0 to 5 and the arrows work too.
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLike, useRating, type Likeable, type LikeType } from '../api/likes.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';
import { formatNumber } from '../ui/format.ts';
import { IconRate, IconRated } from '../ui/theme/icons.ts';
import styles from './stars.module.css';

const MAX_STARS = 5;
const STARS = [1, 2, 3, 4, 5];

interface StarsProps {
  type: LikeType;
  item: Likeable;
  name: string;
  size?: number;
  tabIndex?: 0 | -1;
}

export function Stars({ type, item, name, size = 16, tabIndex = 0 }: StarsProps) {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const rating = useRating(type, item);
  const [hoveredRating, setHoveredRating] = useState<number | null>(null);
  const like = useLike((error) => tell(t('like.failed', { name, detail: error.message })));
  const rate = (newRating: number) => {
    if (newRating !== rating) like.mutate({ type, item, rating: Math.min(MAX_STARS, Math.max(0, newRating)) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 0.5, ArrowUp: 0.5, ArrowLeft: -0.5, ArrowDown: -0.5 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step !== undefined) rate(rating + step);
    else if (/^[0-5]$/.test(event.key)) rate(Number(event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shownRating = hoveredRating ?? rating;
  return (
    <span
      role="slider"
      tabIndex={tabIndex}
      aria-label={t('like.rating', { name })}
      aria-valuemin={0}
      aria-valuemax={MAX_STARS}
      aria-valuenow={rating}
      aria-valuetext={t('like.stars', { count: rating, number: formatNumber(rating) })}
      className={styles.stars}
      data-rated={rating > 0 || undefined}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => {
        if (event.pointerType === 'mouse') setHoveredRating(ratingAt(event));
      }}
      onPointerLeave={() => setHoveredRating(null)}
      onClick={(event) => {
        event.stopPropagation();
        const newRating = ratingAt(event);
        setHoveredRating(null);
        rate(newRating === rating ? 0 : newRating);
      }}
    >
      <StarRow size={size} />
      <span className={styles.filled} style={{ inlineSize: `${(shownRating / MAX_STARS) * 100}%` }}>
        <StarRow size={size} isFilled />
      </span>
    </span>
  );
}

function StarRow({ size, isFilled = false }: { size: number; isFilled?: boolean }) {
  const Symbol = isFilled ? IconRated : IconRate;
  return (
    <span className={styles.row} aria-hidden>
      {STARS.map((star) => (
        <Symbol key={star} size={size} stroke={1.5} />
      ))}
    </span>
  );
}

/** Returns the rating at the pointer, in halves. */
function ratingAt({ currentTarget, clientX }: Pick<PointerEvent, 'currentTarget' | 'clientX'>): number {
  const { left, right, width } = currentTarget.getBoundingClientRect();
  const distance = getComputedStyle(currentTarget).direction === 'rtl' ? right - clientX : clientX - left;
  return Math.min(MAX_STARS, Math.max(0.5, Math.ceil((distance / width) * MAX_STARS * 2) / 2));
}
