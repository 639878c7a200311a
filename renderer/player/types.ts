// What a player is to the rest of the renderer: a state that can be read and watched, and commands. Behind it is the
// engine, or, in every window but one, a line to the window that has it; no component notices.
import type { TrackOut } from '../../server/library/wire.ts';

/** What is kept of a track in the queue, also over a restart; the rest would only make it large. */
export const QUEUE_TRACK_FIELDS = [
  'id',
  'title',
  'artist_id',
  'artist_name',
  'album_id',
  'album_title',
  'duration_ms',
  'has_cover',
  'has_lyrics',
  'liked',
  'format',
  'bitrate_kbps',
  'sample_rate_hz',
  'replay_gain',
  'availability',
] as const satisfies readonly (keyof TrackOut)[];
export type QueueTrack = Pick<TrackOut, (typeof QUEUE_TRACK_FIELDS)[number]>;

export interface QueueEntry {
  /** Unique within the queue: the same track may be queued twice. */
  readonly key: number;
  readonly track: QueueTrack;
  /** Place in the order before shuffling. */
  readonly order: number;
}

export type ReplayGainMode = 'off' | 'track' | 'album';
export type Repeat = 'off' | 'all' | 'one';
export type PlayerStatus = 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
/** `fetching` is no fault: the audio is on its way here, and plays when it has come. */
export type FailureReason =
  | 'signed_out'
  | 'not_found'
  | 'remote'
  | 'fetching'
  | 'missing'
  | 'unreachable'
  | 'busy'
  | 'undecodable';

export interface PlayerFailure {
  entry: QueueEntry;
  reason: FailureReason;
  /** False when nothing else can be tried. */ skipping: boolean;
}

/** When the music stops by itself: at a time (ms since 1970), or when the track is over. */
export type Sleep = { readonly at: number } | 'track' | null;

/** How it sounds; kept over a restart. */
export interface SoundSettings {
  readonly crossfadeS: number;
  readonly replayGain: ReplayGainMode;
  readonly preampDb: number;
}

export const CROSSFADE_MAX_S = 12;
export const PREAMP_MAX_DB = 12;
export const SPEED_MIN = 0.5;
export const SPEED_MAX = 2;

export interface PlayerState extends SoundSettings {
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
  /** 1 is as recorded; the pitch stays. */
  readonly speed: number;
  readonly sleep: Sleep;
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
  setSpeed(speed: number): void;
  setSound(change: Partial<SoundSettings>): void;
  /** Minutes from now, after this track, or not at all. */
  setSleep(sleep: number | 'track' | null): void;
  /** Takes over a queue that was left elsewhere, silently. */
  restore(tracks: readonly QueueTrack[], index: number, positionMs: number): void;
}

export const currentEntry = (state: PlayerState): QueueEntry | null => state.queue[state.index] ?? null;
export const isSounding = (state: PlayerState): boolean => state.status === 'playing' || state.status === 'loading';
