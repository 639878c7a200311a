// Files of an album whose tags name another release, edition or year than most of its files; a click opens the track.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { albumContradictionsQuery } from '../../../api/library.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formatNumber } from '../../../ui/format.ts';
import { useOpenDetails } from '../../../ui/use-details.ts';
import '../../../i18n/page-texts.ts';
import styles from './album-contradictions.module.css';

export function AlbumContradictions({ albumId }: { albumId: number }) {
  const { t } = useTranslation();
  const openDetails = useOpenDetails();
  const { data: contradictions = [] } = useQuery(albumContradictionsQuery(albumId));
  if (contradictions.length === 0) return null;
  const files = new Set(contradictions.map(({ track_id }) => track_id)).size;
  return (
    <details className={styles.contradictions}>
      <summary>{t('album.contradictions', { count: files, number: formatNumber(files) })}</summary>
      <ul>
        {contradictions.map(({ track_id, title, field, value, usual }) => (
          <li key={`${track_id} ${field}`}>
            <Button variant="plain" onClick={() => openDetails(track_id)}>
              {title}
            </Button>
            <span>{t(`album.contradiction.${field}`, { value, usual })}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
