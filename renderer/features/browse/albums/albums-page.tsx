import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconAlbum } from '../../../ui/theme/icons.ts';
import { albumPage } from '../../../api/library.ts';
import { usePlay } from '../../../player/use-player.ts';
import { AlbumCard, UnnamedCard } from './album-card.tsx';
import { hasFilters, toFilter } from '../url-params.ts';
import { CardPage } from '../card-page.tsx';
import { ALBUM_SORT_NAMES, albumName } from '../sort-options.ts';

export function AlbumsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/library/albums' });
  const navigate = useNavigate();
  const { playAlbum } = usePlay();
  const { unnamed = false } = search;
  const withoutName = useQuery(albumPage({ unnamed: true }, { limit: 1, offset: 0 }));
  const hasUnnamed = !unnamed && !hasFilters(search) && (withoutName.data?.total ?? 0) > 0;
  return (
    <CardPage
      title={t(unnamed ? 'library.noAlbum' : 'nav.albums')}
      icon={IconAlbum}
      query={(page) => albumPage({ ...toFilter(search), unnamed }, page)}
      nameOf={albumName}
      sorts={ALBUM_SORT_NAMES}
      defaultSort={unnamed ? 'artist' : 'title'}
      hasFormat
      search={search}
      onSearch={(next) =>
        void navigate({ to: '/albums', search: unnamed ? { ...next, unnamed } : next, replace: true })
      }
      renderCard={(album, tabIndex, width) => <AlbumCard album={album} tabIndex={tabIndex} width={width} />}
      onPlay={(album) => void playAlbum(album.id)}
      lastCard={hasUnnamed ? (tabIndex) => <UnnamedCard tabIndex={tabIndex} /> : undefined}
    />
  );
}
