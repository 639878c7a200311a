import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconArtist } from '../../../ui/theme/icons.ts';
import { artistPage } from '../../../api/library.ts';
import { usePlay } from '../../../player/use-player.ts';
import { ArtistCard } from './artist-card.tsx';
import { toFilter } from '../url-params.ts';
import { CardPage } from '../card-page.tsx';
import { ARTIST_SORT_NAMES, artistName } from '../sort-options.ts';

export function ArtistsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: '/app/library/artists' });
  const navigate = useNavigate();
  const { playArtist } = usePlay();
  return (
    <CardPage
      title={t('nav.artists')}
      icon={IconArtist}
      query={(page) => artistPage(toFilter(search), page)}
      nameOf={artistName}
      sorts={ARTIST_SORT_NAMES}
      defaultSort="name"
      search={search}
      onSearch={(next) => void navigate({ to: '/artists', search: next, replace: true })}
      renderCard={(artist, tabIndex, width) => <ArtistCard artist={artist} tabIndex={tabIndex} width={width} />}
      onPlay={(artist) => void playArtist(artist.id)}
    />
  );
}
