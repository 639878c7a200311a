// Plays not yet reported to the server, stored in the browser so that plays count while offline.
import { ApiError } from '../api/problem.ts';
import type { PlayReport } from '../api/queue.ts';
import { asJson, storedChoice, type StoredChoice } from '../stored-choice.ts';
import type { Play } from './play-counter.ts';

/** The server accepts at most this many reports in one request; beyond this number the oldest are dropped. */
const MAX_UNSENT_REPORTS = 5_000;
const RETRY_AFTER_MS = 60_000;

/** Returns the stored choice that keeps a user's plays in this browser. */
export const keptPlays = (key: () => string): StoredChoice<readonly PlayReport[]> =>
  storedChoice<readonly PlayReport[]>({
    name: 'plays',
    key,
    initial: [],
    ...asJson<readonly PlayReport[]>((items) => (Array.isArray(items) ? (items as PlayReport[]) : undefined)),
  });

interface PlayReportsOptions {
  /** Returns the plays of the signed-in user; null if nobody is signed in. */
  openStore: () => Pick<StoredChoice<readonly PlayReport[]>, 'get' | 'set'> | null;
  send: (items: readonly PlayReport[]) => Promise<unknown>;
  client: string;
}

export class PlayReports {
  readonly #options: PlayReportsOptions;
  #sending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PlayReportsOptions) {
    this.#options = options;
  }

  add({ id, track, playedAt, playedMs }: Play): void {
    const report: PlayReport = {
      track_id: track.id,
      played_at: playedAt.toISOString(),
      played_ms: playedMs,
      client: this.#options.client,
      play_id: id,
    };
    // the new report replaces an earlier report of the same play
    const otherReports = this.#storedReports().filter((keptReport) => !isSamePlay(keptReport, report));
    this.#keep([...otherReports, report].slice(-MAX_UNSENT_REPORTS));
    void this.flush();
  }

  /** Sends the stored plays. Temporary failures are retried; plays that the server rejects are dropped. */
  async flush(): Promise<void> {
    const items = this.#storedReports();
    if (this.#sending || items.length === 0) return;
    clearTimeout(this.#timer);
    this.#sending = true;
    try {
      await this.#options.send(items);
      this.#forget(items);
    } catch (error) {
      if (error instanceof ApiError && (error.status === 400 || error.status === 422)) this.#forget(items);
      else this.#timer = setTimeout(() => void this.flush(), RETRY_AFTER_MS);
    } finally {
      this.#sending = false;
    }
  }

  #forget(sentReports: readonly PlayReport[]): void {
    this.#keep(
      this.#storedReports().filter(
        (keptReport) =>
          !sentReports.some(
            (sentReport) => isSamePlay(keptReport, sentReport) && keptReport.played_ms === sentReport.played_ms,
          ),
      ),
    );
    if (this.#storedReports().length > 0) void Promise.resolve().then(() => this.flush());
  }

  #storedReports(): readonly PlayReport[] {
    return this.#options.openStore()?.get() ?? [];
  }

  #keep(items: readonly PlayReport[]): void {
    this.#options.openStore()?.set(items.length === 0 ? undefined : items);
  }
}

/** Compares track and time too, because reports stored by an earlier version have no id. */
const isSamePlay = (a: PlayReport, b: PlayReport): boolean =>
  a.play_id === b.play_id && a.track_id === b.track_id && a.played_at === b.played_at;
