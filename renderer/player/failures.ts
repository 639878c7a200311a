// Handles tracks that cannot be played: the player waits until an outage ends, downloads audio that is still in an
// online source, and displays and skips any other failed track.
import { following } from './play-order.ts';
import { currentEntry, isSounding, type FailureReason, type PlayerState, type QueueEntry } from './player.ts';

const SKIP_AFTER_MS = 3_000;
/**
 * Waiting times between requests to the server; the last one is repeated. The server is also asked when the network is
 * back.
 */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** Failures that end by themselves. */
const PASSING_REASONS: ReadonlySet<FailureReason> = new Set(['unreachable', 'busy']);

interface FailuresOptions {
  getState: () => PlayerState;
  update: (change: Pick<PlayerState, 'failure'> & Partial<Pick<PlayerState, 'status'>>) => void;
  /** Stops the sound. */
  stop: () => void;
  /** Resumes the current track at its position. */
  restart: () => void;
  skip: () => void;
  findReason: (trackId: number) => Promise<FailureReason>;
  /** Has the server convert the track from now on; returns false if the server converts it already. */
  convert: (trackId: number) => boolean;
  /** Downloads audio from an online source; resolves to false if the audio does not arrive soon. */
  fetchAudio: (trackId: number, signal: AbortSignal) => Promise<boolean>;
}

export class Failures {
  readonly #options: FailuresOptions;
  #skipTimer: ReturnType<typeof setTimeout> | undefined;
  #fetching: AbortController | undefined;
  #waiting: AbortController | undefined;
  /** The entry downloaded last, so that its audio is not requested twice. */
  #fetchedKey: number | undefined;
  #inARow = 0;

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  /** Whether the failed entry will play by itself. */
  get isPending(): boolean {
    return (this.#fetching ?? this.#waiting) !== undefined;
  }

  /** Resets the failures after a track has played or a person has chosen a track. */
  forget(): void {
    this.#inARow = 0;
  }

  /** Cancels scheduled skips and retries. */
  cancel(): void {
    clearTimeout(this.#skipTimer);
    this.#fetching?.abort();
    this.#waiting?.abort();
    this.#skipTimer = this.#fetching = this.#waiting = undefined;
  }

  async handle(key: number): Promise<void> {
    const { getState, findReason } = this.#options;
    const entry = currentEntry(getState());
    if (!entry || entry.key !== key) return;
    const wasSounding = isSounding(getState());
    this.#inARow += 1;
    const reason = await findReason(entry.track.id);
    if (currentEntry(getState())?.key !== entry.key) return;
    if (PASSING_REASONS.has(reason) && isSounding(getState())) return this.waitOut(entry);
    if (reason === 'undecodable' && wasSounding && this.#options.convert(entry.track.id))
      return this.#options.restart();
    if (reason === 'remote' && isSounding(getState()) && entry.key !== this.#fetchedKey) return void this.#fetch(entry);
    this.giveUp(entry, reason, wasSounding);
  }

  giveUp(entry: QueueEntry, reason: FailureReason, wasSounding: boolean): void {
    const { getState, update, stop, skip } = this.#options;
    const state = getState();
    const canSkip =
      wasSounding &&
      reason !== 'unreachable' &&
      reason !== 'signed_out' &&
      this.#inARow < state.queue.length &&
      following(state, state.repeat, false) >= 0;
    stop();
    update({ status: 'failed', failure: { entry, reason, skipping: canSkip } });
    if (canSkip) this.#skipTimer = setTimeout(skip, SKIP_AFTER_MS);
  }

  /** Handles a track that could play until its audio stopped arriving. */
  async handleCut(key: number): Promise<void> {
    const entry = currentEntry(this.#options.getState());
    if (entry?.key === key && !this.#waiting) await this.waitOut(entry);
  }

  /**
   * Asks the server until it answers, then continues: with the current track at its position unless `goOn` is given.
   */
  async waitOut(entry: QueueEntry, goOn = this.#options.restart): Promise<void> {
    const { update, stop, findReason } = this.#options;
    this.#waiting?.abort();
    const { signal } = (this.#waiting = new AbortController());
    stop();
    update({ status: 'loading', failure: { entry, reason: 'waiting', skipping: false } });
    for (let n = 0; PASSING_REASONS.has(await findReason(entry.track.id)); n++) {
      if (signal.aborted) return;
      await pauseOrOnline(RETRY_DELAYS_MS[n] ?? (RETRY_DELAYS_MS.at(-1) as number), signal);
    }
    if (signal.aborted) return;
    this.#waiting = undefined;
    goOn();
  }

  /** Plays the entry as soon as its audio is available, unless the listener has chosen another one by then. */
  async #fetch(entry: QueueEntry): Promise<void> {
    const { update, stop, restart, fetchAudio } = this.#options;
    this.#fetching?.abort();
    const { signal } = (this.#fetching = new AbortController());
    stop();
    update({ failure: { entry, reason: 'fetching', skipping: false } });
    const isAvailable = await fetchAudio(entry.track.id, signal);
    if (signal.aborted) return;
    this.#fetching = undefined;
    if (!isAvailable) return this.giveUp(entry, 'remote', true);
    this.#fetchedKey = entry.key;
    restart();
  }
}

const LOOK_EVERY_MS = 250;

/**
 * Waits for `ms`, or until the network is back or the signal is aborted. Chromium was seen to lose a single timer of
 * some seconds while nothing sounds, so the clock is read repeatedly.
 */
const pauseOrOnline = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const endMs = performance.now() + ms;
    const finish = (): void => {
      clearInterval(looking);
      removeEventListener('online', finish);
      resolve();
    };
    const looking = setInterval(() => {
      if (performance.now() >= endMs || signal.aborted) finish();
    }, LOOK_EVERY_MS);
    addEventListener('online', finish);
  });
