// Merges tracks so that the merge can be undone for 30 days. The emptied track waits in the table of the trash, with
// its rows and with what the merge changed: which rows moved, and the kept track's former state if it took over the
// emptied track's file.
import { and, eq, gt, isNotNull } from 'drizzle-orm';
import { type Db, type MainDb, writtenRow } from '../../db/client.ts';
import type { TrackId, UserId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import {
  replacedTracks,
  tracks as trackTable,
  trashedTracks,
  type MergeReason,
  type MetadataStatus,
} from '../../db/schema.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Page, Paged } from '../../http/paging.ts';
import { identityUnderEdits, replaceTagsUnderEdits } from '../edits/edit-history.ts';
import { changesOf, takeBack, withEditsOf, type FieldChange } from '../edits/identity-changes.ts';
import { separatedPlace } from '../tracks/overwritten-place.ts';
import { prepareFindTrack } from '../tracks/track-identity.ts';
import type { TrackMerge, TrackMergePart } from './track-merge.ts';
import { createTrackSnapshots, type Row, type TrackSnapshot } from '../trash/track-snapshot.ts';
import { AUDIO_COLUMNS, type TrackAudio, type TrackIdentity } from '../tracks/track-values.ts';
import type { TrackWriter } from '../tracks/track-writer.ts';
import { TRASH_RETENTION_MS, type Trash } from '../trash/trash.ts';
import { bindContext } from '../../runtime/bind-context.ts';
import type { Statement } from 'better-sqlite3';

/** Results of the analysis, which belong to the audio and move with it. */
const AUDIO_TABLES = ['track_fingerprints', 'fingerprint_pieces'];

/** The data that the merge moved from the emptied track to the kept one, as an undo needs it. */
interface CarriedData {
  moved: { table: string; column: string; keys: Row[] }[];
  remembered: Record<string, unknown>;
  /** Absent if no edit of the emptied track was carried to the kept one. */
  edits?: CarriedEdits | undefined;
  /** When the kept track was added, in ms; absent if the kept track is the older one. */
  keptSince?: number | undefined;
}
interface MergedSnapshot extends TrackSnapshot {
  /** `before` is the former state of the kept track, if it took over the file. */
  merge: CarriedData & { before: KeptTrackState | null };
}
interface CarriedEdits {
  /** The identity of the kept track before the merge. */
  identity: TrackIdentity;
  changes: FieldChange[];
}
interface KeptTrackState {
  source: string;
  sourceId: string;
  audio: TrackAudio;
  ofAudio: TrackSnapshot['rows'];
  identity: TrackIdentity;
  status: MetadataStatus;
  folder: number | undefined;
  /** The tags of the kept track's own file; absent for a track without edits. */
  tags?: TrackIdentity | undefined;
}

interface MergeOptions {
  reason: MergeReason;
  /** The user who merges; null for a scan. */
  by: UserId | null;
  /** True if the kept track takes over file and audio of the emptied one. */
  takesFile: boolean;
  /** Called while the emptied track's row still exists. */
  beforeRemoval?: () => void;
}

export interface PastMerge extends RowAs<
  typeof trashedTracks,
  'id' | 'title' | 'artistName' | 'albumTitle' | 'source' | 'sourceId' | 'mergedInto' | 'deletedAt'
> {
  /** `replaced` means that the track still exists, see `replaced_tracks`. */
  reason: MergeReason | 'replaced';
  deletedByName: string | null;
}

interface ListParams {
  /** The oldest time of listed replacements; merged tracks are purged with the trash. */
  since: number;
  into?: TrackId;
}

interface MergesDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'batch' | 'search' | 'setAudio' | 'setIdentity' | 'noteMerge' | 'musicDivided'>;
  merge: TrackMerge;
  movers: readonly TrackMergePart[];
  trash: Pick<Trash, 'put' | 'putBack' | 'restore'>;
  now: () => Date;
}

