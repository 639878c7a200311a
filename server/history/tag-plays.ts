// Plays that the tags of files count, for the account to which they belong. They are part of the play counts, but not
// of the history and its statistics, since nobody knows when most of them were.
import { z } from 'zod';
import type { MainDb } from '../db/client.ts';
import type { TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tagPlays } from '../db/schema.ts';
import { NO_TAG_RATING } from '../library/tracks/tag-ratings.ts';
import type { TrackMergePart } from '../library/merges/track-merge.ts';

type TagPlaysRow = RowAs<typeof tagPlays, 'userId' | 'plays' | 'lastPlayedAt'>;

/** What the tags of one file count. */
interface Counted {
  plays: number | null;
  /** In milliseconds. */
  lastPlayedAt: number | null;
}

const Rows = z.array(
  z.object({ userId: z.int().transform((id) => id as UserId), plays: z.number(), lastPlayedAt: z.number() }),
);
const Tags = z.object({
  rating: z.number().nullable(),
  plays: z.number().nullable(),
  lastPlayedAt: z.number().nullable(),
});
/** The rows of both tracks, and the tags of the kept one, before a merge. They may come from a backup. */
const Remembered = z
  .object({ from: Rows, to: Rows, toTags: Tags.nullable().default(null) })
  .catch({ from: [], to: [], toTags: null });

export function createTagPlays({ db, now }: { db: MainDb; now: () => Date }) {
  const client = db.$client;
  const listRows = client.prepare<[TrackId], TagPlaysRow>(
    'SELECT user_id AS userId, plays, last_played_at AS lastPlayedAt FROM tag_plays WHERE track_id = ?',
  );
  const insert = client.prepare<TagPlaysRow & { trackId: TrackId }>(
    `INSERT INTO tag_plays (user_id, track_id, plays, last_played_at)
      SELECT id, @trackId, @plays, @lastPlayedAt FROM users WHERE id = @userId`,
  );
  const remove = client.prepare<[UserId, TrackId]>('DELETE FROM tag_plays WHERE user_id = ? AND track_id = ?');
  const removeOthers = client.prepare<{ userId: UserId | null; afterId: number; upToId: number }>(
    'DELETE FROM tag_plays WHERE track_id > @afterId AND track_id <= @upToId AND user_id IS NOT @userId',
  );

  const findTags = client.prepare<[TrackId], z.output<typeof Tags>>(
    'SELECT rating, plays, last_played_at AS lastPlayedAt FROM tag_ratings WHERE track_id = ?',
  );
  const removeTags = client.prepare<[TrackId]>('DELETE FROM tag_ratings WHERE track_id = ?');
  const insertTags = client.prepare<z.output<typeof Tags> & { trackId: TrackId }>(
    `INSERT INTO tag_ratings (track_id, rating, plays, last_played_at)
      SELECT @trackId, @rating, @plays, @lastPlayedAt WHERE coalesce(@rating, @plays, @lastPlayedAt) IS NOT NULL`,
  );

  /** Stores other tags for a track, which has another file; the plays of the account are the caller's work. */
  function replaceTags(trackId: TrackId, tags: z.output<typeof Tags>): void {
    removeTags.run(trackId);
    insertTags.run({ ...tags, trackId });
  }

  const find = (userId: UserId, id: TrackId): TagPlaysRow | undefined =>
    listRows.all(id).find((row) => row.userId === userId);

  /** Replaces the row, since the triggers of the play counts know inserted and deleted rows only. */
  function put(trackId: TrackId, row: TagPlaysRow): void {
    remove.run(row.userId, trackId);
    if (row.plays > 0) insert.run({ ...row, trackId });
  }

  const mergePart: TrackMergePart = {
    move(from, to, { takesFile }): void {
      // the tags of a file that is replaced count what the other file counts, too
      const [tags, replacedTags] = [findTags.get(from), findTags.get(to)];
      const replacedPlays = takesFile ? (replacedTags?.plays ?? 0) : 0;
      // with the rating of before, so that another one in the file counts as a change when the file is read
      if (takesFile) replaceTags(to, { ...NO_TAG_RATING, ...tags, rating: replacedTags?.rating ?? null });
      for (const row of listRows.all(from)) {
        const ownRow = find(row.userId, to);
        remove.run(row.userId, from);
        put(to, {
          userId: row.userId,
          plays: row.plays + Math.max(0, (ownRow?.plays ?? 0) - replacedPlays),
          lastPlayedAt: Math.max(row.lastPlayedAt, ownRow?.lastPlayedAt ?? 0),
        });
      }
    },
    remembers: {
      name: 'tagPlays',
      stateOf: (from, to) => ({
        from: listRows.all(from),
        to: listRows.all(to),
        toTags: findTags.get(to) ?? null,
      }),
    },
    bringBack(from, to, { remembered, tookFile }): void {
      const rows = Remembered.parse(remembered);
      if (tookFile) replaceTags(to, rows.toTags ?? NO_TAG_RATING);
      const returnedPlays = tookFile ? (rows.toTags?.plays ?? 0) : 0;
      for (const row of rows.from) {
        const [mergedRow, ownRow] = [find(row.userId, to), rows.to.find(({ userId }) => userId === row.userId)];
        if (mergedRow)
          put(to, {
            userId: row.userId,
            plays: mergedRow.plays - row.plays + returnedPlays,
            lastPlayedAt: ownRow?.lastPlayedAt ?? mergedRow.lastPlayedAt,
          });
        put(from, row);
      }
    },
  };

  return {
    mergePart,
    has: (userId: UserId, id: TrackId): boolean => find(userId, id) !== undefined,
    /**
     * Gives a user the plays that the tags of a track count now. Only the difference to what they counted before is
     * added, because the track may have plays of a merged track. To be called in a transaction.
     */
    set(userId: UserId, id: TrackId, previous: Counted, current: Counted): void {
      const row = find(userId, id);
      const playsOfOthers = row ? Math.max(0, row.plays - (previous.plays ?? 0)) : 0;
      const lastPlayedAt = current.lastPlayedAt ?? 0;
      put(id, {
        userId,
        plays: playsOfOthers + (current.plays ?? 0),
        lastPlayedAt: lastPlayedAt <= now().getTime() ? lastPlayedAt : 0,
      });
    },
    /** Removes the plays of tracks with ids in this range that belong to other users; without a user, those of all. */
    removeOthers: (userId: UserId | undefined, range: { afterId: number; upToId: number }): number =>
      removeOthers.run({ userId: userId ?? null, ...range }).changes,
  };
}
