import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { IconMore, IconPlayNext } from '../../ui/icons.ts';
import type { TrackOut } from '../../../server/library/wire.ts';
import { AddToPlaylist } from '../../music/add-to-playlist.tsx';
import { someTracks } from '../../music/track-drag.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/button.tsx';

/** Actions on a whole album, besides playing it. */
export function AlbumMenu({ title, tracks }: { title: string; tracks: TrackOut[] }) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <IconButton label={t('album.menu', { title })} icon={IconMore} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlayNext size={16} aria-hidden />} onClick={() => player.addNext(tracks)}>
          {t('queue.playNext')}
        </Menu.Item>
        <AddToPlaylist group={someTracks(tracks)} />
      </Menu.Dropdown>
    </Menu>
  );
}
