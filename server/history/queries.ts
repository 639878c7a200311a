// Statements of the history. They are prepared, because an import runs them for each line.
import type { MainDb } from '../db/client.ts';
import type { PlayId, TrackId, UserId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { plays } from '../db/schema.ts';
import type { Page } from '../http/paging.ts';
import type { ReadAside } from '../library/lists/list-pages.ts';
import { createStatements } from '../library/lists/statement-cache.ts';
import { inNamedAlbum } from '../db/unknown-names.ts';

export type PlayRow = RowAs<
  typeof plays,
  'id' | 'trackId' | 'title' | 'artistName' | 'albumTitle' | 'playedAt' | 'playedMs' | 'client'
>;

/** The values of its track that a play stores. */
type PlayedSong = RowAs<
  typeof plays,
  'trackId' | 'title' | 'artistName' | 'albumTitle' | 'durationMs' | 'recordingMbid'
>;
export type NewPlay = PlayedSong &
  RowAs<typeof plays, 'playedAt' | 'playedMs' | 'songKey' | 'client' | 'restTime' | 'playId'> & { songKey: number };
export type SamePlay = RowAs<typeof plays, 'id' | 'playedMs' | 'withdrawnAt'>;

export interface HistoryFilter {
  trackId?: TrackId | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Maximum number of entries of an index that are skipped on the main thread, which takes about a millisecond. */
const MAX_SKIPPED = 20_000;

interface HistoryQueryDeps {
  db: MainDb;
  /** Runs a query in another thread and returns its first column. */
  readAside?: ReadAside | undefined;
}

export function createHistoryQueries({ db, readAside }: HistoryQueryDeps) {
  const client = db.$client;
  const statements = createStatements(client);
  const column = async <T>(isQuick: boolean, sql: string, params: Record<string, number>): Promise<T[]> =>
    isQuick || !readAside ? statements.column<T>(sql, params) : ((await readAside(sql, params)) as T[]);
  const findSong = client.prepare<
    [TrackId],
    PlayedSong
  >(`SELECT t.id AS trackId, t.title, t.artist_name AS artistName, a.title AS albumTitle,
    t.duration_ms AS durationMs, t.recording_mbid AS recordingMbid
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND ${inNamedAlbum('t')} WHERE t.id = ?`);
  const SELECT_SAME_PLAY = 'SELECT id, played_ms AS playedMs, withdrawn_at AS withdrawnAt FROM plays';
  // Finds the recorded play that a report repeats. A play that came by REST is the same play only if its time is the
  // same to the second. A listening with an id may also have been reported by phones.
  const IS_NEAR = `played_at > @at - max(@within, @since) AND played_at < @at + @within
    AND (rest_time IS NULL AND played_at > @at - @within
      OR @isSent = 1 AND rest_time = 'sent' AND played_at / 1000 = CAST(@at AS INTEGER) / 1000
      OR play_id IS NOT NULL AND withdrawn_at IS NULL AND @since > 0)
    ORDER BY abs(played_at - @at) LIMIT 1`;
  type NearParams = { userId: UserId; at: number; within: number; since: number; isSent: number };
  const sameTrack = client.prepare<NearParams & { trackId: TrackId }, SamePlay>(
    `${SELECT_SAME_PLAY} WHERE track_id = @trackId AND user_id = @userId AND ${IS_NEAR}`,
  );
  const sameSong = client.prepare<NearParams & { songKey: number }, SamePlay>(
    `${SELECT_SAME_PLAY} WHERE user_id = @userId AND song_key = @songKey AND ${IS_NEAR}`,
  );
  const sameUnmatchedSong = client.prepare<NearParams & { songKey: number }, SamePlay>(
    `${SELECT_SAME_PLAY} WHERE user_id = @userId AND song_key = @songKey AND track_id IS NULL AND ${IS_NEAR}`,
  );
  const insert = client.prepare<NewPlay & { userId: UserId }, RowAs<typeof plays, 'id'>>(`INSERT INTO plays
    (user_id, track_id, title, artist_name, album_title, played_at, played_ms, duration_ms, recording_mbid, song_key,
    client, rest_time, play_id)
    VALUES (@userId, @trackId, @title, @artistName, @albumTitle, @playedAt, @playedMs, @durationMs, @recordingMbid,
    @songKey, @client, @restTime, @playId)
    ON CONFLICT (user_id, song_key, played_at) DO NOTHING RETURNING id`);
  const findByPlayId = client.prepare<[UserId, string], SamePlay>(
    `${SELECT_SAME_PLAY} WHERE user_id = ? AND play_id = ?`,
  );
  const isTimeTaken = client.prepare<[UserId, number, number]>(
    'SELECT 1 FROM plays WHERE user_id = ? AND song_key = ? AND played_at = ?',
  );
  const findLatestTime = client
    .prepare<{ userId: UserId; upTo: number }, number | null>(
      `SELECT max(played_at) FROM plays WHERE user_id = @userId AND withdrawn_at IS NULL AND played_at <= @upTo`,
    )
    .pluck();
  const findLatest = client
    .prepare<[UserId, number, number, number], number>(
      `SELECT max(played_at) + 1 FROM plays
        WHERE user_id = ? AND song_key = ? AND played_at >= ? AND played_at < ? + 10000`,
    )
    .pluck();
  const lengthen = client.prepare<[number, PlayId]>('UPDATE plays SET played_ms = ? WHERE id = ?');
  const setWithdrawn = client.prepare<[number | null, PlayId, UserId]>(
    'UPDATE plays SET withdrawn_at = ? WHERE id = ? AND user_id = ?',
  );
  const findOwnPlay = client.prepare<[PlayId, UserId], RowAs<typeof plays, 'withdrawnAt'>>(
    'SELECT withdrawn_at AS withdrawnAt FROM plays WHERE id = ? AND user_id = ?',
  );
  const rows = client.prepare<
    [string],
    PlayRow
  >(`SELECT p.id, p.track_id AS trackId, p.title, p.artist_name AS artistName, p.album_title AS albumTitle,
    p.played_at AS playedAt, p.played_ms AS playedMs, p.client FROM json_each(?) ids CROSS
    JOIN plays p ON p.id = ids.value ORDER BY ids.key`);
  const anyUnmatched = client.prepare<[], number>('SELECT 1 FROM plays WHERE track_id IS NULL LIMIT 1').pluck();
  const countAll = client
    .prepare<[UserId], number>("SELECT plays FROM play_counts WHERE user_id = ? AND item_type = 'all' AND item_id = 0")
    .pluck();

  const findSame = (play: NewPlay, nearParams: NearParams, anyTrack: boolean): SamePlay | undefined =>
    (play.trackId === null ? undefined : sameTrack.get({ ...nearParams, trackId: play.trackId })) ??
    (anyTrack ? sameSong : sameUnmatchedSong).get({ ...nearParams, songKey: play.songKey });

  return {
    findSong: (id: TrackId): PlayedSong | undefined => findSong.get(id),
    /**
     * Returns the recorded play that this play must be a repetition of, if any: a play of the same track within
     * `within` ms. With `anyTrack`, the play may also be of another track with the same song key, because the track of
     * an imported play is only a guess. `since` says how many ms ago a listening with an id may have begun; 0 where
     * that does not matter.
     */
    findSame: (
      userId: UserId,
      play: NewPlay,
      { within, since, anyTrack }: { within: number; since: number; anyTrack: boolean },
    ): SamePlay | undefined =>
      findSame(
        play,
        { userId, at: play.playedAt, within, since, isSent: Number(play.restTime !== 'server') },
        anyTrack,
      ),
    findByPlayId: (userId: UserId, playId: string): SamePlay | undefined => findByPlayId.get(userId, playId),
    /** Returns the time of the play if it is free, else the first free time within ten seconds after it. */
    findFreeTime: (userId: UserId, { songKey, playedAt }: NewPlay): number =>
      isTimeTaken.get(userId, songKey, playedAt) === undefined
        ? playedAt
        : (findLatest.get(userId, songKey, playedAt, playedAt) ?? playedAt),
    /** Returns the time of the user's latest play up to this time. */
    findLatestTime: (userId: UserId, upTo: number): number | undefined =>
      findLatestTime.get({ userId, upTo }) ?? undefined,
    /** Inserts a play. Returns undefined if the user has a play with the same song key and time. */
    insert: (userId: UserId, play: NewPlay): PlayId | undefined => insert.all({ ...play, userId })[0]?.id,
    lengthen: (id: PlayId, playedMs: number): void => void lengthen.run(playedMs, id),
    setWithdrawn: (userId: UserId, id: PlayId, withdrawnAtMs: number | null): void =>
      void setWithdrawn.run(withdrawnAtMs, id, userId),
    anyUnmatched: (): boolean => anyUnmatched.get() !== undefined,
    find: (userId: UserId, id: PlayId): RowAs<typeof plays, 'withdrawnAt'> | undefined => findOwnPlay.get(id, userId),
    rows: (ids: readonly PlayId[]): PlayRow[] => rows.all(JSON.stringify(ids)),

    /** Returns the number of plays of a user. */
    count: (userId: UserId): number => countAll.get(userId) ?? 0,

    /**
     * Returns the ids of a page, newest first, and the total. It reads only the index, from the end that is nearer to
     * the page.
     */
    async page(
      userId: UserId,
      filter: HistoryFilter,
      { limit, offset }: Page,
    ): Promise<{ ids: PlayId[]; total: number }> {
      const { sql, params } = conditions(userId, filter);
      const isUnfiltered = filter.trackId === undefined && filter.from === undefined && filter.to === undefined;
      const [total = 0] = isUnfiltered
        ? [countAll.get(userId)]
        : await column<number>(filter.trackId !== undefined, `SELECT count(*) FROM plays WHERE ${sql}`, params);
      if (offset >= total) return { ids: [], total };
      const isNewer = offset <= total / 2;
      const size = Math.min(limit, total - offset);
      const skippedRows = isNewer ? offset : total - offset - size;
      const direction = isNewer ? 'DESC' : 'ASC';
      const ids = await column<PlayId>(
        skippedRows <= MAX_SKIPPED,
        `SELECT id FROM plays WHERE ${sql} ORDER BY played_at ${direction}, id ${direction} LIMIT @size OFFSET @passed`,
        { ...params, size, passed: skippedRows },
      );
      return { ids: isNewer ? ids : ids.toReversed(), total };
    },
  };
}

function conditions(
  userId: UserId,
  { trackId, from, to }: HistoryFilter,
): { sql: string; params: Record<string, number> } {
  const filters: [sql: string, name: string, value: number | undefined][] = [
    ['track_id = @trackId', 'trackId', trackId],
    ['played_at >= @from', 'from', from?.getTime()],
    ['played_at < @to', 'to', to?.getTime()],
  ];
  const clauses = ['user_id = @userId', 'withdrawn_at IS NULL'];
  const params: Record<string, number> = { userId };
  for (const [sql, name, value] of filters) {
    if (value === undefined) continue;
    clauses.push(sql);
    params[name] = value;
  }
  return { sql: clauses.join(' AND '), params };
}
