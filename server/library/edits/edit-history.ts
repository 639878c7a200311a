// Stores for 30 days what manual edits replaced. Undoing an edit writes the previous values and is itself an edit, so
// that it can be undone too; fields that were changed again since then keep their current values. An album or artist
// that lost its last track by the edit comes back under its old id.
import { randomUUID } from 'node:crypto';
import { and, desc, eq, getTableColumns, gt, lt, ne, sql } from 'drizzle-orm';
import type { Db, MainDb } from '../../db/client.ts';
import type { AlbumId, TrackEditId, TrackId, UserId } from '../../db/ids.ts';
import { trackEdits, tracks, users, type EditKind, type FixedBy, type MetadataStatus } from '../../db/schema.ts';
import { AppError, conflict, notFound } from '../../errors.ts';
import { inSlices } from '../../runtime/time-slices.ts';
import {
  changesOf,
  confirmedFields,
  editedFields,
  fieldText,
  takeBack,
  withEditsOf,
  type FieldChange,
} from './identity-changes.ts';
import { isSameIdentity, prepareFindTrack, withoutMeasured, type TrackWithIdentity } from '../tracks/track-identity.ts';
import { createTrackSnapshots, type Parents, type TrackSnapshot } from '../trash/track-snapshot.ts';
import { TRASH_RETENTION_MS } from '../trash/trash.ts';
import { albumTagsOf, type TrackIdentity } from '../tracks/track-values.ts';
import type { TrackWriter } from '../tracks/track-writer.ts';
import { bindContext } from '../../runtime/bind-context.ts';

interface PreviousState {
  identity: TrackIdentity;
  status: MetadataStatus;
  error: string | null;
  fpidScore?: number | null;
  parents: Parents;
  /** The deleted rows of the tables that the edit names in `keeps`. */
  rows?: TrackSnapshot['rows'];
  /** The ids that the edit set, which `changes` does not show. */
  after?: Ids;
  /**
   * Fields that the edit set to the value that they already had. If the file says something else later, they count as
   * changed by the edit.
   */
  confirmed?: string[];
  /** True if a scan has read other tags since the edit; `identity` then has the new tags and the earlier edits. */
  isReread?: true;
}
type Ids = Pick<TrackIdentity, (typeof IDS)[number]>;
const IDS = ['recordingMbid', 'acoustidId'] as const;

export interface TrackEdit extends Omit<typeof trackEdits.$inferSelect, 'before' | 'changes'> {
  changes: FieldChange[];
  userName: string | null;
  /** The number of tracks of the same batch whose edits can still be undone. */
  batchSize: number;
}

/** Who makes the edit, and the batch that it belongs to. */
interface EditContext {
  by: UserId;
  batch?: string | undefined;
  kind?: EditKind;
  /** Tables in which the edit deletes the rows of the track; they come back with an undo. */
  keeps?: readonly string[];
}

interface UndoneEdits {
  /** The batch that the undo itself is stored as; undoing this batch redoes the edits. */
  batch: string;
  undone: TrackId[];
  failures: { id: TrackId; detail: string }[];
}

const MAX_LISTED_EDITS = 200;

interface EditHistoryDeps {
  db: MainDb;
  tracks: Pick<
    TrackWriter,
    'batch' | 'setIdentity' | 'sweepEmpty' | 'search' | 'renameAlbum' | 'fixAlbum' | 'setCompilation'
  >;
  now: () => Date;
}

export type EditHistory = ReturnType<typeof createEditHistory>;

export function createEditHistory(deps: EditHistoryDeps) {
  const shared = createContext(deps);

  return {
    ...bindContext(shared, { list, undo, undoBatch, isBatch, purgeOld }),
    record: <T>(editContext: EditContext, id: TrackId, work: () => T): T => record(shared, editContext, id, work),
    recordAll: <T>(editContext: EditContext, ids: readonly TrackId[], work: () => T): T =>
      recordAll(shared, editContext, ids, work),
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, tracks: writer, now }: EditHistoryDeps) {
  const findStoredTrack = prepareFindTrack(db.$client);
  const snapshots = createTrackSnapshots(db.$client);
  /** Albums of which a batch edited the name of every track. */
  const listWholeAlbums = db.$client
    .prepare<{ ids: string; batch: string }, AlbumId>(
      `SELECT t.album_id FROM json_each(@ids) i CROSS JOIN tracks t ON t.id = i.value
        WHERE EXISTS (SELECT 1 FROM track_edits e, json_each(e.changes) c WHERE e.track_id = t.id AND e.batch = @batch
          AND c.value ->> 'field' IN ('album', 'album_artist'))
        GROUP BY t.album_id HAVING count(*) = (SELECT track_count FROM albums WHERE id = t.album_id)`,
    )
    .pluck();
  const listTracksOf = db.$client
    .prepare<[AlbumId], TrackId>('SELECT id FROM tracks WHERE album_id = ? ORDER BY id')
    .pluck();
  return { db, writer, now, findStoredTrack, snapshots, listWholeAlbums, listTracksOf };
}

