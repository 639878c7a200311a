// Has a radio go on: tracks are asked for a few at a time, so that steering it is soon heard. It may play for weeks, so
// what was heard long ago leaves the queue.
import type { ChosenTrack, PlayerState, QueueEntry, Radio, Steering } from './player.ts';

/** Tracks asked for at once. */
const BATCH_SIZE = 10;
/** With fewer entries than this after the current one, more are asked for. */
const TRACKS_BEFORE_END = 4;
/** Entries before the current one that one can go back to. */
const KEPT_BEFORE = 200;
/** As many as the server looks at. */
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

  /** True when there are more entries now. */
  goOn(): Promise<boolean> {
    const { radio, queue, index } = this.#options.getState();
    if (!radio || queue.length - index > TRACKS_BEFORE_END) return Promise.resolve(false);
    this.#going ??= this.#add(radio).finally(() => {
      this.#going = undefined;
    });
    return this.#going;
  }

  async #add(asked: Radio): Promise<boolean> {
    const { getState, update, toEntries, fetchRadio } = this.#options;
    const batch = await fetchRadio(asked, BATCH_SIZE).catch(() => null);
    const { radio, queue, index } = getState();
    if (radio !== asked) return radio !== null && this.#add(radio); // steered since, or another one
    if (!batch) return false; // the server was away: the next track asks again
    if (batch.tracks.length === 0) {
      update({ radio: null }); // the library has nothing more
      return false;
    }
    const played = [...radio.played, ...batch.tracks.map(({ id }) => id)].slice(-KEPT_PLAYED);
    const droppedCount = Math.max(0, index - KEPT_BEFORE);
    update({
      queue: [...queue.slice(droppedCount), ...toEntries(batch.tracks)],
      index: index - droppedCount,
      radio: { ...radio, by: batch.by, played },
    });
    return true;
  }
}

/** What was chosen and not heard yet is chosen anew; what was queued by hand stays. Pure. */
export function steered(
  { queue, index }: Pick<PlayerState, 'queue' | 'index'>,
  radio: Radio,
  { more, less, forget }: Steering,
): Pick<PlayerState, 'queue' | 'radio'> {
  const without = (ids: readonly number[]) => ids.filter((id) => id !== more && id !== less && id !== forget);
  const coming = queue.slice(index + 1);
  const dropped = new Set(coming.flatMap(({ track, added }) => (added ? [] : [track.id])));
  return {
    queue: [...queue.slice(0, index + 1), ...coming.filter(({ added }) => added)],
    radio: {
      ...radio,
      played: radio.played.filter((id) => !dropped.has(id)),
      more: [...without(radio.more), ...(more === undefined ? [] : [more])],
      less: [...without(radio.less), ...(less === undefined ? [] : [less])],
    },
  };
}
