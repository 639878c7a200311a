import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { classNames } from '../../ui/class-names.ts';
import type { GenreOut } from '../../api/routes.ts';
import { IconForward, IconGenre, IconGridView, IconListView } from '../../ui/theme/icons.ts';
import { albumPage, genresQuery } from '../../api/library.ts';
import { detailOf } from '../../api/problem.ts';
import { albumCover } from '../../api/urls.ts';
import { markItems } from '../../music/item-marks.ts';
import { genreItems } from '../../music/items.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { Mosaic } from '../../music/mosaic.tsx';
import { IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { LetterRail } from '../../ui/lists/letter-rail.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { VirtualGrid } from '../../ui/lists/virtual-grid.tsx';
import { CAPTION_HEIGHT } from './albums/album-card.tsx';
import { EmptyLibrary } from './home/empty-library.tsx';
import { useJump } from '../../music/type-ahead.ts';
import { useCardSize } from './use-card-size.ts';
import long from './long-rows.module.css';
import styles from './genres.module.css';
import '../../i18n/page-texts.ts';

const GAP = { column: 20, row: 24 };
const ROW_HEIGHT = 52;
/** The albums that a tile of four covers is made from: of eight, usually at least four have a cover. */
const GENRE_COVERS_PAGE = { limit: 8, offset: 0 };
const doNothing = () => {};

/** Genres as tiles with covers, or as a dense list; each links to its albums and tracks. */
export function GenresPage() {
  const { t } = useTranslation();
  const { view } = useSearch({ from: '/app/library/genres' });
  const navigate = useNavigate();
  const [size] = useCardSize();
  const genres = useQuery(genresQuery());
  const asList = view === 'list';
  const jump = useJump({
    count: genres.data?.length ?? 0,
    nameAt: async (row) => genres.data?.[row]?.name,
    descending: false,
  });
  const onCellKey = jump.onType;
  const toggle = (
    <IconButton
      label={t(asList ? 'genres.tiles' : 'genres.list')}
      icon={asList ? IconGridView : IconListView}
      onClick={() => void navigate({ to: '/genres', search: asList ? {} : { view: 'list' }, replace: true })}
    />
  );

  function body() {
    if (genres.error) return <ErrorState detail={detailOf(genres.error)} onRetry={() => void genres.refetch()} />;
    if (!genres.data) return null;
    if (genres.data.length === 0) return <EmptyLibrary />;
    const allGenres = genres.data;
    return (
      <>
        {jump.letters && <LetterRail {...jump.letters} />}
        {grid(allGenres)}
      </>
    );
  }

  function grid(allGenres: readonly GenreOut[]) {
    return asList ? (
      <VirtualGrid
        key="list"
        goTo={jump.goTo}
        onCellKey={onCellKey}
        label={t('place.genres')}
        count={allGenres.length}
        cellWidth={4_000}
        cellHeight={() => ROW_HEIGHT}
        onRange={doNothing}
        renderCell={(index, tabIndex) => <GenreRow genre={allGenres[index]!} tabIndex={tabIndex} />}
      />
    ) : (
      <VirtualGrid
        key="tiles"
        goTo={jump.goTo}
        onCellKey={onCellKey}
        label={t('place.genres')}
        count={allGenres.length}
        cellWidth={size}
        gap={GAP}
        cellHeight={(width) => width + CAPTION_HEIGHT}
        onRange={doNothing}
        renderCell={(index, tabIndex) => <GenreTile genre={allGenres[index]!} tabIndex={tabIndex} />}
      />
    );
  }
  const count = genres.data?.length;
  return (
    <Page title={t('place.genres')} {...(count && { count: formatNumber(count), tools: toggle })}>
      {body()}
    </Page>
  );
}

interface GenreProps {
  genre: GenreOut;
  tabIndex: 0 | -1;
}

function GenreTile({ genre, tabIndex }: GenreProps) {
  const { t } = useTranslation();
  const { data, isPending } = useQuery(albumPage({ genre: genre.name, sort: 'play_count' }, GENRE_COVERS_PAGE));
  const covers = data?.items.flatMap((album) => albumCover(album, 160) ?? []) ?? [];
  return (
    <div {...markItems(genreItems(genre))}>
      <Link
        to="/albums"
        search={{ genre: genre.name }}
        className={styles.tile}
        tabIndex={tabIndex}
        data-stop
        aria-label={t('genres.label', { name: genre.name, count: genre.album_count })}
      >
        <span className={styles.picture}>
          {covers.length > 0 ? (
            <Mosaic covers={covers} />
          ) : (
            <span className={styles.blank}>{!isPending && <IconGenre size={40} stroke={1.25} aria-hidden />}</span>
          )}
        </span>
        <span className={classNames(long.name, styles.caption)} title={genre.name}>
          {genre.name}
        </span>
      </Link>
      <TrackLink genre={genre} />
    </div>
  );
}

function GenreRow({ genre, tabIndex }: GenreProps) {
  const { t } = useTranslation();
  return (
    <div className={long.row} {...markItems(genreItems(genre))}>
      <Link to="/albums" search={{ genre: genre.name }} className={long.line} tabIndex={tabIndex} data-stop>
        <span className={long.name}>{genre.name}</span>
        <span className={long.figure}>{t('album.count', { count: genre.album_count })}</span>
      </Link>
      <TrackLink genre={genre} />
      <MoreButton items={() => genreItems(genre)} name={genre.name} tabIndex={-1} />
      <IconForward size={16} aria-hidden />
    </div>
  );
}

const TrackLink = ({ genre }: { genre: GenreOut }) => {
  const { t } = useTranslation();
  return (
    <Link to="/tracks" search={{ genre: genre.name }} className={classNames(long.figure, styles.tracks)} tabIndex={-1}>
      {t('track.count', { count: genre.track_count })}
    </Link>
  );
};