const oldestUndoable = ({ now }: Context, time = now()): Date => new Date(time.getTime() - TRASH_RETENTION_MS);

/** The state of a track before an edit. */
interface StateBeforeEdit {
  id: TrackId;
  storedTrack: TrackWithIdentity;
  parents: Parents;
  /** The rows of the tables that the edit names in `keeps`. */
  rows: TrackSnapshot['rows'];
}

/** Throws `not_found`. */
function takeState(shared: Context, id: TrackId, keeps: readonly string[] = []): StateBeforeEdit {
  const [storedTrack, parents] = [shared.findStoredTrack(id), shared.snapshots.takeParents(id)];
  if (!storedTrack || !parents) throw notFound('track', id);
  const rows = keeps.length === 0 ? [] : (shared.snapshots.take(id)?.rows ?? []);
  return { id, storedTrack, parents, rows: rows.filter(({ table }) => keeps.includes(table)) };
}

/** Stores what an edit replaced, if it changed anything. */
function storeEdit(
  shared: Context,
  tx: Db,
  { by, batch, kind = 'edit' }: EditContext,
  { id, storedTrack, parents, rows }: StateBeforeEdit,
): void {
  const newIdentity = shared.findStoredTrack(id)?.identity ?? storedTrack.identity;
  const changes = changesOf(storedTrack.identity, newIdentity);
  if (changes.length === 0 && IDS.every((name) => storedTrack.identity[name] === newIdentity[name])) return;
  tx.insert(trackEdits)
    .values({
      trackId: id,
      // the user may have been deleted meanwhile
      userId: sql<UserId | null>`(SELECT id FROM users WHERE id = ${by})`,
      batch: batch ?? null,
      kind,
      changes,
      // lyrics are not edited by hand, and may be long
      before: {
        identity: { ...storedTrack.identity, lyrics: undefined },
        status: storedTrack.status,
        error: storedTrack.error,
        fpidScore: storedTrack.fpidScore,
        rows,
        after: idsOf(newIdentity),
        confirmed: confirmedFields(storedTrack.identity, newIdentity),
        // annotations come back by themselves (annotations.ts); a picture that was found is looked up again
        parents: { ...parents, albumCovers: [], artistNevers: [] },
      } satisfies PreviousState,
      createdAt: shared.now(),
    })
    .run();
}

/** Runs `work` and stores the values that it replaced. Throws what `work` throws, and `not_found`. */
const record = <T>(shared: Context, context: EditContext, id: TrackId, work: () => T): T =>
  recordAll(shared, context, [id], work);

/** Like `record`, for an edit of several tracks. */
function recordAll<T>(shared: Context, context: EditContext, ids: readonly TrackId[], work: () => T): T {
  return shared.db.transaction(
    (tx) => {
      const states = ids.map((id) => takeState(shared, id, context.keeps));
      const result = work();
      for (const state of states) storeEdit(shared, tx, context, state);
      return result;
    },
    { behavior: 'immediate' },
  );
}

/**
 * Writes the identity `target`. `automaticState` is the state before the track's first manual edit, if no manual edit
 * remains.
 */
