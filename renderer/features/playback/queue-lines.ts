// The lines of the displayed queue: played tracks, the current track, tracks added by hand, and the rest with its
// origin. Pure.
import type { PlayerState } from '../../player/player.ts';

export type QueuePart = 'played' | 'now' | 'next' | 'from' | 'later';
/** A heading, or the entry at a position of the queue. */
type QueueLine = { head: QueuePart } | { at: number };

export function linesOf({ queue, index }: Pick<PlayerState, 'queue' | 'index'>): QueueLine[] {
  const lines: QueueLine[] = [];
  let part: QueuePart | null = null;
  for (const [at, { added }] of queue.entries()) {
    const afterwards: QueuePart = part === 'from' || part === 'later' ? 'later' : 'next';
    const own: QueuePart = at < index ? 'played' : at === index ? 'now' : added ? afterwards : 'from';
    if (own !== part) lines.push({ head: own });
    part = own;
    lines.push({ at });
  }
  return lines;
}
