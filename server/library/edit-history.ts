// What edits by hand replaced, for 30 days. An edit is undone by writing what was there before, which is an edit too,
// so that undoing can be undone; fields that were changed again since stay as they are. An album or artist that lost
// its last track by the edit comes back under its old id.
import { randomUUID } from 'node:crypto';
import { and, desc, eq, getTableColumns, gt, lt, ne, sql } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { TrackEditId, TrackId, UserId } from '../db/ids.ts';
import { trackEdits, tracks, users, type EditKind, type MetadataStatus } from '../db/schema.ts';
import { AppError, conflict, notFound } from '../errors.ts';
import { inSlices } from '../runtime/time-slices.ts';
import {
  changesOf,
  confirmedFields,
  editedFields,
  fieldText,
  takeBack,
  withEditsOf,
  type FieldChange,
} from './identity-changes.ts';
import { isSameIdentity, prepareKnownTracks, withoutMeasured } from './track-identity.ts';
import { createTrackSnapshots, type Parents, type TrackSnapshot } from './track-snapshot.ts';
import { KEPT_MS } from './trash.ts';
import type { TrackIdentity } from './track-values.ts';
import type { TrackWriter } from './track-writer.ts';

interface Before {
  identity: TrackIdentity;
  status: MetadataStatus;
  error: string | null;
  fpidScore?: number | null;
  parents: Parents;
  /** Of `keeps`. */
  rows?: TrackSnapshot['rows'];
  /** What the edit made of these, which `changes` does not show. */
  after?: Ids;
  /** Fields that the edit set to the value they had: once the file says something else, the edit changed them. */
  confirmed?: string[];
  /** A scan has read other tags since the edit: `identity` is what they say, with earlier edits. */
  isReread?: true;
}
type Ids = Pick<TrackIdentity, (typeof IDS)[number]>;
const IDS = ['recordingMbid', 'acoustidId'] as const;

export interface TrackEdit extends Omit<typeof trackEdits.$inferSelect, 'before' | 'changes'> {
  changes: FieldChange[];
  userName: string | null;
  /** Tracks of the same batch that still can be undone. */
  batchSize: number;
}

/** Who edits, and which edits are made together. */
interface Edited {
  by: UserId;
  batch?: string | undefined;
  kind?: EditKind;
  /** Tables in which the edit deletes the rows of the track; they come back with an undo. */
  keeps?: readonly string[];
}

interface UndoneEdits {
  /** That undoes the undoing. */
  batch: string;
  undone: TrackId[];
  failed: { id: TrackId; detail: string }[];
}

const AT_ONCE = 200;

interface EditHistoryDeps {
  db: MainDb;
  tracks: Pick<TrackWriter, 'batch' | 'setIdentity' | 'sweepEmpty' | 'search'>;
  now: () => Date;
}

export type EditHistory = ReturnType<typeof createEditHistory>;

