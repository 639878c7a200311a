// Plans the next version of a playlist: which entries are removed, moved and added, and at which positions.
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId } from '../db/ids.ts';
import { conflict, notFound } from '../errors.ts';
import type { EntryRows, ListedEntry, NewEntry } from './entry-rows.ts';
import { planList } from './list-plan.ts';
import { placesBetween } from './positions.ts';
import { createLocks } from '../runtime/locks.ts';
import { inSlices, partsOf, waitForTurn } from '../runtime/time-slices.ts';
import { type PlaylistSummary } from './queries.ts';

/**
 * Maximum length: planning an order of this many entries takes 0.1 s. Longer lists of earlier versions can be read and
 * shortened.
 */
export const MAX_PLAYLIST_ENTRIES = 100_000;

export interface Counts {
  added: number;
  removed: number;
  moved: number;
}

/** The difference between one version of a list and the next. */
export interface VersionPlan {
  removed: readonly number[];
  moved: readonly { id: number; position: number }[];
  added: readonly NewEntry[];
}

export const EMPTY_PLAN: VersionPlan = { removed: [], moved: [], added: [] };

/** The number of entries that one transaction writes, which takes some 10 ms. */
const ENTRIES_PER_WRITE = 500;

/** Thrown when no position is free between two entries. */
class NoGapError extends Error {}

export type Context = ReturnType<typeof createContext>;

export function createContext({ db, now, rows }: { db: MainDb; now: () => Date; rows: EntryRows }) {
  const withLock = createLocks<PlaylistId>();
  return { db, now, rows, withLock };
}

/** Plans a change; if there was no free position, makes wide gaps and plans again. */
export async function planWithGaps(
  context: Context,
  id: PlaylistId,
  plan: () => Promise<VersionPlan>,
): Promise<VersionPlan> {
  try {
    return await plan();
  } catch (error) {
    if (!(error instanceof NoGapError)) throw error;
    await context.rows.renumber(id);
    return plan();
  }
}

export function assertTracks(context: Context, playlist: PlaylistSummary, trackIds: readonly TrackId[]): void {
  // callers with more tracks have already checked them
  const missingId = trackIds.length > ENTRIES_PER_WRITE ? undefined : context.rows.findAbsentTrack(trackIds);
  if (missingId !== undefined) throw notFound('track', missingId);
  if (playlist.trackCount + trackIds.length > MAX_PLAYLIST_ENTRIES)
    throw conflict(`A playlist can have at most ${MAX_PLAYLIST_ENTRIES} tracks.`);
}

export function planTracks(
  context: Context,
  playlist: PlaylistSummary,
  trackIds: readonly TrackId[],
  position?: number,
): VersionPlan {
  assertTracks(context, playlist, trackIds);
  const index = position !== undefined && position < playlist.trackCount ? position : undefined;
  const { before: beforePosition, after: afterPosition } = context.rows.aroundIndex(playlist.id, index);
  const places = placesFor(beforePosition, afterPosition, trackIds.length);
  const addedAt = context.now().getTime();
  return {
    ...EMPTY_PLAN,
    added: trackIds.map((trackId, n) => ({ id: undefined, trackId, position: places[n] as number, addedAt })),
  };
}

export async function withoutDuplicates(
  context: Context,
  id: PlaylistId,
  trackIds: readonly TrackId[],
): Promise<TrackId[]> {
  const newIds = new Set(trackIds);
  await inSlices(partsOf(trackIds, ENTRIES_PER_WRITE), (part) => {
    for (const listedId of context.rows.listKnownTracks(id, part)) newIds.delete(listedId);
  });
  return [...newIds];
}

/** Finds positions with which the list has exactly the new entries in order. */
export async function arrange<T extends { id: number | undefined }>(
  current: readonly ListedEntry[],
  newEntries: readonly T[],
): Promise<{ removedIds: number[]; placedEntries: (T & { position: number })[] }> {
  const positions = new Map(current.map(({ id, position }) => [id, position]));
  const positionOf = (neighbourId: number | undefined): number | undefined =>
    neighbourId === undefined ? undefined : positions.get(neighbourId);
  await yieldForLongList(current);
  const { removedIds, runs } = planList([...positions.keys()], newEntries);
  await yieldForLongList(current);
  const placedEntries = runs.flatMap(({ before: beforeId, after: afterId, entries }) => {
    const places = placesFor(positionOf(beforeId), positionOf(afterId), entries.length);
    return entries.map((entry, n) => ({ ...entry, position: places[n] as number }));
  });
  return { removedIds, placedEntries };
}

export const countsOf = ({ added, removed, moved }: VersionPlan): Counts => ({
  added: added.length,
  removed: removed.length,
  moved: moved.length,
});

/** Splits a plan into parts: removed entries first, then moved, then added ones. */
export function partsOfPlan({ removed, moved, added }: VersionPlan): VersionPlan[] {
  if (removed.length + moved.length + added.length <= ENTRIES_PER_WRITE) return [{ removed, moved, added }];
  return [
    ...[...partsOf(removed, ENTRIES_PER_WRITE)].map((part) => ({ ...EMPTY_PLAN, removed: part })),
    ...[...partsOf(moved, ENTRIES_PER_WRITE)].map((part) => ({ ...EMPTY_PLAN, moved: part })),
    ...[...partsOf(added, ENTRIES_PER_WRITE)].map((part) => ({ ...EMPTY_PLAN, added: part })),
  ];
}

/** Lets requests be served between the steps of the plan of a long list. */
export const yieldForLongList = (list: readonly unknown[]): Promise<void> | undefined =>
  list.length > ENTRIES_PER_WRITE ? waitForTurn() : undefined;

/** Returns positions between two neighbours. Throws NoGapError when no positions are free. */
export function placesFor(lower: number | undefined, upper: number | undefined, count: number): number[] {
  const places = placesBetween(lower, upper, count);
  if (!places) throw new NoGapError();
  return places;
}