function putBack(
  shared: Context,
  tx: Db,
  context: EditContext,
  state: StateBeforeEdit,
  previousState: PreviousState,
  target: TrackIdentity,
  automaticState?: PreviousState,
): void {
  const isFullyRestored = isSameIdentity(asEdited(target), asEdited(previousState.identity));
  const { fpidScore, rows = [] } = previousState;
  const outcome = automaticState ?? (isFullyRestored ? previousState : undefined);
  const { id, storedTrack } = state;
  shared.snapshots.bringParents(previousState.parents);
  shared.writer.batch(() => shared.writer.setIdentity(id, { ...target, lyrics: undefined }, storedTrack.folder));
  const albumId = shared.findStoredTrack(id)?.albumId;
  if (albumId != null && Boolean(target.compilation) !== Boolean(storedTrack.identity.compilation))
    shared.writer.setCompilation(albumId, target.compilation === true);
  tx.update(tracks)
    .set({
      updatedAt: shared.now(),
      ...(outcome && { metadataStatus: outcome.status, metadataError: outcome.error }),
      ...(isFullyRestored && fpidScore !== undefined && { fpidScore }),
    })
    .where(eq(tracks.id, id))
    .run();
  if (isFullyRestored) shared.snapshots.replaceRows(id, tablesOf(rows), rows);
  const rowIds = (parentRows: Parents['albums']): number[] => parentRows.map((row) => Number(row['id']));
  for (const parentId of rowIds(previousState.parents.albums)) shared.writer.search.set('album', parentId);
  for (const artistId of rowIds(previousState.parents.artists)) shared.writer.search.set('artist', artistId);
  shared.writer.sweepEmpty(
    rowIds(previousState.parents.albums) as never,
    rowIds(previousState.parents.artists) as never,
  );
  storeEdit(shared, tx, context, state);
}

const isUndoable = (shared: Context, time = shared.now()) => gt(trackEdits.createdAt, oldestUndoable(shared, time));

/**
 * Undoes these edits of one track, in their order, in all fields that still have the value that the edits set.
 * Returns the fields that were changed again since and keep their values. Throws `conflict` when those are all
 * fields.
 */
function takeEditsBack(
  shared: Context,
  tx: Db,
  context: EditContext,
  state: StateBeforeEdit,
  edits: (typeof trackEdits.$inferSelect)[],
): FieldChange[] {
  const [firstState, lastState] = [edits[0]?.before, edits.at(-1)?.before] as (PreviousState | undefined)[];
  const { id, storedTrack } = state;
  if (!firstState || !lastState) throw notFound('track', id);
  const changes = new Map<string, FieldChange>();
  for (const change of edits.flatMap((edit) => edit.changes as FieldChange[]))
    changes.set(change.field, { ...change, before: (changes.get(change.field) ?? change).before });
  const previousState = { ...firstState, ...(lastState.after && { after: lastState.after }) };
  const takeBackFrom = (identity: TrackIdentity) => takeBack([...changes.values()], previousState, identity);
  const { target, laterChanges } = takeBackFrom(storedTrack.identity);
  if (laterChanges.length > 0 && isSameIdentity(target, storedTrack.identity))
    throw conflict(`Nothing was undone. ${describeChanges(laterChanges)}`);
  const automaticState = storedTrack.status === 'manual' ? findAutomaticState(tx, id, target) : undefined;
  const tags = automaticState?.isReread && identityUnderEdits(tx, id);
  if (!tags) {
    putBack(shared, tx, context, state, firstState, target, automaticState);
    return laterChanges;
  }
  // A scan leaves a `manual` track as it is, so the fields that nobody edited are those of the former tags. They are
  // replaced before the undo is recorded: undoing the undo keeps the new ones.
  const retaggedIdentity = withEditsOf(storedTrack.identity, tags);
  shared.writer.batch(() =>
    shared.writer.setIdentity(id, { ...retaggedIdentity, lyrics: undefined }, storedTrack.folder),
  );
  const retaggedState = { ...takeState(shared, id), parents: state.parents };
  const secondTry = takeBackFrom(retaggedState.storedTrack.identity);
  putBack(shared, tx, context, retaggedState, firstState, secondTry.target, automaticState);
  return secondTry.laterChanges;
}

/**
 * Returns the state of the track before the edit that made it `manual`, if `target` contains nothing of that edit or
 * of later ones; undefined if something of them remains.
 */
