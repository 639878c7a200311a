// What the player does at a time: it stops by itself, and a part of a track begins again.
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

  /** Ends the part between two ticks, which are `tickMs` apart, so that it is as long as it was chosen. */
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
