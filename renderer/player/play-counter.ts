// Measures how long a track was heard, without the parts skipped by seeking, and reports a play once the time
// suffices. Time heard after the report is reported at the end: the server keeps the longer report of the same play.
import { countsAsPlayed } from '../../server/history/counts-as-played.ts';
import { randomId } from '../api/random-id.ts';
import type { Listening, QueueTrack } from './player.ts';

/**
 * Two position updates further apart than this count as a seek. A hidden window updates once a second, 2 s of audio at
 * double speed.
 */
const LARGEST_STEP_MS = 5_000;
/** Less additional time than this is not worth a second report. */
const MIN_REPORTED_MS = 1_000;

export interface Play {
  /** The id is the same in all reports of one listening, and different for each listening. */
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

  /** Starts a listening and ends the previous one; continues `listening` if it belongs to this track. */
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
