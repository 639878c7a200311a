import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconPlaylist, IconRules } from '../../ui/icons.ts';
import { playlistsQuery } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { Button } from '../../ui/button.tsx';
import { formatLength, formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { moveAmongRows } from '../../ui/row-keys.ts';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { NewPlaylistMenu } from './side-playlists.tsx';
import { usePlaylistCommands } from './use-playlist-commands.ts';
import styles from './playlists.module.css';

/** All playlists; on a phone the only list of them. */
export function PlaylistsPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(playlistsQuery());
  const { add } = usePlaylistCommands();
  function body() {
    if (error) return <ErrorState detail={detailOf(error)} onRetry={() => void refetch()} />;
    if (!data) return <Skeleton height="320px" />;
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
      <ul className={styles.all} onKeyDown={moveAmongRows}>
        {data.map((playlist) => {
          const Symbol = playlist.is_smart ? IconRules : IconPlaylist;
          return (
            <li key={playlist.id}>
              <Link to="/playlists/$playlistId" params={{ playlistId: playlist.id }} data-stop>
                <Symbol size={20} stroke={1.75} aria-hidden />
                <span>{playlist.name}</span>
                <span>
                  {[
                    t('track.count', { count: playlist.track_count }),
                    playlist.track_count > 0 && formatLength(playlist.duration_ms),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    );
  }
  return (
    <Page title={t('playlist.playlists')} count={data && formatNumber(data.length)} tools={<NewPlaylistMenu />}>
      {body()}
    </Page>
  );
}
