// Reacts to playback: keeps the computer awake, announces new tracks, and resumes music that the computer's sleep
// interrupted.
import { powerSaveBlocker } from 'electron';
import { isSeen, notify } from './notifications.ts';
import { isSounding, type Status } from './status.ts';

interface WhilePlayingDeps {
  /** Returns whether each new track is announced. */
  announces(): boolean;
  onClick(): void;
  player(command: 'pause' | 'toggle'): void;
}

export function createWhilePlaying({ announces, onClick, player: sendCommand }: WhilePlayingDeps) {
  let blocker: number | undefined;
  let announced: string | null = null;
  let status: Status | undefined;
  /**
   * `woken` means that playback resumes as soon as the page has reported its pause, which may arrive only after the
   * sleep.
   */
  let sleep: 'none' | 'asleep' | 'woken' = 'none';

  /** Keeps the computer from sleeping; the screen may switch off. */
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

  function resume(): void {
    if (sleep !== 'woken' || status?.player?.status !== 'paused') return;
    sleep = 'none';
    sendCommand('toggle');
  }

  return {
    show(next: Status): void {
      const isReport = next.player !== status?.player;
      status = next;
      keepAwake(isSounding(next));
      announce(next);
      resume();
      if (isReport && sleep === 'woken') sleep = 'none'; // the user has already paused or started something else
    },
    suspend(): void {
      sleep = status !== undefined && isSounding(status) ? 'asleep' : 'none';
      if (sleep === 'asleep') sendCommand('pause');
    },
    resume(): void {
      if (sleep === 'asleep') sleep = 'woken';
      resume();
    },
    close: (): void => keepAwake(false),
  };
}
