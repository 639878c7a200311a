import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  IconAlbum,
  IconArtist,
  IconDelete,
  IconDetails,
  IconEdit,
  IconFetch,
  IconIdentify,
  IconLike,
  IconPlayLater,
  IconPlayNext,
  IconUnlike,
} from '../ui/icons.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { useLike, useLiked } from '../api/likes.ts';
import { detailOf } from '../api/problem.ts';
import { useMaterialize } from '../api/remote.ts';
import { useIdentify } from '../api/tracks.ts';
import { usePlayerCommands } from '../player/use-player.ts';
import { useUndoNotice } from '../ui/undo-notice.tsx';
import { useDetailsContext } from '../ui/use-details.ts';
import { AddToPlaylist } from './add-to-playlist.tsx';
import { RateItems } from './rate-items.tsx';
import type { TrackGroup } from './track-drag.ts';
import { useDeleteTracks } from './use-delete-tracks.ts';
import styles from './menu.module.css';

const size = { size: 16, 'aria-hidden': true } as const;

interface TrackItemsProps {
  group: TrackGroup;
  withAlbum?: boolean;
  /** The playlist that contains the tracks. */
  playlistId?: number;
  /** Several tracks are edited in the list's own form. */
  onEdit?: () => void;
}

/** Menu items for a track, or for several selected ones. */
export function TrackItems({ group, withAlbum = true, playlistId, onEdit }: TrackItemsProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { tell } = useUndoNotice();
  const openDetails = useDetailsContext();
  const identify = useIdentify();
  const fetchAudio = useMaterialize();
  const remove = useDeleteTracks();
  const { only } = group;
  const withTracks = (use: (tracks: TrackOut[]) => unknown) => () =>
    void group
      .load()
      .then(use)
      .catch((error: unknown) => tell(detailOf(error)));
  const askFor = async (tracks: TrackOut[]) => {
    for (const { id } of tracks) await identify.mutateAsync(id);
    tell(t('track.identifying', { count: tracks.length }));
  };
  return (
    <>
      <Menu.Item leftSection={<IconPlayNext {...size} />} onClick={withTracks((tracks) => player.addNext(tracks))}>
        {t('queue.playNext')}
      </Menu.Item>
      <Menu.Item leftSection={<IconPlayLater {...size} />} onClick={withTracks((tracks) => player.addLast(tracks))}>
        {t('queue.add')}
      </Menu.Item>
      <AddToPlaylist group={group} exceptId={playlistId} />
      <LikeItem group={group} />
      {only && <RateItems track={only} />}
      <Menu.Divider />
      {only && withAlbum && only.album_id !== null && (
        <Menu.Item
          leftSection={<IconAlbum {...size} />}
          renderRoot={(props) => <Link to="/albums/$albumId" params={{ albumId: only.album_id! }} {...props} />}
        >
          {t('track.goToAlbum')}
        </Menu.Item>
      )}
      {only?.artists.map((artist) => (
        <Menu.Item
          key={artist.id}
          leftSection={<IconArtist {...size} />}
          renderRoot={(props) => <Link to="/artists/$artistId" params={{ artistId: artist.id }} {...props} />}
        >
          {t('track.goToArtist', { name: artist.name })}
        </Menu.Item>
      ))}
      {only?.availability === 'remote' && (
        <Menu.Item
          leftSection={<IconFetch {...size} />}
          onClick={() => fetchAudio.mutate(only.id, { onError: (error) => tell(detailOf(error)) })}
        >
          {t('details.fetch')}
        </Menu.Item>
      )}
      {only && openDetails && (
        <Menu.Item leftSection={<IconDetails {...size} />} onClick={() => openDetails(only.id)}>
          {t('track.details')}
        </Menu.Item>
      )}
      {only && openDetails ? (
        <Menu.Item leftSection={<IconEdit {...size} />} onClick={() => openDetails(only.id, { edit: true })}>
          {t('track.edit')}
        </Menu.Item>
      ) : (
        onEdit && (
          <Menu.Item leftSection={<IconEdit {...size} />} onClick={onEdit}>
            {t('track.edit')}
          </Menu.Item>
        )
      )}
      <Menu.Item leftSection={<IconIdentify {...size} />} onClick={withTracks(askFor)}>
        {t('track.identify')}
      </Menu.Item>
      <Menu.Item leftSection={<IconDelete {...size} />} className={styles.danger} onClick={withTracks(remove)}>
        {t('track.delete')}
      </Menu.Item>
    </>
  );
}

function LikeItem({ group }: { group: TrackGroup }) {
  const { t } = useTranslation();
  const { tell } = useUndoNotice();
  const liked = useLiked('track', group.only ?? { id: 0, liked: false });
  const like = useLike((error) => tell(detailOf(error)));
  const set = async () => {
    for (const item of await group.load())
      await like.mutateAsync({ type: 'track', item, liked: !liked }).catch(() => {});
  };
  return (
    <Menu.Item leftSection={liked ? <IconUnlike {...size} /> : <IconLike {...size} />} onClick={() => void set()}>
      {t(liked ? 'like.unlike' : 'like.like')}
    </Menu.Item>
  );
}
