// Plays not yet reported to the server. Stored in the browser, so that plays count while offline.
import { ApiError } from '../api/problem.ts';
import type { PlayReport } from '../api/queue.ts';
import type { Play } from './play-counter.ts';

/** The most the server accepts in one request; beyond that the oldest are dropped. */
const MOST_KEPT = 5_000;
const AGAIN_MS = 60_000;

interface PlayReportsOptions {
  /** The storage key: plays belong to a user. */
  key: () => string | null;
  send: (items: PlayReport[]) => Promise<unknown>;
  client: string;
  storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

export class PlayReports {
  readonly #options: PlayReportsOptions;
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  #sending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PlayReportsOptions) {
    this.#options = options;
    this.#storage = options.storage ?? localStorage;
  }

  add({ id, track, playedAt, playedMs }: Play): void {
    const report: PlayReport = {
      track_id: track.id,
      played_at: playedAt.toISOString(),
      played_ms: playedMs,
      client: this.#options.client,
      play_id: id,
    };
    const others = this.#kept().filter((one) => !isSame(one, report)); // the same play, heard further
    this.#keep([...others, report].slice(-MOST_KEPT));
    void this.flush();
  }

  /** Sends what is stored. Temporary failures are retried; what the server rejects is dropped. */
  async flush(): Promise<void> {
    const items = this.#kept();
    if (this.#sending || items.length === 0) return;
    clearTimeout(this.#timer);
    this.#sending = true;
    try {
      await this.#options.send(items);
      this.#forget(items);
    } catch (error) {
      if (error instanceof ApiError && (error.status === 400 || error.status === 422)) this.#forget(items);
      else this.#timer = setTimeout(() => void this.flush(), AGAIN_MS);
    } finally {
      this.#sending = false;
    }
  }

  #forget(sent: readonly PlayReport[]): void {
    this.#keep(
      this.#kept().filter((one) => !sent.some((other) => isSame(one, other) && one.played_ms === other.played_ms)),
    );
    if (this.#kept().length > 0) void Promise.resolve().then(() => this.flush());
  }

  #kept(): PlayReport[] {
    const key = this.#options.key();
    if (key === null) return [];
    try {
      const kept: unknown = JSON.parse(this.#storage.getItem(key) ?? '[]');
      return Array.isArray(kept) ? (kept as PlayReport[]) : [];
    } catch {
      return [];
    }
  }

  #keep(items: readonly PlayReport[]): void {
    const key = this.#options.key();
    if (key === null) return;
    try {
      if (items.length === 0) this.#storage.removeItem(key);
      else this.#storage.setItem(key, JSON.stringify(items));
    } catch {
      this.#storage.removeItem(key); // storage full: counting must not stop the music
    }
  }
}

/** Reports that an earlier version kept have no id. */
const isSame = (a: PlayReport, b: PlayReport): boolean =>
  a.play_id === b.play_id && a.track_id === b.track_id && a.played_at === b.played_at;
