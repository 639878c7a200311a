import { detailOf } from '../api/problem.ts';
import type { ListSource } from '../player/player.ts';
import { playList, usePlayerCommands } from '../player/use-player.ts';
import { useUndoNotice } from '../ui/controls/undo-notice.tsx';

/** Plays a list of any length from one of its rows on. */
export function usePlayList(): (source: ListSource, startAt: number) => void {
  const player = usePlayerCommands();
  const { tell } = useUndoNotice();
  return (source, startAt) =>
    void playList(player, source, { startAt }).catch((error: unknown) => tell(detailOf(error)));
}
