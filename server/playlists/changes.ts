// Changes to the entries of an ordinary playlist, one after another for each list. Each call makes one version, or none
// if nothing changed, in one transaction. Changes of more than 500 entries are written in parts with requests served in
// between: readers see the list grow, and a kill leaves a part of the change.
import type { Db, MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import type { PlaylistChange } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { assertOrdinary, getOwn } from './access.ts';
import type { EntryRows, ListedEntry, NewEntry } from './entry-rows.ts';
import { planList, reuseEntries } from './list-plan.ts';
import { placesBetween } from './positions.ts';
import { createLocks } from '../runtime/locks.ts';
import { inSlices, partsOf, turn, yieldIfDue } from '../runtime/time-slices.ts';
import {
  appendVersion,
  nextVersion,
  recountVersion,
  updatePlaylist,
  type PlaylistFields,
  type PlaylistSummary,
} from './queries.ts';

/** The new order of this many takes 0.1 s to plan. Longer lists of earlier versions can be read and shortened. */
export const MOST_ENTRIES = 100_000;

export interface Expected {
  expectedVersion?: number | undefined;
}
export interface Added extends Expected {
  trackIds: readonly TrackId[];
  /** Index of the first new track; absent or past the end: at the end. */
  position?: number | undefined;
  skipDuplicates?: boolean;
}
/** Changes fields, removes tracks by their previous index and appends tracks, in at most one version. */
export interface Edited extends Expected, PlaylistFields {
  removeIndexes?: readonly number[];
  addTrackIds?: readonly TrackId[];
}
/** Entries of a list: those named, in this order or in that of the list; or all but those named. */
export type Chosen = { entryIds: readonly number[]; inListOrder?: boolean } | { allBut: readonly number[] };
interface Counts {
  added: number;
  removed: number;
  moved: number;
}

/** What sets one version of a list apart from the next. */
interface Planned {
  removed: readonly number[];
  moved: readonly { id: number; position: number }[];
  added: readonly NewEntry[];
}
/** Parts that are to be written behind the first one, into the same version. */
interface Rest {
  id: PlaylistId;
  version: number;
  parts: Planned[];
}

const NOTHING: Counts = { added: 0, removed: 0, moved: 0 };
const EMPTY: Planned = { removed: [], moved: [], added: [] };
/** Entries that are written in one go: some 10 ms. */
const PART = 500;
/** There is no position left between two entries. */
class NoGap extends Error {}

export type PlaylistChanges = ReturnType<typeof createChanges>;

export function createChanges({ db, now, rows }: { db: MainDb; now: () => Date; rows: EntryRows }) {
  const alone = createLocks<PlaylistId>();

  /** Makes the planned version. `along` is written in the same transaction. */
  const change = (
    userId: UserId,
    id: PlaylistId,
    { expectedVersion }: Expected,
    kind: PlaylistChange,
    plan: (playlist: PlaylistSummary) => Planned | Promise<Planned>,
    along: (tx: Db) => void = () => {},
  ): Promise<void> =>
    alone(id, async () => {
      await yieldIfDue();
      const getOrdinary = (tx: Db): PlaylistSummary => {
        const playlist = getOwn(tx, userId, id, expectedVersion);
        assertOrdinary(playlist);
        return playlist;
      };
      const planned = await planWithGaps(id, async () => plan(getOrdinary(db)));
      const rest = db.transaction(
        (tx) => {
          const begun = writeVersion(userId, getOrdinary(tx), kind, planned);
          along(tx);
          return begun;
        },
        { behavior: 'immediate' },
      );
      await finish(rest);
    });

  /** Plans again with wide gaps where there was none. */
  async function planWithGaps(id: PlaylistId, plan: () => Promise<Planned>): Promise<Planned> {
    try {
      return await plan();
    } catch (error) {
      if (!(error instanceof NoGap)) throw error;
      await rows.renumber(id);
      return plan();
    }
  }

  /** Inside a transaction: the first part of what was planned, and the version. */
  function writeVersion(userId: UserId, playlist: PlaylistSummary, kind: PlaylistChange, planned: Planned): Rest {
    const [version, counts] = [playlist.version + 1, countsOf(planned)];
    const [first = EMPTY, ...parts] = partsOfPlan(planned);
    write(playlist.id, version, first);
    if (counts.added + counts.removed + counts.moved > 0 || kind === 'restore') note(userId, playlist, kind, counts);
    return { id: playlist.id, version, parts };
  }

  async function finish({ id, version, parts }: Rest): Promise<void> {
    if (parts.length === 0) return;
    await inSlices(
      parts,
      (part) => write(id, version, part),
      (work) => db.transaction(work, { behavior: 'immediate' }),
    );
    recountVersion(db, id, version);
  }

  /** Records the next version, whose entries are already written. */
  function note(userId: UserId, { id, rules }: PlaylistSummary, kind: PlaylistChange, counts: Counts = NOTHING): void {
    const createdAt = now();
    appendVersion(db, {
      playlistId: id,
      version: nextVersion(db, id, createdAt),
      change: kind,
      ...counts,
      rules,
      userId,
      createdAt,
    });
  }

  function assertTracks(playlist: PlaylistSummary, trackIds: readonly TrackId[]): void {
    // whoever brings more has looked before
    const absent = trackIds.length > PART ? undefined : rows.absentTrack(trackIds);
    if (absent !== undefined) throw notFound('track', absent);
    if (playlist.trackCount + trackIds.length > MOST_ENTRIES)
      throw conflict(`A playlist can have at most ${MOST_ENTRIES} tracks.`);
  }

  function planTracks(playlist: PlaylistSummary, trackIds: readonly TrackId[], position?: number): Planned {
    assertTracks(playlist, trackIds);
    const index = position !== undefined && position < playlist.trackCount ? position : undefined;
    const { before, after } = rows.aroundIndex(playlist.id, index);
    const places = placesFor(before, after, trackIds.length);
    const addedAt = now().getTime();
    return {
      ...EMPTY,
      added: trackIds.map((trackId, n) => ({ id: undefined, trackId, position: places[n] as number, addedAt })),
    };
  }

  async function withoutDuplicates(id: PlaylistId, trackIds: readonly TrackId[]): Promise<TrackId[]> {
    const added = new Set(trackIds);
    await inSlices(partsOf(trackIds, PART), (part) => {
      for (const listed of rows.knownTracks(id, part)) added.delete(listed);
    });
    return [...added];
  }

  /** Positions with which the list has exactly the wanted entries in order. */
  async function arrange<T extends { id: number | undefined }>(
    current: readonly ListedEntry[],
    wanted: readonly T[],
  ): Promise<{ removed: number[]; placed: (T & { position: number })[] }> {
    const positions = new Map(current.map(({ id, position }) => [id, position]));
    const positionOf = (edge: number | undefined): number | undefined =>
      edge === undefined ? undefined : positions.get(edge);
    await turnFor(current);
    const { removed, runs } = planList([...positions.keys()], wanted);
    await turnFor(current);
    const placed = runs.flatMap(({ before, after, entries }) => {
      const places = placesFor(positionOf(before), positionOf(after), entries.length);
      return entries.map((entry, n) => ({ ...entry, position: places[n] as number }));
    });
    return { removed, placed };
  }

  /** Throws `not_found` unless all of them are in the list. */
  function assertEntries(id: PlaylistId, asked: readonly number[]): void {
    const absent = rows.absentEntry(id, asked);
    if (absent !== undefined) throw notFound('entry', absent);
  }

  function write(id: PlaylistId, version: number, { removed, moved, added }: Planned): void {
    if (removed.length > 0) rows.end(id, version, removed);
    if (moved.length > 0) rows.move(id, version, moved);
    if (added.length > 0) rows.insert(id, version, added);
  }

  return {
    change,
    finish,
    /** One after another for each list. */
    alone,
    note,

    /** Fills and notes the first version of a new playlist; inside a transaction. */
    begin(userId: UserId, playlist: PlaylistSummary, kind: PlaylistChange, trackIds: readonly TrackId[]): Rest {
      const planned = trackIds.length > 0 ? planTracks(playlist, trackIds) : EMPTY;
      const [first = EMPTY, ...parts] = partsOfPlan(planned);
      write(playlist.id, 1, first);
      appendVersion(db, {
        playlistId: playlist.id,
        version: 1,
        change: kind,
        ...countsOf(planned),
        rules: playlist.rules,
        userId,
        createdAt: playlist.createdAt,
      });
      return { id: playlist.id, version: 1, parts };
    },

    add: (
      userId: UserId,
      id: PlaylistId,
      { trackIds, position, skipDuplicates = false, ...expected }: Added,
    ): Promise<void> =>
      change(userId, id, expected, 'add', async (playlist) => {
        const added = skipDuplicates ? await withoutDuplicates(id, trackIds) : trackIds;
        return added.length === 0 ? EMPTY : planTracks(playlist, added, position);
      }),

    /** Throws `not_found` when one of them is not in the list; then all stay. */
    remove: (userId: UserId, id: PlaylistId, chosen: Chosen, expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'remove', () => {
        if (!('entryIds' in chosen)) return { ...EMPTY, removed: inOrder(rows.ids(id), chosen) };
        assertEntries(id, chosen.entryIds);
        return { ...EMPTY, removed: chosen.entryIds };
      }),

    /** With `before` null, to the end. In the order of the list, one that moves itself is the next that stays. */
    move: (
      userId: UserId,
      id: PlaylistId,
      { before: asked, expectedVersion, ...chosen }: Expected & Chosen & { before: number | null },
    ): Promise<void> =>
      change(userId, id, { expectedVersion }, 'reorder', () => {
        const isNamed = 'entryIds' in chosen && chosen.inListOrder !== true;
        if ('entryIds' in chosen) {
          const named = new Set(chosen.entryIds);
          if (named.size < chosen.entryIds.length)
            throw invalid([{ field: 'entry_ids', message: 'must not name an entry twice' }]);
          if (isNamed && asked !== null && named.has(asked))
            throw invalid([{ field: 'before_entry_id', message: 'must not be one of the moved entries' }]);
          assertEntries(id, chosen.entryIds);
        }
        const all = isNamed ? [] : rows.ids(id);
        const entryIds = isNamed ? chosen.entryIds : inOrder(all, chosen);
        if (entryIds.length === all.length) return EMPTY; // none stays that they could go in front of
        const moving = new Set(entryIds);
        const before = isNamed ? asked : nextStaying(all, moving, asked);
        const [target] = before === null ? [] : rows.some(id, [before]);
        if (before !== null && !target) throw notFound('entry', before);
        const around = target ? rows.aroundEntry(id, target, moving) : rows.aroundIndex(id, undefined);
        const places = placesFor(around.before, around.after, entryIds.length);
        return { ...EMPTY, moved: entryIds.map((entryId, n) => ({ id: entryId, position: places[n] as number })) };
      }),

    /** Throws `conflict` unless the ids are exactly the entries that the list has. */
    reorder: (userId: UserId, id: PlaylistId, entryIds: readonly number[], expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'reorder', async () => {
        const current = rows.all(id);
        await turnFor(current);
        if (!isSameSet(current, entryIds))
          throw conflict(
            `The new order must contain each of the playlist's ${current.length} entries once. The playlist may have ` +
              'changed; reload it.',
          );
        const wanted = entryIds.map((entryId) => ({ id: entryId }));
        return { ...EMPTY, moved: (await arrange(current, wanted)).placed };
      }),

    /** Other tracks, all of them; entries of tracks that stay are kept. */
    replace: (userId: UserId, id: PlaylistId, trackIds: readonly TrackId[], expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'replace', async (playlist) => {
        const current = rows.all(id);
        await turnFor(current);
        const addedAt = now().getTime();
        const { removed, placed } = await arrange(current, reuseEntries(current, trackIds));
        const added = placed.filter((entry) => entry.id === undefined).map((entry) => ({ ...entry, addedAt }));
        assertTracks(
          { ...playlist, trackCount: trackIds.length - added.length },
          added.map(({ trackId }) => trackId),
        );
        return {
          removed,
          moved: placed.filter((entry): entry is typeof entry & { id: number } => entry.id !== undefined),
          added,
        };
      }),

    /** Ignores indexes past the end. */
    async edit(
      userId: UserId,
      id: PlaylistId,
      { removeIndexes = [], addTrackIds = [], expectedVersion, ...fields }: Edited,
    ): Promise<void> {
      const changeFields = (tx: Db): void => {
        if (Object.values(fields).some((value) => value !== undefined))
          updatePlaylist(tx, id, { ...fields, updatedAt: now() });
      };
      if (removeIndexes.length + addTrackIds.length === 0)
        return alone(id, async () =>
          db.transaction(
            (tx) => {
              getOwn(tx, userId, id, expectedVersion);
              changeFields(tx);
            },
            { behavior: 'immediate' },
          ),
        );
      const kind = removeIndexes.length === 0 ? 'add' : addTrackIds.length === 0 ? 'remove' : 'replace';
      return change(
        userId,
        id,
        { expectedVersion },
        kind,
        (playlist) => {
          const current = removeIndexes.length > 0 ? rows.ids(id) : [];
          const removed = [...new Set(removeIndexes)].flatMap((index) => current[index] ?? []);
          const { added } = addTrackIds.length > 0 ? planTracks(playlist, addTrackIds) : EMPTY;
          return { removed, moved: [], added };
        },
        changeFields,
      );
    },
  };
}

const countsOf = ({ added, removed, moved }: Planned): Counts => ({
  added: added.length,
  removed: removed.length,
  moved: moved.length,
});

/** First what goes, then what moves, then what comes. */
function partsOfPlan({ removed, moved, added }: Planned): Planned[] {
  if (removed.length + moved.length + added.length <= PART) return [{ removed, moved, added }];
  return [
    ...[...partsOf(removed, PART)].map((part) => ({ ...EMPTY, removed: part })),
    ...[...partsOf(moved, PART)].map((part) => ({ ...EMPTY, moved: part })),
    ...[...partsOf(added, PART)].map((part) => ({ ...EMPTY, added: part })),
  ];
}

/** Lets requests be served between the steps of the plan of a long list. */
const turnFor = (list: readonly unknown[]): Promise<void> | undefined => (list.length > PART ? turn() : undefined);

function inOrder(all: readonly number[], chosen: Chosen): number[] {
  const named = new Set('entryIds' in chosen ? chosen.entryIds : chosen.allBut);
  return all.filter((id) => named.has(id) === 'entryIds' in chosen);
}

/** Throws `not_found` for one that is not in the list. */
function nextStaying(all: readonly number[], moving: ReadonlySet<number>, from: number | null): number | null {
  if (from === null) return null;
  const at = all.indexOf(from);
  if (at < 0) throw notFound('entry', from);
  return all.slice(at).find((id) => !moving.has(id)) ?? null;
}

/** Throws NoGap. */
function placesFor(before: number | undefined, after: number | undefined, count: number): number[] {
  const places = placesBetween(before, after, count);
  if (!places) throw new NoGap();
  return places;
}

/** True if `asked` has each of the entries once, in any order. */
function isSameSet(entries: readonly ListedEntry[], asked: readonly number[]): boolean {
  const unnamed = new Set(entries.map(({ id }) => id));
  return entries.length === asked.length && asked.every((id) => unnamed.delete(id));
}
