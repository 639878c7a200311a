import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconAdd, IconImport, IconPlaylist, IconPublic, IconRules } from '../../ui/icons.ts';
import type { PlaylistOut } from '../../../server/playlists/wire.ts';
import { playlistsQuery } from '../../api/playlists.ts';
import { useSession } from '../../api/session.ts';
import { markItems } from '../../music/item-marks.ts';
import { playlistItems } from '../../music/items.ts';
import { MoreButton } from '../../music/more-button.tsx';
import { trackDrop } from '../../music/track-drag.ts';
import { useAddToPlaylist } from '../../music/use-add-to-playlist.ts';
import { IconButton } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { PLAYLIST_FORMATS } from '../../../server/playlists/playlist-formats.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import { usePlaylistCommands } from '../../music/use-playlist-commands.ts';
import styles from './side-playlists.module.css';

const size = { size: 16, 'aria-hidden': true } as const;

/** Playlists in the side bar: create, rename, delete, and drop tracks onto one. */
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
        <NewPlaylistMenu />
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
  const isOwn = useSession()?.user.id === playlist.owner_id;
  const { addTo } = useAddToPlaylist();
  const Symbol = !isOwn ? IconPublic : playlist.is_smart ? IconRules : IconPlaylist;
  const drop = isOwn && !playlist.is_smart ? trackDrop((group) => void addTo(playlist, group)) : {};
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

export function NewPlaylistMenu() {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const { add, receive } = usePlaylistCommands();
  const file = useRef<HTMLInputElement>(null);
  const take = async (chosen: File) => {
    const result = await receive(chosen);
    if (!result) return;
    const left = result.unmatched.length;
    tell(
      left === 0
        ? t('playlist.imported', { count: result.matched, name: result.playlist.name })
        : t('playlist.importedSome', {
            count: left,
            matched: formatNumber(result.matched),
            name: result.playlist.name,
            lines: result.unmatched
              .slice(0, 3)
              .map(({ text }) => text)
              .join(', '),
          }),
    );
  };
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <IconButton label={t('playlist.newLabel')} icon={IconAdd} iconSize={18} size="small" />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPlaylist {...size} />} onClick={() => void add()}>
            {t('playlist.new')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconRules {...size} />}
            renderRoot={(props) => <Link to="/playlists/new-smart" {...props} />}
          >
            {t('playlist.newSmart')}
          </Menu.Item>
          <Menu.Item leftSection={<IconImport {...size} />} onClick={() => file.current?.click()}>
            {t('playlist.import')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <input
        ref={file}
        type="file"
        hidden
        accept={Object.keys(PLAYLIST_FORMATS)
          .map((extension) => `.${extension}`)
          .join()}
        aria-label={t('playlist.importFile')}
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (chosen) void take(chosen);
        }}
      />
    </>
  );
}
