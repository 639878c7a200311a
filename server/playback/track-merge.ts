// Moves queue entries and bookmarks when two tracks are merged, and moves bookmarks back when that is undone. Runs
// inside the caller's transaction.
import { and, eq, gte, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { bookmarks, playQueues } from '../db/schema.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';

const MergeMemory = z.array(
  z.object({
    userId: z.int().transform((id) => id as UserId),
    positionMs: z.int(),
    comment: z.string().nullable(),
    updatedAt: z.int(),
  }),
);

export function createPlaybackMerge({ db }: { db: MainDb }): TrackMergePart {
  function moveInQueues(from: TrackId, to: TrackId): void {
    // the search by text also finds longer ids that contain this one, which are skipped below
    const candidates = db
      .select({ userId: playQueues.userId, trackIds: playQueues.trackIds })
      .from(playQueues)
      .where(sql`instr(${playQueues.trackIds}, ${`${from}`}) > 0`)
      .all();
    for (const { userId, trackIds } of candidates) {
      const ids = JSON.parse(trackIds) as TrackId[];
      if (!ids.includes(from)) continue;
      db.update(playQueues)
        .set({ trackIds: JSON.stringify(ids.map((id) => (id === from ? to : id))) })
        .where(eq(playQueues.userId, userId))
        .run();
    }
  }

  /** Moves bookmarks to the kept track. If a user has bookmarks in both tracks, the later one is kept. */
  function moveBookmarks(from: TrackId, to: TrackId): void {
    for (const bookmark of db.select().from(bookmarks).where(eq(bookmarks.trackId, from)).all()) {
      const ofTo = and(eq(bookmarks.userId, bookmark.userId), eq(bookmarks.trackId, to));
      const targetBookmark = db.select().from(bookmarks).where(ofTo).get();
      if (!targetBookmark)
        db.insert(bookmarks)
          .values({ ...bookmark, trackId: to })
          .run();
      else if (targetBookmark.updatedAt < bookmark.updatedAt)
        db.update(bookmarks)
          .set({ positionMs: bookmark.positionMs, comment: bookmark.comment, updatedAt: bookmark.updatedAt })
          .where(ofTo)
          .run();
    }
    db.delete(bookmarks).where(eq(bookmarks.trackId, from)).run();
  }

  const bookmarksOf = (id: TrackId): z.output<typeof MergeMemory> =>
    db
      .select()
      .from(bookmarks)
      .where(eq(bookmarks.trackId, id))
      .all()
      .map(({ userId, positionMs, comment, updatedAt }) => ({
        userId,
        positionMs,
        comment,
        updatedAt: updatedAt.getTime(),
      }));

  return {
    moveSince(from: TrackId, to: TrackId, since: Date): boolean {
      const isLater = and(eq(bookmarks.trackId, from), gte(bookmarks.updatedAt, since));
      return db.update(bookmarks).set({ trackId: to }).where(isLater).run().changes > 0;
    },

    move(from: TrackId, to: TrackId): void {
      moveInQueues(from, to);
      moveBookmarks(from, to);
    },

    remembers: { name: 'bookmarks', stateOf: (_, to) => bookmarksOf(to) },

    /**
     * Undoes a merge: removes from the kept track the bookmarks that came from the emptied track, which gets them back
     * from its snapshot.
     */
    bringBack(from, to, { remembered }): void {
      const memory = MergeMemory.parse(remembered);
      const restoredBookmarks = bookmarksOf(from);
      for (const { userId, updatedAt } of bookmarksOf(to)) {
        if (!restoredBookmarks.some((bookmark) => bookmark.userId === userId && bookmark.updatedAt === updatedAt))
          continue;
        const ofUser = and(eq(bookmarks.trackId, to), eq(bookmarks.userId, userId));
        const ownBookmark = memory.find((bookmark) => bookmark.userId === userId);
        if (ownBookmark?.updatedAt === updatedAt) continue;
        if (ownBookmark)
          db.update(bookmarks)
            .set({
              positionMs: ownBookmark.positionMs,
              comment: ownBookmark.comment,
              updatedAt: new Date(ownBookmark.updatedAt),
            })
            .where(ofUser)
            .run();
        else db.delete(bookmarks).where(ofUser).run();
      }
    },
  };
}
