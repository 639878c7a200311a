// The order in which the queue plays: shuffle, repeat, moving, removing. Pure functions of a queue and its current
// index.
import { shuffleItems } from '../../server/playback/shuffle.ts';
import type { QueueEntry, Repeat } from './player.ts';

export interface Ordered {
  queue: readonly QueueEntry[];
  index: number;
}

const artistOf = ({ track }: QueueEntry) => track.artist_id;

/** Shuffles the upcoming entries, or restores the original order; the current entry keeps playing. */
export function reorder({ queue, index }: Ordered, shuffle: boolean, random: () => number): Ordered {
  const current = queue[index] ?? null;
  if (!shuffle) {
    const sortedQueue = [...queue].sort((a, b) => a.order - b.order);
    return { queue: sortedQueue, index: current ? sortedQueue.indexOf(current) : -1 };
  }
  const rest = queue.filter((entry) => entry !== current);
  return {
    queue: [...(current ? [current] : []), ...shuffleItems(rest, artistOf, random, current)],
    index: current ? 0 : -1,
  };
}

/** Reorders only the upcoming entries, because a radio does not play earlier entries again. */
export function reorderUpcoming({ queue, index }: Ordered, shuffle: boolean, random: () => number): Ordered {
  const upcoming = reorder({ queue: queue.slice(index + 1), index: -1 }, shuffle, random);
  return { queue: [...queue.slice(0, index + 1), ...upcoming.queue], index };
}

export function moveEntry({ queue, index }: Ordered, key: number, toIndex: number): Ordered {
  const from = queue.findIndex((entry) => entry.key === key);
  const to = Math.min(queue.length - 1, Math.max(0, toIndex));
  if (from < 0 || from === to) return { queue, index };
  const current = queue[index];
  const next = [...queue];
  next.splice(to, 0, ...next.splice(from, 1));
  return { queue: next, index: current ? next.indexOf(current) : -1 };
}

/** Removes an entry; if it is the current entry, the next entry becomes current. */
export function removeEntry({ queue, index }: Ordered, key: number): Ordered {
  const position = queue.findIndex((entry) => entry.key === key);
  if (position < 0) return { queue, index };
  const next = queue.filter((entry) => entry.key !== key);
  return { queue: next, index: position < index ? index - 1 : Math.min(index, next.length - 1) };
}

/**
 * Returns the index of the entry that plays after `index`, or -1 at the end. `bySelf` is true if the track ended
 * without a press of “next”.
 */
export function following({ queue, index }: Ordered, repeat: Repeat, bySelf: boolean): number {
  if (queue.length === 0) return -1;
  if (repeat === 'one' && bySelf) return index;
  if (index + 1 < queue.length) return index + 1;
  return repeat === 'off' ? -1 : 0;
}