export function createEditHistory({ db, tracks: writer, now }: EditHistoryDeps) {
  const findKnown = prepareKnownTracks(db.$client);
  const snapshots = createTrackSnapshots(db.$client);
  const oldest = (at = now()): Date => new Date(at.getTime() - KEPT_MS);

  /** Does the work, and keeps what it replaces. Throws what the work throws, and `not_found`. */
  function record<T>({ by, batch, kind = 'edit', keeps = [] }: Edited, id: TrackId, work: () => T): T {
    return db.transaction(
      (tx) => {
        const [known, parents] = [findKnown(id), snapshots.takeParents(id)];
        if (!known || !parents) throw notFound('track', id);
        const rows = keeps.length === 0 ? [] : (snapshots.take(id)?.rows ?? []);
        const done = work();
        const after = findKnown(id)?.identity ?? known.identity;
        const changes = changesOf(known.identity, after);
        if (changes.length > 0 || IDS.some((name) => known.identity[name] !== after[name]))
          tx.insert(trackEdits)
            .values({
              trackId: id,
              userId: sql<UserId | null>`(SELECT id FROM users WHERE id = ${by})`, // it may have been deleted meanwhile
              batch: batch ?? null,
              kind,
              changes,
              // lyrics are not edited by hand, and may be long
              before: {
                identity: { ...known.identity, lyrics: undefined },
                status: known.status,
                error: known.error,
                fpidScore: known.fpidScore,
                rows: rows.filter(({ table }) => keeps.includes(table)),
                after: idsOf(after),
                confirmed: confirmedFields(known.identity, after),
                // annotations come back by themselves (annotations.ts); a picture that was found is looked for again
                parents: { ...parents, albumCovers: [], artistNevers: [] },
              } satisfies Before,
              createdAt: now(),
            })
            .run();
        return done;
      },
      { behavior: 'immediate' },
    );
  }

  /** Writes what was before the edit, or what is left of it. `freed`: what the track was before it became `manual`. */
  function putBack(tx: Db, edited: Edited, id: TrackId, before: Before, target: TrackIdentity, freed?: Before): void {
    const isWhole = isSameIdentity(asEdited(target), asEdited(before.identity));
    const { fpidScore, rows = [] } = before;
    const outcome = freed ?? (isWhole ? before : undefined);
    record(edited, id, () => {
      snapshots.bringParents(before.parents);
      writer.batch(() => writer.setIdentity(id, { ...target, lyrics: undefined }, findKnown(id)?.folder));
      tx.update(tracks)
        .set({
          updatedAt: now(),
          ...(outcome && { metadataStatus: outcome.status, metadataError: outcome.error }),
          ...(isWhole && fpidScore !== undefined && { fpidScore }),
        })
        .where(eq(tracks.id, id))
        .run();
      if (isWhole) snapshots.replaceRows(id, tablesOf(rows), rows);
      const rowIds = (some: Parents['albums']): number[] => some.map((one) => Number(one['id']));
      for (const albumId of rowIds(before.parents.albums)) writer.search.set('album', albumId);
      for (const artistId of rowIds(before.parents.artists)) writer.search.set('artist', artistId);
      writer.sweepEmpty(rowIds(before.parents.albums) as never, rowIds(before.parents.artists) as never);
    });
  }

  const isKept = (at = now()) => gt(trackEdits.createdAt, oldest(at));

  /**
   * Sets what these edits of one track, in their order, changed back, where it is still as they left it; gives what was
   * changed again since, and stays. Throws `conflict` when that is all of it.
   */
  function takeEditsBack(
    tx: Db,
    edited: Edited,
    id: TrackId,
    edits: (typeof trackEdits.$inferSelect)[],
  ): FieldChange[] {
    const [first, last] = [edits[0]?.before, edits.at(-1)?.before] as (Before | undefined)[];
    const known = findKnown(id);
    if (!first || !last || !known) throw notFound('track', id);
    const changes = new Map<string, FieldChange>();
    for (const change of edits.flatMap((edit) => edit.changes as FieldChange[]))
      changes.set(change.field, { ...change, before: (changes.get(change.field) ?? change).before });
    const before = { ...first, ...(last.after && { after: last.after }) };
    const takeBackFrom = (identity: TrackIdentity) => takeBack([...changes.values()], before, identity);
    const { target, kept } = takeBackFrom(known.identity);
    if (kept.length > 0 && isSameIdentity(target, known.identity))
      throw conflict(`Nothing was undone. ${inWords(kept)}`);
    const freed = known.status === 'manual' ? freedBy(tx, id, target) : undefined;
    const tags = freed?.isReread && identityUnderEdits(tx, id);
    if (!tags) {
      putBack(tx, edited, id, first, target, freed);
      return kept;
    }
    // A scan leaves a `manual` track as it is, so the fields that nobody edited are those of the former tags. They are
    // replaced before the undo is recorded: undoing the undo keeps the new ones.
    const retagged = withEditsOf(known.identity, tags);
    writer.batch(() => writer.setIdentity(id, { ...retagged, lyrics: undefined }, known.folder));
    const again = takeBackFrom(findKnown(id)?.identity ?? retagged);
    putBack(tx, edited, id, first, again.target, freed);
    return again.kept;
  }

  /**
   * What the track was before the edit that made it `manual`, if `target` has nothing of that edit or of later ones.
   * Undefined while something is left of them.
   */
  function freedBy(tx: Db, id: TrackId, target: TrackIdentity): Before | undefined {
    const edit = tx
      .select()
      .from(trackEdits)
      .where(and(eq(trackEdits.trackId, id), ne(sql`${trackEdits.before} ->> '$.status'`, 'manual')))
      .orderBy(desc(trackEdits.id))
      .limit(1)
      .get();
    if (!edit) return undefined;
    const before = edit.before as Before;
    const isTakenBack = (edit.changes as FieldChange[]).every(
      (change) => fieldText(target, change.field) === fieldText(before.identity, change.field),
    );
    return isTakenBack && editedFields(target, before.identity).length === 0 ? before : undefined;
  }

  return {
    record,

    /** The latest first. */
    list(id: TrackId): TrackEdit[] {
      const { before: _, ...columns } = getTableColumns(trackEdits);
      return db
        .select({
          ...columns,
          userName: users.username,
          batchSize: sql<number>`CASE WHEN ${trackEdits.batch} IS NULL THEN 1 ELSE (SELECT count(DISTINCT b.track_id)
            FROM track_edits b WHERE b.batch = ${trackEdits.batch}) END`,
        })
        .from(trackEdits)
        .leftJoin(users, eq(users.id, trackEdits.userId))
        .where(and(eq(trackEdits.trackId, id), isKept()))
        .orderBy(desc(trackEdits.id))
        .limit(AT_ONCE)
        .all()
        .map((row) => ({ ...row, changes: row.changes as FieldChange[] }));
    },

    /**
     * Sets what that edit changed back, where it is still as the edit left it; gives what was changed again since, and
     * stays. Throws `not_found`, and `conflict` when that is all of it.
     */
    undo(by: UserId, trackId: TrackId, id: TrackEditId): FieldChange[] {
      return db.transaction(
        (tx) => {
          const ofTrack = and(eq(trackEdits.id, id), eq(trackEdits.trackId, trackId));
          const edits = tx.select().from(trackEdits).where(and(ofTrack, isKept())).all();
          if (edits.length === 0 || !findKnown(trackId)) throw notFound('edit', id);
          return takeEditsBack(tx, { by }, trackId, edits);
        },
        { behavior: 'immediate' },
      );
    },

    /**
     * Of each track of a batch, what is still as the batch left it. `assertMay` throws for a track that may not be
     * edited. Throws `not_found` when there is nothing to undo.
     */
    async undoBatch(by: UserId, batch: string, assertMay: (id: TrackId) => void): Promise<UndoneEdits> {
      const ofBatch = and(eq(trackEdits.batch, batch), isKept());
      const rows = db.selectDistinct({ id: trackEdits.trackId }).from(trackEdits).where(ofBatch).all();
      if (rows.length === 0) throw notFound('edit', batch);
      const outcome: UndoneEdits = { batch: `undo-${randomUUID()}`, undone: [], failed: [] };
      await inSlices(rows, ({ id }) => {
        try {
          db.transaction(
            (tx) => {
              assertMay(id);
              const ofTrack = and(ofBatch, eq(trackEdits.trackId, id));
              const edits = tx.select().from(trackEdits).where(ofTrack).orderBy(trackEdits.id).all();
              takeEditsBack(tx, { by, batch: outcome.batch }, id, edits);
            },
            { behavior: 'immediate' },
          );
          outcome.undone.push(id);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          outcome.failed.push({ id, detail: error.message });
        }
      });
      return outcome;
    },

    isBatch: (batch: string): boolean =>
      db.select({ id: trackEdits.id }).from(trackEdits).where(eq(trackEdits.batch, batch)).limit(1).get() !== undefined,

    purgeOld: (at = now()): void =>
      void db
        .delete(trackEdits)
        .where(lt(trackEdits.createdAt, oldest(at)))
        .run(),
  };
}

