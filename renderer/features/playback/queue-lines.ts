// The lines of the displayed queue: played tracks, the current track, tracks added by hand, and the rest with its
// origin. Pure.
import type { PlayerState } from '../../player/player.ts';

export type QueuePart = 'played' | 'now' | 'next' | 'from' | 'later';
/** A heading, or the entry at a position of the queue. */
type QueueLine = { head: QueuePart } | { at: number };

export function linesOf({ queue, index }: Pick<PlayerState, 'queue' | 'index'>): QueueLine[] {
  const lines: QueueLine[] = [];
  let lastPart: QueuePart | null = null;
  for (const [position, { added }] of queue.entries()) {
    const afterwards: QueuePart = lastPart === 'from' || lastPart === 'later' ? 'later' : 'next';
    const ownPart: QueuePart = position < index ? 'played' : position === index ? 'now' : added ? afterwards : 'from';
    if (ownPart !== lastPart) lines.push({ head: ownPart });
    lastPart = ownPart;
    lines.push({ at: position });
  }
  return lines;
}
