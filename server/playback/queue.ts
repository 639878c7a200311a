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

export type QueueService = ReturnType<typeof createQueueService>;

export interface QueueDeps {
  db: MainDb;
  now: () => Date;
  events: Pick<EventHub, 'publish'>;
  library: Pick<LibraryService, 'tracksById'>;
}

export function createQueueService({ db, now, events, library }: QueueDeps) {
  const findThere = db.$client
    .prepare<[string], TrackId>('SELECT t.id FROM json_each(?) ids CROSS JOIN tracks t ON t.id = ids.value')
    .pluck();

  function get(userId: UserId): PlayQueue {
    const row = db.select().from(playQueues).where(eq(playQueues.userId, userId)).get();
    if (!row) return { trackIds: [], currentIndex: 0, positionMs: 0, client: null, updatedAt: null };
    const there = new Set(findThere.all(row.trackIds));
    return {
      ...repairQueue(JSON.parse(row.trackIds) as TrackId[], (id) => there.has(id), row),
      client: row.client,
      updatedAt: row.updatedAt,
    };
  }

  return {
    get,

    /** In the queue's order. */
    tracks(userId: UserId, { limit, offset }: Page): Paged<TrackSummary> {
      const { trackIds } = get(userId);
      return { items: library.tracksById(userId, trackIds.slice(offset, offset + limit)), total: trackIds.length };
    },

    /** Replaces the queue, without tracks that are not in the library. Throws `invalid` for an index out of range. */
    save(userId: UserId, { trackIds, currentIndex, positionMs, client }: Omit<PlayQueue, 'updatedAt'>): PlayQueue {
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
    ): PlayQueue {
      const { current, ...rest } = queue;
      const currentIndex = current === undefined ? 0 : queue.trackIds.indexOf(current);
      if (currentIndex < 0) throw invalid([{ field: 'current', message: 'is not in the queue' }]);
      return this.save(userId, { ...rest, currentIndex });
    },
  };
}