/** For a scan that read other tags of a track: undoing its edits gives what the file says now. */
export function tagsUnderEdits(db: Db, id: TrackId, tags: TrackIdentity): void {
  for (const edit of db.select().from(trackEdits).where(eq(trackEdits.trackId, id)).all()) {
    const before = edit.before as Before;
    const identity = { ...withEditsOf(before.identity, tags), lyrics: undefined };
    const changes = (edit.changes as FieldChange[]).map((change) => ({
      ...change,
      before: fieldText(identity, change.field),
    }));
    for (const field of before.confirmed ?? []) {
      const [old, now] = [fieldText(before.identity, field), fieldText(identity, field)];
      if (old !== now && !changes.some((change) => change.field === field))
        changes.push({ field, before: now, after: old });
    }
    const reread: Before = { ...before, identity, isReread: true };
    // with other tags it is to be identified again
    if (reread.status !== 'manual') Object.assign(reread, { status: 'pending', error: null });
    db.update(trackEdits).set({ before: reread, changes }).where(eq(trackEdits.id, edit.id)).run();
  }
}

/** What the track was before its first edit, with what its file says by now. Undefined for one without edits. */
export function identityUnderEdits(db: Db, id: TrackId): TrackIdentity | undefined {
  const [first] = db.select().from(trackEdits).where(eq(trackEdits.trackId, id)).orderBy(trackEdits.id).limit(1).all();
  return first && (first.before as Before).identity;
}

const tablesOf = (rows: TrackSnapshot['rows']): string[] => rows.map(({ table }) => table);
/** Without what edits do not change: lyrics, and what the analysis filled in, maybe since. */
const asEdited = (identity: TrackIdentity): TrackIdentity => ({ ...withoutMeasured(identity), lyrics: undefined });
const idsOf = ({ recordingMbid, acoustidId }: TrackIdentity): Ids => ({ recordingMbid, acoustidId });

function inWords(kept: FieldChange[]): string {
  const fields = kept.map(({ field, after }) => (after === null ? field : `${field} (“${after}”)`));
  return `Changed again since: ${fields.join(', ')}.`;
}
