// Measures how long a track was heard, without what was skipped by seeking, and reports a play once that is enough.
// What is heard after that is reported at the end: the server keeps the longer report of the same play.
import { countsAsPlayed } from '../../server/history/counts-as-played.ts';
import { randomId } from '../api/random-id.ts';
import type { Listening, QueueTrack } from './player.ts';

/**
 * Two updates further apart than this are a seek. A hidden window updates once a second, 2 s of audio at double speed.
 */
const LARGEST_STEP_MS = 5_000;
/** Less than this is not worth a second report. */
const MIN_REPORTED_MS = 1_000;

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
  #track: QueueTrack | null = null;
  #listening: Listening | null = null;
  #lastMs = 0;

  constructor(onPlayed: (play: Play) => void, now: () => Date = () => new Date()) {
    this.#onPlayed = onPlayed;
    this.#now = now;
  }

  get listening(): Listening | null {
    return this.#listening;
  }

  /** A listening begins and the one before is over, unless `listening` is of this track: then that one goes on. */
  start(track: QueueTrack, positionMs: number, listening: Listening | null = null): void {
    const isOfTrack = listening?.trackId === track.id;
    if (!isOfTrack || listening.id !== this.#listening?.id) {
      this.stop();
      this.#listening = isOfTrack
        ? listening
        : { id: randomId(), trackId: track.id, startedAt: this.#now().getTime(), heardMs: 0, reportedMs: null };
    }
    this.#track = track;
    this.#lastMs = positionMs;
  }

  stop(): void {
    const { heardMs = 0, reportedMs = null } = this.#listening ?? {};
    if (reportedMs !== null && heardMs - reportedMs >= MIN_REPORTED_MS) this.#report();
    this.#track = null;
    this.#listening = null;
  }

  jump(positionMs: number): void {
    this.#lastMs = positionMs;
  }

  hear(positionMs: number, durationMs: number): void {
    const step = positionMs - this.#lastMs;
    this.#lastMs = positionMs;
    const listening = this.#listening;
    if (!listening || step <= 0 || step > LARGEST_STEP_MS) return;
    const startedAt = listening.heardMs === 0 ? this.#now().getTime() : listening.startedAt;
    const heardMs = listening.heardMs + step;
    this.#listening = { ...listening, startedAt, heardMs };
    if (listening.reportedMs === null && countsAsPlayed(heardMs, durationMs)) this.#report();
  }

  #report(): void {
    const [track, listening] = [this.#track, this.#listening];
    if (!track || !listening) return;
    const { id, startedAt, heardMs } = listening;
    this.#listening = { ...listening, reportedMs: heardMs };
    this.#onPlayed({ id, track, playedAt: new Date(startedAt), playedMs: Math.round(heardMs) });
  }
}
