import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconArrowForwardUp, IconDisc, IconDots, IconMicrophone2, IconPlaylistAdd } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TrackOut } from '../../../server/library/wire.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/button.tsx';

export function TrackMenu({ track, className, tabIndex = 0, withAlbum = true }: { track: TrackOut; className?: string | undefined; tabIndex?: 0 | -1; withAlbum?: boolean }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const size = { size: 16, 'aria-hidden': true };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconButton label={t('track.menu', { title: track.title })} icon={IconDots} iconSize={18} {...(className ? { className } : {})} tabIndex={tabIndex} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconArrowForwardUp {...size} />} onClick={() => player.addNext([track])}>{t('queue.playNext')}</Menu.Item>
        <Menu.Item leftSection={<IconPlaylistAdd {...size} />} onClick={() => player.addLast([track])}>{t('queue.add')}</Menu.Item>
        <Menu.Divider />
        {withAlbum && track.album_id !== null && (
          <Menu.Item leftSection={<IconDisc {...size} />} renderRoot={(props) => <Link to="/albums/$albumId" params={{ albumId: track.album_id! }} {...props} />}>{t('track.goToAlbum')}</Menu.Item>
        )}
        {track.artists.map((artist) => (
          <Menu.Item key={artist.id} leftSection={<IconMicrophone2 {...size} />} renderRoot={(props) => <Link to="/artists/$artistId" params={{ artistId: artist.id }} {...props} />}>
            {t('track.goToArtist', { name: artist.name })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
