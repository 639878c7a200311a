// What happens when a track cannot be played: audio that is still in an online source is downloaded, anything else is
// shown and skipped.
import { following } from './play-order.ts';
import { currentEntry, isSounding, type FailureReason, type PlayerState, type QueueEntry } from './player.ts';

const SKIP_AFTER_MS = 3_000;

interface FailuresOptions {
  getState: () => PlayerState;
  update: (change: Pick<PlayerState, 'failure'> & Partial<Pick<PlayerState, 'status'>>) => void;
  /** Ends the sound. */
  stop: () => void;
  /** Starts the current track again, at its position. */
  restart: () => void;
  skip: () => void;
  findReason: (trackId: number) => Promise<FailureReason>;
  /** Downloads audio from an online source; false when it does not come soon. */
  fetchAudio: (trackId: number, signal: AbortSignal) => Promise<boolean>;
}

export class Failures {
  readonly #options: FailuresOptions;
  #skipTimer: ReturnType<typeof setTimeout> | undefined;
  #fetching: AbortController | undefined;
  /** The entry downloaded last, so that it is not requested twice. */
  #fetchedKey: number | undefined;
  #inARow = 0;

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  get isFetching(): boolean {
    return this.#fetching !== undefined;
  }

  /** Something played, or a person chose what plays. */
  forget(): void {
    this.#inARow = 0;
  }

  /** Cancels what was scheduled. */
  cancel(): void {
    clearTimeout(this.#skipTimer);
    this.#fetching?.abort();
    this.#skipTimer = this.#fetching = undefined;
  }

  async handle(key: number): Promise<void> {
    const { getState, findReason } = this.#options;
    const entry = currentEntry(getState());
    if (!entry || entry.key !== key) return;
    const wanted = isSounding(getState());
    this.#inARow += 1;
    const reason = await findReason(entry.track.id);
    if (currentEntry(getState())?.key !== entry.key) return;
    if (reason === 'remote' && isSounding(getState()) && entry.key !== this.#fetchedKey) return void this.#fetch(entry);
    this.giveUp(entry, reason, wanted);
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
