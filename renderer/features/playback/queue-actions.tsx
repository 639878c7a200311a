import { useTranslation } from 'react-i18next';
import { IconAddTo, IconClearList } from '../../ui/theme/icons.ts';
import { fetchTracks } from '../../api/library.ts';
import { MAX_ADDED_TRACKS, useCreatePlaylist } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { askName } from '../../music/prompts.ts';
import { LIST_PAGE, queryOf } from '../../player/list-rest.ts';
import { isSounding, type PlayerState } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';

/** Returns the ids of the queued tracks, followed by those of a long list's remaining tracks. */
async function idsOf({ queue, rest }: PlayerState): Promise<number[]> {
  const ids = queue.map(({ track }) => track.id);
  const listedIds = new Set([...ids, ...(rest?.without ?? [])]);
  for (
    let firstRow = rest?.next ?? 0;
    rest && firstRow < rest.end && ids.length < MAX_ADDED_TRACKS;
    firstRow += LIST_PAGE
  ) {
    const { items } = await fetchTracks(queryOf(rest), {
      offset: firstRow,
      limit: Math.min(LIST_PAGE, rest.end - firstRow),
    });
    ids.push(...items.map(({ id }) => id).filter((id) => !listedIds.has(id)));
  }
  return ids.slice(0, MAX_ADDED_TRACKS);
}

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
    try {
      const track_ids = await idsOf(player.getState());
      await create.mutateAsync({ name, track_ids });
      tell(t('queue.saved', { name, tracks: formatNumber(track_ids.length) }));
    } catch (error) {
      tell(detailOf(error));
    }
  };
  const clear = () => {
    const previousState = player.getState();
    const tracks = previousState.queue.map(({ track, why }) => ({ ...track, why }));
    player.clear();
    done(t('queue.cleared'), () => {
      player.restore(tracks, previousState.index, previousState.positionMs, {
        from: previousState.from,
        rest: previousState.rest,
        radio: previousState.radio,
        listening: previousState.listening,
      });
      if (isSounding(previousState)) player.play();
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
