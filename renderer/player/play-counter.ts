// A track counts as played once half of it or 4 minutes of it have sounded; seeking ahead is not listening.
import type { QueueTrack } from './types.ts';

const ENOUGH_MS = 240_000;
/** Two reports further apart than this are a jump, not listening. */
const LARGEST_STEP_MS = 2_000;

export class PlayCounter {
  readonly #onPlayed: (track: QueueTrack, playedMs: number) => void;
  #track: QueueTrack | null = null;
  #lastMs = 0;
  #heardMs = 0;
  #counted = false;

  constructor(onPlayed: (track: QueueTrack, playedMs: number) => void) {
    this.#onPlayed = onPlayed;
  }

  start(track: QueueTrack, positionMs: number): void {
    this.#track = track;
    this.#lastMs = positionMs;
    this.#heardMs = 0;
    this.#counted = false;
  }

  stop(): void {
    this.#track = null;
  }

  jump(positionMs: number): void {
    this.#lastMs = positionMs;
  }

  hear(positionMs: number, durationMs: number): void {
    const step = positionMs - this.#lastMs;
    this.#lastMs = positionMs;
    if (!this.#track || this.#counted || step <= 0 || step > LARGEST_STEP_MS) return;
    this.#heardMs += step;
    if (this.#heardMs < Math.min(ENOUGH_MS, durationMs / 2)) return;
    this.#counted = true;
    this.#onPlayed(this.#track, Math.round(this.#heardMs));
  }
}
