import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { albumEditionsQuery } from '../../../api/library.ts';
import { Shelf } from '../shelf.tsx';
import styles from '../../../ui/hero.module.css';

/** Other releases of the album that the library has. */
export function OtherEditions({ albumId }: { albumId: number }) {
  const { t } = useTranslation();
  const { data: editions = [] } = useQuery(albumEditionsQuery(albumId));
  if (editions.length === 0) return null;
  return (
    <div className={styles.more}>
      <Shelf
        title={t('album.otherEditions')}
        albums={editions}
        captionOf={({ edition, year }) => [edition, year].filter(Boolean).join(' · ')}
      />
    </div>
  );
}
