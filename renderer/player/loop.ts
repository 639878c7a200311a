import type { Loop } from './player.ts';

/** Shorter ones would be a noise. */
const SHORTEST_MS = 500;

/** The part between two positions, whichever was chosen first. */
export function loopOf(one: number, other: number): Loop {
  const from = Math.min(one, other);
  return { from, to: Math.max(one, other, from + SHORTEST_MS) };
}
