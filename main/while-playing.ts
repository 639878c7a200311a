// What follows from what is playing: the computer does not fall asleep, a new track may be announced, and music that
// the computer's sleep interrupted goes on afterwards.
import { powerSaveBlocker } from 'electron';
import { isSeen, notify } from './notifications.ts';
import { isSounding, type Status } from './status.ts';

interface WhilePlayingDeps {
  /** Whether each new track is announced. */
  announces(): boolean;
  onClick(): void;
  player(command: 'pause' | 'toggle'): void;
}

export function createWhilePlaying({ announces, onClick, player }: WhilePlayingDeps) {
  let blocker: number | undefined;
  let announced: string | null = null;
  let status: Status | undefined;
  let slept = false;

  /** The screen may switch off. */
  function keepAwake(isWanted: boolean): void {
    if (isWanted) blocker ??= powerSaveBlocker.start('prevent-app-suspension');
    else if (blocker !== undefined) {
      powerSaveBlocker.stop(blocker);
      blocker = undefined;
    }
  }

  function announce({ player }: Status): void {
    if (player?.status !== 'playing' || player.title === null || player.title === announced) return;
    announced = player.title;
    if (announces() && !isSeen()) notify({ title: player.title, body: player.artist ?? '', onClick });
  }

  return {
    show(next: Status): void {
      status = next;
      keepAwake(isSounding(next));
      announce(next);
    },
    suspend(): void {
      slept = status !== undefined && isSounding(status);
      if (slept) player('pause');
    },
    resume(): void {
      if (slept && status?.player?.status === 'paused') player('toggle');
      slept = false;
    },
    close: (): void => keepAwake(false),
  };
}
