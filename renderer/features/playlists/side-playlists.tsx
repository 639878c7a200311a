import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAdd, IconPlaylist, IconPublic, IconRules } from '../../ui/theme/icons.ts';
import type { PlaylistOut } from '../../api/routes.ts';
import { playlistsQuery } from '../../api/playlists.ts';
import { useSession } from '../../api/session.ts';
import { markItems } from '../../music/item-marks.ts';
import { playlistItems } from '../../music/items.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { trackDrop } from '../../music/track-drag.ts';
import { useAddToPlaylist } from '../../music/use-add-to-playlist.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { OnDemand } from '../../ui/on-demand.tsx';
import { formatNumber } from '../../ui/format.ts';
import styles from './side-playlists.module.css';

/** The playlists in the side bar: the user creates, renames and deletes them, and drops tracks onto them. */
export function SidePlaylists() {
  const { t } = useTranslation();
  const { data: playlists } = useQuery(playlistsQuery());
  const { addToNew } = useAddToPlaylist();
  return (
    <nav
      className={styles.section}
      aria-label={t('playlist.playlists')}
      {...trackDrop((group) => void addToNew(group))}
    >
      <div className={styles.head}>
        <h2>
          <Link to="/playlists">{t('playlist.playlists')}</Link>
        </h2>
        <NewPlaylistButton />
      </div>
      <ul>
        {playlists?.map((playlist) => (
          <li key={playlist.id}>
            <PlaylistLink playlist={playlist} />
          </li>
        ))}
      </ul>
      {playlists?.length === 0 && <p className={styles.empty}>{t('playlist.sideEmpty')}</p>}
    </nav>
  );
}

function PlaylistLink({ playlist }: { playlist: PlaylistOut }) {
  const isOwnPlaylist = useSession()?.user.id === playlist.owner_id;
  const { addTo } = useAddToPlaylist();
  const Symbol = !isOwnPlaylist ? IconPublic : playlist.is_smart ? IconRules : IconPlaylist;
  const drop = isOwnPlaylist && !playlist.is_smart ? trackDrop((group) => void addTo(playlist, group)) : {};
  return (
    <div className={styles.row} {...drop} {...markItems(playlistItems(playlist))}>
      <Link
        to="/playlists/$playlistId"
        params={{ playlistId: playlist.id }}
        className={styles.link}
        activeOptions={{ includeSearch: false }}
        title={playlist.name}
      >
        <Symbol size={18} stroke={1.75} aria-hidden />
        <span>{playlist.name}</span>
        <span className={styles.count} aria-hidden>
          {formatNumber(playlist.track_count)}
        </span>
      </Link>
      <MoreButton items={() => playlistItems(playlist)} name={playlist.name} className={styles.dots} />
    </div>
  );
}

const NewPlaylistMenu = lazy(async () => ({ default: (await import('./new-playlist-menu.tsx')).NewPlaylistMenu }));

export function NewPlaylistButton() {
  const { t } = useTranslation();
  return (
    <OnDemand
      button={(open) => (
        <IconButton label={t('playlist.newLabel')} icon={IconAdd} iconSize={18} size="small" onClick={open} />
      )}
    >
      <NewPlaylistMenu />
    </OnDemand>
  );
}
