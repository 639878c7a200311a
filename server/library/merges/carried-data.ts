// Carries likes, plays, playlist entries, edits and audio from one track to another when they are merged, and back.
import { eq } from 'drizzle-orm';
import { type Db, type MainDb } from '../../db/client.ts';
import type { TrackId, UserId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import { replacedTracks, tracks as trackTable, type MergeReason, type trashedTracks } from '../../db/schema.ts';
import { notFound } from '../../errors.ts';
import type { Page } from '../../http/paging.ts';
import { changesOf, takeBack, withEditsOf, type FieldChange } from '../edits/identity-changes.ts';
import { prepareFindTrack } from '../tracks/track-identity.ts';
import type { TrackMerge, TrackMergePart } from './track-merge.ts';
import { createTrackSnapshots, type Row } from '../trash/track-snapshot.ts';
import { type TrackIdentity } from '../tracks/track-values.ts';
import type { TrackWriter } from '../tracks/track-writer.ts';
import { type Trash } from '../trash/trash.ts';
import type { Statement } from 'better-sqlite3';

/** The data that the merge moved from the emptied track to the kept one, as an undo needs it. */
export interface CarriedData {
  moved: { table: string; column: string; keys: Row[] }[];
  remembered: Record<string, unknown>;
  /** Absent if no edit of the emptied track was carried to the kept one. */
  edits?: CarriedEdits | undefined;
  /** When the kept track was added, in ms; absent if the kept track is the older one. */
  keptSince?: number | undefined;
}

interface CarriedEdits {
  /** The identity of the kept track before the merge. */
  identity: TrackIdentity;
  changes: FieldChange[];
}

export interface PastMerge extends RowAs<
  typeof trashedTracks,
  'id' | 'title' | 'artistName' | 'albumTitle' | 'source' | 'sourceId' | 'mergedInto' | 'deletedAt'
> {
  /** `replaced` means that the track still exists, see `replaced_tracks`. */
  reason: MergeReason | 'replaced';
  deletedByName: string | null;
}

export interface ListParams {
  /** Earlier replacements are not listed. Merges need no limit, because merged tracks are purged with the trash. */
  since: number;
  into?: TrackId;
}

export interface MergesDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'batch' | 'search' | 'setAudio' | 'setIdentity' | 'noteMerge' | 'musicDivided'>;
  merge: TrackMerge;
  movers: readonly TrackMergePart[];
  trash: Pick<Trash, 'put' | 'putBack' | 'restore'>;
  now: () => Date;
}

export interface Context extends ReturnType<typeof createContext> {
  allMerges: { list: Statement<[ListParams & Page], PastMerge>; count: Statement<[ListParams], number> };
  mergesInto: { list: Statement<[ListParams & Page], PastMerge>; count: Statement<[ListParams], number> };
}

export function createContext({ db, tracks, merge, movers, trash, now }: MergesDeps) {
  const snapshots = createTrackSnapshots(db.$client);
  const findStoredTrack = prepareFindTrack(db.$client);
  const findSince = db.$client.prepare<[TrackId], number>('SELECT created_at FROM tracks WHERE id = ?').pluck();
  const setSince = db.$client.prepare<[number, TrackId]>('UPDATE tracks SET created_at = ? WHERE id = ?');
  /**
   * Moves likes, plays and other data that people added since a moment to another track, whose music it was then.
   * Called by scans. With `onlyIfAny`, returns false and leaves the names unchanged if people did nothing with the
   * track.
   */
  const divide = db.$client.transaction((from: TrackId, to: TrackId, since: Date, onlyIfAny = false): boolean => {
    const isAny = movers.map((mover) => mover.moveSince?.(from, to, since) ?? false).includes(true);
    if (isAny || !onlyIfAny) tracks.musicDivided(from, to);
    return isAny;
  }).immediate;
  return { db, tracks, merge, movers, trash, now, snapshots, findStoredTrack, findSince, setSince, divide };
}

export const findTrack = (tx: Db, id: TrackId) => tx.select().from(trackTable).where(eq(trackTable.id, id)).get();

/**
 * Moves edits to the kept track and notes what else the merge moved. A person who merges has seen which fields are
 * kept.
 */