export type Merges = ReturnType<typeof createMerges>;

export function createMerges(deps: MergesDeps) {
  const context = createContext(deps) as Context;
  context.allMerges = prepareList(context, 'IS NOT NULL', '');
  context.mergesInto = prepareList(context, '= @into', 'AND r.by_id = @into');

  return {
    ...bindContext(context, { list, mergeInto, takeMergedFile, leaveMergedFile, undo, replace }),
    divide: context.divide,
  };
}

interface Context extends ReturnType<typeof createContext> {
  allMerges: { list: Statement<[ListParams & Page], PastMerge>; count: Statement<[ListParams], number> };
  mergesInto: { list: Statement<[ListParams & Page], PastMerge>; count: Statement<[ListParams], number> };
}

function createContext({ db, tracks, merge, movers, trash, now }: MergesDeps) {
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

// two statements, so that the merges of one track can be found by an index
function prepareList({ db }: Context, mergedInto: string, replacedBy: string) {
  const sql = `SELECT m.id, m.title, m.artist_name AS artistName, m.album_title AS albumTitle, m.source,
        m.source_id AS sourceId, m.merged_into AS mergedInto, m.merge_reason AS reason, m.deleted_at AS deletedAt,
        m.deleted_by AS deletedBy
      FROM trashed_tracks m WHERE m.merged_into ${mergedInto}
      UNION ALL
      SELECT t.id, t.title, t.artist_name, a.title, t.source, t.source_id, r.by_id, 'replaced', r.replaced_at, NULL
      FROM replaced_tracks r JOIN tracks t ON t.id = r.track_id LEFT JOIN albums a ON a.id = t.album_id
      WHERE r.replaced_at > @since ${replacedBy}`;
  return {
    list: db.$client.prepare<ListParams & Page, PastMerge>(
      `SELECT p.*, u.username AS deletedByName FROM (${sql}) p LEFT JOIN users u ON u.id = p.deletedBy
          ORDER BY p.deletedAt DESC, p.id DESC LIMIT @limit OFFSET @offset`,
    ),
    count: db.$client.prepare<ListParams, number>(`SELECT count(*) FROM (${sql})`).pluck(),
  };
}

const ofMerge = (id: TrackId) => and(eq(trashedTracks.id, id), isNotNull(trashedTracks.mergedInto));

const findTrack = (tx: Db, id: TrackId) => tx.select().from(trackTable).where(eq(trackTable.id, id)).get();

function readKeptState(context: Context, tx: Db, id: TrackId): KeptTrackState {
  const [row, storedTrack, snapshot] = [findTrack(tx, id), context.findStoredTrack(id), context.snapshots.take(id)];
  if (!row || !storedTrack || !snapshot) throw notFound('track', id);
  const { source, sourceId, metadataStatus: status } = row;
  const { identity, folder } = storedTrack;
  const ofAudio = snapshot.rows.filter(isOfAudio);
  const tags = identityUnderEdits(tx, id);
  return { source, sourceId, audio: audioOf(row), ofAudio, identity, status, folder, tags };
}

/**
 * Merges a track into the kept one, inside the caller's transaction; no stored object has to be released. The caller
 * handles the files before the call and, with `takesFile`, gives the kept track the audio of the emptied one after
 * it.
 */
function mergeInto(
  context: Context,
  keptId: TrackId,
  emptiedId: TrackId,
  { reason, by, takesFile, beforeRemoval = () => {} }: MergeOptions,
): void {
  context.db.transaction(
    (tx) => {
      const snapshot = context.snapshots.take(emptiedId);
      if (!snapshot) throw notFound('track', emptiedId);
      const keptState = takesFile ? readKeptState(context, tx, keptId) : null;
      const carriedData = carryData(context, keptId, emptiedId, by);
      const isMoved = ({ table }: { table: string }): boolean =>
        carriedData.moved.some((reference) => reference.table === table);
      // the results for equal audio stay with the emptied track
      const isFoundAgain = (reference: { table: string }): boolean => reason === 'same_audio' && isOfAudio(reference);
      const mergedSnapshot: MergedSnapshot = {
        ...snapshot,
        rows: snapshot.rows.filter((row) => !isMoved(row) && !isFoundAgain(row)),
        links: snapshot.links.filter((link) => !isMoved(link)),
        // annotations come back by themselves (annotations.ts)
        parents: { ...snapshot.parents, albumCovers: [], artistNevers: [] },
        merge: { ...carriedData, before: keptState },
      };
      const audio = keptState === null ? undefined : keptState.audio;
      context.tracks.noteMerge(keptId, emptiedId);
      context.merge.mergeInto(keptId, emptiedId, (innerTx) =>
        context.trash.put(innerTx, by, emptiedId, beforeRemoval, {
          intoId: keptId,
          reason,
          snapshot: mergedSnapshot,
          audio,
        }),
      );
    },
    { behavior: 'immediate' },
  );
}

/**
 * Moves edits to the kept track and notes what else the merge moved. A person who merges has seen which fields are
 * kept.
 */
const carryData = (context: Context, keptId: TrackId, emptiedId: TrackId, by: UserId | null): CarriedData => ({
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
function replace(context: Context, replacedId: TrackId, replacementId: TrackId): void {
  context.db.transaction(
    (tx) => {
      for (const id of [replacedId, replacementId]) if (!findTrack(tx, id)) throw notFound('track', id);
      const carriedData = carryData(context, replacementId, replacedId, null);
      for (const mover of context.movers) mover.move?.(replacedId, replacementId);
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
function carryBack(
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
function takeEditsBack(context: Context, id: TrackId, { identity, changes }: CarriedEdits): void {
  const storedTrack = context.findStoredTrack(id);
  if (storedTrack)
    rename(context, id, takeBack(changes, { identity }, storedTrack.identity).target, storedTrack.folder);
}

const rename = ({ tracks }: Context, id: TrackId, identity: TrackIdentity, folder: number | undefined): void =>
  tracks.batch(() => tracks.setIdentity(id, { ...identity, lyrics: undefined }, folder));

/** Restores the state of the kept track before it took over the file; returns the columns of that file. */
function restoreKeptState(
  context: Context,
  tx: Db,
  keptId: TrackId,
  keptState: KeptTrackState,
  storageUri: string | null,
): Row {
  const takenRow = context.snapshots.take(keptId)?.track ?? {};
  const { source, sourceId, identity, folder } = keptState;
  tx.update(trackTable)
    .set({ source, sourceId: freePlace(tx, keptId, source, sourceId), updatedAt: context.now() })
    .where(eq(trackTable.id, keptId))
    .run();
  context.tracks.setAudio(keptId, { ...keptState.audio, storageUri });
  context.snapshots.replaceRows(keptId, AUDIO_TABLES, keptState.ofAudio);
  const isEditedSince = takenRow['metadata_status'] === 'manual' && keptState.status !== 'manual';
  const editedIdentity = context.findStoredTrack(keptId)?.identity ?? identity;
  if (keptState.tags) replaceTagsUnderEdits(tx, keptId, keptState.tags);
  if (!isEditedSince)
    context.tracks.batch(() => context.tracks.setIdentity(keptId, withEditsOf(editedIdentity, identity), folder));
  const columns = ['source', 'source_id', ...AUDIO_COLUMNS.map((column) => trackTable[column].name)];
  return Object.fromEntries(columns.map((name) => [name, takenRow[name] ?? null]));
}

function freePlace(tx: Db, id: TrackId, source: string, sourceId: string): string {
  const occupant = tx
    .select({ id: trackTable.id })
    .from(trackTable)
    .where(and(eq(trackTable.source, source), eq(trackTable.sourceId, sourceId)))
    .get();
  return occupant === undefined || occupant.id === id ? sourceId : separatedPlace(id, sourceId);
}

/** Returns whether the kept track took over a file in a later merge. */
const tookFileSince = (tx: Db, keptId: TrackId, mergedAt: Date): boolean =>
  tx
    .select({ snapshot: trashedTracks.snapshot })
    .from(trashedTracks)
    .where(and(eq(trashedTracks.mergedInto, keptId), gt(trashedTracks.deletedAt, mergedAt)))
    .all()
    .some((row) => (row.snapshot as MergedSnapshot).merge.before !== null);

/** Restores the emptied track when the kept one is gone for good. */
function restoreAlone(
  context: Context,
  tx: Db,
  { id, storageUri }: { id: TrackId; storageUri: string | null },
  mergedSnapshot: MergedSnapshot,
) {
  context.trash.restore(tx, id);
  const { before: keptState } = mergedSnapshot.merge;
  if (keptState === null) return;
  // This row has the former audio of the kept track. The emptied track's own audio moved to the kept track and was
  // deleted with it, unless it lies in a music folder.
  const ownUri = mergedSnapshot.track['storage_uri'];
  if (typeof ownUri === 'string' && ownUri.startsWith('file:'))
    tx.update(trackTable).set({ storageUri: ownUri }).where(eq(trackTable.id, id)).run();
  else {
    context.tracks.setAudio(id, { ...keptState.audio, storageUri });
    context.snapshots.replaceRows(id, AUDIO_TABLES, []); // the audio is analyzed again
  }
}

/** Follows merges to the track that still exists. */
function findFinalTrack(tx: Db, id: TrackId): TrackId {
  const nextId = tx
    .select({ id: trashedTracks.mergedInto })
    .from(trashedTracks)
    .where(eq(trashedTracks.id, id))
    .get()?.id;
  return nextId == null ? id : findFinalTrack(tx, nextId);
}

function undo(context: Context, userId: UserId | null, id: TrackId): void {
  context.db.transaction(
    (tx) => {
      const replacedRow = writtenRow(tx.delete(replacedTracks).where(eq(replacedTracks.trackId, id)).returning());
      if (replacedRow) {
        const { byId, carried } = replacedRow as typeof replacedRow & { carried: CarriedData };
        if (carried.edits) takeEditsBack(context, byId, carried.edits);
        return carryBack(context, carried, id, byId, { tookFile: false, by: userId });
      }
      const row = tx.select().from(trashedTracks).where(ofMerge(id)).get();
      if (row?.mergedInto == null) throw notFound('merge', id);
      const snapshot = row.snapshot as MergedSnapshot;
      // a merge that moved a file is undone with the track that took over the file
      const keptId = snapshot.merge.before === null ? findFinalTrack(tx, row.mergedInto) : row.mergedInto;
      if (!findTrack(tx, keptId)) {
        const isDeleted = tx.select().from(trashedTracks).where(eq(trashedTracks.id, keptId)).get() !== undefined;
        if (isDeleted)
          throw conflict('The track that it was merged into was deleted or merged itself. Restore that track first.');
        return restoreAlone(context, tx, row, snapshot);
      }
      const { before: keptState, edits } = snapshot.merge;
      if (keptState !== null && tookFileSince(tx, keptId, row.deletedAt))
        throw conflict('The track that it became has taken over another file since. Separate those two first.');
      if (edits) takeEditsBack(context, keptId, edits);
      const file =
        keptState === null
          ? { storage_uri: row.storageUri, source_id: freePlace(tx, id, row.source, row.sourceId) }
          : restoreKeptState(context, tx, keptId, keptState, row.storageUri);
      tx.delete(trashedTracks).where(eq(trashedTracks.id, id)).run();
      context.trash.putBack(tx, { ...snapshot, track: { ...snapshot.track, ...file } });
      carryBack(context, snapshot.merge, id, keptId, { tookFile: keptState !== null, by: userId });
    },
    { behavior: 'immediate' },
  );
}

function getMerge(tx: Db, id: TrackId) {
  const row = tx.select().from(trashedTracks).where(ofMerge(id)).get();
  if (row?.mergedInto == null) throw notFound('merge', id);
  return { row, keptId: row.mergedInto, snapshot: row.snapshot as MergedSnapshot };
}

/**
 * Lets the kept track, whose own file is gone, take over the file of a track that a person merged into it. Undoing
 * the merge gives the file back. Called by scans; the caller handles the files. Throws `not_found` and `conflict`.
 */
function takeMergedFile(context: Context, id: TrackId, audio: TrackAudio): void {
  context.db.transaction(
    (tx) => {
      const { row, keptId, snapshot } = getMerge(tx, id);
      const { source, sourceId } = row;
      const isPlaceTaken = freePlace(tx, keptId, source, sourceId) !== sourceId;
      if (isPlaceTaken || snapshot.merge.before !== null || tookFileSince(tx, keptId, row.deletedAt))
        throw conflict('The file belongs to another track by now.');
      const keptState = readKeptState(context, tx, keptId);
      const { storageUri, contentHash, sizeBytes, audioHash: formerAudioHash } = keptState.audio;
      const mergedSnapshot: MergedSnapshot = { ...snapshot, merge: { ...snapshot.merge, before: keptState } };
      tx.update(trashedTracks)
        .set({ storageUri, contentHash, sizeBytes, formerAudioHash, snapshot: mergedSnapshot })
        .where(eq(trashedTracks.id, id))
        .run();
      tx.update(trackTable).set({ source, sourceId, updatedAt: context.now() }).where(eq(trackTable.id, keptId)).run();
      context.tracks.setAudio(keptId, audio);
      context.snapshots.replaceRows(keptId, AUDIO_TABLES, []); // the audio is analyzed again
    },
    { behavior: 'immediate' },
  );
}

/**
 * Lets the kept track give up the file of the merged track when a scan finds its own file again. The tracks stay
 * merged. Throws the same errors as `takeMergedFile`.
 */
function leaveMergedFile(context: Context, id: TrackId): void {
  context.db.transaction(
    (tx) => {
      const { row, keptId, snapshot } = getMerge(tx, id);
      const { before: keptState } = snapshot.merge;
      if (keptState === null || tookFileSince(tx, keptId, row.deletedAt) || !findTrack(tx, keptId))
        throw conflict('The track has another file by now.');
      const { audio } = readKeptState(context, tx, keptId);
      const takenColumns = restoreKeptState(context, tx, keptId, keptState, row.storageUri);
      const mergedSnapshot: MergedSnapshot = {
        ...snapshot,
        track: { ...snapshot.track, ...takenColumns },
        merge: { ...snapshot.merge, before: null },
      };
      const { storageUri, contentHash, sizeBytes } = audio;
      tx.update(trashedTracks)
        .set({ storageUri, contentHash, sizeBytes, formerAudioHash: null, snapshot: mergedSnapshot })
        .where(eq(trashedTracks.id, id))
        .run();
    },
    { behavior: 'immediate' },
  );
}

/** Lists all merges, or those into one track, the latest first. */
function list({ now, allMerges, mergesInto }: Context, { limit, offset }: Page, intoId?: TrackId): Paged<PastMerge> {
  const params = { since: now().getTime() - TRASH_RETENTION_MS, ...(intoId !== undefined && { into: intoId }) };
  const merges = intoId === undefined ? allMerges : mergesInto;
  return { items: merges.list.all({ ...params, limit, offset }), total: merges.count.get(params) ?? 0 };
}

const isOfAudio = ({ table }: { table: string }): boolean => AUDIO_TABLES.includes(table);

const audioOf = (row: TrackAudio): TrackAudio =>
  Object.fromEntries(AUDIO_COLUMNS.map((column) => [column, row[column]])) as TrackAudio;
