import { useTranslation } from 'react-i18next';
import { detailOf } from '../../api/problem.ts';
import { trackDrop } from '../../music/track-drag.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';

/** Tracks dropped onto the queue are added at its end. */
export function useQueueDrop() {
  const { t } = useTranslation();
  const player = usePlayerCommands();
  const { tell } = useUndoNotice();
  return trackDrop(
    (group) =>
      void group.load().then(
        (tracks) => {
          player.addLast(tracks);
          tell(t('queue.dropped', { count: tracks.length }));
        },
        (error: unknown) => tell(detailOf(error)),
      ),
  );
}
