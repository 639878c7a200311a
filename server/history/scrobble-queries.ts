// SQL of scrobbling: accounts and the queue of plays.
import { eq } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { PlayId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { scrobbleAccounts, type plays } from '../db/schema.ts';
import { EARLIEST_LISTEN_MS } from './listenbrainz.ts';

export type ScrobbleAccountRow = typeof scrobbleAccounts.$inferSelect;

export type QueuedPlay = RowAs<
  typeof plays,
  | 'id'
  | 'title'
  | 'artistName'
  | 'albumTitle'
  | 'recordingMbid'
  | 'durationMs'
  | 'playedMs'
  | 'playedAt'
  | 'withdrawnAt'
>;

export function createScrobbleQueries({ db }: { db: MainDb }) {
  const client = db.$client;
  const queue = client.prepare<{ userId: UserId; ids: string }>(`INSERT OR IGNORE INTO scrobble_queue (play_id, user_id)
    SELECT p.id, p.user_id FROM json_each(@ids) ids CROSS JOIN plays p ON p.id = ids.value
    WHERE p.user_id = @userId AND p.played_at >= ${EARLIEST_LISTEN_MS} AND EXISTS (SELECT 1 FROM scrobble_accounts
    WHERE user_id = @userId)`);
  const next = client.prepare<
    [UserId, number],
    QueuedPlay
  >(`SELECT p.id, p.title, p.artist_name AS artistName, p.album_title AS albumTitle, p.recording_mbid AS recordingMbid,
    p.duration_ms AS durationMs, p.played_ms AS playedMs, p.played_at AS playedAt, p.withdrawn_at AS withdrawnAt
    FROM scrobble_queue q CROSS JOIN plays p ON p.id = q.play_id WHERE q.user_id = ? AND q.refusal IS NULL
    ORDER BY q.play_id LIMIT ?`);
  const drop = client.prepare<[string]>('DELETE FROM scrobble_queue WHERE play_id IN (SELECT value FROM json_each(?))');
  const dropAll = client.prepare<[UserId]>('DELETE FROM scrobble_queue WHERE user_id = ?');
  const refuse = client.prepare<[string, PlayId]>('UPDATE scrobble_queue SET refusal = ? WHERE play_id = ?');
  const count = client.prepare<
    [UserId, UserId],
    { queued: number; refused: number }
  >(`SELECT (SELECT count(*) FROM scrobble_queue WHERE user_id = ? AND refusal IS NULL) AS queued,
    (SELECT count(*) FROM scrobble_queue WHERE user_id = ? AND refusal IS NOT NULL) AS refused`);
  const waitingUsers = client
    .prepare<[], UserId>(
      'SELECT user_id FROM scrobble_accounts a WHERE is_stopped = 0 AND EXISTS (SELECT 1 ' +
        'FROM scrobble_queue q WHERE q.user_id = a.user_id AND q.refusal IS NULL)',
    )
    .pluck();
  const addSubmitted = client.prepare<[number, number, UserId]>(
    'UPDATE scrobble_accounts SET submitted = submitted + ?, last_submitted_at = ?, problem = NULL WHERE user_id = ?',
  );

  return {
    findAccount: (userId: UserId): ScrobbleAccountRow | undefined =>
      db.select().from(scrobbleAccounts).where(eq(scrobbleAccounts.userId, userId)).get(),

    setAccount(account: Pick<ScrobbleAccountRow, 'userId' | 'token' | 'tokenSalt' | 'username' | 'createdAt'>): void {
      const { userId: _, createdAt: __, ...renewed } = account;
      db.insert(scrobbleAccounts)
        .values(account)
        .onConflictDoUpdate({ target: scrobbleAccounts.userId, set: { ...renewed, problem: null, isStopped: false } })
        .run();
    },
    updateAccount: (userId: UserId, values: Partial<Pick<ScrobbleAccountRow, 'problem' | 'isStopped'>>): void =>
      void db.update(scrobbleAccounts).set(values).where(eq(scrobbleAccounts.userId, userId)).run(),
    removeAccount: client.transaction((userId: UserId): void => {
      dropAll.run(userId);
      db.delete(scrobbleAccounts).where(eq(scrobbleAccounts.userId, userId)).run();
    }).immediate,

    /** Does nothing for a user without an account. */
    queue: (userId: UserId, ids: readonly PlayId[]): void => void queue.run({ userId, ids: JSON.stringify(ids) }),
    next: (userId: UserId, limit: number): QueuedPlay[] => next.all(userId, limit),
    drop: (ids: readonly PlayId[]): void => {
      if (ids.length > 0) drop.run(JSON.stringify(ids));
    },
    refuse: (id: PlayId, reason: string): void => void refuse.run(reason, id),
    submitted: client.transaction((userId: UserId, ids: readonly PlayId[], at: Date): void => {
      drop.run(JSON.stringify(ids));
      addSubmitted.run(ids.length, at.getTime(), userId);
    }).immediate,
    counts: (userId: UserId): { queued: number; refused: number } =>
      count.get(userId, userId) ?? { queued: 0, refused: 0 },
    waitingUsers: (): UserId[] => waitingUsers.all(),
  };
}
