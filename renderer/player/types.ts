// What a player is to the rest of the renderer: a state that can be read and watched, and commands. The engine behind it may be changed
// (two audio elements today, one audio clock later) without a component noticing.
import type { TrackOut } from '../../server/library/wire.ts';

/** What is kept of a track in the queue, also over a restart. */
export type QueueTrack = Pick<TrackOut, 'id' | 'title' | 'artist_id' | 'artist_name' | 'album_id' | 'album_title' | 'duration_ms' | 'has_cover' | 'format' | 'bitrate_kbps'>;

export interface QueueEntry {
  /** Unique within the queue: the same track may be queued twice. */
  readonly key: number;
  readonly track: QueueTrack;
  /** Place in the order before shuffling. */
  readonly order: number;
}

export type Repeat = 'off' | 'all' | 'one';
export type PlayerStatus = 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
export type FailureReason = 'signed_out' | 'not_found' | 'remote' | 'missing' | 'unreachable' | 'busy' | 'undecodable';

export interface PlayerFailure { entry: QueueEntry; reason: FailureReason; /** False when nothing else can be tried. */ skipping: boolean }

export interface PlayerState {
  readonly status: PlayerStatus;
  readonly queue: readonly QueueEntry[];
  /** -1 when there is nothing to play. */
  readonly index: number;
  readonly positionMs: number;
  readonly durationMs: number;
  readonly bufferedMs: number;
  /** 0..1 */
  readonly volume: number;
  readonly muted: boolean;
  readonly shuffle: boolean;
  readonly repeat: Repeat;
  readonly failure: PlayerFailure | null;
}

export interface Player {
  getState(): PlayerState;
  /** Calls back after every change; returns how to stop. */
  subscribe(listener: () => void): () => void;

  /** Replaces the queue and plays from `startAt`. With `shuffle` the first track is a random one. */
  playTracks(tracks: readonly QueueTrack[], options?: { startAt?: number; shuffle?: boolean }): void;
  addNext(tracks: readonly QueueTrack[]): void;
  addLast(tracks: readonly QueueTrack[]): void;
  jumpTo(key: number): void;
  move(key: number, toIndex: number): void;
  remove(key: number): void;
  /** Empties the queue, the playing track too. */
  clear(): void;

  play(): void;
  pause(): void;
  toggle(): void;
  next(): void;
  /** Back to the start of the track, or to the one before when it has just begun. */
  previous(): void;
  seek(positionMs: number): void;
  setVolume(volume: number): void;
  setMuted(muted: boolean): void;
  setShuffle(shuffle: boolean): void;
  setRepeat(repeat: Repeat): void;
}

export const currentEntry = (state: PlayerState): QueueEntry | null => state.queue[state.index] ?? null;
export const isSounding = (state: PlayerState): boolean => state.status === 'playing' || state.status === 'loading';
