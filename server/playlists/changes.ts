// Changes to the entries of an ordinary playlist, one after another. Each call is one transaction and makes one
// version, or none if nothing changed. Only changes of more than 500 entries, or that take a longer list to plan, are
// planned and written in slices, so that requests are served in between: readers see the list grow, and a kill leaves
// a part of the change.
import type { Db, MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import type { PlaylistChange } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { assertOrdinary, getOwn } from './access.ts';
import type { EntryRows, ListedEntry, NewEntry } from './entry-rows.ts';
import { planList, reuseEntries } from './list-plan.ts';
import { placesBetween } from './positions.ts';
import { createLocks } from '../runtime/locks.ts';
import { finishInSlices, finishNow, inSlices, partsOf } from '../runtime/time-slices.ts';
import {
  appendVersion,
  nextVersion,
  recountVersion,
  updatePlaylist,
  type PlaylistFields,
  type PlaylistSummary,
} from './queries.ts';

/** Longer playlists would become slow. */
export const MOST_ENTRIES = 500_000;

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
/** Entries between two `yield`s of a plan. */
const STRIDE = 1_000;
/** A plan is made anew when something else changed the list meanwhile. */
const MOST_PLANS = 20;

type Planning = Generator<void, Planned>;
/** There is no position left between two entries. */
class NoGap extends Error {}

export type PlaylistChanges = ReturnType<typeof createChanges>;

export function createChanges({ db, now, rows }: { db: MainDb; now: () => Date; rows: EntryRows }) {
  const alone = createLocks<PlaylistId>();

  /**
   * Makes the version that was planned. `size`: entries that the plan has to look at, absent: all. `along` is written
   * in the same transaction.
   */
  async function change(
    userId: UserId,
    id: PlaylistId,
    { expectedVersion }: Expected,
    kind: PlaylistChange,
    size: number | undefined,
    plan: (playlist: PlaylistSummary) => Planning,
    along: (tx: Db) => void = () => {},
  ): Promise<void> {
    const ordinary = (tx: Db, expected?: number): PlaylistSummary => {
      const playlist = getOwn(tx, userId, id, expected);
      assertOrdinary(playlist);
      return playlist;
    };
    const inOneGo = (): Rest =>
      db.transaction(
        (tx) => {
          const playlist = ordinary(tx, expectedVersion);
          const rest = writeVersion(userId, playlist, kind, finishNow(plan(playlist)));
          along(tx);
          return rest;
        },
        { behavior: 'immediate' },
      );
    const inSteps = async (before: PlaylistSummary): Promise<Rest | undefined> => {
      const planned = await finishInSlices(plan(before));
      return db.transaction(
        (tx) => {
          const playlist = ordinary(tx);
          if (playlist.version !== before.version) return undefined;
          const rest = writeVersion(userId, playlist, kind, planned);
          along(tx);
          return rest;
        },
        { behavior: 'immediate' },
      );
    };
    return alone(id, () =>
      withGaps(id, async () => {
        if (size !== undefined && size <= PART) return finish(inOneGo());
        for (let n = 0; n < MOST_PLANS; n++) {
          const playlist = ordinary(db, expectedVersion);
          const rest = (size ?? playlist.trackCount) <= PART ? inOneGo() : await inSteps(playlist);
          if (rest) return finish(rest);
        }
        throw conflict('The playlist is being changed again and again. Try later.');
      }),
    );
  }

  /** Again with wide gaps where there was none. */
  async function withGaps(id: PlaylistId, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NoGap)) throw error;
      await finishInSlices(rows.renumber(id));
      await work();
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

  function* withoutDuplicates(id: PlaylistId, trackIds: readonly TrackId[]): Generator<void, TrackId[]> {
    const added = new Set(trackIds);
    for (const part of partsOf(trackIds, PART)) {
      yield;
      for (const known of rows.knownTracks(id, part)) added.delete(known);
    }
    return [...added];
  }

  /** Positions with which the list has exactly the wanted entries in order. */
  function* arrange<T extends { id: number | undefined }>(
    current: readonly ListedEntry[],
    wanted: readonly T[],
  ): Generator<void, { removed: number[]; placed: (T & { position: number })[] }> {
    const positions = new Map<number, number>();
    for (const { id, position } of current) if (positions.set(id, position).size % STRIDE === 0) yield;
    const positionOf = (edge: number | undefined): number | undefined =>
      edge === undefined ? undefined : positions.get(edge);
    const { removed, runs } = yield* planList([...positions.keys()], wanted);
    const placed: (T & { position: number })[] = [];
    for (const { before, after, entries } of runs) {
      const places = placesFor(positionOf(before), positionOf(after), entries.length);
      for (const [n, entry] of entries.entries())
        if (placed.push({ ...entry, position: places[n] as number }) % STRIDE === 0) yield;
    }
    return { removed, placed };
  }

  /** Throws `not_found` unless all of them are in the list. */
  function* assertEntries(id: PlaylistId, asked: readonly number[]): Generator<void, void> {
    for (const part of partsOf(asked, PART)) {
      const found = new Set(rows.some(id, part).map((entry) => entry.id));
      const absent = part.find((entryId) => !found.has(entryId));
      if (absent !== undefined) throw notFound('entry', absent);
      yield;
    }
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
      change(userId, id, expected, 'add', trackIds.length, function* (playlist) {
        const added = skipDuplicates ? yield* withoutDuplicates(id, trackIds) : trackIds;
        return added.length === 0 ? EMPTY : planTracks(playlist, added, position);
      }),

    /** Throws `not_found` when one of them is not in the list; then all stay. */
    remove: (userId: UserId, id: PlaylistId, chosen: Chosen, expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'remove', sizeOf(chosen), function* () {
        if (!('entryIds' in chosen)) return { ...EMPTY, removed: yield* inOrder(yield* rows.all(id), chosen) };
        yield* assertEntries(id, chosen.entryIds);
        return { ...EMPTY, removed: chosen.entryIds };
      }),

    /** With `before` null, to the end. In the order of the list, one that moves itself is the next that stays. */
    move: (
      userId: UserId,
      id: PlaylistId,
      { before: asked, expectedVersion, ...chosen }: Expected & Chosen & { before: number | null },
    ): Promise<void> =>
      change(userId, id, { expectedVersion }, 'reorder', sizeOf(chosen), function* () {
        const isNamed = 'entryIds' in chosen && chosen.inListOrder !== true;
        if ('entryIds' in chosen) {
          const named = new Set(chosen.entryIds);
          if (named.size < chosen.entryIds.length)
            throw invalid([{ field: 'entry_ids', message: 'must not name an entry twice' }]);
          if (isNamed && asked !== null && named.has(asked))
            throw invalid([{ field: 'before_entry_id', message: 'must not be one of the moved entries' }]);
          yield* assertEntries(id, chosen.entryIds);
        }
        const all = isNamed ? [] : yield* rows.all(id);
        const entryIds = isNamed ? chosen.entryIds : yield* inOrder(all, chosen);
        if (entryIds.length === all.length) return EMPTY; // none stays that they could go in front of
        const moving = new Set(entryIds);
        const before = isNamed ? asked : nextStaying(all, moving, asked);
        const [target] = before === null ? [] : rows.some(id, [before]);
        if (before !== null && !target) throw notFound('entry', before);
        const around = target ? yield* rows.aroundEntry(id, target, moving) : rows.aroundIndex(id, undefined);
        const places = placesFor(around.before, around.after, entryIds.length);
        return { ...EMPTY, moved: entryIds.map((entryId, n) => ({ id: entryId, position: places[n] as number })) };
      }),

    /** Throws `conflict` unless the ids are exactly the entries that the list has. */
    reorder: (userId: UserId, id: PlaylistId, entryIds: readonly number[], expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'reorder', undefined, function* () {
        const current = yield* rows.all(id);
        if (!(yield* isSameSet(current, entryIds)))
          throw conflict(
            `The new order must contain each of the playlist's ${current.length} entries once. The playlist may have ` +
              'changed; reload it.',
          );
        const wanted = entryIds.map((entryId) => ({ id: entryId }));
        return { ...EMPTY, moved: (yield* arrange(current, wanted)).placed };
      }),

    /** Other tracks, all of them; entries of tracks that stay are kept. */
    replace: (userId: UserId, id: PlaylistId, trackIds: readonly TrackId[], expected: Expected = {}): Promise<void> =>
      change(
        userId,
        id,
        expected,
        'replace',
        trackIds.length > PART ? trackIds.length : undefined,
        function* (playlist) {
          const current = yield* rows.all(id);
          const addedAt = now().getTime();
          const { removed, placed } = yield* arrange(current, yield* reuseEntries(current, trackIds));
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
        },
      ),

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
      const size = removeIndexes.length === 0 ? addTrackIds.length : undefined;
      return change(
        userId,
        id,
        { expectedVersion },
        kind,
        size,
        function* (playlist) {
          const current = removeIndexes.length > 0 ? yield* rows.all(id) : [];
          const removed = [...new Set(removeIndexes)].flatMap((index) => current[index]?.id ?? []);
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

/** How many entries a plan has to look at; absent: all. */
const sizeOf = (chosen: Chosen): number | undefined =>
  'entryIds' in chosen && chosen.inListOrder !== true ? chosen.entryIds.length : undefined;

function* inOrder(all: readonly ListedEntry[], chosen: Chosen): Generator<void, number[]> {
  const named = new Set('entryIds' in chosen ? chosen.entryIds : chosen.allBut);
  const found: number[] = [];
  for (const [at, { id }] of all.entries()) {
    if (at % STRIDE === STRIDE - 1) yield;
    if (named.has(id) === 'entryIds' in chosen) found.push(id);
  }
  return found;
}

/** Throws `not_found` for one that is not in the list. */
function nextStaying(all: readonly ListedEntry[], moving: ReadonlySet<number>, from: number | null): number | null {
  if (from === null) return null;
  const at = all.findIndex(({ id }) => id === from);
  if (at < 0) throw notFound('entry', from);
  return all.slice(at).find(({ id }) => !moving.has(id))?.id ?? null;
}

/** Throws NoGap. */
function placesFor(before: number | undefined, after: number | undefined, count: number): number[] {
  const places = placesBetween(before, after, count);
  if (!places) throw new NoGap();
  return places;
}

/** True if `asked` has each of the entries once, in any order. */
function* isSameSet(entries: readonly ListedEntry[], asked: readonly number[]): Generator<void, boolean> {
  if (entries.length !== asked.length) return false;
  const left = new Set<number>();
  for (const { id } of entries) if (left.add(id).size % STRIDE === 0) yield;
  for (const id of asked) {
    if (!left.delete(id)) return false;
    if (left.size % STRIDE === 0) yield;
  }
  return true;
}
