import { useTranslation } from 'react-i18next';
import { trackCover } from '../../api/urls.ts';
import type { ReviewOut } from '../../api/routes.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { useOpenDetails } from '../../ui/use-details.ts';
import { ChangeTable } from './change-table.tsx';
import { changesOf } from './match-changes.ts';
import { formatPercent } from '../../ui/format.ts';
import styles from './review.module.css';

interface ReviewItemProps {
  item: ReviewOut;
  isFirst: boolean;
  disabled: boolean;
  onApply: () => void;
  onDismiss: () => void;
}

export function ReviewItem({ item: { track, match, reason }, isFirst, disabled, onApply, onDismiss }: ReviewItemProps) {
  const { t } = useTranslation();
  const openDetails = useOpenDetails();
  return (
    <li
      className={styles.item}
      data-stop
      data-track={track.id}
      tabIndex={isFirst ? 0 : -1}
      aria-label={t('review.itemLabel', {
        title: track.title,
        artist: track.artist_name ?? t('library.unknownArtist'),
      })}
    >
      <Cover src={trackCover(track, 160)} alt="" className={styles.cover} />
      <div className={styles.text}>
        <p className={styles.title}>{track.title}</p>
        <p className={styles.by}>{[track.artist_name, track.album_title].filter(Boolean).join(' · ')}</p>
        <p className={styles.reason}>
          {t(`review.reason.${reason}`, { score: match.score === null ? '' : formatPercent(match.score) })}
        </p>
        <ChangeTable changes={changesOf(track, match)} />
      </div>
      <div className={styles.buttons}>
        <Button variant="primary" tabIndex={isFirst ? 0 : -1} disabled={disabled} onClick={onApply}>
          {t('review.apply')}
        </Button>
        <Button tabIndex={isFirst ? 0 : -1} onClick={onDismiss}>
          {t('review.dismiss')}
        </Button>
        <Button variant="plain" tabIndex={isFirst ? 0 : -1} onClick={() => openDetails(track.id)}>
          {t('review.details')}
        </Button>
      </div>
    </li>
  );
}
