import { useTranslation } from 'react-i18next';
import { IconLike, IconLiked } from '../ui/theme/icons.ts';
import { useLike, useLiked, type Likeable, type LikeType } from '../api/likes.ts';
import { classNames } from '../ui/class-names.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';
import styles from './like-button.module.css';

interface HeartProps {
  type: LikeType;
  item: Likeable;
  name: string;
  size?: number;
  tabIndex?: 0 | -1;
  className?: string | undefined;
}

/** Likes or unlikes a track, an album or an artist. */
export function LikeButton({ type, item, name, size = 20, tabIndex = 0, className }: HeartProps) {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const liked = useLiked(type, item);
  const like = useLike((error) => tell(t('like.failed', { name, detail: error.message })));
  const Symbol = liked ? IconLiked : IconLike;
  return (
    <button
      type="button"
      className={classNames(styles.heart, className)}
      tabIndex={tabIndex}
      aria-pressed={liked}
      aria-label={t('like.label', { name })}
      data-tip={t(liked ? 'like.unlike' : 'like.like')}
      onClick={() => like.mutate({ type, item, liked: !liked })}
    >
      <Symbol size={size} stroke={1.75} aria-hidden />
    </button>
  );
}
