import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { artistAlbumsQuery } from '../../../api/library.ts';
import { isFiledUnder } from '../../../music/items.ts';
import { Shelf } from '../shelf.tsx';
import styles from '../../../ui/hero.module.css';

export function MoreByArtist({
  artistId,
  artistName,
  exceptAlbum,
}: {
  artistId: number;
  artistName: string;
  exceptAlbum: number;
}) {
  const { t } = useTranslation();
  const { data } = useQuery(artistAlbumsQuery(artistId));
  const otherAlbums = data?.items.filter((album) => album.id !== exceptAlbum && isFiledUnder(album, artistId)) ?? [];
  if (otherAlbums.length === 0) return null;
  return (
    <div className={styles.more}>
      <Shelf
        title={t('album.moreBy', { name: artistName })}
        albums={otherAlbums}
        to={{ to: '/artists/$artistId', params: { artistId } }}
        captionOf={(album) => String(album.year ?? '')}
      />
    </div>
  );
}
