// SQL of scrobbling: accounts, the queue of plays, and the loves that services have.
import { and, eq, inArray } from 'drizzle-orm';
import type { MainDb } from '../db/client.ts';
import type { PlayId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { scrobbleAccounts, scrobbleLoves, scrobbleQueue, users, type plays, type tracks } from '../db/schema.ts';
import { EARLIEST_LISTEN_MS } from './listenbrainz.ts';
import type { ScrobblerName } from './scrobblers.ts';
import { inNamedAlbum } from '../db/unknown-names.ts';

export type ScrobbleAccountRow = typeof scrobbleAccounts.$inferSelect;
export type LoveRow = Omit<typeof scrobbleLoves.$inferSelect, 'userId' | 'service'>;

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
> &
  RowAs<typeof scrobbleQueue, 'isSent'>;
export type LikedSong = RowAs<typeof tracks, 'id' | 'title' | 'artistName' | 'recordingMbid' | 'durationMs'> & {
  albumTitle: string | null;
};

/** A play that a service does not accept, and the reason. */
export type Refusal = RowAs<typeof plays, 'title' | 'artistName' | 'playedAt'> & { reason: string };
/** The number of latest refusals that are listed. */
const MAX_SHOWN_REFUSALS = 20;

/** Identifies a user's account at a service. */
interface AccountKey {
  userId: UserId;
  service: ScrobblerName;
}

export function createScrobbleQueries({ db }: { db: MainDb }) {
  const client = db.$client;
  const queue = client.prepare<{ userId: UserId; ids: string }>(`INSERT OR IGNORE INTO scrobble_queue
    (play_id, service, user_id)
    SELECT p.id, a.service, p.user_id FROM json_each(@ids) ids CROSS JOIN plays p ON p.id = ids.value
    CROSS JOIN scrobble_accounts a ON a.user_id = @userId
    WHERE p.user_id = @userId AND p.played_at >= ${EARLIEST_LISTEN_MS}`);
  const selectNext = client.prepare<
    AccountKey & { limit: number; without: string },
    QueuedPlay
  >(`SELECT p.id, p.title, p.artist_name AS artistName, p.album_title AS albumTitle, p.recording_mbid AS recordingMbid,
    p.duration_ms AS durationMs, p.played_ms AS playedMs, p.played_at AS playedAt, p.withdrawn_at AS withdrawnAt,
    q.is_sent AS isSent
    FROM scrobble_queue q CROSS JOIN plays p ON p.id = q.play_id
    WHERE q.user_id = @userId AND q.service = @service AND q.refusal IS NULL
      AND q.play_id NOT IN (SELECT value FROM json_each(@without))
    ORDER BY q.failures, q.play_id LIMIT @limit`);
  const selectWaiting = client.prepare<[], { userId: UserId; service: ScrobblerName }>(
    'SELECT user_id AS userId, service FROM scrobble_accounts a WHERE is_stopped = 0 AND EXISTS (SELECT 1 ' +
      'FROM scrobble_queue q WHERE q.user_id = a.user_id AND q.service = a.service AND q.refusal IS NULL)',
  );
  const count = client.prepare<
    AccountKey,
    { queued: number; refused: number }
  >(`SELECT (SELECT count(*) FROM scrobble_queue WHERE user_id = @userId AND service = @service AND refusal IS NULL)
    AS queued, (SELECT count(*) FROM scrobble_queue
      WHERE user_id = @userId AND service = @service AND refusal IS NOT NULL) AS refused`);
  const fail = client
    .prepare<{ id: PlayId; service: ScrobblerName; counts: number }, number>(
      'UPDATE scrobble_queue SET failures = iif(@counts, failures + 1, max(failures, 1)) ' +
        'WHERE play_id = @id AND service = @service RETURNING failures',
    )
    .pluck();
  const refusals = client.prepare<
    AccountKey,
    Refusal
  >(`SELECT p.title, p.artist_name AS artistName, p.played_at AS playedAt, q.refusal AS reason
    FROM scrobble_queue q CROSS JOIN plays p ON p.id = q.play_id
    WHERE q.user_id = @userId AND q.service = @service AND q.refusal IS NOT NULL
    ORDER BY q.play_id DESC LIMIT ${MAX_SHOWN_REFUSALS}`);
  const addSubmitted = client.prepare<AccountKey & { plays: number; at: number }>(
    'UPDATE scrobble_accounts SET submitted = submitted + @plays, last_submitted_at = @at, problem = NULL ' +
      'WHERE user_id = @userId AND service = @service',
  );
  const likedSongs = client.prepare<
    [UserId],
    LikedSong
  >(`SELECT t.id, t.title, t.artist_name AS artistName, t.recording_mbid AS recordingMbid, t.duration_ms AS durationMs,
    a.title AS albumTitle
    FROM like_states l CROSS JOIN tracks t ON t.id = l.item_id
      LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')}
    WHERE l.user_id = ? AND l.item_type = 'track' AND l.liked = 1`);
  const syncedBefore = client.prepare<[number], { userId: UserId; service: ScrobblerName }>(
    'SELECT user_id AS userId, service FROM scrobble_accounts WHERE sync_loves = 1 AND is_stopped = 0 ' +
      'AND coalesce(loves_synced_at, 0) < ?',
  );

  const isAccount = ({ userId, service }: AccountKey) =>
    and(eq(scrobbleAccounts.userId, userId), eq(scrobbleAccounts.service, service));
  const isQueued = ({ userId, service }: AccountKey) =>
    and(eq(scrobbleQueue.userId, userId), eq(scrobbleQueue.service, service));
  const arePlays = (accountKey: AccountKey, ids: readonly PlayId[]) =>
    and(eq(scrobbleQueue.service, accountKey.service), inArray(scrobbleQueue.playId, [...ids]));
  const areLoves = ({ userId, service }: AccountKey) =>
    and(eq(scrobbleLoves.userId, userId), eq(scrobbleLoves.service, service));
  const deleteFromQueue = (accountKey: AccountKey, ids: readonly PlayId[]): void =>
    void db.delete(scrobbleQueue).where(arePlays(accountKey, ids)).run();

  return {
    findAccount: (accountKey: AccountKey): ScrobbleAccountRow | undefined =>
      db.select().from(scrobbleAccounts).where(isAccount(accountKey)).get(),
    isSuperuser: (userId: UserId): boolean =>
      db.select({ isSuperuser: users.isSuperuser }).from(users).where(eq(users.id, userId)).get()?.isSuperuser ?? false,
    accounts: (): ScrobbleAccountRow[] => db.select().from(scrobbleAccounts).all(),
    accountsOf: (userId: UserId): ScrobbleAccountRow[] =>
      db.select().from(scrobbleAccounts).where(eq(scrobbleAccounts.userId, userId)).all(),

    setAccount(
      account: Pick<
        ScrobbleAccountRow,
        'userId' | 'service' | 'token' | 'tokenSalt' | 'username' | 'url' | 'syncLoves' | 'createdAt'
      >,
    ): void {
      const { userId: _, service: __, createdAt: ___, ...renewedFields } = account;
      db.insert(scrobbleAccounts)
        .values(account)
        .onConflictDoUpdate({
          target: [scrobbleAccounts.userId, scrobbleAccounts.service],
          set: { ...renewedFields, problem: null, isStopped: false },
        })
        .run();
    },
    updateAccount: (
      accountKey: AccountKey,
      values: Partial<Pick<ScrobbleAccountRow, 'problem' | 'isStopped' | 'lovesSyncedAt' | 'token' | 'tokenSalt'>>,
    ): void => void db.update(scrobbleAccounts).set(values).where(isAccount(accountKey)).run(),
    removeAccount: client.transaction((accountKey: AccountKey): void => {
      db.delete(scrobbleQueue).where(isQueued(accountKey)).run();
      db.delete(scrobbleLoves).where(areLoves(accountKey)).run();
      db.delete(scrobbleAccounts).where(isAccount(accountKey)).run();
    }).immediate,

    /** Queues plays. Does nothing for a user without an account. */
    queue: (userId: UserId, ids: readonly PlayId[]): void => void queue.run({ userId, ids: JSON.stringify(ids) }),
    /** Lists plays with fewer failures first. */
    next: (accountKey: AccountKey, limit: number, excludedIds: Iterable<PlayId>): QueuedPlay[] =>
      selectNext.all({ ...accountKey, limit, without: JSON.stringify([...excludedIds]) }),
    /**
     * Notes that a play was not accepted; returns how often that has happened. While no other plays are accepted, the
     * count is at most one.
     */
    fail: ({ service }: AccountKey, id: PlayId, othersAreTaken: boolean): number =>
      fail.all({ id, service, counts: othersAreTaken ? 1 : 0 })[0] ?? 0,
    refusals: (accountKey: AccountKey): Refusal[] => refusals.all(accountKey),
    drop: deleteFromQueue,
    setSent: (accountKey: AccountKey, ids: readonly PlayId[], isSent: boolean): void =>
      void db.update(scrobbleQueue).set({ isSent }).where(arePlays(accountKey, ids)).run(),
    refuse: (accountKey: AccountKey, id: PlayId, refusal: string): void =>
      void db
        .update(scrobbleQueue)
        .set({ refusal })
        .where(arePlays(accountKey, [id]))
        .run(),
    submitted: client.transaction((accountKey: AccountKey, ids: readonly PlayId[], submittedAt: Date): void => {
      deleteFromQueue(accountKey, ids);
      addSubmitted.run({ ...accountKey, plays: ids.length, at: submittedAt.getTime() });
    }).immediate,
    counts: (accountKey: AccountKey): { queued: number; refused: number } =>
      count.get(accountKey) ?? { queued: 0, refused: 0 },
    waiting: (): AccountKey[] => selectWaiting.all(),

    likedSongs: (userId: UserId): LikedSong[] => likedSongs.all(userId),
    lovesSyncedBefore: (time: Date): AccountKey[] => syncedBefore.all(time.getTime()),
    loves: (accountKey: AccountKey): LoveRow[] => db.select().from(scrobbleLoves).where(areLoves(accountKey)).all(),
    putLove: (accountKey: AccountKey, love: LoveRow): void =>
      void db
        .insert(scrobbleLoves)
        .values({ ...accountKey, ...love })
        .onConflictDoUpdate({
          target: [scrobbleLoves.userId, scrobbleLoves.service, scrobbleLoves.songKey],
          set: { isListed: love.isListed },
        })
        .run(),
    removeLove: (accountKey: AccountKey, songKey: number): void =>
      void db
        .delete(scrobbleLoves)
        .where(and(areLoves(accountKey), eq(scrobbleLoves.songKey, songKey)))
        .run(),
  };
}
