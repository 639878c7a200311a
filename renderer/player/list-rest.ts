// A list of any length as the queue: it is kept as its query, its rows join the queue before they are needed, and what
// was removed is remembered. Pure.
import type { ListRest, ListSource, PlayerState, QueueEntry, QueueTrack } from './player.ts';

export interface ListRows {
  offset: number;
  limit: number;
}

/** Rows fetched at once. */
export const LIST_PAGE = 200;
/** Rows that are in the queue before the one that plays first. */
const ROWS_BEHIND = 50;
/** With fewer entries than this before or after the current one, more are fetched. */
const ROWS_BEFORE_END = 25;

export const newSeed = (random: () => number): number => Math.floor(random() * 1e9);

export function openList(source: ListSource, startAt: number, seed: number | null): ListRest {
  const first = seed === null ? Math.max(0, startAt - ROWS_BEHIND) : 0;
  return { without: [], ...source, first, next: first, end: Infinity, total: Infinity, seed, leftAt: 0 };
}

export const queryOf = ({ query, seed }: ListRest): object => {
  if (seed === null) return query;
  const { order: _, ...others } = query as { order?: unknown };
  return { ...others, sort: 'random', seed };
};

const isDone = ({ first, next, end }: ListRest): boolean => first === 0 && next >= end;

/** A list that is in the queue as a whole is a queue like any other, unless its own order has to be found again. */
export const orNull = (rest: ListRest): ListRest | null => (isDone(rest) && rest.seed === null ? null : rest);

/** How many tracks are still to join the queue. */
export const countRest = (rest: ListRest | null): number =>
  rest === null || rest.end === Infinity ? 0 : rest.first + Math.max(0, rest.end - rest.next);

/** The rows to fetch now, if any; with repeat, the beginning of a list follows its end. */
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
  const again = { ...rest, first: 0, next: 0, end: rest.first };
  return { rest: again, isBefore: false, offset: 0, limit: Math.min(LIST_PAGE, again.end) };
}

/** What a list that changes as it plays gives twice is left out; a playlist may have a track twice. */
export function newOf(tracks: readonly QueueTrack[], queue: readonly QueueEntry[], rest: ListRest): QueueTrack[] {
  const queued = 'playlist' in rest.query ? [] : queue.flatMap(({ track, added }) => (added ? [] : [track.id]));
  const excludedIds = new Set([...rest.without, ...queued]);
  return tracks.filter(({ id }) => !excludedIds.has(id));
}

/** Where the list goes on when its order changes: in a random one from its start, in its own where it was left. */
export function turned(
  rest: ListRest,
  { queue, index }: Pick<PlayerState, 'queue' | 'index'>,
  seed: number | null,
): ListRest {
  const ahead = queue.slice(index + 1).filter(({ added }) => !added).length;
  const leftAt = rest.seed === null ? Math.max(0, rest.next - ahead) : rest.leftAt;
  const from = seed === null ? leftAt : 0;
  return { ...rest, first: from, next: from, end: rest.total, seed, leftAt };
}

/** After the current entry and those added by hand behind it, which play before the list goes on. */
export function afterAdded({ queue, index }: Pick<PlayerState, 'queue' | 'index'>): number {
  let at = index + 1;
  while (queue[at]?.added) at += 1;
  return at;
}
