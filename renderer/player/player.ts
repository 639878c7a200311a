// The player as the rest of the renderer sees it: a state to read and subscribe to, and commands. The implementation
// is the engine or, in every window but one, a proxy to the window with the engine.
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
/** A track with the reasons for which Tonearm chose it, if Tonearm did. */
export type ChosenTrack = QueueTrack & { why?: readonly ReasonOut[] | undefined };

export interface QueueEntry {
  /** Unique within the queue: the same track may be queued twice. */
  readonly key: number;
  readonly track: QueueTrack;
  /** The position before shuffling. */
  readonly order: number;
  /** True if the entry was queued by hand. */
  readonly added?: true;
  /** The reasons for which a radio or a mix chose the track. */
  readonly why?: readonly ReasonOut[];
}

export type ReplayGainMode = 'off' | 'track' | 'album';
export type Repeat = 'off' | 'all' | 'one';
type PlayerStatus = 'idle' | 'loading' | 'playing' | 'paused' | 'failed';
/**
 * Why a track does not play. `fetching` is not an error: the audio is being downloaded and plays when it arrives.
 * `waiting` ends by itself: the server is asked repeatedly, and the music resumes at its position.
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
  | 'offline'
  | 'undecodable';

interface PlayerFailure {
  entry: QueueEntry;
  reason: FailureReason;
  /** False if nothing else can be tried. */ skipping: boolean;
}

/** When playback stops by itself: at a time (ms since 1970), or at the end of the track. */
export type Sleep = { readonly at: number } | 'track' | null;

/** Sound settings that are kept across restarts. */
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
  /** The name that the queue displays after “From”. */
  name: string;
  query: object | { playlist: number };
  /** Ids of the tracks that must not play. */
  without?: readonly number[];
}

/** The rows of the list that are not in the queue: those before `first`, and those from `next` to `end`. */
export interface ListRest extends Required<ListSource> {
  first: number;
  next: number;
  end: number;
  total: number;
  /** The seed of the random order while shuffled; null otherwise. */
  seed: number | null;
  /** While shuffled: the row at which the unshuffled list continues afterwards. */
  leftAt: number;
}

/** The seed of a radio and the tracks that it has played since; the server stores neither. */
export interface Radio {
  readonly seed: Seed;
  /** Whether the radio compares sounds or only tags. */
  readonly by: RadioOut['by'];
  readonly played: readonly number[];
  /** Ids of the tracks that the radio should play more like. */
  readonly more: readonly number[];
  /** Ids of the tracks that the radio should avoid similar tracks of. */
  readonly less: readonly number[];
}

export interface Steering {
  /** Id of a track to play more like. */
  more?: number;
  /** Id of a track to play nothing like. */
  less?: number;
  /** Id of a track whose steering is removed. */
  forget?: number;
}

/** One listening to a track. A listening continues after a pause, in another window and on another device. */
export interface Listening {
  /** The id of the play that it is reported as. */
  id: string;
  trackId: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  heardMs: number;
  /** The heard time in the last report; null before the first report. */
  reportedMs: number | null;
}

/** The origin of the queue: its name, the part of a long list that is not in the queue yet, the radio. */
export interface QueueOrigin {
  from?: string | null;
  rest?: ListRest | null;
  radio?: Radio | null;
  /** The listening of the current track, which continues. */
  listening?: Listening | null;
}

/** What else a queue has that comes from another device. */
export interface HandedOrigin extends QueueOrigin {
  shuffle?: boolean;
  repeat?: Repeat;
  /** For each track its place in the unshuffled queue. */
  orders?: readonly number[];
  /** Indexes of the tracks that were queued by hand. */
  added?: readonly number[];
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
  /** The name of the list that plays, such as an album. */
  readonly from: string | null;
  readonly rest: ListRest | null;
  readonly radio: Radio | null;
  /** The listening of the current track. */
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
  /** Position in the first track; without it an audiobook resumes at its bookmark. */
  positionMs?: number;
  shuffle?: boolean;
}

export interface Player {
  getState(): PlayerState;
  /** Calls back after every change; returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void;

  /** Replaces the queue and plays from `startAt`. With `shuffle` the first track is a random track. */
  playTracks(tracks: readonly ChosenTrack[], options?: PlayOptions): void;
  addNext(tracks: readonly QueueTrack[]): void;
  /** Adds tracks at the end of the queue, or before the next row of a long list. */
  addLast(tracks: readonly QueueTrack[]): void;
  /** Adds tracks before the entry that is at `index` now. */
  addAt(tracks: readonly QueueTrack[], index: number): void;
  /** Changes what the radio plays next. With `skip`, the current track ends. */
  steer(steering: Steering, skip?: boolean): void;
  /** Adds more rows of a long list to the queue. */
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
  /** Plays the track from its start, or the previous track if it has just started. */
  previous(): void;
  seek(positionMs: number): void;
  setVolume(volume: number): void;
  setMuted(muted: boolean): void;
  setShuffle(shuffle: boolean): void;
  setRepeat(repeat: Repeat): void;
  setSpeed(speed: number): void;
  setSound(change: Partial<SoundSettings>): void;
  /** Stops playback after this number of minutes, after this track, or never. */
  setSleep(sleep: number | 'track' | null): void;
  /** Repeats a part of the current track until the next track begins. */
  setLoop(loop: Loop | null): void;
  /** Loads a queue from another device without playing it. */
  restore(tracks: readonly ChosenTrack[], index: number, positionMs: number, origin?: HandedOrigin): void;
}

export const currentEntry = (state: PlayerState): QueueEntry | null => state.queue[state.index] ?? null;
export const isSounding = (state: PlayerState): boolean => state.status === 'playing' || state.status === 'loading';
