import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { entryPage, playlistsQuery } from '../../api/playlists.ts';
import type { PlaylistOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { trackCover } from '../../api/urls.ts';
import { markItems } from '../../music/item-marks.ts';
import { playlistItems } from '../../music/items.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { coversOf, Mosaic } from '../../music/mosaic.tsx';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatLength, formatNumber } from '../../ui/format.ts';
import { IconPlaylist, IconRules } from '../../ui/theme/icons.ts';
import { LetterRail } from '../../ui/lists/letter-rail.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { useJump } from '../../music/type-ahead.ts';
import { VirtualGrid } from '../../ui/lists/virtual-grid.tsx';
import { NewPlaylistButton } from './side-playlists.tsx';
import styles from './playlists.module.css';

/** This many entries usually contain four albums with covers. */
const COVERS_PAGE = { limit: 24, offset: 0 };
const PLACEHOLDERS = 8;
/** Sizes in pixels; the caption has two lines. */
const CARD = { width: 180, gap: { column: 20, row: 24 }, caption: 52 };
const doNothing = () => {};

/** A grid with the covers of all playlists. */
export function PlaylistsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(playlistsQuery());
  const { add } = usePlaylistCommands();
  const jump = useJump({
    count: data?.length ?? 0,
    nameAt: async (row) => data?.[row]?.name,
    descending: false,
  });
  function body() {
    if (error) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
    if (!data)
      return (
        <ul className={styles.all}>
          {Array.from({ length: PLACEHOLDERS }, (_, i) => (
            <li key={i} style={{ aspectRatio: '1' }}>
              <Skeleton height="100%" />
            </li>
          ))}
        </ul>
      );
    if (data.length === 0)
      return (
        <EmptyState
          icon={IconPlaylist}
          title={t('playlist.noneTitle')}
          actions={
            <Button variant="primary" onClick={() => void add()}>
              {t('playlist.new')}
            </Button>
          }
        >
          {t('playlist.none')}
        </EmptyState>
      );
    return (
      <>
        {jump.letters && <LetterRail {...jump.letters} />}
        <VirtualGrid
          label={t('playlist.playlists')}
          goTo={jump.goTo}
          count={data.length}
          cellWidth={CARD.width}
          gap={CARD.gap}
          cellHeight={(width) => width + CARD.caption}
          onRange={doNothing}
          onCellKey={jump.onType}
          renderCell={(index, tabIndex) => <PlaylistCard playlist={data[index]!} tabIndex={tabIndex} />}
        />
      </>
    );
  }
  return (
    <Page title={t('playlist.playlists')} count={data && formatNumber(data.length)} tools={<NewPlaylistButton />}>
      {body()}
    </Page>
  );
}

function PlaylistCard({ playlist, tabIndex }: { playlist: PlaylistOut; tabIndex: 0 | -1 }) {
  const { t } = useTranslation();
  const entries = useQuery(entryPage(playlist.id, COVERS_PAGE));
  const tracks = entries.data?.items.map(({ track }) => track) ?? [];
  const Symbol = playlist.is_smart ? IconRules : IconPlaylist;
  const covers = coversOf(tracks, (track) => trackCover(track, 300));
  return (
    <div className={styles.card} {...markItems(playlistItems(playlist))}>
      <Link to="/playlists/$playlistId" params={{ playlistId: playlist.id }} tabIndex={tabIndex} data-stop>
        <span className={styles.picture}>
          {covers.length > 0 ? (
            <Mosaic covers={covers} />
          ) : (
            <span className={styles.blank} data-loading={entries.isPending || undefined}>
              {!entries.isPending && <Symbol size={40} stroke={1.25} aria-hidden />}
            </span>
          )}
        </span>
        <span className={styles.name} title={playlist.name}>
          {playlist.name}
        </span>
        <span className={styles.facts}>
          {[
            t('track.count', { count: playlist.track_count }),
            playlist.track_count > 0 && formatLength(playlist.duration_ms),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </Link>
      <MoreButton
        items={() => playlistItems(playlist)}
        name={playlist.name}
        tabIndex={-1}
        className={styles.cardMore}
      />
    </div>
  );
}
