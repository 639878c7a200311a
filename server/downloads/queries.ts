// Statements for rows of downloads. Triggers copy their state from their job (migrations/0009_downloads.sql); the other
// columns are written here.
import { and, count, desc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { type Db, writtenRow } from '../db/client.ts';
import type { DownloadId, TrackId, UserId } from '../db/ids.ts';
import { downloads, jobs, remoteIds, tracks, type Availability } from '../db/schema.ts';
import type { Page, Paged } from '../http/paging.ts';
import { STREAMSRC } from '../sources/remote-catalogue.ts';

export type DownloadRow = typeof downloads.$inferSelect;
export type DownloadStatus = DownloadRow['status'];

const UNFINISHED_STATUSES = ['queued', 'running', 'waiting'] as const satisfies DownloadStatus[];
const isUnfinished = inArray(downloads.status, [...UNFINISHED_STATUSES]);
export const hasEnded = ({ status }: DownloadRow): boolean =>
  !(UNFINISHED_STATUSES as readonly DownloadStatus[]).includes(status);

export const findDownload = (db: Db, id: DownloadId): DownloadRow | undefined =>
  db.select().from(downloads).where(eq(downloads.id, id)).get();

export const findUnfinished = (db: Db, trackId: TrackId): DownloadRow | undefined =>
  db
    .select()
    .from(downloads)
    .where(and(eq(downloads.trackId, trackId), isUnfinished))
    .get();

export const findLatest = (db: Db, trackId: TrackId): DownloadRow | undefined =>
  db.select().from(downloads).where(eq(downloads.trackId, trackId)).orderBy(desc(downloads.id)).limit(1).get();

export function listDownloads(db: Db, status: DownloadStatus | undefined, { limit, offset }: Page): Paged<DownloadRow> {
  const condition = status === undefined ? undefined : eq(downloads.status, status);
  const items = db
    .select()
    .from(downloads)
    .where(condition)
    .orderBy(desc(downloads.id))
    .limit(limit)
    .offset(offset)
    .all();
  return { items, total: db.select({ n: count() }).from(downloads).where(condition).get()?.n ?? 0 };
}

export const insertDownload = (
  db: Db,
  row: { sourceId: string; trackId: TrackId; userId: UserId },
  now: Date,
): DownloadRow =>
  writtenRow(
    db
      .insert(downloads)
      .values({ ...row, source: STREAMSRC, status: 'queued', createdAt: now, updatedAt: now })
      .returning(),
  );

export const removeDownload = (db: Db, id: DownloadId): void =>
  void db.delete(downloads).where(eq(downloads.id, id)).run();

export const setStatus = (db: Db, id: DownloadId, status: DownloadStatus): void =>
  void db.update(downloads).set({ status }).where(eq(downloads.id, id)).run();

export const setBytes = (db: Db, id: DownloadId, bytesDone: number, bytesTotal: number | null, now: Date): void =>
  void db.update(downloads).set({ bytesDone, bytesTotal, updatedAt: now }).where(eq(downloads.id, id)).run();

/** Lists unfinished downloads without a job: the process was killed before it created the job. */
export const listWithoutJob = (db: Db): DownloadRow[] =>
  db
    .select({ download: downloads })
    .from(downloads)
    .leftJoin(jobs, eq(jobs.id, downloads.jobId))
    .where(and(isUnfinished, or(isNull(jobs.id), inArray(jobs.status, ['succeeded', 'failed', 'cancelled']))))
    .all()
    .map(({ download }) => download);

/**
 * Returns the downloads whose partial files may be resumed: unfinished ones, and those that failed since the given
 * time.
 */
export const listResumable = (db: Db, failedSince: Date): Set<DownloadId> =>
  new Set(
    db
      .select({ id: downloads.id })
      .from(downloads)
      .where(
        or(isUnfinished, and(eq(downloads.status, 'failed'), sql`${downloads.updatedAt} >= ${failedSince.getTime()}`)),
      )
      .all()
      .map(({ id }) => id),
  );

interface TrackState {
  title: string;
  availability: Availability;
  storageUri: string | null;
}

export const findTrackState = (db: Db, id: TrackId): TrackState | undefined =>
  db
    .select({ title: tracks.title, availability: tracks.availability, storageUri: tracks.storageUri })
    .from(tracks)
    .where(eq(tracks.id, id))
    .get();

export const setAvailability = (db: Db, id: TrackId, availability: Availability, now: Date): void =>
  void db.update(tracks).set({ availability, updatedAt: now }).where(eq(tracks.id, id)).run();

/** Makes the person who fetched the audio the uploader of the track, if it has none. */
export const setUploader = (db: Db, id: TrackId, userId: UserId | null): void =>
  void db
    .update(tracks)
    .set({ uploadedBy: userId })
    .where(and(eq(tracks.id, id), isNull(tracks.uploadedBy)))
    .run();

/**
 * Returns the catalogue's id of the track. The track's own id is preferred to that of a track that was merged into it.
 */
export const findRemoteId = (db: Db, trackId: TrackId): string | undefined =>
  db
    .select({ sourceId: remoteIds.sourceId })
    .from(remoteIds)
    .innerJoin(tracks, eq(tracks.id, remoteIds.trackId))
    .where(eq(remoteIds.trackId, trackId))
    .orderBy(desc(eq(tracks.sourceId, remoteIds.sourceId)))
    .limit(1)
    .get()?.sourceId;

export const findPageUrl = (db: Db, sourceId: string): string | null =>
  db
    .select({ pageUrl: remoteIds.pageUrl })
    .from(remoteIds)
    .where(and(eq(remoteIds.source, STREAMSRC), eq(remoteIds.sourceId, sourceId)))
    .get()?.pageUrl ?? null;
