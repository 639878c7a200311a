// Stores what the tags of a track say about listening to it, and tells the modules that give it to an account. Runs
// inside the caller's write transaction.
import type { Sqlite } from '../../db/client.ts';
import type { TrackId } from '../../db/ids.ts';
import type { RowAs } from '../../db/rows.ts';
import type { tagRatings } from '../../db/schema.ts';
import type { Listening } from '../../media/types.ts';

/** Ratings and counts in tags; null where the tags say nothing. */
export type TagRating = RowAs<typeof tagRatings, 'rating' | 'plays' | 'lastPlayedAt'>;

export type TagRatingListener = (id: TrackId, previous: TagRating, current: TagRating) => void;

export const NO_TAG_RATING: TagRating = { rating: null, plays: null, lastPlayedAt: null };

export function createTagRatings({ client, listeners }: { client: Sqlite; listeners: readonly TagRatingListener[] }) {
  const find = client.prepare<[TrackId], TagRating>(
    'SELECT rating, plays, last_played_at AS lastPlayedAt FROM tag_ratings WHERE track_id = ?',
  );
  const upsert = client.prepare<TagRating & { id: TrackId }>(
    `INSERT INTO tag_ratings (track_id, rating, plays, last_played_at) VALUES (@id, @rating, @plays, @lastPlayedAt)
      ON CONFLICT (track_id) DO UPDATE SET rating = excluded.rating, plays = excluded.plays,
        last_played_at = excluded.last_played_at`,
  );
  const remove = client.prepare<[TrackId]>('DELETE FROM tag_ratings WHERE track_id = ?');

  return {
    /** Replaces what the tags of a track say; null if they say nothing. */
    set(id: TrackId, listening: Listening | null): void {
      const previous = find.get(id);
      if (!previous && !listening) return;
      const current: TagRating = {
        rating: listening?.rating ?? null,
        plays: listening?.plays ?? null,
        lastPlayedAt: listening?.lastPlayedMs ?? null,
      };
      if (listening) upsert.run({ ...current, id });
      else remove.run(id);
      if (previous && isSameRating(previous, current)) return;
      for (const listener of listeners) listener(id, previous ?? NO_TAG_RATING, current);
    },
  };
}

const isSameRating = (a: TagRating, b: TagRating): boolean =>
  a.rating === b.rating && a.plays === b.plays && a.lastPlayedAt === b.lastPlayedAt;
