// Statements for the tables of enrichment, and for the columns of tracks with its outcome.
import { and, asc, count, desc, eq, gt, isNull, lte, ne, or, lt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Db } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import {
  enrichmentMatches,
  enrichmentReviews,
  enrichmentUnanswered,
  enrichmentUndo,
  tracks,
  type MetadataStatus,
} from '../db/schema.ts';
import type { Page, Paged } from '../http/paging.ts';
import { Match } from './match.ts';
import type { Review } from './review.ts';

interface OutcomeColumns {
  status: MetadataStatus;
  error: string | null;
  enrichedAt: Date;
  /** If undefined, the stored score stays. */
  fpidScore?: number | null;
}

/**
 * Stores the outcome of an enrichment. Returns false if the track was edited by hand or deleted during the enrichment.
 */
export const setOutcome = (db: Db, id: TrackId, { status, error, enrichedAt, fpidScore }: OutcomeColumns): boolean =>
  db
    .update(tracks)
    .set({
      metadataStatus: status,
      metadataError: error,
      enrichedAt,
      updatedAt: enrichedAt,
      ...(fpidScore !== undefined && { fpidScore }),
    })
    .where(and(eq(tracks.id, id), ne(tracks.metadataStatus, 'manual')))
    .run().changes > 0;

/** Stores the outcome of a choice by a person. */
export const setManual = (db: Db, id: TrackId, columns: { enrichedAt: Date; fpidScore: number | null }): void =>
  void db
    .update(tracks)
    .set({ ...columns, metadataStatus: 'manual', metadataError: null, updatedAt: columns.enrichedAt })
    .where(eq(tracks.id, id))
    .run();

export function replaceMatches(db: Db, trackId: TrackId, matches: readonly Match[]): void {
  db.delete(enrichmentMatches).where(eq(enrichmentMatches.trackId, trackId)).run();
  matches.forEach((match, i) =>
    db
      .insert(enrichmentMatches)
      .values({ trackId, n: i + 1, match })
      .run(),
  );
}

/** Lists the stored candidates. Rows of an earlier version that cannot be parsed are left out. */
export const listMatches = (db: Db, trackId: TrackId): { n: number; match: Match }[] =>
  db
    .select()
    .from(enrichmentMatches)
    .where(eq(enrichmentMatches.trackId, trackId))
    .orderBy(asc(enrichmentMatches.n))
    .all()
    .flatMap(({ n, match }) => {
      const parsed = Match.safeParse(match);
      return parsed.success ? [{ n, match: parsed.data }] : [];
    });

/** Stores or deletes a review. A dismissed review stays dismissed while the best match is the same. */
export function setReview(db: Db, trackId: TrackId, review: Review | undefined, now: Date): void {
  const previousReview = db.select().from(enrichmentReviews).where(eq(enrichmentReviews.trackId, trackId)).get();
  if (!review) {
    if (previousReview) dropReview(db, trackId);
    return;
  }
  const isSameMatch =
    previousReview &&
    Match.safeParse(previousReview.match).data?.recordingMbid === review.match.recordingMbid &&
    previousReview.reason === review.reason;
  const row = {
    ...review,
    createdAt: isSameMatch ? previousReview.createdAt : now,
    dismissedAt: isSameMatch ? previousReview.dismissedAt : null,
  };
  db.insert(enrichmentReviews)
    .values({ trackId, ...row })
    .onConflictDoUpdate({ target: enrichmentReviews.trackId, set: row })
    .run();
}

const dropReview = (db: Db, trackId: TrackId): void =>
  void db.delete(enrichmentReviews).where(eq(enrichmentReviews.trackId, trackId)).run();

type ReviewRow = typeof enrichmentReviews.$inferSelect;

export function listReviews(db: Db, { limit, offset }: Page): Paged<ReviewRow> {
  const open = isNull(enrichmentReviews.dismissedAt);
  const items = db
    .select()
    .from(enrichmentReviews)
    .where(open)
    .orderBy(desc(enrichmentReviews.createdAt), desc(enrichmentReviews.trackId))
    .limit(limit)
    .offset(offset)
    .all();
  return { items, total: db.select({ n: count() }).from(enrichmentReviews).where(open).get()?.n ?? 0 };
}

/** Dismisses a review; returns false when the track has no open review. */
export const dismissReview = (db: Db, trackId: TrackId, now: Date): boolean =>
  db
    .update(enrichmentReviews)
    .set({ dismissedAt: now })
    .where(and(eq(enrichmentReviews.trackId, trackId), isNull(enrichmentReviews.dismissedAt)))
    .run().changes > 0;

