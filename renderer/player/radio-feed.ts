// Continues a radio: a few tracks are requested at a time, so that steering is soon heard. A radio may play for weeks,
// so tracks heard long ago leave the queue.
import type { ChosenTrack, PlayerState, QueueEntry, Radio, Steering } from './player.ts';

/** Number of tracks in one request. */
const BATCH_SIZE = 10;
/** With fewer entries than this after the current entry, more are requested. */
const TRACKS_BEFORE_END = 4;
/** Number of entries that stay in the queue before the current entry. */
const KEPT_BEFORE = 200;
/** Number of played tracks that are kept, because the server does not consider more. */
const KEPT_PLAYED = 2_000;

export interface RadioFeedOptions {
  getState: () => PlayerState;
  update: (change: Partial<Pick<PlayerState, 'queue' | 'index' | 'radio'>>) => void;
  toEntries: (tracks: readonly ChosenTrack[]) => QueueEntry[];
  fetchRadio: (radio: Radio, count: number) => Promise<{ tracks: ChosenTrack[]; by: Radio['by'] }>;
}

export class RadioFeed {
  readonly #options: RadioFeedOptions;
  #going: Promise<boolean> | undefined;

  constructor(options: RadioFeedOptions) {
    this.#options = options;
  }

  /** Requests more tracks if they are needed; resolves to true if the queue has more entries afterwards. */
  goOn(): Promise<boolean> {
    const { radio, queue, index } = this.#options.getState();
    if (!radio || queue.length - index > TRACKS_BEFORE_END) return Promise.resolve(false);
    this.#going ??= this.#add(radio).finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  async #add(requestedRadio: Radio): Promise<boolean> {
    const { getState, update, toEntries, fetchRadio } = this.#options;
    const batch = await fetchRadio(requestedRadio, BATCH_SIZE).catch(() => null);
    const { radio, queue, index } = getState();
    // the radio was steered or replaced during the request
    if (radio !== requestedRadio) return radio !== null && this.#add(radio);
    if (!batch) return false; // the server was not reached: the next track requests again
    if (batch.tracks.length === 0) {
      update({ radio: null }); // the library has no more tracks for this radio
      return false;
    }
    const playedIds = [...radio.played, ...batch.tracks.map(({ id }) => id)].slice(-KEPT_PLAYED);
    const droppedCount = Math.max(0, index - KEPT_BEFORE);
    update({
      queue: [...queue.slice(droppedCount), ...toEntries(batch.tracks)],
      index: index - droppedCount,
      radio: { ...radio, by: batch.by, played: playedIds },
    });
    return true;
  }
}

/** Returns the queue without the tracks that the radio chose but has not played; tracks queued by hand stay. Pure. */
export function steered(
  { queue, index }: Pick<PlayerState, 'queue' | 'index'>,
  radio: Radio,
  { more, less, forget }: Steering,
): Pick<PlayerState, 'queue' | 'radio'> {
  const withoutSteered = (ids: readonly number[]) => ids.filter((id) => id !== more && id !== less && id !== forget);
  const upcomingEntries = queue.slice(index + 1);
  const dropped = new Set(upcomingEntries.flatMap(({ track, added }) => (added ? [] : [track.id])));
  return {
    queue: [...queue.slice(0, index + 1), ...upcomingEntries.filter(({ added }) => added)],
    radio: {
      ...radio,
      played: radio.played.filter((id) => !dropped.has(id)),
      more: [...withoutSteered(radio.more), ...(more === undefined ? [] : [more])],
      less: [...withoutSteered(radio.less), ...(less === undefined ? [] : [less])],
    },
  };
}
