// Measures how long a track was heard, without what was skipped by seeking, and reports a play once that is enough.
// What is heard after that is reported at the end: the server keeps the longer report of the same play.
import { countsAsPlayed } from '../../server/history/counts-as-played.ts';
import { randomId } from '../api/random-id.ts';
import type { QueueTrack } from './player.ts';

/**
 * Two updates further apart than this are a seek. A hidden window updates once a second, 2 s of audio at double speed.
 */
const LARGEST_STEP_MS = 5_000;
/** Less than this is not worth a second report. */
const WORTH_TELLING_MS = 1_000;

export interface Play {
  /** The same in all reports of one listening, and in no other. */
  id: string;
  track: QueueTrack;
  playedAt: Date;
  playedMs: number;
}

export class PlayCounter {
  readonly #onPlayed: (play: Play) => void;
  readonly #now: () => Date;
  #id = '';
  #track: QueueTrack | null = null;
  #playedAt = new Date(0);
  #lastMs = 0;
  #heardMs = 0;
  #toldMs: number | null = null;

  constructor(onPlayed: (play: Play) => void, now: () => Date = () => new Date()) {
    this.#onPlayed = onPlayed;
    this.#now = now;
  }

  /** A play begins, and the one before is over. */
  start(track: QueueTrack, positionMs: number): void {
    this.stop();
    this.#id = randomId();
    this.#track = track;
    this.#playedAt = this.#now();
    this.#lastMs = positionMs;
  }

  stop(): void {
    if (this.#toldMs !== null && this.#heardMs - this.#toldMs >= WORTH_TELLING_MS) this.#tell();
    this.#track = null;
    this.#heardMs = 0;
    this.#toldMs = null;
  }

  jump(positionMs: number): void {
    this.#lastMs = positionMs;
  }

  hear(positionMs: number, durationMs: number): void {
    const step = positionMs - this.#lastMs;
    this.#lastMs = positionMs;
    if (!this.#track || step <= 0 || step > LARGEST_STEP_MS) return;
    if (this.#heardMs === 0) this.#playedAt = this.#now();
    this.#heardMs += step;
    if (this.#toldMs === null && countsAsPlayed(this.#heardMs, durationMs)) this.#tell();
  }

  #tell(): void {
    if (!this.#track) return;
    this.#toldMs = this.#heardMs;
    this.#onPlayed({
      id: this.#id,
      track: this.#track,
      playedAt: this.#playedAt,
      playedMs: Math.round(this.#heardMs),
    });
  }
}
