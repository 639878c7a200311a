// Timed actions of the player: playback stops at the sleep time, and a loop begins again.
import { isSounding, type Player } from './player.ts';

/** A timer can be late after the computer slept: the time is then over. */
export const MINUTE_MS = 60_000;

type Timed = Pick<Player, 'getState' | 'pause' | 'seek' | 'setSleep'>;

export class SleepAndLoop {
  readonly #player: Timed;
  #sleep: ReturnType<typeof setTimeout> | undefined;
  #loop: ReturnType<typeof setTimeout> | undefined;

  constructor(player: Timed) {
    this.#player = player;
  }

  armSleep(): void {
    clearTimeout(this.#sleep);
    const { sleep } = this.#player.getState();
    if (sleep === null || sleep === 'track') return;
    this.#sleep = setTimeout(
      () => {
        this.#player.pause();
        this.#player.setSleep(null);
      },
      Math.max(0, sleep.at - Date.now()),
    );
  }

  /** Ends the loop between two ticks, which are `tickMs` apart, so that the loop has exactly the chosen length. */
  armLoop(tickMs: number): void {
    const { loop, speed, positionMs } = this.#player.getState();
    clearTimeout(this.#loop);
    if (loop?.to == null) return;
    const remainingMs = (loop.to - positionMs) / speed;
    if (remainingMs > tickMs) return;
    this.#loop = setTimeout(
      () => {
        const state = this.#player.getState();
        if (state.loop === loop && isSounding(state)) this.#player.seek(loop.from);
      },
      Math.max(0, remainingMs),
    );
  }

  stop(): void {
    clearTimeout(this.#sleep);
    clearTimeout(this.#loop);
  }
}
