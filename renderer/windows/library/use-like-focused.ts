import { useQueryClient } from '@tanstack/react-query';
import { isLiked, useLike } from '../../api/likes.ts';
import { detailOf } from '../../api/problem.ts';
import { trackQuery } from '../../api/tracks.ts';
import { currentEntry } from '../../player/types.ts';
import { usePlayerCommands } from '../../player/use-player.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import { focusedTrack } from '../../ui/use-details.ts';

/** Likes or unlikes the track of the focused row, or the current one. */
export function useLikeFocused(): () => void {
  const queries = useQueryClient();
  const player = usePlayerCommands();
  const { tell } = useUndoNotice();
  const like = useLike((error) => tell(detailOf(error)));
  return () => {
    const id = focusedTrack() ?? currentEntry(player.getState())?.track.id;
    if (id === undefined) return;
    void queries.ensureQueryData(trackQuery(id)).then(
      (track) => like.mutate({ type: 'track', item: track, liked: !isLiked('track', track) }),
      (error: unknown) => tell(detailOf(error)),
    );
  };
}
