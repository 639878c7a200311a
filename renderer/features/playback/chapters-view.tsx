// Chapters of the current track.
import { useTranslation } from 'react-i18next';
import { Chapters } from '../../music/chapters.tsx';
import { useCurrentTrack } from '../../player/use-player.ts';
import '../../i18n/page-texts.ts';
import styles from './queue.module.css';

export function ChaptersView() {
  const { t } = useTranslation();
  const track = useCurrentTrack();
  if (!track?.has_chapters) return <p className={styles.empty}>{t('chapters.none')}</p>;
  return (
    <div className={styles.scroller} role="region" aria-label={t('playback.chapters')}>
      <Chapters key={track.id} track={track} follows />
    </div>
  );
}
