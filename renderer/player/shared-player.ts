// One engine for all windows of a browser. A window has no engine until its player is used; the window then takes the
// engine over, unless another window is playing, which receives the command instead. So the sound comes from the
// clicked window, as autoplay rules require, and never from two windows.
import type { PlayerEngine } from './engine.ts';
import { emptyState } from './first-state.ts';
import { maySound } from './autoplay.ts';
import {
  isSounding,
  type ChosenTrack,
  type HandedOrigin,
  type Loop,
  type Player,
  type PlayerState,
  type PlayOptions,
  type QueueTrack,
  type Repeat,
  type SoundSettings,
  type Steering,
} from './player.ts';

/** A playing window sends its state at least once a second, also in the background. */
const SILENT_AFTER_MS = 3_000;
/** A track of a distant server starts later than this only if something is wrong. */
const SOUNDS_WITHIN_MS = 8_000;

type CommandName = Exclude<keyof Player, 'getState' | 'subscribe'>;
type Message =
  | { kind: 'hello' }
  | { kind: 'lead'; at: number }
  | { kind: 'command'; name: CommandName; args: unknown[] }
  /** The queue is left out while it has not changed since the last message. */
  | { kind: 'state'; state: Omit<PlayerState, 'queue'>; queue?: PlayerState['queue'] };

interface SharedPlayerOptions {
  createEngine: (state: PlayerState) => PlayerEngine;
  /** Starts the tasks of the window with the engine; the returned function ends them. */
  onLead?: (engine: PlayerEngine) => () => void;
  channelName?: string;
}

interface OwnEngine {
  engine: PlayerEngine;
  /** Ends the tasks of the window with the engine. */
  leave: () => void;
  /** When this window took the engine over, in ms since 1970. */
  since: number;
}

export class SharedPlayer implements Player {
  readonly #options: SharedPlayerOptions;
  readonly #channel: BroadcastChannel;
  readonly #listeners = new Set<() => void>();
  #state: PlayerState = emptyState();
  #own: OwnEngine | null = null;
  #toldQueue: PlayerState['queue'] | null = null;
  #heardAt = 0;

  constructor(options: SharedPlayerOptions) {
    this.#options = options;
    this.#channel = new BroadcastChannel(options.channelName ?? 'tonearm.player');
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) => this.#hear(data));
    this.#tell({ kind: 'hello' });
    addEventListener('pagehide', () => this.#retire()); // other windows receive the last position
  }

  getState = (): PlayerState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  playTracks(tracks: readonly ChosenTrack[], options: PlayOptions = {}): void {
    this.#command('playTracks', tracks, options);
  }
  addNext(tracks: readonly QueueTrack[]): void {
    this.#command('addNext', tracks);
  }
  addLast(tracks: readonly QueueTrack[]): void {
    this.#command('addLast', tracks);
  }
  addAt(tracks: readonly QueueTrack[], index: number): void {
    this.#command('addAt', tracks, index);
  }
  steer(steering: Steering, skip = false): void {
    this.#command('steer', steering, skip);
  }
  showMore(): void {
    this.#command('showMore');
  }
  jumpTo(key: number): void {
    this.#command('jumpTo', key);
  }
  move(key: number, toIndex: number): void {
    this.#command('move', key, toIndex);
  }
  remove(key: number): void {
    this.#command('remove', key);
  }
  clear(): void {
    this.#command('clear');
  }
  play(): void {
    this.#command('play');
  }
  pause(): void {
    this.#command('pause');
  }
  toggle(): void {
    this.#command('toggle');
  }
  next(): void {
    this.#command('next');
  }
  previous(): void {
    this.#command('previous');
  }
  seek(positionMs: number): void {
    this.#command('seek', positionMs);
  }
  setVolume(volume: number): void {
    this.#command('setVolume', volume);
  }
  setMuted(muted: boolean): void {
    this.#command('setMuted', muted);
  }
  setShuffle(shuffle: boolean): void {
    this.#command('setShuffle', shuffle);
  }
  setRepeat(repeat: Repeat): void {
    this.#command('setRepeat', repeat);
  }
  setSpeed(speed: number): void {
    this.#command('setSpeed', speed);
  }
  setSound(change: Partial<SoundSettings>): void {
    this.#command('setSound', change);
  }
  setSleep(sleep: number | 'track' | null): void {
    this.#command('setSleep', sleep);
  }
  setLoop(loop: Loop | null): void {
    this.#command('setLoop', loop);
  }
  restore(tracks: readonly ChosenTrack[], index: number, positionMs: number, origin: HandedOrigin = {}): void {
    this.#command('restore', tracks, index, positionMs, origin);
  }

