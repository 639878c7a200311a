// A list of any length as the queue: the queue stores the list's query, adds its rows before they are needed, and
// remembers the removed rows. Pure.
import type { ListRest, ListSource, PlayerState, QueueEntry, QueueTrack } from './player.ts';

export interface ListRows {
  offset: number;
  limit: number;
}

/** Number of rows fetched at a time. */
export const LIST_PAGE = 200;
/** Number of rows in the queue before the row that plays first. */
const ROWS_BEHIND = 50;
/** With fewer entries than this before or after the current entry, more are fetched. */
const ROWS_BEFORE_END = 25;

export const newSeed = (random: () => number): number => Math.floor(random() * 1e9);

export function openList(source: ListSource, startAt: number, seed: number | null): ListRest {
  const firstRow = seed === null ? Math.max(0, startAt - ROWS_BEHIND) : 0;
  return { without: [], ...source, first: firstRow, next: firstRow, end: Infinity, total: Infinity, seed, leftAt: 0 };
}

export const queryOf = ({ query, seed }: ListRest): object => {
  if (seed === null) return query;
  const { order: _, ...otherParams } = query as { order?: unknown };
  return { ...otherParams, sort: 'random', seed };
};

const isDone = ({ first, next, end }: ListRest): boolean => first === 0 && next >= end;

/**
 * Returns null for a list that is completely in the queue, unless its original order must be restored after a shuffle.
 */
export const orNull = (rest: ListRest): ListRest | null => (isDone(rest) && rest.seed === null ? null : rest);

/** Returns the number of tracks that are not in the queue yet. */
export const countRest = (rest: ListRest | null): number =>
  rest === null || rest.end === Infinity ? 0 : rest.first + Math.max(0, rest.end - rest.next);

/** Returns the rows to fetch now, if any; with repeat, the beginning of a list follows its end. */
export function rowsWanted(
  { queue, index, repeat }: Pick<PlayerState, 'queue' | 'index' | 'repeat'>,
  rest: ListRest,
  isForced = false,
): (ListRows & { rest: ListRest; isBefore: boolean }) | null {
  const isNearEnd = isForced || queue.length - index <= ROWS_BEFORE_END;
  if (isNearEnd && rest.next < rest.end)
    return { rest, isBefore: false, offset: rest.next, limit: Math.min(LIST_PAGE, rest.end - rest.next) };
  if (rest.first > 0 && index < ROWS_BEFORE_END) {
    const limit = Math.min(LIST_PAGE, rest.first);
    return { rest, isBefore: true, offset: rest.first - limit, limit };
  }
  if (!isNearEnd || repeat !== 'all' || rest.first === 0) return null;
  const restFromStart = { ...rest, first: 0, next: 0, end: rest.first };
  return { rest: restFromStart, isBefore: false, offset: 0, limit: Math.min(LIST_PAGE, restFromStart.end) };
}

/** Returns the tracks without those that a changing list returned before; a playlist may contain a track twice. */
export function newOf(tracks: readonly QueueTrack[], queue: readonly QueueEntry[], rest: ListRest): QueueTrack[] {
  const queuedIds = 'playlist' in rest.query ? [] : queue.flatMap(({ track, added }) => (added ? [] : [track.id]));
  const excludedIds = new Set([...rest.without, ...queuedIds]);
  return tracks.filter(({ id }) => !excludedIds.has(id));
}

/**
 * Returns where the list continues when its order changes: a shuffled list from its start, an unshuffled list from its
 * last row.
 */
export function reorderedRest(
  rest: ListRest,
  { queue, index }: Pick<PlayerState, 'queue' | 'index'>,
  seed: number | null,
): ListRest {
  const upcomingCount = queue.slice(index + 1).filter(({ added }) => !added).length;
  const leftAt = rest.seed === null ? Math.max(0, rest.next - upcomingCount) : rest.leftAt;
  const from = seed === null ? leftAt : 0;
  return { ...rest, first: from, next: from, end: rest.total, seed, leftAt };
}

/**
 * Returns the index after the current entry and the entries queued by hand behind it, which play before the list
 * continues.
 */
export function afterAdded({ queue, index }: Pick<PlayerState, 'queue' | 'index'>): number {
  let position = index + 1;
  while (queue[position]?.added) position += 1;
  return position;
}
