// Keeps deleted tracks for 30 days: they are in no list, and everything is kept that is needed to restore the same
// track.
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNull,
  lt,
  lte,
  notLike,
  or,
  sum,
  type SQL,
} from 'drizzle-orm';
import type { Db, MainDb } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import { trashedTracks, users } from '../../db/schema.ts';
import { AppError, conflict, notFound } from '../../errors.ts';
import type { Page, Paged } from '../../http/paging.ts';
import type { Principal } from '../../http/route.ts';
import { inSlices, partsOf, waitForTurn } from '../../runtime/time-slices.ts';
import { albumIdOfCover } from '../../storage/local-paths.ts';
import { FILE_SCHEME } from '../../storage/uri.ts';
import { overwrittenPlace } from '../tracks/overwritten-place.ts';
import type { LeftOver, RowRemovalDeps } from '../tracks/row-removal.ts';
import { createTrashedRows } from './trashed-rows.ts';
import { bindContext } from '../../runtime/bind-context.ts';

export const TRASH_RETENTION_MS = 30 * 86_400_000;
/** The number of rows that one transaction deletes; their objects are released after it. */
const ROWS_PER_PURGE = 50;
/** The number of failed tracks that the answer lists. */
const MAX_FAILURES = 100;

const isDeleted = and(eq(trashedTracks.isHidden, false), isNull(trashedTracks.mergedInto));
const fileOf = (sourceId: string): string => sourceId.split('//', 1)[0] ?? sourceId;

export type TrashedTrack = Omit<typeof trashedTracks.$inferSelect, 'snapshot'> & { deletedByName: string | null };

/** The user who sees or changes the trash. */
export type TrashUser = Pick<Principal, 'id' | 'rights'>;

/** A page of the trash, with the totals of the whole trash. */
interface TrashList extends Paged<TrashedTrack> {
  sizeBytes: number;
}

interface RestoredTracks {
  restored: number;
  failed: { id: TrackId; detail: string }[];
}

interface TrashDeps {
  db: MainDb;
  tracks: RowRemovalDeps;
  now: () => Date;
  /** Called inside the transaction that restored a track. */
  onRestored: (id: TrackId) => void;
  /** Checks, after the transaction, whether the files of restored tracks exist. */
  lookForFiles: (ids: readonly TrackId[]) => Promise<void>;
  /** Deletes stored objects that nothing uses any more. */
  release: (leftOver: LeftOver) => Promise<void>;
}

/** Where a file is: its source id and URI in the track's row, its folder and name in `source_files`. */
interface FilePlace {
  sourceId: string;
  uri: string;
  folder: number;
  name: string;
}

export type Trash = ReturnType<typeof createTrash>;

export function createTrash(deps: TrashDeps) {
  const context = createContext(deps);

  return {
    ...bindContext(context, {
      hide,
      findHidden,
      findPlace,
      list,
      restoreFor,
      restoreMany,
      deleteNow,
      deleteMany,
      purgeOld,
      purgeOldest,
      put,
      restore,
    }),
    putBack: context.rows.putBack,
    /** Sets the place at which a deleted track is found from now on. */
    moveTo: (id: TrackId, sourceId: string): void => void context.moveTo.run(sourceId, id),
    /** Sets the file of these deleted tracks; it may have replaced the file of another deleted track. */
    setPlace(source: string, ids: readonly TrackId[], { sourceId, uri, folder, name }: FilePlace): void {
      leavePlace(context, source, sourceId, uri, ids);
      const link = JSON.stringify([{ folder_id: folder, name }]);
      for (const trackId of ids) context.setPlace.run({ id: trackId, to: sourceId, uri, link });
    },
    mayDelete: ({ id, rights }: TrashUser, { uploadedBy }: TrashedTrack): boolean =>
      rights.canEdit || uploadedBy === id,
  };
}

type Context = ReturnType<typeof createContext>;

