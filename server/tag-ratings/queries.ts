// The statements that give the ratings and play counts in tags to an account, and take them back.
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tagRatingsUnread, tracks } from '../db/schema.ts';
import type { TagRating } from '../library/tracks/tag-ratings.ts';

export type StoredTrack = RowAs<typeof tracks, 'id' | 'sourceId'> & { storageUri: string };

export function createTagRatingQueries({ db: { $client: client } }: { db: MainDb }) {
  const findAccount = client.prepare<[string], UserId>('SELECT id FROM users WHERE username_key = ?').pluck();
  const findUnread = client.prepare<[], RowAs<typeof tagRatingsUnread, 'lastId' | 'upToId'>>(
    'SELECT last_id AS lastId, up_to_id AS upToId FROM tag_ratings_unread',
  );
  const listUnread = client.prepare<[number, number, number], StoredTrack>(
    `SELECT id, source_id AS sourceId, storage_uri AS storageUri FROM tracks
      WHERE id > ? AND id <= ? AND storage_uri IS NOT NULL AND section_start IS NULL AND availability = 'available'
      ORDER BY id LIMIT ?`,
  );
  const countUnread = client
    .prepare<[number, number], number>('SELECT count(*) FROM tracks WHERE id > ? AND id <= ?')
    .pluck();
  const hasUri = client.prepare<[TrackId, string]>('SELECT 1 FROM tracks WHERE id = ? AND storage_uri = ?');
  const setLastRead = client.prepare<[number]>('UPDATE tag_ratings_unread SET last_id = ?');
  const highestId = client.prepare<[], number | null>('SELECT max(id) FROM tracks').pluck();
  const listRatings = client.prepare<[number, number], TagRating & { id: TrackId }>(
    `SELECT track_id AS id, rating, plays, last_played_at AS lastPlayedAt FROM tag_ratings
      WHERE track_id > ? AND track_id <= ?`,
  );
  const isGiven = client
    .prepare<{ userId: UserId }, 0 | 1>(
      `SELECT NOT EXISTS (SELECT 1 FROM tag_ratings)
        OR EXISTS (SELECT 1 FROM like_states
          WHERE user_id = @userId AND item_type = 'track' AND rating_origin = 'tag')
        OR EXISTS (SELECT 1 FROM tag_plays WHERE user_id = @userId)`,
    )
    .pluck();
  const isGivenToAnybody = client
    .prepare<[], 0 | 1>(
      `SELECT EXISTS (SELECT 1 FROM tag_plays)
        OR EXISTS (SELECT 1 FROM like_states WHERE rating_origin = 'tag')`,
    )
    .pluck();

  return {
    findAccount: (usernameKey: string): UserId | undefined => findAccount.get(usernameKey),
    findUnread: () => findUnread.get(),
    listUnread: (afterId: number, upToId: number, limit: number): StoredTrack[] =>
      listUnread.all(afterId, upToId, limit),
    countUnread: (afterId: number, upToId: number): number => countUnread.get(afterId, upToId) ?? 0,
    /** Returns whether a track still has the audio at this URI. */
    hasUri: (id: TrackId, uri: string): boolean => hasUri.get(id, uri) !== undefined,
    setLastRead: (id: number): void => void setLastRead.run(id),
    deleteUnread: (): void => void client.exec('DELETE FROM tag_ratings_unread'),
    highestId: (): number => highestId.get() ?? 0,
    listRatings: (afterId: number, upToId: number) => listRatings.all(afterId, upToId),
    /** Returns whether the account has something from tags, or tags have nothing. */
    isGivenTo: (userId: UserId): boolean => isGiven.get({ userId }) === 1,
    isGivenToAnybody: (): boolean => isGivenToAnybody.get() === 1,
  };
}
