// What happens when a track cannot be played: an outage is waited out, audio that is still in an online source is
// downloaded, anything else is shown and skipped.
import { following } from './play-order.ts';
import { currentEntry, isSounding, type FailureReason, type PlayerState, type QueueEntry } from './player.ts';

const SKIP_AFTER_MS = 3_000;
/** The server is asked again after these times, and then every time after the last; a network that is back asks too. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
/** These end by themselves. */
const PASSING_REASONS: ReadonlySet<FailureReason> = new Set(['unreachable', 'busy']);

interface FailuresOptions {
  getState: () => PlayerState;
  update: (change: Pick<PlayerState, 'failure'> & Partial<Pick<PlayerState, 'status'>>) => void;
  /** Ends the sound. */
  stop: () => void;
  /** Goes on with the current track, at its position. */
  restart: () => void;
  skip: () => void;
  findReason: (trackId: number) => Promise<FailureReason>;
  /** Has the server convert it from now on; false if it does already. */
  convert: (trackId: number) => boolean;
  /** Downloads audio from an online source; false when it does not come soon. */
  fetchAudio: (trackId: number, signal: AbortSignal) => Promise<boolean>;
}

export class Failures {
  readonly #options: FailuresOptions;
  #skipTimer: ReturnType<typeof setTimeout> | undefined;
  #fetching: AbortController | undefined;
  #waiting: AbortController | undefined;
  /** The entry downloaded last, so that it is not requested twice. */
  #fetchedKey: number | undefined;
  #inARow = 0;

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  /** It will play by itself. */
  get isPending(): boolean {
    return (this.#fetching ?? this.#waiting) !== undefined;
  }

  /** Something played, or a person chose what plays. */
  forget(): void {
    this.#inARow = 0;
  }

  /** Cancels what was scheduled. */
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

  giveUp(entry: QueueEntry, reason: FailureReason, wanted: boolean): void {
    const { getState, update, stop, skip } = this.#options;
    const state = getState();
    const canSkip =
      wanted &&
      reason !== 'unreachable' &&
      reason !== 'signed_out' &&
      this.#inARow < state.queue.length &&
      following(state, state.repeat, false) >= 0;
    stop();
    update({ status: 'failed', failure: { entry, reason, skipping: canSkip } });
    if (canSkip) this.#skipTimer = setTimeout(skip, SKIP_AFTER_MS);
  }

  /** No more audio arrives, of a track that could play until now. */
  async handleCut(key: number): Promise<void> {
    const entry = currentEntry(this.#options.getState());
    if (entry?.key === key && !this.#waiting) await this.waitOut(entry);
  }

  /** Asks until the server answers, and goes on: with the music where it was, unless something else is given. */
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

  /** Plays as soon as the audio is available, unless something else is wanted by then. */
  async #fetch(entry: QueueEntry): Promise<void> {
    const { update, stop, restart, fetchAudio } = this.#options;
    this.#fetching?.abort();
    const { signal } = (this.#fetching = new AbortController());
    stop();
    update({ failure: { entry, reason: 'fetching', skipping: false } });
    const isHere = await fetchAudio(entry.track.id, signal);
    if (signal.aborted) return;
    this.#fetching = undefined;
    if (!isHere) return this.giveUp(entry, 'remote', true);
    this.#fetchedKey = entry.key;
    restart();
  }
}

const LOOK_EVERY_MS = 250;

/**
 * Waits that long, or until the network is back or the signal is given. Chromium was seen to lose a single timer of
 * some seconds while nothing sounds, so the clock is looked at again and again.
 */
const pauseOrOnline = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const until = performance.now() + ms;
    const done = (): void => {
      clearInterval(looking);
      removeEventListener('online', done);
      resolve();
    };
    const looking = setInterval(() => {
      if (performance.now() >= until || signal.aborted) done();
    }, LOOK_EVERY_MS);
    addEventListener('online', done);
  });