function createContext({ db, tracks, now, onRestored, lookForFiles, release }: TrashDeps) {
  const rows = createTrashedRows({ db, tracks, now });
  const listPlace = db.$client.prepare<[string, string], { id: TrackId; audioHash: string | null }>(
    `SELECT id, audio_hash AS audioHash FROM trashed_tracks
        WHERE source = ? AND source_id = ? AND merged_into IS NULL AND is_hidden = 0`,
  );
  const findLocalFile = db.$client.prepare<[TrackId], { source: string; sourceId: string; uri: string | null }>(
    `SELECT source, source_id AS sourceId, storage_uri AS uri FROM trashed_tracks
        WHERE id = ? AND source = 'local_folder' AND merged_into IS NULL`,
  );
  const listHidden = db.$client.prepare<
    RowAs<typeof trashedTracks, 'source' | 'sourceId' | 'audioHash'>,
    RowAs<typeof trashedTracks, 'id' | 'sourceId'>
  >(
    `SELECT id, source_id AS sourceId FROM trashed_tracks WHERE is_hidden = 1 AND audio_hash = @audioHash
        AND source = @source
      UNION SELECT id, source_id FROM trashed_tracks WHERE source = @source AND source_id = @sourceId
        AND is_hidden = 1 AND (audio_hash IS NULL OR @audioHash IS NULL)`,
  );
  // runs once per file
  const hasHidden = db.$client.prepare('SELECT 1 FROM trashed_tracks WHERE is_hidden = 1 LIMIT 1');
  // '0' is the character after '/'; see files/section-names.ts
  const hasTracks = db.$client.prepare<{ source: string; file: string }>(
    `SELECT 1 FROM tracks WHERE source = @source
      AND (source_id = @file OR (source_id >= @file || '//' AND source_id < @file || '/0')) LIMIT 1`,
  );
  const moveTo = db.$client.prepare<[string, TrackId]>('UPDATE trashed_tracks SET source_id = ? WHERE id = ?');
  /**
   * Finds a track that overlaps with another: for tracks inside a file the track of the whole file, and vice versa.
   * Only one of the two can exist.
   */
  const findOtherPart = db.$client
    .prepare<{ source: string; sourceId: string; file: string }, string>(
      `SELECT source_id FROM tracks WHERE source = @source AND source_id =
          CASE WHEN @sourceId = @file THEN NULL ELSE @file END
        UNION ALL SELECT source_id FROM tracks WHERE source = @source AND @sourceId = @file
          AND source_id >= @file || '//' AND source_id < @file || '/0' LIMIT 1`,
    )
    .pluck();
  /** Finds another track that has the file, or had it last. */
  const isOverwritten = db.$client.prepare<RowAs<typeof trashedTracks, 'source' | 'sourceId' | 'audioHash'>>(
    `SELECT 1 FROM tracks WHERE source = @source AND source_id = @sourceId
      AND (source = 'local_folder' OR audio_hash <> @audioHash)`,
  );
  /** Marks tracks as missing, except those that have a stored copy or their file again. */
  const setMissing = db.$client.prepare<[TrackId]>(
    `UPDATE tracks SET availability = 'missing' WHERE id = ? AND storage_uri LIKE '${FILE_SCHEME}:%'
      AND NOT EXISTS (SELECT 1 FROM source_files f WHERE f.track_id = tracks.id)`,
  );
  const setPlace = db.$client.prepare<{ id: TrackId; to: string; uri: string; link: string }>(
    // the snapshot is changed too, so that a scan recognizes the file as that of the restored track
    `UPDATE trashed_tracks SET source_id = @to, storage_uri = iif(storage_uri LIKE 'file:%', @uri, storage_uri),
      snapshot = json_set(snapshot, '$.links', json((SELECT json_group_array(json(
        iif(value ->> 'table' = 'source_files', json_set(value, '$.keys', json(@link)), value)))
        FROM json_each(snapshot, '$.links'))))
      WHERE id = @id`,
  );
  return {
    db,
    now,
    onRestored,
    lookForFiles,
    release,
    rows,
    listPlace,
    findLocalFile,
    listHidden,
    hasHidden,
    hasTracks,
    moveTo,
    findOtherPart,
    isOverwritten,
    setMissing,
    setPlace,
  };
}

/**
 * Returns a condition for the part of the trash that a user sees: all of it with the right to edit, else what they
 * deleted or uploaded.
 */
const visibleTo = ({ id, rights }: TrashUser): SQL | undefined =>
  and(isDeleted, rights.canEdit ? undefined : or(eq(trashedTracks.deletedBy, id), eq(trashedTracks.uploadedBy, id)));

/** Returns a condition for the tracks that a user may delete for good. */
const deletableBy = ({ id, rights }: TrashUser): SQL | undefined =>
  and(isNull(trashedTracks.mergedInto), rights.canEdit ? undefined : eq(trashedTracks.uploadedBy, id));

