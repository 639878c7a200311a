// Changes the entries of an ordinary playlist; changes to one playlist run one after another. Each call creates one
// version, or none if nothing changed, in one transaction. Changes of more than 500 entries are written in parts with
// requests served in between: readers see the list grow, and an interruption leaves a part of the change.
import type { Db, MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import type { PlaylistChange } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { assertOrdinary, getOwn } from './access.ts';
import type { EntryRows, ListedEntry } from './entry-rows.ts';
import { reuseEntries } from './list-plan.ts';
import { inSlices, yieldIfDue } from '../runtime/time-slices.ts';
import {
  appendVersion,
  nextVersion,
  recountVersion,
  updatePlaylist,
  type PlaylistFields,
  type PlaylistSummary,
} from './queries.ts';
import { bindContext } from '../runtime/bind-context.ts';
import {
  yieldForLongList,
  withoutDuplicates,
  type Context,
  createContext,
  placesFor,
  countsOf,
  type Counts,
  type VersionPlan,
  partsOfPlan,
  EMPTY_PLAN,
  planWithGaps,
  arrange,
  planTracks,
  assertTracks,
} from './change-plans.ts';

export interface VersionCheck {
  expectedVersion?: number | undefined;
}

export interface NewTracks extends VersionCheck {
  trackIds: readonly TrackId[];
  /** Index at which the first new track is inserted; if absent or past the end, tracks are added at the end. */
  position?: number | undefined;
  skipDuplicates?: boolean;
}

/** `file`: the playlist's file has these tracks. `alsoWrite` runs in the same transaction. */
export interface ReplaceOptions extends VersionCheck {
  kind?: 'replace' | 'file';
  alsoWrite?: (tx: Db) => void;
}

/** Changes fields, removes tracks by their previous index and appends tracks, in at most one version. */
export interface PlaylistEdit extends VersionCheck, PlaylistFields {
  removeIndexes?: readonly number[];
  addTrackIds?: readonly TrackId[];
}

/**
 * Selected entries of a list: the entries with these ids, in this order or in that of the list; or all except these.
 */
export type EntrySelection = { entryIds: readonly number[]; inListOrder?: boolean } | { allBut: readonly number[] };

/** Parts of a change that are written after the first part, into the same version. */
interface RemainingParts {
  id: PlaylistId;
  version: number;
  parts: VersionPlan[];
}

const NO_CHANGES: Counts = { added: 0, removed: 0, moved: 0 };

export type PlaylistChanges = ReturnType<typeof createChanges>;

export function createChanges(deps: { db: MainDb; now: () => Date; rows: EntryRows }) {
  const context = createContext(deps);

  return {
    ...bindContext(context, { begin, add, remove, move, reorder, replace, edit, change, finish, recordVersion }),
    /** Runs the changes of a list one after another. */
    withLock: context.withLock,
  };
}

/** Makes the planned change as a new version. `alsoWrite` runs in the same transaction. */
const change = (
  context: Context,
  userId: UserId,
  id: PlaylistId,
  { expectedVersion }: VersionCheck,
  kind: PlaylistChange,
  plan: (playlist: PlaylistSummary) => VersionPlan | Promise<VersionPlan>,
  alsoWrite: (tx: Db) => void = () => {},
): Promise<void> =>
  context.withLock(id, async () => {
    await yieldIfDue();
    const getOrdinary = (tx: Db): PlaylistSummary => {
      const playlist = getOwn(tx, userId, id, expectedVersion);
      assertOrdinary(playlist);
      return playlist;
    };
    const versionPlan = await planWithGaps(context, id, async () => plan(getOrdinary(context.db)));
    const remainingParts = context.db.transaction(
      (tx) => {
        const parts = writeVersion(context, userId, getOrdinary(tx), kind, versionPlan);
        alsoWrite(tx);
        return parts;
      },
      { behavior: 'immediate' },
    );
    await finish(context, remainingParts);
  });

/** Writes the first part of the plan and the version; to be called inside a transaction. */
function writeVersion(
  context: Context,
  userId: UserId,
  playlist: PlaylistSummary,
  kind: PlaylistChange,
  plan: VersionPlan,
): RemainingParts {
  const [version, counts] = [playlist.version + 1, countsOf(plan)];
  const [firstPart = EMPTY_PLAN, ...parts] = partsOfPlan(plan);
  write(context, playlist.id, version, firstPart);
  if (counts.added + counts.removed + counts.moved > 0 || kind === 'restore')
    recordVersion(context, userId, playlist, kind, counts);
  return { id: playlist.id, version, parts };
}

async function finish(context: Context, { id, version, parts }: RemainingParts): Promise<void> {
  if (parts.length === 0) return;
  await inSlices(
    parts,
    (part) => write(context, id, version, part),
    (work) => context.db.transaction(work, { behavior: 'immediate' }),
  );
  recountVersion(context.db, id, version);
}

/** Records the next version, whose entries are already written. */
function recordVersion(
  context: Context,
  userId: UserId,
  { id, rules }: PlaylistSummary,
  kind: PlaylistChange,
  counts: Counts = NO_CHANGES,
): void {
  const createdAt = context.now();
  appendVersion(context.db, {
    playlistId: id,
    version: nextVersion(context.db, id, createdAt),
    change: kind,
    ...counts,
    rules,
    userId: kind === 'file' ? null : userId,
    createdAt,
  });
}

/** Throws `not_found` unless all of these entries are in the list. */
function assertEntries(context: Context, id: PlaylistId, entryIds: readonly number[]): void {
  const missingId = context.rows.findAbsentEntry(id, entryIds);
  if (missingId !== undefined) throw notFound('entry', missingId);
}

function write(context: Context, id: PlaylistId, version: number, { removed, moved, added }: VersionPlan): void {
  if (removed.length > 0) context.rows.end(id, version, removed);
  if (moved.length > 0) context.rows.move(id, version, moved);
  if (added.length > 0) context.rows.insert(id, version, added);
}

/** Writes the first version of a new playlist, inside a transaction. */
function begin(
  context: Context,
  userId: UserId,
  playlist: PlaylistSummary,
  kind: PlaylistChange,
  trackIds: readonly TrackId[],
): RemainingParts {
  const plan = trackIds.length > 0 ? planTracks(context, playlist, trackIds) : EMPTY_PLAN;
  const [firstPart = EMPTY_PLAN, ...parts] = partsOfPlan(plan);
  write(context, playlist.id, 1, firstPart);
  appendVersion(context.db, {
    playlistId: playlist.id,
    version: 1,
    change: kind,
    ...countsOf(plan),
    rules: playlist.rules,
    userId: kind === 'file' ? null : userId,
    createdAt: playlist.createdAt,
  });
  return { id: playlist.id, version: 1, parts };
}

const add = (
  context: Context,
  userId: UserId,
  id: PlaylistId,
  { trackIds, position, skipDuplicates = false, ...versionCheck }: NewTracks,
): Promise<void> =>
  change(context, userId, id, versionCheck, 'add', async (playlist) => {
    const newIds = skipDuplicates ? await withoutDuplicates(context, id, trackIds) : trackIds;
    return newIds.length === 0 ? EMPTY_PLAN : planTracks(context, playlist, newIds, position);
  });

/** Removes entries. Throws `not_found` when one of them is not in the list; then all stay. */
const remove = (
  context: Context,
  userId: UserId,
  id: PlaylistId,
  selection: EntrySelection,
  versionCheck: VersionCheck = {},
): Promise<void> =>
  change(context, userId, id, versionCheck, 'remove', () => {
    if (!('entryIds' in selection)) return { ...EMPTY_PLAN, removed: inOrder(context.rows.ids(id), selection) };
    assertEntries(context, id, selection.entryIds);
    return { ...EMPTY_PLAN, removed: selection.entryIds };
  });

/**
 * Moves entries before another entry, or to the end if `before` is null. In the order of the list, if `before`
 * itself is moved, the next entry that stays takes its place.
 */
const move = (
  context: Context,
  userId: UserId,
  id: PlaylistId,
  { before: beforeEntryId, expectedVersion, ...selection }: VersionCheck & EntrySelection & { before: number | null },
): Promise<void> =>
  change(context, userId, id, { expectedVersion }, 'reorder', () => {
    const isGivenOrder = 'entryIds' in selection && selection.inListOrder !== true;
    if ('entryIds' in selection) {
      const namedIds = new Set(selection.entryIds);
      if (namedIds.size < selection.entryIds.length)
        throw invalid([{ field: 'entry_ids', message: 'must not name an entry twice' }]);
      if (isGivenOrder && beforeEntryId !== null && namedIds.has(beforeEntryId))
        throw invalid([{ field: 'before_entry_id', message: 'must not be one of the moved entries' }]);
      assertEntries(context, id, selection.entryIds);
    }
    const allIds = isGivenOrder ? [] : context.rows.ids(id);
    const entryIds = isGivenOrder ? selection.entryIds : inOrder(allIds, selection);
    // all entries are moved, so there is no other entry to move them before
    if (entryIds.length === allIds.length) return EMPTY_PLAN;
    const movingIds = new Set(entryIds);
    const targetId = isGivenOrder ? beforeEntryId : nextStaying(allIds, movingIds, beforeEntryId);
    const [target] = targetId === null ? [] : context.rows.listSelected(id, [targetId]);
    if (targetId !== null && !target) throw notFound('entry', targetId);
    const neighbours = target
      ? context.rows.aroundEntry(id, target, movingIds)
      : context.rows.aroundIndex(id, undefined);
    const places = placesFor(neighbours.before, neighbours.after, entryIds.length);
    return { ...EMPTY_PLAN, moved: entryIds.map((entryId, n) => ({ id: entryId, position: places[n] as number })) };
  });

/** Reorders all entries. Throws `conflict` unless the ids are exactly those of the entries in the list. */
const reorder = (
  context: Context,
  userId: UserId,
  id: PlaylistId,
  entryIds: readonly number[],
  versionCheck: VersionCheck = {},
): Promise<void> =>
  change(context, userId, id, versionCheck, 'reorder', async () => {
    const current = context.rows.all(id);
    await yieldForLongList(current);
    if (!isSameSet(current, entryIds))
      throw conflict(
        `The new order must contain each of the playlist's ${current.length} entries once. The playlist may have ` +
          'changed; reload it.',
      );
    const newEntries = entryIds.map((entryId) => ({ id: entryId }));
    return { ...EMPTY_PLAN, moved: (await arrange(current, newEntries)).placedEntries };
  });

/** Replaces all tracks; entries of tracks that stay are kept. */
const replace = (
  context: Context,
  userId: UserId,
  id: PlaylistId,
  trackIds: readonly TrackId[],
  { kind = 'replace', alsoWrite, ...versionCheck }: ReplaceOptions = {},
): Promise<void> => {
  const plan = async (playlist: PlaylistSummary): Promise<VersionPlan> => {
    const current = context.rows.all(id);
    await yieldForLongList(current);
    const addedAt = context.now().getTime();
    const { removedIds, placedEntries } = await arrange(current, reuseEntries(current, trackIds));
    const addedEntries = placedEntries
      .filter((entry) => entry.id === undefined)
      .map((entry) => ({ ...entry, addedAt }));
    assertTracks(
      context,
      { ...playlist, trackCount: trackIds.length - addedEntries.length },
      addedEntries.map(({ trackId }) => trackId),
    );
    return {
      removed: removedIds,
      moved: placedEntries.filter((entry): entry is typeof entry & { id: number } => entry.id !== undefined),
      added: addedEntries,
    };
  };
  return change(context, userId, id, versionCheck, kind, plan, alsoWrite);
};

/** Edits the list as a phone does; indexes past the end are ignored. */
async function edit(
  context: Context,
  userId: UserId,
  id: PlaylistId,
  { removeIndexes = [], addTrackIds = [], expectedVersion, ...fields }: PlaylistEdit,
): Promise<void> {
  const changeFields = (tx: Db): void => {
    if (Object.values(fields).some((value) => value !== undefined))
      updatePlaylist(tx, id, { ...fields, updatedAt: context.now() });
  };
  if (removeIndexes.length + addTrackIds.length === 0)
    return context.withLock(id, async () =>
      context.db.transaction(
        (tx) => {
          getOwn(tx, userId, id, expectedVersion);
          changeFields(tx);
        },
        { behavior: 'immediate' },
      ),
    );
  const kind = removeIndexes.length === 0 ? 'add' : addTrackIds.length === 0 ? 'remove' : 'replace';
  return change(
    context,
    userId,
    id,
    { expectedVersion },
    kind,
    (playlist) => {
      const current = removeIndexes.length > 0 ? context.rows.ids(id) : [];
      const removedIds = [...new Set(removeIndexes)].flatMap((index) => current[index] ?? []);
      const { added: addedEntries } = addTrackIds.length > 0 ? planTracks(context, playlist, addTrackIds) : EMPTY_PLAN;
      return { removed: removedIds, moved: [], added: addedEntries };
    },
    changeFields,
  );
}

function inOrder(allIds: readonly number[], selection: EntrySelection): number[] {
  const namedIds = new Set('entryIds' in selection ? selection.entryIds : selection.allBut);
  return allIds.filter((id) => namedIds.has(id) === 'entryIds' in selection);
}

/** Returns the first entry from `from` on that is not moved. Throws `not_found` if `from` is not in the list. */
function nextStaying(allIds: readonly number[], movingIds: ReadonlySet<number>, from: number | null): number | null {
  if (from === null) return null;
  const index = allIds.indexOf(from);
  if (index < 0) throw notFound('entry', from);
  return allIds.slice(index).find((id) => !movingIds.has(id)) ?? null;
}

/** Returns whether the ids are those of the entries, each once, in any order. */
function isSameSet(entries: readonly ListedEntry[], entryIds: readonly number[]): boolean {
  const remainingIds = new Set(entries.map(({ id }) => id));
  return entries.length === entryIds.length && entryIds.every((id) => remainingIds.delete(id));
}
