// The player: a queue and two audio elements that take turns. No React and no HTTP in here; addresses and the reason of a failure come in
// from outside. Every change makes a new state object, so that watchers compare by identity.
import { Deck } from './deck.ts';
import { recall, remember } from './memory.ts';
import { PlayCounter } from './play-counter.ts';
import { following, moved, removed, reorder, shuffled, type Ordered } from './queue.ts';
import { currentEntry, isSounding, type FailureReason, type Player, type PlayerState, type QueueEntry, type QueueTrack, type Repeat } from './types.ts';

const SKIP_AFTER_MS = 3_000;
const PRELOAD_BEFORE_END_MS = 20_000;
const RESTART_AFTER_MS = 3_000;
const REMEMBER_EVERY_MS = 2_000;

export interface EngineOptions {
  streamUrl: (trackId: number) => string;
  findReason: (trackId: number) => Promise<FailureReason>;
  /** Called once per listening, at half of the track or 4 minutes. */
  onPlayed?: (track: QueueTrack, playedMs: number) => void;
  random?: () => number;
}

export class PlayerEngine implements Player {
  readonly #options: EngineOptions;
  readonly #random: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #decks: [Deck, Deck];
  readonly #counter: PlayCounter;
  #active = 0;
  #state: PlayerState;
  #nextKey: number;
  #skipTimer: ReturnType<typeof setTimeout> | undefined;
  #failuresInARow = 0;
  #rememberTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#counter = new PlayCounter((track, playedMs) => options.onPlayed?.(track, playedMs));
    const listener = {
      onChange: (deck: Deck) => this.#onDeckChange(deck),
      onEnded: (deck: Deck) => this.#onDeckEnded(deck),
      onFailed: (deck: Deck) => void this.#onDeckFailed(deck),
    };
    this.#decks = [new Deck(listener), new Deck(listener)];
    const before = recall();
    this.#state = {
      queue: [], index: -1, positionMs: 0, volume: 0.8, muted: false, shuffle: false, repeat: 'off', ...before,
      status: before.queue?.length ? 'paused' : 'idle', durationMs: 0, bufferedMs: 0, failure: null,
    };
    this.#state = { ...this.#state, durationMs: currentEntry(this.#state)?.track.duration_ms ?? 0 };
    this.#nextKey = Math.max(0, ...this.#state.queue.map((entry) => entry.key)) + 1;
    this.#applyVolume();
    addEventListener('pagehide', () => remember(this.#state));
  }

  getState = (): PlayerState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  playTracks(tracks: readonly QueueTrack[], { startAt = 0, shuffle }: { startAt?: number; shuffle?: boolean } = {}): void {
    if (tracks.length === 0) return;
    const entries = this.#toEntries(tracks);
    const isShuffled = shuffle ?? this.#state.shuffle;
    const first = shuffle ? Math.floor(this.#random() * entries.length) : Math.min(startAt, entries.length - 1);
    const start = entries[first]!;
    const order: Ordered = isShuffled
      ? { queue: [start, ...shuffled(entries.filter((entry) => entry !== start), this.#random, start)], index: 0 }
      : { queue: entries, index: first };
    this.#failuresInARow = 0;
    this.#update({ ...order, shuffle: isShuffled });
    this.#start(order.index);
  }

  addNext(tracks: readonly QueueTrack[]): void {
    this.#insert(tracks, this.#state.index + 1);
  }

  addLast(tracks: readonly QueueTrack[]): void {
    this.#insert(tracks, this.#state.queue.length);
  }

  jumpTo(key: number): void {
    const index = this.#state.queue.findIndex((entry) => entry.key === key);
    this.#failuresInARow = 0;
    if (index >= 0) this.#start(index);
  }

  move(key: number, toIndex: number): void {
    this.#update(moved(this.#state, key, toIndex));
    this.#dropStalePreload();
  }

  remove(key: number): void {
    const wasCurrent = currentEntry(this.#state)?.key === key;
    const sounding = isSounding(this.#state);
    this.#update(removed(this.#state, key));
    if (!wasCurrent) this.#dropStalePreload();
    else if (this.#state.index < 0) this.clear();
    else this.#start(this.#state.index, { paused: !sounding });
  }

  clear(): void {
    this.#cancelSkip();
    for (const deck of this.#decks) deck.unload();
    this.#counter.stop();
    this.#update({ queue: [], index: -1, status: 'idle', positionMs: 0, durationMs: 0, bufferedMs: 0, failure: null });
  }

  play(): void {
    const entry = currentEntry(this.#state);
    if (!entry) return;
    this.#failuresInARow = 0;
    if (this.#state.failure || this.#deck.key !== entry.key) this.#start(this.#state.index, { positionMs: this.#state.positionMs });
    else this.#sound();
  }

  pause(): void {
    this.#cancelSkip();
    this.#deck.pause();
    if (this.#state.status !== 'idle') this.#update({ status: 'paused' });
  }

  toggle(): void {
    if (isSounding(this.#state)) this.pause();
    else this.play();
  }

  next(): void {
    this.#failuresInARow = 0;
    this.#advance(false);
  }

  previous(): void {
    this.#failuresInARow = 0;
    const { index, positionMs, queue, repeat } = this.#state;
    if (index < 0) return;
    if (positionMs > RESTART_AFTER_MS || (index === 0 && repeat !== 'all')) this.seek(0);
    else this.#start(index === 0 ? queue.length - 1 : index - 1, { paused: !isSounding(this.#state) });
  }

  seek(positionMs: number): void {
    const entry = currentEntry(this.#state);
    if (!entry) return;
    const to = Math.min(Math.max(0, positionMs), this.#state.durationMs);
    if (this.#deck.key === entry.key) this.#deck.seek(to);
    this.#counter.jump(to);
    this.#update({ positionMs: to });
  }

  setVolume(volume: number): void {
    this.#update({ volume: Math.min(1, Math.max(0, volume)), muted: false });
    this.#applyVolume();
  }

  setMuted(muted: boolean): void {
    this.#update({ muted });
    this.#applyVolume();
  }

  setShuffle(shuffle: boolean): void {
    this.#update({ shuffle, ...reorder(this.#state, shuffle, this.#random) });
    this.#dropStalePreload();
  }

  setRepeat(repeat: Repeat): void {
    this.#update({ repeat });
    this.#dropStalePreload();
  }

  get #deck(): Deck {
    return this.#decks[this.#active]!;
  }

  get #otherDeck(): Deck {
    return this.#decks[1 - this.#active]!;
  }

  #update(change: Partial<PlayerState>): void {
    this.#state = { ...this.#state, ...change };
    if (this.#rememberTimer === undefined) {
      this.#rememberTimer = setTimeout(() => {
        this.#rememberTimer = undefined;
        remember(this.#state);
      }, REMEMBER_EVERY_MS);
    }
    for (const listener of this.#listeners) listener();
  }

  #toEntries(tracks: readonly QueueTrack[]): QueueEntry[] {
    const base = this.#nextKey;
    this.#nextKey += tracks.length;
    return tracks.map((track, i) => ({ key: base + i, order: base + i, track: keptOf(track) }));
  }

  #insert(tracks: readonly QueueTrack[], at: number): void {
    if (tracks.length === 0) return;
    if (this.#state.index < 0) return this.playTracks(tracks, { shuffle: false });
    const queue = [...this.#state.queue];
    queue.splice(at, 0, ...this.#toEntries(tracks));
    this.#update({ queue });
    this.#dropStalePreload();
  }

  #start(index: number, { paused = false, positionMs = 0 } = {}): void {
    this.#cancelSkip();
    const entry = this.#state.queue[index];
    if (!entry) return;
    this.#deck.pause();
    if (this.#otherDeck.key === entry.key && positionMs === 0) {
      this.#deck.unload();
      this.#active = 1 - this.#active;
      this.#deck.seek(0);
    } else {
      this.#otherDeck.unload();
      this.#deck.load(entry.key, this.#options.streamUrl(entry.track.id), positionMs);
    }
    this.#counter.start(entry.track, positionMs);
    this.#update({ index, positionMs, durationMs: entry.track.duration_ms ?? 0, bufferedMs: 0, failure: null, status: paused ? 'paused' : 'loading' });
    if (!paused) this.#sound();
  }

  #sound(): void {
    const deck = this.#deck;
    this.#update({ status: deck.isStalled ? 'loading' : 'playing' });
    void deck.play().then((allowed) => {
      if (!allowed && deck === this.#deck) this.#update({ status: 'paused' });
    });
  }

  #advance(bySelf: boolean): void {
    const keepPaused = this.#state.status === 'paused' && !bySelf;
    const index = following(this.#state, this.#state.repeat, bySelf);
    if (index >= 0) return this.#start(index, { paused: keepPaused });
    this.#deck.pause();
    this.#deck.seek(0);
    this.#counter.stop();
    return this.#update({ status: 'paused', positionMs: 0 });
  }

  #onDeckChange(deck: Deck): void {
    const entry = currentEntry(this.#state);
    if (deck !== this.#deck || !entry || deck.key !== entry.key || this.#state.failure) return;
    const { positionMs, bufferedMs } = deck;
    const durationMs = deck.durationMs ?? this.#state.durationMs;
    const status = isSounding(this.#state) ? (deck.isStalled ? 'loading' : 'playing') : this.#state.status;
    if (status === 'playing') {
      if (positionMs > 0) this.#failuresInARow = 0;
      this.#counter.hear(positionMs, durationMs);
      if (durationMs - positionMs < PRELOAD_BEFORE_END_MS) this.#preload();
    }
    this.#update({ positionMs, durationMs, bufferedMs, status });
  }

  #preload(): void {
    const next = this.#state.queue[following(this.#state, this.#state.repeat, true)];
    if (!next || next.key === this.#deck.key || this.#otherDeck.key === next.key) return;
    this.#otherDeck.load(next.key, this.#options.streamUrl(next.track.id));
  }

  #dropStalePreload(): void {
    const next = this.#state.queue[following(this.#state, this.#state.repeat, true)];
    if (this.#otherDeck.key !== next?.key) this.#otherDeck.unload();
  }

  #onDeckEnded(deck: Deck): void {
    if (deck !== this.#deck) return;
    this.#counter.hear(this.#state.durationMs, this.#state.durationMs);
    this.#advance(true);
  }

  async #onDeckFailed(deck: Deck): Promise<void> {
    if (deck !== this.#deck) return deck.unload(); // the preloaded one: it is tried again, and explained, when its turn comes
    const entry = currentEntry(this.#state);
    if (!entry || entry.key !== deck.key) return undefined;
    const wanted = isSounding(this.#state);
    this.#failuresInARow += 1;
    const reason = await this.#options.findReason(entry.track.id);
    if (currentEntry(this.#state)?.key !== entry.key) return undefined;
    const canSkip = wanted && reason !== 'unreachable' && reason !== 'signed_out' && this.#failuresInARow < this.#state.queue.length
      && following(this.#state, this.#state.repeat, false) >= 0;
    this.#update({ status: 'failed', failure: { entry, reason, skipping: canSkip } });
    if (canSkip) this.#skipTimer = setTimeout(() => this.#advance(false), SKIP_AFTER_MS);
    return undefined;
  }

  #cancelSkip(): void {
    clearTimeout(this.#skipTimer);
    this.#skipTimer = undefined;
  }

  #applyVolume(): void {
    for (const deck of this.#decks) deck.setVolume(this.#state.volume, this.#state.muted);
  }
}

/** Only what the queue needs, so that a remembered queue stays small. */
const keptOf = ({ id, title, artist_id, artist_name, album_id, album_title, duration_ms, has_cover, format, bitrate_kbps }: QueueTrack): QueueTrack =>
  ({ id, title, artist_id, artist_name, album_id, album_title, duration_ms, has_cover, format, bitrate_kbps });