/**
 * Stores what an undo restores. Must be called after writing the track, because a trigger deletes the row when the
 * track's metadata changes.
 */
export function saveUndo(db: Db, trackId: TrackId, previousMetadata: unknown, now: Date): void {
  const row = { previous: previousMetadata, createdAt: now };
  db.insert(enrichmentUndo)
    .values({ trackId, ...row })
    .onConflictDoUpdate({ target: enrichmentUndo.trackId, set: row })
    .run();
}
/** The shape of a stored row, which may be from an earlier version. */
const PreviousMetadata = z.object({
  identity: z.looseObject({ title: z.string(), artists: z.array(z.string()), genres: z.array(z.string()) }),
  fpidScore: z.number().nullable(),
});

/**
 * Returns the metadata before the last enrichment that changed the track; undefined if the track was changed after
 * that.
 */
export const findUndo = (db: Db, trackId: TrackId) =>
  PreviousMetadata.safeParse(
    db.select().from(enrichmentUndo).where(eq(enrichmentUndo.trackId, trackId)).get()?.previous,
  ).data;

export function setUnanswered(db: Db, trackId: TrackId, isUnanswered: boolean, now: Date): void {
  if (!isUnanswered) db.delete(enrichmentUnanswered).where(eq(enrichmentUnanswered.trackId, trackId)).run();
  else
    db.insert(enrichmentUnanswered)
      .values({ trackId, askedAt: now })
      .onConflictDoUpdate({ target: enrichmentUnanswered.trackId, set: { askedAt: now } })
      .run();
}

/** Returns whether the recording of a track is still unknown. */
export const awaitsLookup = (db: Db, trackId: TrackId): boolean =>
  db
    .select({ id: tracks.id })
    .from(tracks)
    .leftJoin(enrichmentMatches, eq(enrichmentMatches.trackId, tracks.id))
    .where(and(eq(tracks.id, trackId), isNull(tracks.recordingMbid), isNull(enrichmentMatches.trackId)))
    .get() !== undefined;

// ---- statements that find the tracks to enrich ----

export type Scope = 'pending' | 'failed' | 'all' | 'unanswered';

const hasAudio = and(eq(tracks.availability, 'available'), sql`${tracks.storageUri} IS NOT NULL`);

/**
 * Lists tracks that a run of this scope, requested at `requestedAt`, has not enriched yet, with ids above `afterId` up
 * to `upToId`.
 */
export function listWaiting(db: Db, scope: Scope, requestedAt: Date, afterId: number, upToId: number): TrackId[] {
  const window = and(gt(tracks.id, afterId as TrackId), lte(tracks.id, upToId as TrackId));
  if (scope === 'unanswered') {
    const { trackId } = enrichmentUnanswered;
    return db
      .select({ id: trackId })
      .from(enrichmentUnanswered)
      .where(and(gt(trackId, afterId as TrackId), lte(trackId, upToId as TrackId)))
      .orderBy(asc(trackId))
      .all()
      .map((row) => row.id);
  }
  const isNotEnriched = or(isNull(tracks.enrichedAt), lt(tracks.enrichedAt, requestedAt));
  const status = scope === 'all' ? ne(tracks.metadataStatus, 'manual') : eq(tracks.metadataStatus, scope);
  return db
    .select({ id: tracks.id })
    .from(tracks)
    .where(and(window, status, hasAudio, scope === 'pending' ? undefined : isNotEnriched))
    .orderBy(asc(tracks.id))
    .all()
    .map((row) => row.id);
}

export const countWaiting = (db: Db, scope: Scope): number => {
  if (scope === 'unanswered') return db.select({ n: count() }).from(enrichmentUnanswered).get()?.n ?? 0;
  return (
    db
      .select({ n: count() })
      .from(tracks)
      .where(scope === 'all' ? undefined : eq(tracks.metadataStatus, scope))
      .get()?.n ?? 0
  );
};

export const highestTrackId = (db: Db): number =>
  db
    .select({ id: sql<number | null>`max(${tracks.id})` })
    .from(tracks)
    .get()?.id ?? 0;

/** Returns whether there are tracks for a run with the scope `pending`. */
export const isAnyPending = (db: Db): boolean =>
  db
    .select({ id: tracks.id })
    .from(tracks)
    .where(and(eq(tracks.metadataStatus, 'pending'), hasAudio))
    .limit(1)
    .get() !== undefined;
