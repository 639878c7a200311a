import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconAlbum } from '../../ui/icons.ts';
import { albumPage } from '../../api/library.ts';
import { usePlay } from '../../player/use-player.ts';
import { AlbumCard } from './album-card.tsx';
import { toFilter } from './url-params.ts';
import { CardPage } from './card-page.tsx';
import { ALBUM_SORT_NAMES, albumName } from './sort-options.ts';

export function AlbumsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/albums' });
  const navigate = useNavigate();
  const { playAlbum } = usePlay();
  return (
    <CardPage
      title={t('nav.albums')}
      icon={IconAlbum}
      query={(at) => albumPage(toFilter(search), at)}
      nameOf={albumName}
      sorts={ALBUM_SORT_NAMES}
      defaultSort="title"
      hasFormat
      search={search}
      onSearch={(next) => void navigate({ to: '/albums', search: next, replace: true })}
      renderCard={(album, tabIndex, width) => <AlbumCard album={album} tabIndex={tabIndex} width={width} />}
      onPlay={(album) => void playAlbum(album.id)}
    />
  );
}