export const carryData = (context: Context, keptId: TrackId, emptiedId: TrackId, by: UserId | null): CarriedData => ({
  keptSince: carrySince(context, keptId, emptiedId),
  edits: by === null ? carryEdits(context, emptiedId, keptId) : undefined,
  moved: context.movers.flatMap(({ rows = [] }) =>
    rows.map((reference) => ({
      ...reference,
      keys: context.snapshots.keysOf(reference.table, reference.column, emptiedId),
    })),
  ),
  remembered: Object.fromEntries(
    context.movers.flatMap(({ remembers }) =>
      remembers ? [[remembers.name, remembers.stateOf(emptiedId, keptId)]] : [],
    ),
  ),
});

/** Gives the kept track the earlier of the two creation times; returns its own creation time if that changed. */
function carrySince(context: Context, keptId: TrackId, emptiedId: TrackId): number | undefined {
  const [keptSince, emptiedSince] = [context.findSince.get(keptId), context.findSince.get(emptiedId)];
  if (keptSince === undefined || emptiedSince === undefined || keptSince <= emptiedSince) return undefined;
  context.setSince.run(emptiedSince, keptId);
  return keptSince;
}

/**
 * Moves likes, plays and other data of people from a track to its replacement; both tracks stay. Called by scans
 * inside their transaction. Throws `not_found`.
 */
export function replace(context: Context, replacedId: TrackId, replacementId: TrackId): void {
  context.db.transaction(
    (tx) => {
      for (const id of [replacedId, replacementId]) if (!findTrack(tx, id)) throw notFound('track', id);
      const carriedData = carryData(context, replacementId, replacedId, null);
      for (const mover of context.movers) mover.move?.(replacedId, replacementId, { takesFile: false });
      // the replacement has a file again
      tx.delete(replacedTracks).where(eq(replacedTracks.trackId, replacementId)).run();
      tx.insert(replacedTracks)
        .values({ trackId: replacedId, byId: replacementId, replacedAt: context.now(), carried: carriedData })
        .run();
    },
    { behavior: 'immediate' },
  );
}

/** Moves back what the merge moved from the emptied to the kept track. Both tracks exist. */
export function carryBack(
  context: Context,
  { moved, remembered, keptSince }: CarriedData,
  emptiedId: TrackId,
  keptId: TrackId,
  { tookFile, by }: { tookFile: boolean; by: UserId | null },
): void {
  for (const { table, column, keys } of moved) context.snapshots.moveRows(table, column, keys, keptId, emptiedId);
  if (keptSince !== undefined) context.setSince.run(keptSince, keptId);
  const undoneAt = context.now();
  for (const { remembers, bringBack } of context.movers)
    bringBack?.(emptiedId, keptId, { remembered: remembers && remembered[remembers.name], tookFile, by, undoneAt });
  context.tracks.search.set('track', keptId);
}

/** Copies manually edited fields, unless they were edited in the other track too. */
function carryEdits(context: Context, from: TrackId, to: TrackId): CarriedEdits | undefined {
  const [emptiedTrack, keptTrack] = [context.findStoredTrack(from), context.findStoredTrack(to)];
  if (!emptiedTrack || !keptTrack) return undefined;
  const identity = withEditsOf(emptiedTrack.identity, keptTrack.identity);
  if (identity === keptTrack.identity) return undefined;
  rename(context, to, identity, keptTrack.folder);
  return { identity: { ...keptTrack.identity, lyrics: undefined }, changes: changesOf(keptTrack.identity, identity) };
}

/** Undoes carried edits in all fields that still have the carried value. */
export function takeEditsBack(context: Context, id: TrackId, { identity, changes }: CarriedEdits): void {
  const storedTrack = context.findStoredTrack(id);
  if (storedTrack)
    rename(context, id, takeBack(changes, { identity }, storedTrack.identity).target, storedTrack.folder);
}

const rename = ({ tracks }: Context, id: TrackId, identity: TrackIdentity, folder: number | undefined): void =>
  tracks.batch(() => tracks.setIdentity(id, { ...identity, lyrics: undefined }, folder));
