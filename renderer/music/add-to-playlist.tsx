import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { IconAdd, IconPlaylist } from '../ui/theme/icons.ts';
import { playlistsQuery } from '../api/playlists.ts';
import { useSession } from '../api/session.ts';
import type { TrackGroup } from './track-drag.ts';
import { useAddToPlaylist } from './use-add-to-playlist.ts';

const size = { size: 16, 'aria-hidden': true } as const;

/** Returns the playlists that tracks can be added to: the user's own playlists except smart ones. */
export function useOwnPlaylists() {
  const userId = useSession()?.user.id;
  const { data } = useQuery(playlistsQuery());
  return data?.filter((playlist) => playlist.owner_id === userId && !playlist.is_smart) ?? [];
}

export function PlaylistItems({ group, exceptId }: { group: TrackGroup; exceptId?: number | undefined }) {
  const { t } = useTranslation();
  const playlists = useOwnPlaylists();
  const { addTo, addToNew } = useAddToPlaylist();
  return (
    <>
      <Menu.Item leftSection={<IconAdd {...size} />} onClick={() => void addToNew(group)}>
        {t('playlist.newDots')}
      </Menu.Item>
      {playlists.length > 0 && <Menu.Divider />}
      {playlists
        .filter(({ id }) => id !== exceptId)
        .map((playlist) => (
          <Menu.Item
            key={playlist.id}
            leftSection={<IconPlaylist {...size} />}
            onClick={() => void addTo(playlist, group)}
          >
            {playlist.name}
          </Menu.Item>
        ))}
    </>
  );
}
