import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { likeStateQuery } from '../../api/likes.ts';
import type { TrackOut } from '../../api/routes.ts';
import { Stars } from '../../music/stars.tsx';
import styles from './details.module.css';

/** The rating of a track, with a note if it is from the tags of its file. */
export function TrackRating({ track }: { track: TrackOut }) {
  const { t } = useTranslation();
  const state = useQuery(likeStateQuery('track', track.id));
  const isFromTags = state.data?.rating_origin === 'tag';
  return (
    <p className={styles.rating}>
      <Stars type="track" item={track} name={track.title} size={20} />
      {isFromTags && (
        <span className={styles.quiet} title={t('details.ratingFromFileHelp')}>
          {t('details.ratingFromFile')}
        </span>
      )}
    </p>
  );
}
