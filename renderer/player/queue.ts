// The play order. Pure functions from a queue and its current index to both.
import type { QueueEntry, Repeat } from './types.ts';

export interface Ordered {
  queue: readonly QueueEntry[];
  index: number;
}

/**
 * Fisher-Yates, then tracks of one artist are separated: none are adjacent that any order could separate. `after` plays
 * before all of them.
 */
export function shuffled(
  entries: readonly QueueEntry[],
  random: () => number,
  after: QueueEntry | null = null,
): QueueEntry[] {
  const left = [...entries];
  for (let i = left.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  const counts = new ArtistCounts(left);
  const result: QueueEntry[] = [];
  let before = after;
  while (left.length > 0) {
    // An artist with more than half of the remaining tracks has to come now, or two of theirs become adjacent later.
    const pressing = counts.moreThan(left.length / 2);
    const wanted = (entry: QueueEntry) => !before || !sameArtist(before, entry);
    let at = pressing === null ? -1 : left.findIndex((entry) => entry.track.artist_id === pressing && wanted(entry));
    if (at < 0) at = left.findIndex(wanted);
    const [entry] = left.splice(Math.max(0, at), 1) as [QueueEntry];
    counts.take(entry);
    result.push(entry);
    before = entry;
  }
  return result;
}

const sameArtist = (a: QueueEntry, b: QueueEntry) =>
  a.track.artist_id !== null && a.track.artist_id === b.track.artist_id;

/** How many entries each artist has, and who has the most, which is needed at every step. */
class ArtistCounts {
  readonly #counts = new Map<number, number>();
  /** Artists by their count. */
  readonly #withCount: Set<number>[] = [];

  constructor(entries: readonly QueueEntry[]) {
    for (const { track } of entries)
      if (track.artist_id !== null) this.#counts.set(track.artist_id, (this.#counts.get(track.artist_id) ?? 0) + 1);
    for (const [artist, count] of this.#counts) (this.#withCount[count] ??= new Set()).add(artist);
  }

  take({ track: { artist_id: artist } }: QueueEntry): void {
    if (artist === null) return;
    const count = this.#counts.get(artist) ?? 0;
    this.#counts.set(artist, count - 1);
    this.#withCount[count]?.delete(artist);
    (this.#withCount[count - 1] ??= new Set()).add(artist);
    while ((this.#withCount.at(-1)?.size ?? 1) === 0) this.#withCount.pop();
  }

  /** The artist with more entries than this; at half or above there is at most one. */
  moreThan(count: number): number | null {
    if (this.#withCount.length - 1 <= count) return null;
    return this.#withCount.at(-1)?.values().next().value ?? null;
  }
}

/** Shuffles what is still to come, or restores the original order; the current entry keeps playing. */
export function reorder({ queue, index }: Ordered, shuffle: boolean, random: () => number): Ordered {
  const current = queue[index] ?? null;
  if (!shuffle) {
    const sorted = [...queue].sort((a, b) => a.order - b.order);
    return { queue: sorted, index: current ? sorted.indexOf(current) : -1 };
  }
  const rest = queue.filter((entry) => entry !== current);
  return {
    queue: current ? [current, ...shuffled(rest, random, current)] : shuffled(rest, random),
    index: current ? 0 : -1,
  };
}

export function moved({ queue, index }: Ordered, key: number, toIndex: number): Ordered {
  const from = queue.findIndex((entry) => entry.key === key);
  const to = Math.min(queue.length - 1, Math.max(0, toIndex));
  if (from < 0 || from === to) return { queue, index };
  const current = queue[index];
  const next = [...queue];
  next.splice(to, 0, ...next.splice(from, 1));
  return { queue: next, index: current ? next.indexOf(current) : -1 };
}

/** When the current entry is removed, the one after it becomes current. */
export function removed({ queue, index }: Ordered, key: number): Ordered {
  const at = queue.findIndex((entry) => entry.key === key);
  if (at < 0) return { queue, index };
  const next = queue.filter((entry) => entry.key !== key);
  return { queue: next, index: at < index ? index - 1 : Math.min(index, next.length - 1) };
}

/** Index of what plays after `index`, or -1 at the end. `bySelf`: the track ended, nobody pressed next. */
export function following({ queue, index }: Ordered, repeat: Repeat, bySelf: boolean): number {
  if (queue.length === 0) return -1;
  if (repeat === 'one' && bySelf) return index;
  if (index + 1 < queue.length) return index + 1;
  return repeat === 'off' ? -1 : 0;
}