function findAutomaticState(tx: Db, id: TrackId, target: TrackIdentity): PreviousState | undefined {
  const edit = tx
    .select()
    .from(trackEdits)
    .where(and(eq(trackEdits.trackId, id), ne(sql`${trackEdits.before} ->> '$.status'`, 'manual')))
    .orderBy(desc(trackEdits.id))
    .limit(1)
    .get();
  if (!edit) return undefined;
  const previousState = edit.before as PreviousState;
  const isTakenBack = (edit.changes as FieldChange[]).every(
    (change) => fieldText(target, change.field) === fieldText(previousState.identity, change.field),
  );
  return isTakenBack && editedFields(target, previousState.identity).length === 0 ? previousState : undefined;
}

/** Lists the edits of a track, the latest first. */
function list(shared: Context, id: TrackId): TrackEdit[] {
  const { before: _, ...columns } = getTableColumns(trackEdits);
  return shared.db
    .select({
      ...columns,
      userName: users.username,
      batchSize: sql<number>`CASE WHEN ${trackEdits.batch} IS NULL THEN 1 ELSE (SELECT count(DISTINCT b.track_id)
            FROM track_edits b WHERE b.batch = ${trackEdits.batch}) END`,
    })
    .from(trackEdits)
    .leftJoin(users, eq(users.id, trackEdits.userId))
    .where(and(eq(trackEdits.trackId, id), isUndoable(shared)))
    .orderBy(desc(trackEdits.id))
    .limit(MAX_LISTED_EDITS)
    .all()
    .map((row) => ({ ...row, changes: row.changes as FieldChange[] }));
}

/**
 * Undoes an edit in all fields that still have the value that it set. Returns the fields that were changed again
 * since and keep their values. Throws `not_found`, and `conflict` when those are all fields.
 */
function undo(shared: Context, by: UserId, trackId: TrackId, id: TrackEditId): FieldChange[] {
  return shared.db.transaction(
    (tx) => {
      const ofTrack = and(eq(trackEdits.id, id), eq(trackEdits.trackId, trackId));
      const edits = tx
        .select()
        .from(trackEdits)
        .where(and(ofTrack, isUndoable(shared)))
        .all();
      if (edits.length === 0 || !shared.findStoredTrack(trackId)) throw notFound('edit', id);
      return takeEditsBack(shared, tx, { by }, takeState(shared, trackId), edits);
    },
    { behavior: 'immediate' },
  );
}

/**
 * Undoes the edits of a batch in all fields that still have the value that the edits set. `assertMay` throws for a
 * track that may not be edited. Throws `not_found` when there is nothing to undo.
 */
