// The player: a queue, and its output (gapless-output.ts). Contains no React; URLs, bytes and failure reasons are
// injected. Every change makes a new state object, so subscribers compare by identity.
import { emptyState } from './first-state.ts';
import { remember } from './saved-state.ts';
import { Mixer } from './mixer.ts';
import type { FetchAnalysis } from './crossfade.ts';
import { PlayCounter, type Play } from './play-counter.ts';
import { Failures } from './failures.ts';
import { GaplessOutput } from './gapless-output.ts';
import { ListFeed } from './list-feed.ts';
import { afterAdded, newSeed, orNull, rowsWanted, reorderedRest, type ListRows } from './list-rest.ts';
import { following, moveEntry, removeEntry, reorder, reorderUpcoming, type Ordered } from './play-order.ts';
import {
  QUEUE_TRACK_FIELDS,
  CROSSFADE_MAX_S,
  currentEntry,
  isSounding,
  type Listening,
  PREAMP_MAX_DB,
  SPEED_MAX,
  SPEED_MIN,
  type ChosenTrack,
  type FailureReason,
  type HandedOrigin,
  type Loop,
  type Player,
  type PlayerState,
  type PlayOptions,
  type QueueEntry,
  type QueueTrack,
  type Repeat,
  type SoundSettings,
  type Steering,
} from './player.ts';
import { MINUTE_MS, SleepAndLoop } from './sleep-and-loop.ts';
import { isAtBegin, placeToGoOn, type FindPlace } from './audiobook-bookmarks.ts';
import { RadioFeed, steered, type RadioFeedOptions } from './radio-feed.ts';
import type { VoiceItem } from './voice.ts';

const RESTART_AFTER_MS = 3_000;
const REMEMBER_EVERY_MS = 2_000;
const TICK_MS = 250;

interface EngineOptions {
  streamUrl: (trackId: number, startMs?: number) => string;
  /** Whether a track's stream is the unchanged file. */
  isOriginal: (track: QueueTrack) => boolean;
  fetchStream: (trackId: number, signal: AbortSignal) => Promise<Response>;
  /** Fetches a track's analysis, for crossfades. */
  fetchAnalysis: FetchAnalysis;
  findReason: (trackId: number) => Promise<FailureReason>;
  /**
   * Has the server convert a track that the browser cannot decode; returns false if the server converts it already.
   */
  convert: (trackId: number) => boolean;
  /** Downloads audio from an online source; resolves to false if the audio does not arrive soon. */
  fetchAudio: (trackId: number, signal: AbortSignal) => Promise<boolean>;
  /** Fetches rows of a list from which the queue is continued. */
  fetchRows: (query: object, rows: ListRows) => Promise<QueueTrack[]>;
  fetchRadio: RadioFeedOptions['fetchRadio'];
  /** Finds the position where an audiobook was left. */
  findPlace: FindPlace;
  /** Called once per play, at half of the track or 4 minutes, and again at the track's end when more was heard. */
  onPlayed?: (play: Play) => void;
  /** Stores the state; by default in this browser, for all of its windows. */
  remember?: (state: PlayerState) => void;
  random?: () => number;
}

export class PlayerEngine implements Player {
  readonly #random: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #mixer = new Mixer(() => this.#output.setSound(this.#state));
  readonly #output: GaplessOutput;
  readonly #counter: PlayCounter;
  readonly #sleepAndLoop = new SleepAndLoop(this);
  readonly #feed: ListFeed;
  readonly #radio: RadioFeed;
  readonly #failures: Failures;
  readonly #findPlace: FindPlace;
  readonly #remember: (state: PlayerState) => void;
  #state: PlayerState;
  #nextKey: number;
  #ticking: ReturnType<typeof setInterval> | undefined;
  readonly #retiring = new AbortController();
  #rememberTimer: ReturnType<typeof setTimeout> | undefined;

