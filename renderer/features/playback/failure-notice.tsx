import { useTranslation } from 'react-i18next';
import { IconFetch, IconProblem } from '../../ui/theme/icons.ts';
import { usePlayer } from '../../player/use-player.ts';
import styles from './player-bar.module.css';

/** Says why the track cannot be played, and what happens next. */
export function FailureNotice() {
  const { t } = useTranslation();
  const failure = usePlayer((state) => state.failure);
  const Symbol = failure?.reason === 'fetching' ? IconFetch : IconProblem;
  return (
    <div role="status" className={styles.failure} data-shown={failure !== null || undefined}>
      {failure && (
        <>
          <Symbol size={16} aria-hidden />
          <span>
            {t(`failure.${failure.reason}`, { title: failure.entry.track.title })}{' '}
            {failure.skipping && t('failure.skipping')}
          </span>
        </>
      )}
    </div>
  );
}