async function undoBatch(
  shared: Context,
  by: UserId,
  batch: string,
  assertMay: (id: TrackId) => void,
): Promise<UndoneEdits> {
  const ofBatch = and(eq(trackEdits.batch, batch), isUndoable(shared));
  const rows = shared.db.selectDistinct({ id: trackEdits.trackId }).from(trackEdits).where(ofBatch).all();
  if (rows.length === 0) throw notFound('edit', batch);
  const outcome: UndoneEdits = { batch: `undo-${randomUUID()}`, undone: [], failures: [] };
  const renamedTracks = renameAlbumsBack(
    shared,
    rows.map(({ id }) => id),
    batch,
  );
  await inSlices(rows, ({ id }) => {
    try {
      shared.db.transaction(
        (tx) => {
          assertMay(id);
          const ofTrack = and(ofBatch, eq(trackEdits.trackId, id));
          const edits = tx.select().from(trackEdits).where(ofTrack).orderBy(trackEdits.id).all();
          const state = renamedTracks.get(id) ?? takeState(shared, id);
          takeEditsBack(shared, tx, { by, batch: outcome.batch }, state, edits);
        },
        { behavior: 'immediate' },
      );
      outcome.undone.push(id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      outcome.failures.push({ id, detail: error.message });
    }
  });
  return outcome;
}

/**
 * Gives albums their former names before the edits of a batch that renamed them are undone, so that they stay the same
 * albums. Returns the states that their tracks had under the other name.
 */
function renameAlbumsBack(shared: Context, ids: readonly TrackId[], batch: string): Map<TrackId, StateBeforeEdit> {
  const states = new Map<TrackId, StateBeforeEdit>();
  for (const albumId of shared.listWholeAlbums.all({ ids: JSON.stringify(ids), batch })) {
    const albumStates = shared.listTracksOf.all(albumId).map((id) => takeState(shared, id));
    const [firstState] = albumStates;
    const edit = firstState && findFirstEdit(shared, firstState.id, batch);
    if (!edit) continue;
    const { identity, parents } = edit.before as PreviousState;
    const [formerAlbum] = parents.albums;
    const isRenamed = (edit.changes as FieldChange[]).some(
      ({ field, after }) => NAME_FIELDS.has(field) && after === fieldText(firstState.storedTrack.identity, field),
    );
    if (!isRenamed || formerAlbum?.['id'] !== albumId) continue;
    shared.db.transaction(
      () => {
        shared.snapshots.bringParents(parents);
        shared.writer.batch(() => {
          shared.writer.renameAlbum(albumId, identity, firstState.storedTrack.folder);
          shared.writer.fixAlbum(albumId, formerAlbum['fixed_by'] as FixedBy | null);
        });
      },
      { behavior: 'immediate' },
    );
    for (const state of albumStates) states.set(state.id, state);
  }
  return states;
}

const findFirstEdit = ({ db }: Context, id: TrackId, batch: string) =>
  db
    .select()
    .from(trackEdits)
    .where(and(eq(trackEdits.batch, batch), eq(trackEdits.trackId, id)))
    .orderBy(trackEdits.id)
    .limit(1)
    .get();

const NAME_FIELDS: ReadonlySet<string> = new Set(['album', 'album_artist']);

const isBatch = ({ db }: Context, batch: string): boolean =>
  db.select({ id: trackEdits.id }).from(trackEdits).where(eq(trackEdits.batch, batch)).limit(1).get() !== undefined;

const purgeOld = (shared: Context, time = shared.now()): void =>
  void shared.db
    .delete(trackEdits)
    .where(lt(trackEdits.createdAt, oldestUndoable(shared, time)))
    .run();

/**
 * Replaces the stored tags of an edited track after a scan read other tags: undoing the edits then restores the new
 * tags.
 */
export function replaceTagsUnderEdits(db: Db, id: TrackId, readTags: TrackIdentity): void {
  // the tags of a file have the values of the album among their other tags
  const tags = readTags.edition === undefined ? { ...readTags, ...albumTagsOf(readTags.more) } : readTags;
  for (const edit of db.select().from(trackEdits).where(eq(trackEdits.trackId, id)).all()) {
    const previousState = edit.before as PreviousState;
    const identity = { ...withEditsOf(previousState.identity, tags), lyrics: undefined };
    const changes = (edit.changes as FieldChange[]).map((change) => ({
      ...change,
      before: fieldText(identity, change.field),
    }));
    for (const field of previousState.confirmed ?? []) {
      const [oldText, newText] = [fieldText(previousState.identity, field), fieldText(identity, field)];
      if (oldText !== newText && !changes.some((change) => change.field === field))
        changes.push({ field, before: newText, after: oldText });
    }
    const rereadState: PreviousState = { ...previousState, identity, isReread: true };
    // a file with other tags has to be identified again
    if (rereadState.status !== 'manual') Object.assign(rereadState, { status: 'pending', error: null });
    db.update(trackEdits).set({ before: rereadState, changes }).where(eq(trackEdits.id, edit.id)).run();
  }
}

/**
 * Returns the identity that a track would have without its edits, by its current tags; undefined for a track without
 * edits.
 */
export function identityUnderEdits(db: Db, id: TrackId): TrackIdentity | undefined {
  const [firstEdit] = db
    .select()
    .from(trackEdits)
    .where(eq(trackEdits.trackId, id))
    .orderBy(trackEdits.id)
    .limit(1)
    .all();
  return firstEdit && (firstEdit.before as PreviousState).identity;
}

const tablesOf = (rows: TrackSnapshot['rows']): string[] => rows.map(({ table }) => table);
/** Removes the values that edits do not change: lyrics, and values of the analysis. */
const asEdited = (identity: TrackIdentity): TrackIdentity => ({ ...withoutMeasured(identity), lyrics: undefined });
const idsOf = ({ recordingMbid, acoustidId }: TrackIdentity): Ids => ({ recordingMbid, acoustidId });

function describeChanges(laterChanges: FieldChange[]): string {
  const fields = laterChanges.map(({ field, after: currentValue }) =>
    currentValue === null ? field : `${field} (“${currentValue}”)`,
  );
  return `Changed again since: ${fields.join(', ')}.`;
}
