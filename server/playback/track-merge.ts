// Queues and bookmarks go over to another track that turned out to be the same music. Inside the caller's transaction.
import { and, eq, sql } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { bookmarks, playQueues } from '../db/schema.ts';
import type { TrackMergePart } from '../library/track-merge.ts';

export function createPlaybackMerge({ db }: { db: MainDb }): TrackMergePart {
  function moveInQueues(from: TrackId, to: TrackId): void {
    // the number may also be a part of another one: then nothing changes
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

  /** Who has one on both keeps the later. */
  function moveBookmarks(from: TrackId, to: TrackId): void {
    for (const bookmark of db.select().from(bookmarks).where(eq(bookmarks.trackId, from)).all()) {
      const ofTo = and(eq(bookmarks.userId, bookmark.userId), eq(bookmarks.trackId, to));
      const kept = db.select().from(bookmarks).where(ofTo).get();
      if (!kept)
        db.insert(bookmarks)
          .values({ ...bookmark, trackId: to })
          .run();
      else if (kept.updatedAt < bookmark.updatedAt)
        db.update(bookmarks)
          .set({ positionMs: bookmark.positionMs, comment: bookmark.comment, updatedAt: bookmark.updatedAt })
          .where(ofTo)
          .run();
    }
    db.delete(bookmarks).where(eq(bookmarks.trackId, from)).run();
  }

  return {
    move(from: TrackId, to: TrackId): void {
      moveInQueues(from, to);
      moveBookmarks(from, to);
    },
  };
}
