// Changes to the entries of an ordinary playlist. Each call is one transaction and makes one version, or none if
// nothing changed. Only changes of more than 500 entries are written in several transactions, so that requests are
// served in between: readers see the list grow, and a kill leaves a part of the change.
import type { MainDb } from '../db/client.ts';
import type { PlaylistId, TrackId, UserId } from '../db/ids.ts';
import type { PlaylistChange } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { assertOrdinary, getOwn } from './access.ts';
import type { EntryRow, EntryRows, NewEntry } from './entry-rows.ts';
import { planList, reuseEntries } from './list-plan.ts';
import { placesBetween } from './positions.ts';
import { inSlices, partsOf } from '../runtime/turns.ts';
import {
  appendVersion,
  nextVersion,
  recountVersion,
  updatePlaylist,
  type PlaylistFields,
  type PlaylistSummary,
} from './queries.ts';

/** Longer playlists would become slow. */
const MOST_ENTRIES = 500_000;

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

export type PlaylistChanges = ReturnType<typeof createChanges>;

export function createChanges({ db, now, rows }: { db: MainDb; now: () => Date; rows: EntryRows }) {
  /** Runs `work` with the number of the version that it makes, and records it. */
  function change(
    userId: UserId,
    id: PlaylistId,
    { expectedVersion }: Expected,
    kind: PlaylistChange,
    plan: (version: number, playlist: PlaylistSummary) => Planned,
  ): Promise<void> {
    const rest = db.transaction(
      (tx) => {
        const playlist = getOwn(tx, userId, id, expectedVersion);
        assertOrdinary(playlist);
        return writeVersion(userId, playlist, kind, plan(playlist.version + 1, playlist));
      },
      { behavior: 'immediate' },
    );
    return finish(rest);
  }

  /** Inside a transaction: the first part of what was planned, and the version. */
  function writeVersion(userId: UserId, playlist: PlaylistSummary, kind: PlaylistChange, planned: Planned): Rest {
    const [version, counts] = [playlist.version + 1, countsOf(planned)];
    const [first = EMPTY, ...parts] = partsOfPlan(planned);
    write(playlist.id, version, first);
    if (counts.added + counts.removed + counts.moved > 0) note(userId, playlist, kind, counts);
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
    const places = rows.places(playlist.id, trackIds.length, () => rows.aroundIndex(playlist.id, index));
    const addedAt = now().getTime();
    return {
      ...EMPTY,
      added: trackIds.map((trackId, n) => ({ id: undefined, trackId, position: places[n] as number, addedAt })),
    };
  }

  function withoutDuplicates(id: PlaylistId, trackIds: readonly TrackId[]): TrackId[] {
    const known = rows.knownTracks(id, trackIds);
    return [...new Set(trackIds)].filter((trackId) => !known.has(trackId));
  }

  /** Positions with which the list has exactly the wanted entries in order; renumbers the list if there is no gap. */
  function arrange<T extends { id: number | undefined }>(
    id: PlaylistId,
    current: readonly number[],
    wanted: readonly T[],
  ): { removed: number[]; placed: (T & { position: number })[] } {
    const { removed, runs } = planList(current, wanted);
    const place = (): (number[] | undefined)[] => {
      const edges = rows.some(
        id,
        runs.flatMap(({ before, after }) => [before, after]).filter((edge) => edge !== undefined),
      );
      const positions = new Map(edges.map((edge) => [edge.id, edge.position]));
      const positionOf = (edge: number | undefined): number | undefined =>
        edge === undefined ? undefined : positions.get(edge);
      return runs.map(({ before, after, entries }) =>
        placesBetween(positionOf(before), positionOf(after), entries.length),
      );
    };
    let places = place();
    if (places.includes(undefined)) {
      rows.renumber(id);
      places = place();
    }
    return {
      removed,
      placed: runs.flatMap(({ entries }, at) =>
        entries.map((entry, n) => ({ ...entry, position: (places[at] as number[])[n] as number })),
      ),
    };
  }

  function write(id: PlaylistId, version: number, { removed, moved, added }: Planned): void {
    if (removed.length > 0) rows.end(id, version, removed);
    if (moved.length > 0) rows.move(id, version, moved);
    if (added.length > 0) rows.insert(id, version, added);
  }

  return {
    writeVersion,
    finish,
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
      change(userId, id, expected, 'add', (_version, playlist) => {
        const added = skipDuplicates ? withoutDuplicates(id, trackIds) : trackIds;
        return added.length === 0 ? EMPTY : planTracks(playlist, added, position);
      }),

    /** Throws `not_found` when one of them is not in the list; then all stay. */
    remove: (userId: UserId, id: PlaylistId, chosen: Chosen, expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'remove', () => {
        if ('entryIds' in chosen) assertEntries(rows.some(id, chosen.entryIds), chosen.entryIds);
        return { ...EMPTY, removed: 'entryIds' in chosen ? chosen.entryIds : inOrder(rows.ids(id), chosen) };
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
          if (new Set(chosen.entryIds).size < chosen.entryIds.length)
            throw invalid([{ field: 'entry_ids', message: 'must not name an entry twice' }]);
          if (isNamed && asked !== null && chosen.entryIds.includes(asked))
            throw invalid([{ field: 'before_entry_id', message: 'must not be one of the moved entries' }]);
          assertEntries(rows.some(id, chosen.entryIds), chosen.entryIds);
        }
        const all = isNamed ? [] : rows.ids(id);
        const entryIds = isNamed ? chosen.entryIds : inOrder(all, chosen);
        if (entryIds.length === all.length) return EMPTY; // none stays that they could go in front of
        const before = isNamed ? asked : nextStaying(all, new Set(entryIds), asked);
        const places = rows.places(id, entryIds.length, () => {
          if (before === null) return rows.aroundIndex(id, undefined);
          const [target] = rows.some(id, [before]);
          if (!target) throw notFound('entry', before);
          return rows.aroundEntry(id, target, entryIds);
        });
        return { ...EMPTY, moved: entryIds.map((entryId, n) => ({ id: entryId, position: places[n] as number })) };
      }),

    /** Throws `conflict` unless the ids are exactly the entries that the list has. */
    reorder: (userId: UserId, id: PlaylistId, entryIds: readonly number[], expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'reorder', () => {
        const current = rows.ids(id);
        if (!isSameSet(current, entryIds))
          throw conflict(
            `The new order must contain each of the playlist's ${current.length} entries once. The playlist may have ` +
              'changed; reload it.',
          );
        const wanted = entryIds.map((entryId) => ({ id: entryId }));
        return { ...EMPTY, moved: arrange(id, current, wanted).placed };
      }),

    /** Other tracks, all of them; entries of tracks that stay are kept. */
    replace: (userId: UserId, id: PlaylistId, trackIds: readonly TrackId[], expected: Expected = {}): Promise<void> =>
      change(userId, id, expected, 'replace', (_version, playlist) => {
        const current = rows.tracks(id);
        const addedAt = now().getTime();
        const { removed, placed } = arrange(
          id,
          current.map((entry) => entry.id),
          reuseEntries(current, trackIds),
        );
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
    edit(
      userId: UserId,
      id: PlaylistId,
      { removeIndexes = [], addTrackIds = [], expectedVersion, ...fields }: Edited,
    ): Promise<void> {
      const rest = db.transaction(
        (tx): Rest | undefined => {
          const playlist = getOwn(tx, userId, id, expectedVersion);
          if (Object.values(fields).some((value) => value !== undefined))
            updatePlaylist(tx, id, { ...fields, updatedAt: now() });
          if (removeIndexes.length + addTrackIds.length === 0) return undefined;
          assertOrdinary(playlist);
          const current = removeIndexes.length > 0 ? rows.ids(id) : [];
          const removed = [...new Set(removeIndexes)]
            .map((index) => current[index])
            .filter((entryId) => entryId !== undefined);
          const { added } = addTrackIds.length > 0 ? planTracks(playlist, addTrackIds) : EMPTY;
          const kind = removed.length === 0 ? 'add' : added.length === 0 ? 'remove' : 'replace';
          return writeVersion(userId, playlist, kind, { removed, moved: [], added });
        },
        { behavior: 'immediate' },
      );
      return rest ? finish(rest) : Promise.resolve();
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

function assertEntries(found: readonly EntryRow[], asked: readonly number[]): void {
  const ids = new Set(found.map(({ id }) => id));
  const absent = asked.find((entryId) => !ids.has(entryId));
  if (absent !== undefined) throw notFound('entry', absent);
}

/** True if `asked` has each of the entries once, in any order. */
function isSameSet(entries: readonly number[], asked: readonly number[]): boolean {
  if (entries.length !== asked.length) return false;
  const [ours, theirs] = [Float64Array.from(entries).sort(), Float64Array.from(asked).sort()];
  return ours.every((id, at) => id === theirs[at]);
}