async function purge(context: Context, where: SQL | undefined, limit: number): Promise<number> {
  const purgedRows = context.db.transaction(
    (tx) => {
      const { id, storageUri, coverKey } = trashedTracks;
      const matchingRows = tx
        .select({ id, storageUri, coverKey })
        .from(trashedTracks)
        // merged tracks are purged too: a merge can be undone for the same time
        .where(and(eq(trashedTracks.isHidden, false), where))
        .orderBy(asc(trashedTracks.deletedAt), asc(trashedTracks.id))
        .limit(limit)
        .all();
      for (const row of matchingRows) tx.delete(trashedTracks).where(eq(trashedTracks.id, row.id)).run();
      return matchingRows.map((row) => ({
        storageUri: row.storageUri,
        coverKey: isCoverUsed(context, tx, row.coverKey) ? null : row.coverKey,
      }));
    },
    { behavior: 'immediate' },
  );
  for (const leftOver of purgedRows) await context.release(leftOver);
  await waitForTurn(); // without objects to delete, release() does not wait
  return purgedRows.length;
}

const isCoverUsed = ({ db }: Context, tx: Db, key: string | null): boolean =>
  key !== null &&
  (tx.select({ id: trashedTracks.id }).from(trashedTracks).where(eq(trashedTracks.coverKey, key)).get() !== undefined ||
    db.$client
      .prepare(
        `SELECT 1 FROM album_covers WHERE album_id = @albumId AND key = @key
            UNION ALL SELECT 1 FROM former_covers WHERE key = @key`,
      )
      .get({ key, albumId: albumIdOfCover(key) }) !== undefined);

/**
 * Puts a track into the trash. A file belongs to the track that was deleted last, so tracks deleted earlier lose it.
 */
function put(context: Context, ...args: Parameters<typeof context.rows.put>): LeftOver {
  const leftOver = context.rows.put(...args);
  const [, , id] = args;
  const file = context.findLocalFile.get(id);
  if (file) leavePlace(context, file.source, file.sourceId, file.uri ?? '', [id]);
  return leftOver;
}

/** Restores a track and tells the other modules. */
function restore(context: Context, ...args: Parameters<typeof context.rows.restore>): void {
  context.rows.restore(...args);
  context.onRestored(args[1]);
}

function leavePlace(context: Context, source: string, sourceId: string, uri: string, owners: readonly TrackId[]): void {
  for (const { id } of context.listPlace.all(source, sourceId))
    if (!owners.includes(id)) context.setPlace.run({ id, to: overwrittenPlace(id, sourceId), uri, link: '[]' });
}

function get(context: Context, user: TrashUser, id: TrackId): TrashedTrack {
  const [row] = rowsOf(context, and(eq(trashedTracks.id, id), visibleTo(user)), { limit: 1, offset: 0 });
  if (!row) throw notFound('track in the trash', id);
  return row;
}

/** Restores the row of a track. Throws `not_found` and `conflict`. */
function restoreRow(context: Context, user: TrashUser, id: TrackId): void {
  context.db.transaction(
    (tx) => {
      const { source, sourceId, audioHash } = get(context, user, id);
      const file = fileOf(sourceId);
      if (context.findOtherPart.get({ source, sourceId, file }) !== undefined)
        throw conflict(
          file === sourceId
            ? 'This file is several tracks now, by a cue sheet. It can be restored when the sheet is gone.'
            : 'The file of this track is one track now, without its cue sheet. It can be restored with the sheet.',
        );
      const isFileTaken = context.isOverwritten.get({ source, sourceId, audioHash }) !== undefined;
      restore(context, tx, id, isFileTaken ? overwrittenPlace(id, sourceId) : sourceId);
      context.setMissing.run(id);
    },
    { behavior: 'immediate' },
  );
}

function rowsOf({ db }: Context, where: SQL | undefined, { limit, offset }: Page): TrashedTrack[] {
  const { snapshot: _, ...columns } = getTableColumns(trashedTracks);
  return db
    .select({ ...columns, deletedByName: users.username })
    .from(trashedTracks)
    .leftJoin(users, eq(users.id, trashedTracks.deletedBy))
    .where(where)
    .orderBy(desc(trashedTracks.deletedAt), desc(trashedTracks.id))
    .limit(limit)
    .offset(offset)
    .all();
}

