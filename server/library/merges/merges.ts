// Merges tracks so that the merge can be undone for 30 days. The emptied track waits in the table of the trash, with
// its rows and with what the merge changed: which rows moved, and the kept track's former state if it took over the
// emptied track's file.
import { and, eq, gt, isNotNull } from 'drizzle-orm';
import { type Db, writtenRow } from '../../db/client.ts';
import type { TrackId, UserId } from '../../db/ids.ts';
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
import { withEditsOf } from '../edits/identity-changes.ts';
import { separatedPlace } from '../tracks/overwritten-place.ts';
import { type Row, type TrackSnapshot } from '../trash/track-snapshot.ts';
import { AUDIO_COLUMNS, type TrackAudio, type TrackIdentity } from '../tracks/track-values.ts';
import { TRASH_RETENTION_MS } from '../trash/trash.ts';
import { bindContext } from '../../runtime/bind-context.ts';
import {
  type Context,
  type PastMerge,
  type ListParams,
  createContext,
  type MergesDeps,
  takeEditsBack,
  carryBack,
  type CarriedData,
  replace,
  carryData,
  findTrack,
} from './carried-data.ts';

/** Results of the analysis, which belong to the audio and move with it. */
const AUDIO_TABLES = ['track_fingerprints', 'fingerprint_pieces'];

interface MergedSnapshot extends TrackSnapshot {
  /** `before` is the former state of the kept track, if it took over the file. */
  merge: CarriedData & { before: KeptTrackState | null };
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
      context.merge.mergeInto(keptId, emptiedId, {
        takesFile,
        remove: (innerTx) =>
          context.trash.put(innerTx, by, emptiedId, beforeRemoval, {
            intoId: keptId,
            reason,
            snapshot: mergedSnapshot,
            audio,
          }),
      });
    },
    { behavior: 'immediate' },
  );
}

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
