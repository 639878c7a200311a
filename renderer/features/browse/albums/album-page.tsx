import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { albumWorksQuery } from '../../../api/credits.ts';
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
import { formatBytes, formatLength, formatNumber } from '../../../ui/format.ts';
import { AbsentPage } from '../../../music/absent-page.tsx';
import { usePageTitle } from '../../../ui/page.tsx';
import { usePutAway } from '../../../ui/controls/undoable.ts';
import { ButtonLink } from '../../../ui/controls/button.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { IconTrash } from '../../../ui/theme/icons.ts';
import { useMayCare } from '../../../music/places.ts';
import { AlbumAbout } from '../about.tsx';
import { AlbumArtistLinks } from './album-artist-links.tsx';
import { AlbumCover } from './album-cover.tsx';
import { AlbumChapters } from './album-chapters.tsx';
import { AlbumCharset } from './album-charset.tsx';
import { AlbumCredits } from './album-credits.tsx';
import { AlbumContradictions } from './album-contradictions.tsx';
import { DiscList } from './disc-list.tsx';
import { PlayButtons } from '../play-buttons.tsx';
import { Hero, HeroPage, HeroSkeleton, heroFoot } from '../../../ui/hero.tsx';
import { OtherEditions } from './other-editions.tsx';
import { MoreByArtist } from './more-by-artist.tsx';
import '../../../i18n/page-texts.ts';
import styles from './album-page.module.css';

export function AlbumPage() {
  const { t } = useTranslation();
  const { albumId } = useParams({ from: '/app/albums/$albumId' });
  const album = useQuery(albumQuery(albumId));
  const tracks = useQuery(albumTracksQuery(albumId));
  const works = useQuery(albumWorksQuery(albumId));
  const putAway = usePutAway();
  const accent = useArtworkAccent(album.data ? albumCover(album.data, 160) : null);
  usePageTitle(album.data?.title);

  // the address of an album that was merged into another one leads to that one
  if (album.data && album.data.id !== albumId)
    return <Navigate to="/albums/$albumId" params={{ albumId: album.data.id }} replace />;
  const error = album.error ?? tracks.error;
  if (isAbsent(album.error)) return <AbsentPage kind="album" />;
  if (error)
    return (
      <ErrorState detail={detailOf(error)} onRetry={() => void Promise.all([album.refetch(), tracks.refetch()])} />
    );
  if (!album.data || !tracks.data || works.isPending) return <HeroSkeleton />;
  const shownTracks = tracks.data.filter(({ id }) => !putAway.has(`track:${id}`));
  const { title, artist_id, artist_name, year, duration_ms, is_compilation, size_bytes, play_count } = album.data;
  const items = albumItems(album.data);
  const genres = [...new Set(shownTracks.flatMap((track) => track.genres))].slice(0, 3);

  return (
    <HeroPage accent={accent} isSplit>
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
            <AlbumArtistLinks
              artists={album.data.artists}
              linkTo={({ id, name }) => (
                <Link to="/artists/$artistId" params={{ artistId: id }}>
                  {name}
                </Link>
              )}
            />
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
          t('track.count', { count: shownTracks.length }),
          formatLength(duration_ms),
          play_count > 0 && t('history.plays', { count: play_count, number: formatNumber(play_count) }),
        ]}
        actions={
          <>
            {shownTracks.length > 0 && <PlayButtons tracks={shownTracks} from={title} />}
            <LikeButton type="album" item={album.data} name={title} size={22} />
            <MoreButton items={items} name={title} />
            <Stars type="album" item={album.data} name={title} size={18} />
          </>
        }
      />
      <div className={styles.content}>
        <div>
          {shownTracks.length === 0 && <NoTracks />}
          <DiscList
            tracks={shownTracks}
            albumArtist={artist_name}
            titles={album.data.disc_titles}
            works={works.data ?? []}
          />
          <AlbumChapters tracks={shownTracks} />
          <p className={heroFoot}>
            {[qualityOf(shownTracks, t), album.data.labels.join(', '), formatBytes(size_bytes)]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </div>
        <div className={styles.aside}>
          <AlbumCredits albumId={albumId} tracks={shownTracks} />
          <AlbumCharset album={album.data} />
          <AlbumContradictions albumId={albumId} />
          <AlbumAbout albumId={albumId} />
        </div>
      </div>
      <OtherEditions albumId={albumId} />
      {album.data.artists.map(({ id, name }) => (
        <MoreByArtist key={id} artistId={id} artistName={name} exceptAlbum={albumId} />
      ))}
    </HeroPage>
  );
}

/** Takes the place of the tracks of an album when all of them were deleted. */
function NoTracks() {
  const { t } = useTranslation();
  const mayCare = useMayCare();
  return (
    <EmptyState
      icon={IconTrash}
      title={t('absent.noTracks')}
      actions={mayCare && <ButtonLink to="/trash">{t('absent.toTrash')}</ButtonLink>}
    >
      {mayCare && t('absent.noTracksText')}
    </EmptyState>
  );
}
