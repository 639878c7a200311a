import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconArtist } from '../../ui/icons.ts';
import { artistPage } from '../../api/library.ts';
import { usePagedList } from '../../api/paged-list.ts';
import { usePlay } from '../../player/use-player.ts';
import { ArtistCard } from './artist-card.tsx';
import { toFilter } from './url-params.ts';
import { CardPage } from './card-page.tsx';
import { ARTIST_SORT_NAMES } from './sort-options.ts';

export function ArtistsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/artists' });
  const navigate = useNavigate();
  const { playArtist } = usePlay();
  const list = usePagedList((at) => artistPage(toFilter(search), at));
  return (
    <CardPage
      title={t('nav.artists')}
      icon={IconArtist}
      list={list}
      sorts={ARTIST_SORT_NAMES}
      defaultSort="name"
      search={search}
      onSearch={(next) => void navigate({ to: '/artists', search: next, replace: true })}
      renderCard={(artist, tabIndex, width) => <ArtistCard artist={artist} tabIndex={tabIndex} width={width} />}
      onPlay={(artist) => void playArtist(artist.id)}
    />
  );
}
