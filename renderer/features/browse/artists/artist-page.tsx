import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { artistCreditsQuery } from '../../../api/credits.ts';
import { artistAlbumsQuery, artistQuery, artistTracksQuery } from '../../../api/library.ts';
import { detailOf, isAbsent } from '../../../api/problem.ts';
import { albumCover, coverUrl } from '../../../api/urls.ts';
import type { CoverSize } from '../../../../server/covers/cover-sizes.ts';
import { markItems } from '../../../music/item-marks.ts';
import { artistItems, isFiledUnder } from '../../../music/items.ts';
import { LikeButton } from '../../../music/like-button.tsx';
import { MoreButton } from '../../../music/more-button.tsx';
import { useSession } from '../../../api/session.ts';
import { usePlayerCommands } from '../../../player/use-player.ts';
import { useArtworkAccent } from '../../../ui/theme/artwork-accent.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { AbsentPage } from '../../../music/absent-page.tsx';
import { usePageTitle } from '../../../ui/page.tsx';
import { moveAmongRows } from '../../../ui/lists/row-keys.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { Cover } from '../../../ui/cover.tsx';
import { ArtistAbout } from '../about.tsx';
import { PlayButtons } from '../play-buttons.tsx';
import { Hero, HeroPage, HeroSkeleton } from '../../../ui/hero.tsx';
import { ArtistCredits } from '../people/artist-credits.tsx';
import { AlbumGrid } from '../albums/album-grid.tsx';
import { RELEASE_KINDS, releaseKind } from '../albums/release-kinds.ts';
import { SimilarArtists } from './similar-artists.tsx';
import { TrackRow } from '../tracks/track-row.tsx';
import '../../../i18n/page-texts.ts';
import shelf from '../shelf.module.css';
import list from '../tracks/track-list.module.css';
import covers from '../albums/album-cover.module.css';

const PictureDialog = lazy(async () => ({ default: (await import('./artist-dialogs.tsx')).PictureDialog }));

const FIRST_TRACKS = 10;
const TOP_TRACKS = 5;

export function ArtistPage() {
  const { t } = useTranslation();
  const { artistId } = useParams({ from: '/app/artists/$artistId' });
  const player = usePlayerCommands();
  const [showsAll, setAll] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const mayEdit = useSession()?.user.can_edit === true;
  const artist = useQuery(artistQuery(artistId));
  const albums = useQuery(artistAlbumsQuery(artistId));
  const tracks = useQuery(artistTracksQuery(artistId));
  const credits = useQuery(artistCreditsQuery(artistId));
  usePageTitle(artist.data?.name);

  const ownAlbums = albums.data?.items
    .filter((album) => isFiledUnder(album, artistId))
    .sort((a, b) => (b.year ?? 0) - (a.year ?? 0));
  const appearsOn = albums.data?.items.filter((album) => !isFiledUnder(album, artistId)) ?? [];
  const withCover = ownAlbums?.find((album) => album.has_cover) ?? appearsOn.find((album) => album.has_cover);
  const cover = (size: CoverSize) =>
    artist.data?.has_cover ? coverUrl('artists', artistId, size) : withCover ? albumCover(withCover, size) : null;
  const accent = useArtworkAccent(cover(160));

  const error = artist.error ?? albums.error ?? tracks.error;
  if (isAbsent(artist.error)) return <AbsentPage kind="artist" />;
  if (error)
    return (
      <ErrorState
        detail={detailOf(error)}
        onRetry={() => void Promise.all([artist.refetch(), albums.refetch(), tracks.refetch()])}
      />
    );
  if (!artist.data || !ownAlbums || !tracks.data) return <HeroSkeleton round />;
  const items = artistItems(artist.data);
  const from = artist.data.name;
  const shownTracks = showsAll ? tracks.data : tracks.data.slice(0, FIRST_TRACKS);
  const top = tracks.data
    .filter((track) => track.play_count > 0)
    .sort((a, b) => b.play_count - a.play_count)
    .slice(0, TOP_TRACKS);

  return (
    <HeroPage accent={accent}>
      <Hero
        mark={markItems(items)}
        round
        kind={t('artist.artist')}
        name={artist.data.name}
        cover={cover(600)}
        picture={
          mayEdit && (
            <button
              type="button"
              className={covers.open}
              aria-haspopup="dialog"
              aria-label={t('picture.label', { name: artist.data.name })}
              onClick={() => setChoosing(true)}
            >
              <Cover src={cover(600)} alt="" name={artist.data.name} eager />
            </button>
          )
        }
        facts={[
          artist.data.album_count > 0 && t('album.count', { count: artist.data.album_count }),
          t('track.count', { count: tracks.data.length }),
        ]}
        actions={
          <>
            <PlayButtons tracks={tracks.data} from={artist.data.name} />
            <LikeButton type="artist" item={artist.data} name={artist.data.name} size={22} />
            <MoreButton items={items} name={artist.data.name} />
          </>
        }
      />
      <ArtistAbout artist={artist.data} />
      {top.length > 0 && (
        <section className={shelf.shelf} aria-label={t('artist.top')}>
          <div className={shelf.head}>
            <h2>{t('artist.top')}</h2>
          </div>
          <div className={list.list} onKeyDown={moveAmongRows}>
            <ol>
              {top.map((track, i) => (
                <TrackRow
                  key={track.id}
                  track={track}
                  lead="cover"
                  withArtist={false}
                  withFormat={false}
                  withPlays
                  onPlay={() => player.playTracks(top, { startAt: i, shuffle: false, from })}
                />
              ))}
            </ol>
          </div>
        </section>
      )}
      {RELEASE_KINDS.map((kind) => (
        <AlbumGrid
          key={kind}
          title={t(`artist.kind.${kind}`)}
          albums={ownAlbums.filter((album) => releaseKind(album) === kind)}
          captionOf={(album) => [album.year, album.edition].filter(Boolean).join(' · ')}
        />
      ))}
      <AlbumGrid title={t('artist.appearsOn')} albums={appearsOn} />
      {credits.data && <ArtistCredits person={credits.data} />}
      <section className={shelf.shelf} aria-label={t('nav.tracks')}>
        <div className={shelf.head}>
          <h2>{t('nav.tracks')}</h2>
        </div>
        <div className={list.list} onKeyDown={moveAmongRows}>
          <ol>
            {shownTracks.map((track) => (
              <TrackRow
                key={track.id}
                track={track}
                lead="cover"
                withArtist
                withFormat={false}
                onPlay={() =>
                  player.playTracks(tracks.data, { startAt: tracks.data.indexOf(track), shuffle: false, from })
                }
              />
            ))}
          </ol>
        </div>
        {!showsAll && tracks.data.length > FIRST_TRACKS && (
          <Button onClick={() => setAll(true)}>{t('artist.allTracks', { count: tracks.data.length })}</Button>
        )}
      </section>
      <SimilarArtists artistId={artistId} tracks={tracks.data} />
      {isChoosing && (
        <Suspense>
          <PictureDialog artist={artist.data} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </HeroPage>
  );
}
