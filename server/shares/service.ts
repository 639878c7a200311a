// Shares: music for people without an account. The link has a random token and gives access to the tracks of the share
// only, until it expires or is deleted.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { and, asc, count as countRows, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { type MainDb, writtenRow } from '../db/client.ts';
import type { ShareId, TrackId, UserId } from '../db/ids.ts';
import { shares, shareTracks, users } from '../db/schema.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { OpenAnswers } from '../http/open-answers.ts';
import { inSlices, mapInSlices } from '../runtime/time-slices.ts';

type ShareRow = typeof shares.$inferSelect;
export interface ShareSummary extends ShareRow {
  trackIds: TrackId[];
}
interface ShareDetails {
  description: string | null;
  expiresAt: Date | null;
}

const TOKEN_BYTES = 17;
/** Tracks of one share. */
export const MAX_SHARED_TRACKS = 5_000;
/** Shares of one account. */
const MAX_SHARES = 1_000;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

export type ShareService = ReturnType<typeof createShareService>;

interface ShareServiceDeps {
  db: MainDb;
  now: () => Date;
  openAnswers: Pick<OpenAnswers, 'track' | 'recheck'>;
}

export function createShareService({ db, now, openAnswers }: ShareServiceDeps) {
  const shareOfUser = (userId: UserId, id: ShareId) => and(eq(shares.userId, userId), eq(shares.id, id));
  const withTracks = (row: ShareRow): ShareSummary => ({
    ...row,
    trackIds: db
      .select({ id: shareTracks.trackId })
      .from(shareTracks)
      .where(eq(shareTracks.shareId, row.id))
      .orderBy(asc(shareTracks.position))
      .all()
      .map(({ id }) => id),
  });
  /** Returns undefined also when the owner may no longer share. */
  const findOpen = (token: string): { share: ShareRow; mostKbps: number | null; mayDownload: boolean } | undefined =>
    db
      .select({
        share: shares,
        mostKbps: users.maxBitrateKbps,
        mayDownload: sql<boolean>`${users.isSuperuser} OR ${users.canDownload}`.mapWith(Boolean),
      })
      .from(shares)
      .innerJoin(users, eq(users.id, shares.userId))
      .where(
        and(
          eq(shares.token, token),
          or(isNull(shares.expiresAt), gt(shares.expiresAt, now())),
          or(users.isSuperuser, users.canShare),
        ),
      )
      .get();

  return {
    async list(userId: UserId): Promise<ShareSummary[]> {
      const rows = db.select().from(shares).where(eq(shares.userId, userId)).orderBy(asc(shares.id)).all();
      return mapInSlices(rows, withTracks);
    },

    /** Shares these tracks; tracks added to an album later are not in the share. Throws `invalid` and `conflict`. */
    async create(
      userId: UserId,
      trackIds: readonly TrackId[],
      { description, expiresAt }: ShareDetails,
    ): Promise<ShareSummary> {
      if (trackIds.length === 0 || trackIds.length > MAX_SHARED_TRACKS)
        throw invalid([{ field: 'track_ids', message: `must be 1 to ${MAX_SHARED_TRACKS}` }]);
      const { count } = db.select({ count: countRows() }).from(shares).where(eq(shares.userId, userId)).get() ?? {
        count: 0,
      };
      if (count >= MAX_SHARES) throw conflict(`An account may have ${MAX_SHARES} shares at most. Delete some.`);
      const row = writtenRow(
        db
          .insert(shares)
          .values({
            token: randomBytes(TOKEN_BYTES).toString('base64url'),
            userId,
            description: shortened(description),
            expiresAt,
            createdAt: now(),
          })
          .returning(),
      );
      try {
        await inSlices(
          trackIds.entries(),
          ([position, trackId]) => void db.insert(shareTracks).values({ shareId: row.id, position, trackId }).run(),
          (work) => db.transaction(work, { behavior: 'immediate' }),
        );
      } catch (error) {
        db.delete(shares).where(eq(shares.id, row.id)).run();
        throw error;
      }
      return { ...row, trackIds: [...trackIds] };
    },

    /** Leaves undefined fields as they are. Throws `not_found`, also for the share of another user. */
    update(userId: UserId, id: ShareId, { description, expiresAt }: Partial<ShareDetails>): void {
      const set = {
        ...(description !== undefined && { description: shortened(description) }),
        ...(expiresAt !== undefined && { expiresAt }),
      };
      const usableShare =
        Object.keys(set).length === 0
          ? db.select({ id: shares.id }).from(shares).where(shareOfUser(userId, id)).get() !== undefined
          : db.update(shares).set(set).where(shareOfUser(userId, id)).run().changes > 0;
      if (!usableShare) throw notFound('share', id);
      openAnswers.recheck(userId);
    },

    /** Ends running streams and downloads of the share. */
    remove(userId: UserId, id: ShareId): void {
      if (db.delete(shares).where(shareOfUser(userId, id)).run().changes === 0) throw notFound('share', id);
      openAnswers.recheck(userId);
    },

    /** Tracks a response with audio of the share: it ends with the share, or with the owner's right. */
    noteOpen(res: ServerResponse, { token, userId }: Pick<ShareRow, 'token' | 'userId'>, isSaving: boolean): void {
      openAnswers.track(res, userId, () => {
        const usableShare = findOpen(token);
        return usableShare !== undefined && (usableShare.mayDownload || !isSaving);
      });
    },

    /** Finds a share and counts the visit. Throws `not_found`, also for one that expired or was deleted. */
    visit(token: string): ShareSummary & { mayDownload: boolean } {
      const usableShare = findOpen(token);
      if (!usableShare) throw notFound('share');
      const row = usableShare.share;
      db.update(shares)
        .set({ visitCount: sql`${shares.visitCount} + 1`, lastVisitedAt: now() })
        .where(eq(shares.id, row.id))
        .run();
      return { ...withTracks(row), mayDownload: usableShare.mayDownload };
    },

    /** Returns all tracks for a download. Throws `not_found`, also when the owner may not download. */
    whole(token: string): ShareSummary & { maxKbps: number | null } {
      const usableShare = findOpen(token);
      if (!usableShare?.mayDownload) throw notFound('share');
      return { ...withTracks(usableShare.share), maxKbps: usableShare.mostKbps };
    },

    /** The track at a position of the share, with the bitrate limit of its owner. Throws `not_found`. */
    trackAt(token: string, position: number): { share: ShareRow; trackId: TrackId; maxKbps: number | null } {
      const usableShare = findOpen(token);
      const track =
        usableShare &&
        db
          .select({ id: shareTracks.trackId })
          .from(shareTracks)
          .where(and(eq(shareTracks.shareId, usableShare.share.id), eq(shareTracks.position, position)))
          .get();
      if (!track) throw notFound('share');
      return { share: usableShare.share, trackId: track.id, maxKbps: usableShare.mostKbps };
    },

    positionsOf: (id: ShareId): number[] =>
      db
        .select({ position: shareTracks.position })
        .from(shareTracks)
        .where(eq(shareTracks.shareId, id))
        .orderBy(asc(shareTracks.position))
        .all()
        .map(({ position }) => position),
  };
}

const shortened = (text: string | null): string | null => text?.slice(0, MAX_DESCRIPTION_CHARACTERS) ?? null;
