import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { albumQuery, albumTracksQuery } from '../../../api/library.ts';
import { detailOf, isAbsent } from '../../../api/problem.ts';
import { albumCover } from '../../../api/urls.ts';
import { qualityOf } from '../../../music/audio-quality.ts';
import { markItems } from '../../../music/item-marks.ts';
import { albumItems } from '../../../music/items.ts';
import { LikeButton } from '../../../music/like-button.tsx';
import { Stars } from '../../../music/stars.tsx';
import { MoreButton } from '../../../music/more-button.tsx';
import { useArtworkAccent } from '../../../ui/theme/artwork-accent.ts';
import { formatBytes, formatLength } from '../../../ui/format.ts';
import { AbsentPage } from '../../../music/absent-page.tsx';
import { usePageTitle } from '../../../ui/page.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { AlbumAbout } from '../about.tsx';
import { AlbumCover } from './album-cover.tsx';
import { AlbumChapters } from './album-chapters.tsx';
import { AlbumCharset } from './album-charset.tsx';
import { AlbumContradictions } from './album-contradictions.tsx';
import { DiscList } from './disc-list.tsx';
import { PlayButtons } from '../play-buttons.tsx';
import { Hero, HeroPage, HeroSkeleton, heroFoot } from '../../../ui/hero.tsx';
import { OtherEditions } from './other-editions.tsx';
import { MoreByArtist } from './more-by-artist.tsx';

export function AlbumPage() {
  const { t } = useTranslation();
  const { albumId } = useParams({ from: '/app/albums/$albumId' });
  const album = useQuery(albumQuery(albumId));
  const tracks = useQuery(albumTracksQuery(albumId));
  const accent = useArtworkAccent(album.data ? albumCover(album.data, 160) : null);
  usePageTitle(album.data?.title);

  const error = album.error ?? tracks.error;
  if (isAbsent(album.error)) return <AbsentPage kind="album" />;
  if (error)
    return (
      <ErrorState detail={detailOf(error)} onRetry={() => void Promise.all([album.refetch(), tracks.refetch()])} />
    );
  if (!album.data || !tracks.data) return <HeroSkeleton />;
  const { title, artist_id, artist_name, year, duration_ms, is_compilation, size_bytes } = album.data;
  const items = albumItems(album.data);
  const genres = [...new Set(tracks.data.flatMap((track) => track.genres))].slice(0, 3);

  return (
    <HeroPage accent={accent}>
      <Hero
        mark={markItems(items)}
        kind={t(is_compilation ? 'album.compilation' : 'album.album')}
        name={title}
        subtitle={album.data.edition}
        cover={null}
        picture={<AlbumCover album={album.data} />}
        by={
          artist_id === null ? (
            (artist_name ?? t('library.unknownArtist'))
          ) : (
            <Link to="/artists/$artistId" params={{ artistId: artist_id }}>
              {artist_name}
            </Link>
          )
        }
        facts={[
          year && (
            <Link to="/albums" search={{ from: year, to: year }}>
              {year}
            </Link>
          ),
          ...genres.map((genre) => (
            <Link key={genre} to="/albums" search={{ genre }}>
              {genre}
            </Link>
          )),
          t('track.count', { count: tracks.data.length }),
          formatLength(duration_ms),
        ]}
        actions={
          <>
            <PlayButtons tracks={tracks.data} from={title} />
            <LikeButton type="album" item={album.data} name={title} size={22} />
            <Stars type="album" item={album.data} name={title} size={18} />
            <MoreButton items={items} name={title} />
          </>
        }
      />
      <DiscList tracks={tracks.data} albumArtist={artist_name} titles={album.data.disc_titles} />
      <AlbumChapters tracks={tracks.data} />
      <p className={heroFoot}>{[qualityOf(tracks.data, t), formatBytes(size_bytes)].filter(Boolean).join(' · ')}</p>
      <AlbumCharset albumId={albumId} />
      <AlbumContradictions albumId={albumId} />
      <AlbumAbout albumId={albumId} />
      <OtherEditions albumId={albumId} />
      {artist_id !== null && <MoreByArtist artistId={artist_id} artistName={artist_name ?? ''} exceptAlbum={albumId} />}
    </HeroPage>
  );
}
