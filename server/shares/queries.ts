// The statements of shares.
import { and, asc, count, desc, eq, sql } from 'drizzle-orm';
import { type MainDb, writtenRow } from '../db/client.ts';
import type { AlbumId, ShareId, TrackId, UserId } from '../db/ids.ts';
import { shares, shareTracks, tracks, users } from '../db/schema.ts';

export type ShareRow = typeof shares.$inferSelect;
type NewShare = typeof shares.$inferInsert;

/** A share with the rights and the bit rate limit of its owner. */
export interface OwnedShare {
  share: ShareRow;
  maxKbps: number | null;
  /** Whether the owner may share. */
  mayShare: boolean;
  /** Whether the owner may download. */
  mayDownload: boolean;
}

/** What the tracks of a share have in common. */
export interface ShareExtent {
  trackCount: number;
  durationMs: number;
  /** The album of all tracks; null if there are several, or none. */
  albumId: AlbumId | null;
}

export function createShareQueries(db: MainDb) {
  const isShareOfUser = (userId: UserId, id: ShareId) => and(eq(shares.userId, userId), eq(shares.id, id));

  return {
    list: (userId: UserId): ShareRow[] =>
      db.select().from(shares).where(eq(shares.userId, userId)).orderBy(asc(shares.id)).all(),
    listNewestFirst: (userId: UserId): ShareRow[] =>
      db.select().from(shares).where(eq(shares.userId, userId)).orderBy(desc(shares.id)).all(),
    countOf: (userId: UserId): number =>
      db.select({ count: count() }).from(shares).where(eq(shares.userId, userId)).get()?.count ?? 0,
    find: (userId: UserId, id: ShareId): ShareRow | undefined =>
      db.select().from(shares).where(isShareOfUser(userId, id)).get(),

    /** Finds a share by its token, whether it may be opened or not. */
    findByToken: (token: string): OwnedShare | undefined =>
      db
        .select({
          share: shares,
          maxKbps: users.maxBitrateKbps,
          mayShare: sql<boolean>`${users.isSuperuser} OR ${users.canShare}`.mapWith(Boolean),
          mayDownload: sql<boolean>`${users.isSuperuser} OR ${users.canDownload}`.mapWith(Boolean),
        })
        .from(shares)
        .innerJoin(users, eq(users.id, shares.userId))
        .where(eq(shares.token, token))
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
    countPlay: (id: ShareId): void =>
      void db
        .update(shares)
        .set({ playCount: sql`${shares.playCount} + 1` })
        .where(eq(shares.id, id))
        .run(),

    extentOf: (id: ShareId): ShareExtent =>
      db
        .select({
          trackCount: count(),
          durationMs: sql<number>`coalesce(sum(${tracks.durationMs}), 0)`,
          albumId: sql<AlbumId | null>`iif(
            count(DISTINCT ${tracks.albumId}) = 1 AND count(${tracks.albumId}) = count(*),
            min(${tracks.albumId}), NULL)`,
        })
        .from(shareTracks)
        .innerJoin(tracks, eq(tracks.id, shareTracks.trackId))
        .where(eq(shareTracks.shareId, id))
        .get() ?? { trackCount: 0, durationMs: 0, albumId: null },
    /** Lists the tracks of a share in their order. A position whose track was deleted is left out. */
    listTracks: (id: ShareId, limit = -1): { position: number; trackId: TrackId }[] =>
      db
        .select({ position: shareTracks.position, trackId: shareTracks.trackId })
        .from(shareTracks)
        .where(eq(shareTracks.shareId, id))
        .orderBy(asc(shareTracks.position))
        .limit(limit)
        .all(),
    findTrackAt: (id: ShareId, position: number): TrackId | undefined =>
      db
        .select({ id: shareTracks.trackId })
        .from(shareTracks)
        .where(and(eq(shareTracks.shareId, id), eq(shareTracks.position, position)))
        .get()?.id,
  };
}
