// The player as the rest of the renderer sees it: a state to read and subscribe to, and commands. Behind it is the
// engine or, in every window but one, a proxy to the window that has it.
import type { Seed } from '../api/likeness.ts';
import type { RadioOut, ReasonOut, TrackOut } from '../api/routes.ts';

/** The fields of a track kept in the queue, also across restarts. */
export const QUEUE_TRACK_FIELDS = [
  'id',
  'title',
  'artist_id',
  'artist_name',
  'album_id',
  'album_title',
  'disc_number',
  'track_number',
  'duration_ms',
  'has_cover',
  'has_lyrics',
  'has_chapters',
  'liked',
  'format',
  'bitrate_kbps',
  'sample_rate_hz',
  'replay_gain',
  'availability',
] as const satisfies readonly (keyof TrackOut)[];
export type QueueTrack = Pick<TrackOut, (typeof QUEUE_TRACK_FIELDS)[number]>;
/** With why it was chosen, where Tonearm did. */
export type ChosenTrack = QueueTrack & { why?: readonly ReasonOut[] | undefined };

export interface QueueEntry {
  /** Unique within the queue: the same track may be queued twice. */
  readonly key: number;
  readonly track: QueueTrack;
  /** Position before shuffling. */
  readonly order: number;
  /** Queued by hand, not with what is playing. */
  readonly added?: true;
  /** Why a radio or a mix chose it. */
  readonly why?: readonly ReasonOut[];
}

export type ReplayGainMode = 'off' | 'track' | 'album';
export type Repeat = 'off' | 'all' | 'one';
type PlayerStatus = 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
/**
 * `fetching` is no error: the audio is being downloaded and plays when it arrives. `waiting` ends by itself: the server
 * is asked again and again, and the music goes on where it was.
 */
export type FailureReason =
  | 'signed_out'
  | 'not_found'
  | 'remote'
  | 'fetching'
  | 'waiting'
  | 'missing'
  | 'unreachable'
  | 'busy'
  | 'undecodable';

interface PlayerFailure {
  entry: QueueEntry;
  reason: FailureReason;
  /** False when nothing else can be tried. */ skipping: boolean;
}

/** When playback stops by itself: at a time (ms since 1970), or at the end of the track. */
export type Sleep = { readonly at: number } | 'track' | null;

/** Kept across restarts. */
export interface SoundSettings {
  readonly crossfadeS: number;
  readonly replayGain: ReplayGainMode;
  readonly preampDb: number;
}

/** The part of the current track that is repeated, in milliseconds; `to` is null until its end is chosen. */
export interface Loop {
  readonly from: number;
  readonly to: number | null;
}

/** A list of tracks: `GET /tracks` with this query, or the playlist that it names. */
export interface ListSource {
  /** As the queue shows it: “From …”. */
  name: string;
  query: object | { playlist: number };
  /** Tracks that are not to play. */
  without?: readonly number[];
}

/** What of the list is not in the queue: the rows before `first`, and from `next` to `end`. */
export interface ListRest extends Required<ListSource> {
  first: number;
  next: number;
  end: number;
  total: number;
  /** While shuffled: the random order that the rows are those of. */
  seed: number | null;
  /** While shuffled: the row of the list itself to go on from afterwards. */
  leftAt: number;
}

/** What a radio started from, and what it has given since; the server keeps nothing of it. */
export interface Radio {
  readonly seed: Seed;
  /** Whether sounds are compared, or only tags. */
  readonly by: RadioOut['by'];
  readonly played: readonly number[];
  /** More like these. */
  readonly more: readonly number[];
  /** Nothing like these. */
  readonly less: readonly number[];
}

export interface Steering {
  /** More like this track. */
  more?: number;
  /** Nothing like this one. */
  less?: number;
  /** As if nothing had been said of this one. */
  forget?: number;
}

/** One hearing of a track. It goes on after a pause, in another window and on another device. */
export interface Listening {
  /** The id of its play. */
  id: string;
  trackId: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  heardMs: number;
  /** What the last report said; null before the first one. */
  reportedMs: number | null;
}

/** What the queue was made of: its name, the part of a long list that has not joined it yet, the radio. */
export interface QueueOrigin {
  from?: string | null;
  rest?: ListRest | null;
  radio?: Radio | null;
  /** Of the current track; it goes on. */
  listening?: Listening | null;
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
  /** What is playing, such as an album. */
  readonly from: string | null;
  readonly rest: ListRest | null;
  readonly radio: Radio | null;
  /** Of the current track. */
  readonly listening: Listening | null;
  readonly positionMs: number;
  readonly durationMs: number;
  readonly bufferedMs: number;
  /** 0..1 */
  readonly volume: number;
  readonly muted: boolean;
  readonly shuffle: boolean;
  readonly repeat: Repeat;
  /** 1 is normal speed; the pitch is kept. */
  readonly speed: number;
  readonly sleep: Sleep;
  readonly loop: Loop | null;
  readonly failure: PlayerFailure | null;
}

export interface PlayOptions extends QueueOrigin {
  startAt?: number;
  /** In the first track; without it an audiobook goes on where it was left. */
  positionMs?: number;
  shuffle?: boolean;
}

export interface Player {
  getState(): PlayerState;
  /** Calls back after every change; returns how to unsubscribe. */
  subscribe(listener: () => void): () => void;

  /** Replaces the queue and plays from `startAt`. With `shuffle` the first track is a random one. */
  playTracks(tracks: readonly ChosenTrack[], options?: PlayOptions): void;
  addNext(tracks: readonly QueueTrack[]): void;
  /** At the end; with a long list playing, before its next track. */
  addLast(tracks: readonly QueueTrack[]): void;
  /** Before the entry that is at `index` now. */
  addAt(tracks: readonly QueueTrack[], index: number): void;
  /** The radio goes on otherwise. With `skip`, what plays ends. */
  steer(steering: Steering, skip?: boolean): void;
  /** Has more rows of a long list join the queue. */
  showMore(): void;
  jumpTo(key: number): void;
  move(key: number, toIndex: number): void;
  remove(key: number): void;
  /** Empties the queue, including the current track. */
  clear(): void;

  play(): void;
  pause(): void;
  toggle(): void;
  next(): void;
  /** Back to the start of the track, or to the previous one when it has just started. */
  previous(): void;
  seek(positionMs: number): void;
  setVolume(volume: number): void;
  setMuted(muted: boolean): void;
  setShuffle(shuffle: boolean): void;
  setRepeat(repeat: Repeat): void;
  setSpeed(speed: number): void;
  setSound(change: Partial<SoundSettings>): void;
  /** Minutes from now, after this track, or never. */
  setSleep(sleep: number | 'track' | null): void;
  /** Repeats a part of the current track, until the next one. */
  setLoop(loop: Loop | null): void;
  /** Takes over a queue left on another device, without playing it. */
  restore(tracks: readonly ChosenTrack[], index: number, positionMs: number, origin?: QueueOrigin): void;
}

export const currentEntry = (state: PlayerState): QueueEntry | null => state.queue[state.index] ?? null;
export const isSounding = (state: PlayerState): boolean => state.status === 'playing' || state.status === 'loading';
