// A user's play queue, shared by their devices; the last save wins.
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import { dataVersionOf } from '../db/data-version.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import { playQueues } from '../db/schema.ts';
import { invalid } from '../errors.ts';
import { playId } from '../history/wire.ts';
import type { EventHub } from '../events/hub.ts';
import { isoTimeIn } from '../http/times.ts';
import type { Page, Paged } from '../http/paging.ts';
import type { LibraryService } from '../library/service.ts';
import type { TrackSummary } from '../library/lists/track-rows.ts';
import { repairQueue } from './queue-repair.ts';
import { queueEvent } from './events.ts';

/** How long the current track was played, for the device that continues playing it. */
export interface QueueListening {
  playId: string;
  startedAt: Date;
  heardMs: number;
}

export interface PlayQueue {
  trackIds: TrackId[];
  /** Index in trackIds; 0 in an empty queue. */
  currentIndex: number;
  positionMs: number;
  listening: QueueListening | null;
  client: string | null;
  /** Null when no queue was ever saved. */
  updatedAt: Date | null;
}

const StoredListening = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.object({ playId, startedAt: isoTimeIn, heardMs: z.int().min(0) }));
/** Parses the stored JSON; returns null also if it is damaged, since the row may come from a backup. */
const parseListening = (storedJson: string | null): QueueListening | null => {
  try {
    return StoredListening.parse(storedJson);
  } catch {
    return null;
  }
};

/** Maximum length of a queue; high, since phones put a whole library into the queue. */
export const MAX_QUEUED = 200_000;

export type QueueService = ReturnType<typeof createQueueService>;

interface QueueDeps {
  db: MainDb;
  now: () => Date;
  events: Pick<EventHub, 'publish'>;
  library: Pick<LibraryService, 'tracksById' | 'findExistingTracks'>;
}

export function createQueueService({ db, now, events, library }: QueueDeps) {
  async function get(userId: UserId): Promise<PlayQueue> {
    const row = db.select().from(playQueues).where(eq(playQueues.userId, userId)).get();
    if (!row) return { trackIds: [], currentIndex: 0, positionMs: 0, listening: null, client: null, updatedAt: null };
    const trackIds = JSON.parse(row.trackIds) as TrackId[];
    const existingIds = await library.findExistingTracks(trackIds);
    const isCurrentThere = existingIds.has(trackIds[row.currentIndex] as TrackId);
    return {
      ...repairQueue(trackIds, (id) => existingIds.has(id), row),
      listening: isCurrentThere ? parseListening(row.listening) : null,
      client: row.client,
      updatedAt: row.updatedAt,
    };
  }

  return {
    get,

    /** Returns the tracks of a page of the queue, in its order. */
    async tracks(userId: UserId, { limit, offset }: Page): Promise<Paged<TrackSummary>> {
      const { trackIds } = await get(userId);
      return { items: library.tracksById(userId, trackIds.slice(offset, offset + limit)), total: trackIds.length };
    },

    /**
     * Replaces the queue; tracks that are not in the library are left out. Throws `invalid` for an index outside of the
     * queue.
     */
    save(
      userId: UserId,
      { trackIds, currentIndex, positionMs, listening, client }: Omit<PlayQueue, 'updatedAt'>,
    ): Promise<PlayQueue> {
      if (trackIds.length > MAX_QUEUED)
        throw invalid([{ field: 'track_ids', message: `may hold at most ${MAX_QUEUED} ids` }]);
      if (currentIndex > Math.max(0, trackIds.length - 1))
        throw invalid([{ field: 'current_index', message: 'is outside the queue' }]);
      const values = {
        trackIds: JSON.stringify(trackIds),
        currentIndex,
        positionMs,
        listening: listening && JSON.stringify(listening),
        client,
        updatedAt: now(),
      };
      dataVersionOf(db.$client).hide(() => {
        db.insert(playQueues)
          .values({ userId, ...values })
          .onConflictDoUpdate({ target: playQueues.userId, set: values })
          .run();
      });
      events.publish(queueEvent, { client, updated_at: values.updatedAt.toISOString() }, { audience: { userId } });
      return get(userId);
    },
  };
}
