import { Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import {
  IconAddTo,
  IconClose,
  IconDelete,
  IconEdit,
  IconLike,
  IconPlay,
  IconPlayLater,
  IconPlayNext,
} from '../../ui/icons.ts';
import type { TrackOut } from '../../../server/library/wire.ts';
import { useLike } from '../../api/likes.ts';
import { detailOf } from '../../api/problem.ts';
import { PlaylistItems } from '../../music/add-to-playlist.tsx';
import type { TrackGroup } from '../../music/track-drag.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import menu from '../../music/menu.module.css';
import styles from '../../ui/selection-bar.module.css';

interface SelectionBarProps {
  count: number;
  group: () => TrackGroup;
  onEdit: () => void;
  onDelete: (tracks: TrackOut[]) => void;
  onClear: () => void;
}

/** The number of selected rows, and the actions on them. */
export function SelectionBar({ count, group, onEdit, onDelete, onClear }: SelectionBarProps) {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { tell } = useUndoNotice();
  const like = useLike((error) => tell(detailOf(error)));
  const withTracks = (use: (tracks: TrackOut[]) => unknown) => () =>
    void group()
      .load()
      .then(use)
      .catch((error: unknown) => tell(detailOf(error)));
  const likeAll = async (tracks: TrackOut[]) => {
    for (const item of tracks) await like.mutateAsync({ type: 'track', item, liked: true }).catch(() => {});
  };
  return (
    <div className={styles.bar} role="toolbar" aria-label={t('select.label')}>
      <p role="status">{t('select.chosen', { count, number: formatNumber(count) })}</p>
      <IconButton
        label={t('player.play')}
        icon={IconPlay}
        iconSize={18}
        onClick={withTracks((tracks) => player.playTracks(tracks, { shuffle: false }))}
      />
      <IconButton
        label={t('queue.playNext')}
        icon={IconPlayNext}
        iconSize={18}
        onClick={withTracks((tracks) => player.addNext(tracks))}
      />
      <IconButton
        label={t('queue.add')}
        icon={IconPlayLater}
        iconSize={18}
        onClick={withTracks((tracks) => player.addLast(tracks))}
      />
      <Menu position="top">
        <Menu.Target>
          <IconButton label={t('playlist.addTo')} icon={IconAddTo} iconSize={18} />
        </Menu.Target>
        <Menu.Dropdown className={menu.long}>
          <PlaylistItems group={{ count, load: () => group().load() }} />
        </Menu.Dropdown>
      </Menu>
      <IconButton label={t('like.like')} icon={IconLike} iconSize={18} onClick={withTracks(likeAll)} />
      <IconButton label={t('track.edit')} icon={IconEdit} iconSize={18} onClick={onEdit} />
      <IconButton label={t('track.delete')} icon={IconDelete} iconSize={18} onClick={withTracks(onDelete)} />
      <IconButton label={t('select.clear')} icon={IconClose} iconSize={18} onClick={onClear} />
    </div>
  );
}
