import { Menu, Switch } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  IconDelete,
  IconDownload,
  IconDuplicate,
  IconEdit,
  IconMore,
  IconPlay,
  IconPlayLater,
  IconRules,
  IconShuffle,
  IconVersions,
} from '../../ui/icons.ts';
import type { TrackOut } from '../../../server/library/wire.ts';
import type { PlaylistOut } from '../../../server/playlists/wire.ts';
import { exportUrl, useUpdatePlaylist } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { AddToPlaylist } from '../../music/add-to-playlist.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import { usePlaylistCommands } from './use-playlist-commands.ts';

interface PlaylistToolsProps {
  playlist: PlaylistOut;
  isOwn: boolean;
  loadTracks: () => Promise<TrackOut[]>;
  onPlay: (shuffle: boolean) => void;
  onQueue: () => void;
  versionsShown: boolean;
  onVersions: () => void;
}

const size = { size: 16, 'aria-hidden': true } as const;

export function PlaylistTools({
  playlist,
  isOwn,
  loadTracks,
  onPlay,
  onQueue,
  versionsShown,
  onVersions,
}: PlaylistToolsProps) {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const update = useUpdatePlaylist();
  const { rename, copy, remove } = usePlaylistCommands();
  const isEmpty = playlist.track_count === 0;
  return (
    <>
      <Button variant="primary" icon={IconPlay} disabled={isEmpty} onClick={() => onPlay(false)}>
        {t('player.play')}
      </Button>
      <Button icon={IconShuffle} disabled={isEmpty} onClick={() => onPlay(true)}>
        {t('player.shuffle')}
      </Button>
      <IconButton label={t('queue.add')} icon={IconPlayLater} disabled={isEmpty} onClick={onQueue} />
      <IconButton
        label={t('playlist.versions')}
        icon={IconVersions}
        aria-pressed={versionsShown}
        onClick={onVersions}
      />
      <Menu position="bottom-start">
        <Menu.Target>
          <IconButton label={t('playlist.menu', { name: playlist.name })} icon={IconMore} />
        </Menu.Target>
        <Menu.Dropdown>
          {isOwn && (
            <Menu.Item leftSection={<IconEdit {...size} />} onClick={() => void rename(playlist)}>
              {t('playlist.rename')}
            </Menu.Item>
          )}
          {isOwn && playlist.is_smart && (
            <Menu.Item
              leftSection={<IconRules {...size} />}
              renderRoot={(props) => (
                <Link to="/playlists/$playlistId/rules" params={{ playlistId: playlist.id }} {...props} />
              )}
            >
              {t('rules.edit')}
            </Menu.Item>
          )}
          <AddToPlaylist group={{ count: playlist.track_count, load: loadTracks }} exceptId={playlist.id} />
          <Menu.Item leftSection={<IconDuplicate {...size} />} onClick={() => void copy(playlist, loadTracks)}>
            {t('playlist.copy')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload {...size} />}
            component="a"
            href={exportUrl(playlist.id)}
            download={`${playlist.name}.m3u8`}
          >
            {t('playlist.export')}
          </Menu.Item>
          {isOwn && <Menu.Divider />}
          {isOwn && (
            <Menu.Item leftSection={<IconDelete {...size} />} onClick={() => remove(playlist)}>
              {t('playlist.delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isOwn && (
        <Switch
          label={t('playlist.share')}
          checked={playlist.is_public}
          disabled={update.isPending}
          onChange={(event) =>
            update.mutate(
              { id: playlist.id, is_public: event.currentTarget.checked },
              { onError: (error) => tell(detailOf(error)) },
            )
          }
        />
      )}
    </>
  );
}