/** Hides a track whose file is at that place until `restore` restores it. Runs inside a transaction. */
function hide({ rows }: Context, tx: Db, id: TrackId, sourceId: string): void {
  rows.put(tx, null, id, undefined, undefined, true);
  tx.update(trashedTracks).set({ sourceId }).where(eq(trashedTracks.id, id)).run();
}

/**
 * Finds the hidden track at that place, or with that audio: of the same file, or of a file that has no tracks any
 * more.
 */
const findHidden = (
  { hasHidden, listHidden, hasTracks }: Context,
  source: string,
  sourceId: string,
  audioHash: string | null,
): TrackId | undefined =>
  (hasHidden.get() === undefined ? [] : listHidden.all({ source, sourceId, audioHash }))
    .toSorted((a, b) => Number(b.sourceId === sourceId) - Number(a.sourceId === sourceId))
    .find(
      (row) =>
        fileOf(row.sourceId) === fileOf(sourceId) ||
        hasTracks.get({ source, file: fileOf(row.sourceId) }) === undefined,
    )?.id;

/** Returns the deleted track whose file is at this place. */
const findPlace = ({ listPlace }: Context, source: string, sourceId: string) => listPlace.get(source, sourceId);

function list(context: Context, user: TrashUser, page: Page): TrashList {
  const where = visibleTo(user);
  const totals = context.db
    .select({ n: count(), bytes: sum(trashedTracks.sizeBytes) })
    .from(trashedTracks)
    .where(where)
    .get();
  return { items: rowsOf(context, where, page), total: totals?.n ?? 0, sizeBytes: Number(totals?.bytes ?? 0) };
}

/** Restores a track. Throws `not_found` and `conflict`. */
async function restoreFor(context: Context, user: TrashUser, id: TrackId): Promise<void> {
  restoreRow(context, user, id);
  await context.lookForFiles([id]);
}

/** Restores each track separately; those that cannot be restored are returned with the reason. */
async function restoreMany(context: Context, user: TrashUser, ids: readonly TrackId[]): Promise<RestoredTracks> {
  const failures: RestoredTracks['failed'] = [];
  const restoredIds: TrackId[] = [];
  await inSlices(ids, (id) => {
    try {
      restoreRow(context, user, id);
      restoredIds.push(id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (failures.length < MAX_FAILURES) failures.push({ id, detail: error.message });
    }
  });
  await context.lookForFiles(restoredIds);
  return { restored: restoredIds.length, failed: failures };
}

/**
 * Deletes a track for good. Throws `not_found`, also for a track that somebody else added, if the user lacks the
 * right to edit.
 */
async function deleteNow(context: Context, user: TrashUser, id: TrackId): Promise<void> {
  if ((await purge(context, and(eq(trashedTracks.id, id), deletableBy(user)), 1)) === 0)
    throw notFound('track in the trash', id);
}

/**
 * Deletes those of the tracks that the user may delete, or all tracks if there are no ids. Returns how many were
 * deleted.
 */
async function deleteMany(context: Context, user: TrashUser, ids?: readonly TrackId[]): Promise<number> {
  let deletedCount = 0;
  if (ids !== undefined)
    for (const chunk of partsOf(ids, ROWS_PER_PURGE)) {
      deletedCount += await purge(
        context,
        and(inArray(trashedTracks.id, [...chunk]), deletableBy(user)),
        ROWS_PER_PURGE,
      );
    }
  else {
    const isDeletableNow = and(lte(trashedTracks.deletedAt, context.now()), deletableBy(user));
    for (let purgedCount = ROWS_PER_PURGE; purgedCount === ROWS_PER_PURGE; deletedCount += purgedCount)
      purgedCount = await purge(context, isDeletableNow, ROWS_PER_PURGE);
  }
  return deletedCount;
}

/** Deletes tracks that have been in the trash for 30 days. */
async function purgeOld(context: Context, time = context.now()): Promise<void> {
  const cutoff = new Date(time.getTime() - TRASH_RETENTION_MS);
  while ((await purge(context, lt(trashedTracks.deletedAt, cutoff), ROWS_PER_PURGE)) === ROWS_PER_PURGE);
}

/** Deletes the oldest tracks whose audio is in the storage; returns false when there are none. */
const purgeOldest = async (context: Context): Promise<boolean> =>
  (await purge(context, notLike(trashedTracks.storageUri, 'file:%'), ROWS_PER_PURGE)) > 0;
