import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconLike } from '../../../ui/theme/icons.ts';
import { albumPage, artistPage } from '../../../api/library.ts';
import { usePlay } from '../../../player/use-player.ts';
import { ChoiceMenu } from '../../../ui/controls/choice-menu.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { AlbumCard } from '../albums/album-card.tsx';
import { ArtistCard } from '../artists/artist-card.tsx';
import { parseAlbumSearch, parseArtistSearch, parseTrackSearch, toFilter, type LikedKind } from '../url-params.ts';
import { CardPage } from '../card-page.tsx';
import { ALBUM_SORT_NAMES, albumName, ARTIST_SORT_NAMES, artistName } from '../sort-options.ts';
import { TrackList } from './track-list.tsx';
import '../../../i18n/page-texts.ts';

const LIKED_KINDS = ['tracks', 'albums', 'artists'] as const satisfies readonly LikedKind[];

/** Liked tracks, albums or artists, according to the URL. */
export function LikedPage() {
  const { kind = 'tracks' } = useSearch({ from: '/app/liked' });
  if (kind === 'albums') return <LikedAlbums />;
  return kind === 'artists' ? <LikedArtists /> : <LikedTracks />;
}

function useLikedSearch(kind: LikedKind) {
  const { t } = useTranslation();
  const all = useSearch({ from: '/app/liked' });
  const navigate = useNavigate();
  const choose = (next: LikedKind) =>
    void navigate({ to: '/liked', search: next === 'tracks' ? { kind: undefined } : { kind: next } });
  return {
    all,
    onSearch: (next: object) =>
      void navigate({ to: '/liked', search: { ...next, ...(kind !== 'tracks' && { kind }) }, replace: true }),
    tools: (
      <ChoiceMenu
        label={t('liked.kind')}
        value={kind}
        options={LIKED_KINDS.map((value) => ({ value, label: t(`nav.${value}`) }))}
        onChange={choose}
      />
    ),
    empty: (
      <EmptyState icon={IconLike} title={t(`liked.empty.${kind}`)}>
        {t('liked.help')}
      </EmptyState>
    ),
  };
}

function LikedTracks() {
  const { t } = useTranslation();
  const { all, onSearch, tools, empty } = useLikedSearch('tracks');
  return (
    <TrackList
      title={t('nav.liked')}
      search={parseTrackSearch({ ...all })}
      onSearch={onSearch}
      always={{ liked: true }}
      tools={tools}
      empty={empty}
    />
  );
}

function LikedAlbums() {
  const { t } = useTranslation();
  const { playAlbum } = usePlay();
  const { all, onSearch, tools, empty } = useLikedSearch('albums');
  const search = parseAlbumSearch({ ...all });
  return (
    <CardPage
      title={t('nav.liked')}
      icon={IconLike}
      query={(page) => albumPage({ ...toFilter(search), liked: true }, page)}
      nameOf={albumName}
      sorts={ALBUM_SORT_NAMES}
      defaultSort="title"
      hasFormat
      search={search}
      onSearch={onSearch}
      tools={tools}
      empty={empty}
      renderCard={(album, tabIndex, width) => <AlbumCard album={album} tabIndex={tabIndex} width={width} />}
      onPlay={(album) => void playAlbum(album.id)}
    />
  );
}

function LikedArtists() {
  const { t } = useTranslation();
  const { playArtist } = usePlay();
  const { all, onSearch, tools, empty } = useLikedSearch('artists');
  const search = parseArtistSearch({ ...all });
  return (
    <CardPage
      title={t('nav.liked')}
      icon={IconLike}
      query={(page) => artistPage({ ...toFilter(search), liked: true }, page)}
      nameOf={artistName}
      sorts={ARTIST_SORT_NAMES}
      defaultSort="name"
      search={search}
      onSearch={onSearch}
      tools={tools}
      empty={empty}
      renderCard={(artist, tabIndex, width) => <ArtistCard artist={artist} tabIndex={tabIndex} width={width} />}
      onPlay={(artist) => void playArtist(artist.id)}
    />
  );
}
