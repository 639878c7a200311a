// Other files of the same recording in the same album; the album plays the best of these files.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { trackVersionsQuery } from '../../api/library.ts';
import type { TrackOut } from '../../api/routes.ts';
import { qualityOf } from '../../music/audio-quality.ts';
import { ChosenTracks } from '../../music/chosen-tracks.tsx';
import styles from './details.module.css';

export function TrackVersions({ track }: { track: TrackOut }) {
  const { t } = useTranslation();
  const { data: versions = [] } = useQuery(trackVersionsQuery(track.id));
  if (versions.length === 0) return null;
  return (
    <section aria-label={t('details.versions')}>
      <h3>{t('details.versions')}</h3>
      <p className={styles.quiet}>{t('details.versionsHelp')}</p>
      <ChosenTracks
        label={t('details.versions')}
        from={track.album_title ?? track.title}
        items={versions.map((version) => ({
          track: version,
          note: [qualityOf([version], t), version.source_id].filter(Boolean).join(' · '),
        }))}
      />
    </section>
  );
}
