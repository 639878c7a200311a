// The statements of shares.
import { and, asc, count, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { type MainDb, writtenRow } from '../db/client.ts';
import type { ShareId, TrackId, UserId } from '../db/ids.ts';
import { shares, shareTracks, users } from '../db/schema.ts';

export type ShareRow = typeof shares.$inferSelect;
type NewShare = typeof shares.$inferInsert;

/** A share that may be opened, with the rights and the bit rate limit of its owner. */
export interface OpenShare {
  share: ShareRow;
  maxKbps: number | null;
  mayDownload: boolean;
}

export function createShareQueries(db: MainDb) {
  const isShareOfUser = (userId: UserId, id: ShareId) => and(eq(shares.userId, userId), eq(shares.id, id));

  return {
    list: (userId: UserId): ShareRow[] =>
      db.select().from(shares).where(eq(shares.userId, userId)).orderBy(asc(shares.id)).all(),
    countOf: (userId: UserId): number =>
      db.select({ count: count() }).from(shares).where(eq(shares.userId, userId)).get()?.count ?? 0,
    isOfUser: (userId: UserId, id: ShareId): boolean =>
      db.select({ id: shares.id }).from(shares).where(isShareOfUser(userId, id)).get() !== undefined,

    /** Finds a share by its token; undefined when the share has expired, or when its owner may no longer share. */
    findOpen: (token: string, time: Date): OpenShare | undefined =>
      db
        .select({
          share: shares,
          maxKbps: users.maxBitrateKbps,
          mayDownload: sql<boolean>`${users.isSuperuser} OR ${users.canDownload}`.mapWith(Boolean),
        })
        .from(shares)
        .innerJoin(users, eq(users.id, shares.userId))
        .where(
          and(
            eq(shares.token, token),
            or(isNull(shares.expiresAt), gt(shares.expiresAt, time)),
            or(users.isSuperuser, users.canShare),
          ),
        )
        .get(),

    insert: (values: NewShare): ShareRow => writtenRow(db.insert(shares).values(values).returning()),
    insertTrack: (shareId: ShareId, position: number, trackId: TrackId): void =>
      void db.insert(shareTracks).values({ shareId, position, trackId }).run(),
    /** Updates a share; returns false when the account has no such share, like `deleteOf`. */
    update: (userId: UserId, id: ShareId, values: Partial<NewShare>): boolean =>
      db.update(shares).set(values).where(isShareOfUser(userId, id)).run().changes > 0,
    deleteOf: (userId: UserId, id: ShareId): boolean =>
      db.delete(shares).where(isShareOfUser(userId, id)).run().changes > 0,
    countVisit: (id: ShareId, time: Date): void =>
      void db
        .update(shares)
        .set({ visitCount: sql`${shares.visitCount} + 1`, lastVisitedAt: time })
        .where(eq(shares.id, id))
        .run(),

    /** Lists the tracks of a share in their order. A position whose track was deleted is left out. */
    listTracks: (id: ShareId): { position: number; trackId: TrackId }[] =>
      db
        .select({ position: shareTracks.position, trackId: shareTracks.trackId })
        .from(shareTracks)
        .where(eq(shareTracks.shareId, id))
        .orderBy(asc(shareTracks.position))
        .all(),
    findTrackAt: (id: ShareId, position: number): TrackId | undefined =>
      db
        .select({ id: shareTracks.trackId })
        .from(shareTracks)
        .where(and(eq(shareTracks.shareId, id), eq(shareTracks.position, position)))
        .get()?.id,
  };
}
