// A user's play queue, shared by their devices; the last save wins.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { playQueues } from '../db/schema.ts';
import { invalid } from '../errors.ts';
import type { EventHub } from '../events/hub.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/track-rows.ts';
import { repairQueue } from './queue-repair.ts';
import { queueEvent } from './events.ts';

export interface PlayQueue {
  trackIds: TrackId[];
  /** Index in trackIds; 0 in an empty queue. */
  currentIndex: number;
  positionMs: number;
  client: string | null;
  /** Null when no queue was ever saved. */
  updatedAt: Date | null;
}

/** Phones put a whole library into it. */
export const MOST_QUEUED = 200_000;

export type QueueService = ReturnType<typeof createQueueService>;

interface QueueDeps {
  db: MainDb;
  now: () => Date;
  events: Pick<EventHub, 'publish'>;
  library: Pick<LibraryService, 'tracksById' | 'tracksThere'>;
}

export function createQueueService({ db, now, events, library }: QueueDeps) {
  async function get(userId: UserId): Promise<PlayQueue> {
    const row = db.select().from(playQueues).where(eq(playQueues.userId, userId)).get();
    if (!row) return { trackIds: [], currentIndex: 0, positionMs: 0, client: null, updatedAt: null };
    const trackIds = JSON.parse(row.trackIds) as TrackId[];
    const there = await library.tracksThere(trackIds);
    return { ...repairQueue(trackIds, (id) => there.has(id), row), client: row.client, updatedAt: row.updatedAt };
  }

  return {
    get,

    /** Tracks of a part of the queue, in its order. */
    async tracks(userId: UserId, { limit, offset }: Page): Promise<Paged<TrackSummary>> {
      const { trackIds } = await get(userId);
      return { items: library.tracksById(userId, trackIds.slice(offset, offset + limit)), total: trackIds.length };
    },

    /**
     * Replaces the queue; tracks that are not in the library are left out. Throws `invalid` for a place outside of it.
     */
    save(
      userId: UserId,
      { trackIds, currentIndex, positionMs, client }: Omit<PlayQueue, 'updatedAt'>,
    ): Promise<PlayQueue> {
      if (trackIds.length > MOST_QUEUED)
        throw invalid([{ field: 'track_ids', message: `may hold at most ${MOST_QUEUED} ids` }]);
      if (currentIndex > Math.max(0, trackIds.length - 1))
        throw invalid([{ field: 'current_index', message: 'is outside the queue' }]);
      const values = { trackIds: JSON.stringify(trackIds), currentIndex, positionMs, client, updatedAt: now() };
      db.insert(playQueues)
        .values({ userId, ...values })
        .onConflictDoUpdate({ target: playQueues.userId, set: values })
        .run();
      events.publish(queueEvent, { client, updated_at: values.updatedAt.toISOString() }, { audience: { userId } });
      return get(userId);
    },

    /** For clients that send the current track instead of its index; undefined is the first one. */
    saveByTrack(
      userId: UserId,
      queue: Omit<PlayQueue, 'updatedAt' | 'currentIndex'> & { current: TrackId | undefined },
    ): Promise<PlayQueue> {
      const { current, ...rest } = queue;
      const currentIndex = current === undefined ? 0 : queue.trackIds.indexOf(current);
      if (currentIndex < 0) throw invalid([{ field: 'current', message: 'is not in the queue' }]);
      return this.save(userId, { ...rest, currentIndex });
    },
  };
}
