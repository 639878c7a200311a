// Bookmarks: a position in a track, one per user and track.
import { and, count, desc, eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { bookmarks, tracks } from '../db/schema.ts';
import { notFound } from '../errors.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';

type BookmarkRow = typeof bookmarks.$inferSelect;
export type BookmarkSummary = BookmarkRow & { track: TrackSummary };

export type BookmarkService = ReturnType<typeof createBookmarkService>;

export function createBookmarkService({
  db,
  now,
  library,
}: {
  db: MainDb;
  now: () => Date;
  library: Pick<LibraryService, 'tracksById'>;
}) {
  const isBookmark = (userId: UserId, trackId: TrackId) =>
    and(eq(bookmarks.userId, userId), eq(bookmarks.trackId, trackId));

  function withTracks(userId: UserId, rows: BookmarkRow[]): BookmarkSummary[] {
    const byId = new Map(
      library
        .tracksById(
          userId,
          rows.map(({ trackId }) => trackId),
        )
        .map((track) => [track.id, track]),
    );
    return rows.flatMap((row) => {
      const track = byId.get(row.trackId);
      return track ? [{ ...row, track }] : [];
    });
  }

  function get(userId: UserId, trackId: TrackId): BookmarkSummary {
    const [bookmark] = withTracks(userId, db.select().from(bookmarks).where(isBookmark(userId, trackId)).all());
    if (!bookmark) throw notFound('bookmark of track', trackId);
    return bookmark;
  }

  return {
    get,
    /** Lists a user's bookmarks, last changed first. */
    list: (userId: UserId, { limit, offset }: Page): Paged<BookmarkSummary> => ({
      items: withTracks(
        userId,
        db
          .select()
          .from(bookmarks)
          .where(eq(bookmarks.userId, userId))
          .orderBy(desc(bookmarks.updatedAt), desc(bookmarks.trackId))
          .limit(limit)
          .offset(offset)
          .all(),
      ),
      total: db.select({ n: count() }).from(bookmarks).where(eq(bookmarks.userId, userId)).get()?.n ?? 0,
    }),

    /**
     * Creates or moves a bookmark; without a comment the bookmark keeps its comment. Throws `not_found` for an unknown
     * track.
     */
    set: (
      userId: UserId,
      trackId: TrackId,
      { positionMs, comment }: { positionMs: number; comment: string | null | undefined },
    ): BookmarkSummary => {
      db.transaction(
        (tx) => {
          if (!tx.select({ id: tracks.id }).from(tracks).where(eq(tracks.id, trackId)).get())
            throw notFound('track', trackId);
          const values = { positionMs, updatedAt: now(), ...(comment !== undefined && { comment }) };
          tx.insert(bookmarks)
            .values({ userId, trackId, createdAt: values.updatedAt, ...values })
            .onConflictDoUpdate({ target: [bookmarks.userId, bookmarks.trackId], set: values })
            .run();
        },
        { behavior: 'immediate' },
      );
      return get(userId, trackId);
    },

    remove(userId: UserId, trackId: TrackId): void {
      if (db.delete(bookmarks).where(isBookmark(userId, trackId)).run().changes === 0)
        throw notFound('bookmark of track', trackId);
    },
  };
}