  /** Whether the sound comes from this window. */
  get hasEngine(): boolean {
    return this.#own !== null;
  }

  /**
   * Plays a queue that plays in another window or on another device, which goes on until this window sounds. Resolves
   * to `gesture` if the browser allows no sound before somebody taps, and to `failed` if nothing sounds after a while;
   * nothing has changed then.
   */
  async takeOver(...handed: Parameters<Player['restore']>): Promise<'sounds' | 'gesture' | 'failed'> {
    if (!(this.#own && isSounding(this.#state)) && !(await maySound())) return 'gesture';
    const [previousState, wasOwn] = [this.#state, this.#own !== null];
    const own = this.#own ?? this.#createOwn();
    own.engine.restore(...handed);
    own.engine.play();
    const isPlaying = await until(own.engine, ({ status }) => status === 'playing', SOUNDS_WITHIN_MS);
    if (this.#own !== own) return isPlaying ? 'sounds' : 'failed';
    if (isPlaying) {
      own.since = Date.now();
      if (!wasOwn) this.#tell({ kind: 'lead', at: own.since });
      return 'sounds';
    }
    own.engine.pause();
    if (wasOwn) return 'failed';
    own.engine.retire();
    own.leave();
    this.#own = null;
    this.#show(previousState);
    return 'failed';
  }

  #command<Name extends CommandName>(name: Name, ...args: Parameters<Player[Name]>): void {
    if (!this.#own && isSounding(this.#state) && Date.now() - this.#heardAt < SILENT_AFTER_MS)
      return this.#tell({ kind: 'command', name, args });
    return runCommand(this.#lead(), name, args);
  }

  #lead(): PlayerEngine {
    if (this.#own) return this.#own.engine;
    this.#tell({ kind: 'lead', at: Date.now() });
    return this.#createOwn().engine;
  }

  #createOwn(): OwnEngine {
    const since = Date.now();
    const engine = this.#options.createEngine(this.#state);
    engine.subscribe(() => this.#take(engine.getState()));
    const own = { engine, leave: this.#options.onLead?.(engine) ?? (() => {}), since };
    this.#own = own;
    this.#take(engine.getState());
    return own;
  }

  /** Gives the engine up to another window. */
  #retire(): void {
    if (!this.#own) return;
    const { engine, leave } = this.#own;
    const lastState = engine.retire();
    leave();
    this.#own = null;
    this.#toldQueue = null;
    this.#show(lastState);
    this.#tell({ kind: 'state', state: lastState, queue: lastState.queue });
  }

  #take(state: PlayerState): void {
    this.#show(state);
    const { queue, ...rest } = state;
    this.#tell(queue === this.#toldQueue ? { kind: 'state', state: rest } : { kind: 'state', state: rest, queue });
    this.#toldQueue = queue;
  }

  #hear(message: Message): void {
    if (message.kind === 'state') {
      if (this.#own) return;
      this.#heardAt = Date.now();
      this.#show({ ...message.state, queue: message.queue ?? this.#state.queue });
    } else if (message.kind === 'lead') {
      // If two windows take over at the same time, the later one wins.
      if (this.#own && this.#own.since <= message.at) this.#retire();
    } else if (!this.#own) return;
    else if (message.kind === 'command') runCommand(this.#own.engine, message.name, message.args);
    else {
      this.#toldQueue = null;
      this.#take(this.#own.engine.getState());
    }
  }

  #show(state: PlayerState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #tell(message: Message): void {
    this.#channel.postMessage(message);
  }
}

function runCommand(engine: PlayerEngine, name: CommandName, args: unknown[]): void {
  (engine[name] as (...values: unknown[]) => void).apply(engine, args);
}

/** Resolves to whether the engine's state meets a condition within a time. A failed track ends the wait. */
function until(engine: PlayerEngine, isMet: (state: PlayerState) => boolean, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (result: boolean) => {
      clearTimeout(timer);
      unsubscribe();
      resolve(result);
    };
    const timer = setTimeout(() => end(false), withinMs);
    const unsubscribe = engine.subscribe(() => {
      const state = engine.getState();
      if (isMet(state)) end(true);
      else if (state.failure !== null || !isSounding(state)) end(false);
    });
  });
}
