import { useTranslation } from 'react-i18next';
import { IconAddTo, IconClearList } from '../../ui/icons.ts';
import { MOST_ADDED, useCreatePlaylist } from '../../api/playlists.ts';
import { askName } from '../../music/prompts.ts';
import { isSounding } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';

/** Actions on the whole queue. */
export function QueueActions() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const queue = usePlayer((state) => state.queue);
  const create = useCreatePlaylist();
  const { tell, done } = useUndoNotice();
  const save = async () => {
    const name = await askName({ title: t('queue.saveTitle'), submit: t('queue.saveSubmit') });
    if (name === null) return;
    const track_ids = queue.slice(0, MOST_ADDED).map(({ track }) => track.id);
    create.mutate(
      { name, track_ids },
      {
        onSuccess: () => tell(t('queue.saved', { name, tracks: formatNumber(track_ids.length) })),
        onError: (error) => tell(error.message),
      },
    );
  };
  const clear = () => {
    const before = player.getState();
    const tracks = before.queue.map(({ track }) => track);
    player.clear();
    done(t('queue.cleared'), () => {
      player.restore(tracks, before.index, before.positionMs);
      if (isSounding(before)) player.play();
    });
  };
  return (
    <>
      <IconButton
        label={t('queue.save')}
        icon={IconAddTo}
        iconSize={18}
        disabled={queue.length === 0}
        onClick={() => void save()}
      />
      <IconButton
        label={t('queue.clear')}
        icon={IconClearList}
        iconSize={18}
        disabled={queue.length === 0}
        onClick={clear}
      />
    </>
  );
}