  /**
   * `state` is the state of another window's engine that this engine replaces; without it, the stored state is used.
   */
  constructor(options: EngineOptions, state: PlayerState = emptyState()) {
    this.#random = options.random ?? Math.random;
    this.#counter = new PlayCounter((play) => options.onPlayed?.(play));
    this.#findPlace = options.findPlace;
    this.#remember = options.remember ?? remember;
    const { streamUrl, isOriginal, fetchStream, fetchAnalysis, fetchRows, findReason, convert, fetchAudio } = options;
    this.#feed = new ListFeed({
      getState: this.getState,
      update: (change) => this.#update(change),
      toEntries: (tracks) => this.#toEntries(tracks),
      fetchRows,
    });
    this.#radio = new RadioFeed({
      getState: this.getState,
      update: (change) => this.#update(change),
      toEntries: (tracks) => this.#toEntries(tracks),
      fetchRadio: options.fetchRadio,
    });
    this.#failures = new Failures({
      getState: this.getState,
      update: (change) => this.#update(change),
      stop: () => this.#output.stop(),
      restart: () => this.#resume(),
      skip: () => this.#advance(false),
      findReason,
      convert,
      fetchAudio,
    });
    this.#output = new GaplessOutput({
      mixer: this.#mixer,
      streamUrl,
      isOriginal,
      fetchStream,
      fetchAnalysis,
      onJoined: (item) => this.#onJoined(item),
      onEnded: () => this.#onEnded(),
      onFailed: ({ key }) => void this.#failures.handle(key),
      onCut: ({ key }) => void this.#failures.handleCut(key),
    });
    this.#state = { ...state, status: state.queue.length > 0 ? 'paused' : 'idle', failure: null };
    this.#nextKey = Math.max(0, ...this.#state.queue.map((entry) => entry.key)) + 1;
    this.#mixer.setVolume(this.#state.volume, this.#state.muted);
    this.#output.setSound(this.#state);
    this.#sleepAndLoop.armSleep();
    addEventListener('pagehide', () => this.#remember(this.#state), { signal: this.#retiring.signal });
  }

  getState = (): PlayerState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Stops this engine so that another window's engine takes over; a retired engine must not be used again. */
  retire(): PlayerState {
    this.pause();
    this.#update({ listening: this.#counter.listening });
    this.#counter.stop();
    this.#output.stop();
    this.#listeners.clear();
    this.#retiring.abort();
    clearTimeout(this.#rememberTimer);
    this.#sleepAndLoop.stop();
    this.#remember(this.#state);
    this.#mixer.close();
    return this.#state;
  }

  playTracks(
    tracks: readonly ChosenTrack[],
    { startAt = 0, positionMs, shuffle, from = null, rest = null, radio = null }: PlayOptions = {},
  ): void {
    if (tracks.length === 0) return;
    const entries = this.#toEntries(tracks);
    const isRandomList = rest !== null && rest.seed !== null;
    const isShuffled = !isRandomList && (shuffle ?? (rest === null && this.#state.shuffle));
    const firstIndex = shuffle ? Math.floor(this.#random() * entries.length) : Math.min(startAt, entries.length - 1);
    const asGiven: Ordered = { queue: entries, index: firstIndex };
    const order = isShuffled ? reorder(asGiven, true, this.#random) : asGiven;
    this.#failures.forget();
    this.#update({ ...order, from, rest: rest && orNull(rest), radio, shuffle: isShuffled || isRandomList });
    this.#start(order.index, { positionMs });
  }

  restore(
    tracks: readonly ChosenTrack[],
    index: number,
    positionMs: number,
    {
      from = null,
      rest = null,
      radio = null,
      listening = null,
      shuffle = rest !== null && rest.seed !== null,
      repeat = this.#state.repeat,
      orders,
      added = [],
    }: HandedOrigin = {},
  ): void {
    if (tracks.length === 0) return;
    const firstOrder = this.#nextKey;
    const addedIndexes = new Set(added);
    const queue = this.#toEntries(tracks).map((entry, position) => ({
      ...entry,
      ...(orders && { order: firstOrder + (orders[position] ?? position) }),
      ...(addedIndexes.has(position) && { added: true as const }),
    }));
    this.#update({ queue, from, rest, radio, shuffle, repeat });
    this.#start(Math.min(index, tracks.length - 1), { positionMs, paused: true, listening });
  }

  addNext(tracks: readonly QueueTrack[]): void {
    this.#insert(tracks, this.#state.index + 1);
  }

  addLast(tracks: readonly QueueTrack[]): void {
    const { rest, queue } = this.#state;
    this.#insert(tracks, rest && rest.next < rest.end ? afterAdded(this.#state) : queue.length);
  }

  addAt(tracks: readonly QueueTrack[], index: number): void {
    this.#insert(tracks, Math.min(this.#state.queue.length, Math.max(0, index)));
  }

  steer(steering: Steering, skip = false): void {
    const { radio } = this.#state;
    const entry = currentEntry(this.#state);
    if (!radio) return;
    this.#update(steered(this.#state, radio, steering));
    if (!skip) return;
    void this.#radio.goOn().then(() => {
      if (entry && currentEntry(this.#state) === entry) this.next();
    });
  }

  showMore(): void {
    void this.#feed.goOn(true);
  }

  jumpTo(key: number): void {
    const index = this.#state.queue.findIndex((entry) => entry.key === key);
    this.#failures.forget();
    if (index >= 0) this.#start(index);
  }

  move(key: number, toIndex: number): void {
    this.#update(moveEntry(this.#state, key, toIndex));
  }

  remove(key: number): void {
    const wasCurrent = currentEntry(this.#state)?.key === key;
    const sounding = isSounding(this.#state);
    const { queue, rest } = this.#state;
    const removedEntry = queue.find((entry) => entry.key === key);
    this.#update({
      ...removeEntry(this.#state, key),
      ...(rest &&
        removedEntry &&
        !removedEntry.added && { rest: { ...rest, without: [...rest.without, removedEntry.track.id] } }),
    });
    if (!wasCurrent) return;
    if (this.#state.index < 0) this.clear();
    else this.#start(this.#state.index, { paused: !sounding });
  }

  clear(): void {
    this.#failures.cancel();
    this.#output.stop();
    this.#counter.stop();
    this.#update({
      queue: [],
      index: -1,
      from: null,
      rest: null,
      radio: null,
      listening: null,
      loop: null,
      status: 'idle',
      positionMs: 0,
      durationMs: 0,
      bufferedMs: 0,
      failure: null,
    });
  }

  play(): void {
    const entry = currentEntry(this.#state);
    if (!entry) return;
    this.#failures.forget();
    if (this.#state.failure || this.#output.current?.item.key !== entry.key) this.#resume();
    else this.#sound();
  }

  pause(): void {
    const wasPending = this.#failures.isPending;
    this.#failures.cancel();
    this.#output.pause();
    if (this.#state.status !== 'idle') this.#update({ status: 'paused', ...(wasPending && { failure: null }) });
  }

  toggle(): void {
    if (isSounding(this.#state)) this.pause();
    else this.play();
  }

  next(): void {
    this.#failures.forget();
    this.#advance(false);
  }

  previous(): void {
    this.#failures.forget();
    const { index, positionMs, queue, repeat } = this.#state;
    if (index < 0) return;
    if (positionMs > RESTART_AFTER_MS || (index === 0 && repeat !== 'all')) this.seek(0);
    else this.#start(index === 0 ? queue.length - 1 : index - 1, { paused: !isSounding(this.#state) });
  }

  seek(positionMs: number): void {
    const entry = currentEntry(this.#state);
    if (!entry) return;
    const to = Math.min(Math.max(0, positionMs), this.#state.durationMs);
    if (this.#output.current?.item.key === entry.key) this.#output.seek(to);
    this.#counter.jump(to);
    this.#update({ positionMs: to });
  }

  setVolume(volume: number): void {
    this.#update({ volume: Math.min(1, Math.max(0, volume)), muted: false });
    this.#mixer.setVolume(this.#state.volume, false);
  }

  setMuted(muted: boolean): void {
    this.#update({ muted });
    this.#mixer.setVolume(this.#state.volume, muted);
  }

  setShuffle(shuffle: boolean): void {
    const { rest, radio, queue, index } = this.#state;
    const current = queue[index];
    if (rest && current) {
      const addedEntries = queue.slice(index + 1).filter((entry) => entry.added);
      const next = reorderedRest(rest, this.#state, shuffle ? newSeed(this.#random) : null);
      this.#update({ shuffle, queue: [current, ...addedEntries], index: 0, rest: next });
      return;
    }
    const inOrder = radio ? reorderUpcoming : reorder;
    this.#update({ shuffle, ...inOrder(this.#state, shuffle, this.#random) });
  }

  setRepeat(repeat: Repeat): void {
    this.#update({ repeat });
  }

  setSpeed(speed: number): void {
    this.#update({ speed: Math.min(SPEED_MAX, Math.max(SPEED_MIN, speed)) });
    this.#output.setSound(this.#state);
  }

  setSound({
    crossfadeS = this.#state.crossfadeS,
    replayGain = this.#state.replayGain,
    preampDb = this.#state.preampDb,
  }: Partial<SoundSettings>): void {
    this.#update({
      replayGain,
      crossfadeS: Math.min(CROSSFADE_MAX_S, Math.max(0, crossfadeS)),
      preampDb: Math.min(PREAMP_MAX_DB, Math.max(-PREAMP_MAX_DB, preampDb)),
    });
    this.#output.setSound(this.#state);
  }

  setSleep(sleep: number | 'track' | null): void {
    this.#update({ sleep: typeof sleep === 'number' ? { at: Date.now() + sleep * MINUTE_MS } : sleep });
    this.#sleepAndLoop.armSleep();
  }

  setLoop(loop: Loop | null): void {
    this.#update({ loop });
  }

  #update(change: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...change };
    const changesUpcoming = 'queue' in change || 'index' in change || 'repeat' in change;
    if (changesUpcoming) void this.#goOn();
    if (changesUpcoming || 'sleep' in change || 'loop' in change)
      this.#output.setUpcoming(this.#upcoming(), this.#state.shuffle);
    if ('status' in change) this.#tickWhile(isSounding(this.#state));
    this.#rememberTimer ??= setTimeout(() => {
      this.#rememberTimer = undefined;
      this.#remember(this.#state);
    }, REMEMBER_EVERY_MS);
    for (const listener of this.#listeners) listener();
  }

  /** Returns the entry that plays next without user action. */
  #upcoming(): QueueEntry | null {
    if (this.#state.sleep === 'track' || this.#state.loop) return null;
    return this.#state.queue[following(this.#state, this.#state.repeat, true)] ?? null;
  }

  /** Adds entries from the list or the radio; resolves to true if there are more entries afterwards. */
  #goOn(): Promise<boolean> {
    return this.#state.radio ? this.#radio.goOn() : this.#feed.goOn();
  }

  #toEntries(tracks: readonly ChosenTrack[], isAdded = false): QueueEntry[] {
    const base = this.#nextKey;
    this.#nextKey += tracks.length;
    return tracks.map((track, i) => ({
      key: base + i,
      order: base + i,
      track: keptOf(track),
      ...(isAdded ? { added: true as const } : track.why && { why: track.why }),
    }));
  }

  #insert(tracks: readonly QueueTrack[], position: number): void {
    if (tracks.length === 0) return;
    if (this.#state.index < 0) return this.playTracks(tracks, { shuffle: false });
    const queue = [...this.#state.queue];
    queue.splice(position, 0, ...this.#toEntries(tracks, true));
    const { index } = this.#state;
    this.#update({ queue, index: position <= index ? index + tracks.length : index });
  }

  #start(
    index: number,
    {
      paused = false,
      positionMs: from,
      listening = null,
    }: {
      paused?: boolean;
      positionMs?: number | undefined;
      /** The listening to continue, if any. */ listening?: Listening | null;
    } = {},
  ): void {
    this.#failures.cancel();
    const entry = this.#state.queue[index];
    if (!entry) return;
    const positionMs = from ?? 0;
    this.#counter.start(entry.track, positionMs, listening);
    // Nothing is loaded for a track that is only displayed; `play` starts the track.
    if (paused) this.#output.stop();
    else this.#output.start(entry, { positionMs, paused: true });
    this.#update({
      index,
      positionMs,
      listening: this.#counter.listening,
      durationMs: entry.track.duration_ms ?? 0,
      bufferedMs: 0,
      loop: null,
      failure: null,
      status: paused ? 'paused' : 'loading',
    });
    if (!paused) this.#sound();
    if (from === undefined) void this.#goOnIn(entry);
  }

  /** Loads the current track again, at its position. */
  #resume(): void {
    const { index, positionMs, listening } = this.#state;
    this.#start(index, { positionMs, listening });
  }

  async #goOnIn(entry: QueueEntry): Promise<void> {
    const to = await placeToGoOn(entry.track, this.#findPlace);
    if (to !== null && currentEntry(this.#state) === entry && isAtBegin(this.#state)) this.seek(to);
  }

  #sound(): void {
    const entry = currentEntry(this.#state);
    this.#update({ status: 'loading' });
    this.#output.resume();
    void this.#mixer.wake().then((isAllowed) => {
      if (!isAllowed && entry === currentEntry(this.#state) && isSounding(this.#state)) this.pause();
    });
  }

  #tickWhile(sounding: boolean): void {
    if (sounding === (this.#ticking !== undefined)) return;
    clearInterval(this.#ticking);
    this.#ticking = sounding ? setInterval(() => this.#tick(), TICK_MS) : undefined;
    if (!sounding) this.#mixer.rest();
  }

  #tick(): void {
    this.#output.tick();
    const voice = this.#output.current;
    const entry = currentEntry(this.#state);
    if (!voice || !entry || voice.item.key !== entry.key || !isSounding(this.#state)) return;
    const { positionMs, bufferedMs } = voice;
    const durationMs = voice.durationMs ?? this.#state.durationMs;
    const status = voice.isStalled ? 'loading' : 'playing';
    if (status === 'playing') {
      if (positionMs > 0) this.#failures.forget();
      this.#counter.hear(positionMs, durationMs);
    }
    this.#update({ positionMs, durationMs, bufferedMs, status, listening: this.#counter.listening });
    this.#sleepAndLoop.armLoop(TICK_MS);
  }

  /** Advances the state when the next track is already playing. */
  #onJoined({ key }: VoiceItem): void {
    const index = following(this.#state, this.#state.repeat, true);
    const entry = this.#state.queue[index];
    if (!entry || entry.key !== key) return this.#start(index);
    this.#counter.hear(this.#state.durationMs, this.#state.durationMs);
    this.#counter.start(entry.track, 0);
    this.#update({
      index,
      positionMs: 0,
      listening: this.#counter.listening,
      durationMs: entry.track.duration_ms ?? 0,
      bufferedMs: 0,
      failure: null,
      status: 'playing',
    });
    void this.#goOnIn(entry);
    return undefined;
  }

  #onEnded(): void {
    this.#counter.hear(this.#state.durationMs, this.#state.durationMs);
    const { loop } = this.#state;
    if (loop && loop.to !== null) {
      this.#start(this.#state.index, { positionMs: loop.from, listening: this.#counter.listening });
      this.setLoop(loop);
      return undefined;
    }
    if (this.#state.sleep !== 'track') return this.#advance(true);
    const index = following(this.#state, this.#state.repeat, true);
    if (index >= 0) this.#start(index, { paused: true });
    else this.#rewind();
    this.#update({ sleep: null });
    return undefined;
  }

  #advance(bySelf: boolean): void {
    const keepPaused = this.#state.status === 'paused' && !bySelf;
    const { rest, radio, queue, index: currentIndex, repeat } = this.#state;
    const isLast = currentIndex === queue.length - 1 && !(repeat === 'one' && bySelf);
    const hasMore = radio !== null || (rest !== null && rowsWanted(this.#state, rest)?.isBefore === false);
    if (isLast && hasMore) return this.#waitForMore(keepPaused);
    const index = following(this.#state, repeat, bySelf);
    if (index >= 0) this.#start(index, { paused: keepPaused });
    else this.#rewind();
  }

  /** Waits for the next row of the list or the radio's next choice. */
  #waitForMore(paused: boolean): void {
    const entry = currentEntry(this.#state);
    void this.#goOn().then((hasMore) => {
      if (!entry || currentEntry(this.#state) !== entry) return;
      if (hasMore) this.#start(this.#state.index + 1, { paused });
      else if (this.#state.rest === null && this.#state.radio === null) this.#rewind();
      else if (paused) this.#failures.giveUp(entry, 'unreachable', false);
      else void this.#failures.waitOut(entry, () => this.#advance(true));
    });
  }

  /** Stops at the beginning of the queue when the queue has ended. */
  #rewind(): void {
    this.#failures.cancel();
    this.#output.stop();
    this.#counter.stop();
    this.#update({ status: 'paused', positionMs: 0, listening: null, failure: null });
  }
}

const keptOf = (track: QueueTrack): QueueTrack =>
  Object.fromEntries(QUEUE_TRACK_FIELDS.map((field) => [field, track[field]])) as QueueTrack;
