// Merging two tracks: the user data of both is kept, and every count equals a recount.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { createPlayMerge } from '../../server/history/track-merge.ts';
import { createTrackMerge, type TrackMerge } from '../../server/library/merges/track-merge.ts';
import type { TrackIdentity } from '../../server/library/tracks/track-values.ts';
import { createLikeMoves } from '../../server/likes/like-moves.ts';
import { createLikeService, type LikeService } from '../../server/likes/service.ts';
import { nextState, type ItemState } from '../../server/likes/state.ts';
import { createEntryMerge } from '../../server/playlists/track-merge.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { seededRandom } from '../support/test-random.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { silence } from '../support/silence.ts';

const [ann, bob] = [1 as UserId, 2 as UserId];
let temp: TempDatabase;
let clock: number;
let services: ReturnType<typeof openLibraryServices>;
let merge: TrackMerge;
let likes: LikeService;

beforeEach(() => {
  temp = openTempDatabase();
  clock = 1_000_000;
  const [db, now] = [temp.db, () => new Date(clock)];
  services = openLibraryServices(db, { now });
  likes = createLikeService({ db, now });
  merge = createTrackMerge({
    db,
    tracks: services.tracks,
    movers: [createLikeMoves({ db, now }).ofTracks, createPlayMerge({ db }), createEntryMerge({ db, now })],
  });
  for (const name of ['ann', 'bob'])
    runSql("INSERT INTO users (username, username_key, password_hash, created_at) VALUES (?, ?, 'x', 0)", name, name);
});
afterEach(() => temp.close());

const runSql = (sql: string, ...params: unknown[]): void => void temp.db.$client.prepare(sql).run(...params);
const selectAll = <T>(sql: string, ...params: unknown[]): T[] => temp.db.$client.prepare(sql).all(...params) as T[];
let files = 0;
const add = (identity: Partial<TrackIdentity> = {}): TrackId =>
  services.tracks.insert({
    source: 'upload',
    sourceId: `${++files}`,
    identity: { title: 'Song', artists: ['The Quays'], album: 'Harbour', genres: ['Rock'], year: 1999, ...identity },
    audio: {
      ...silence,
      sizeBytes: 10,
      format: 'flac',
      storageUri: `local:audio/${files}`,
    },
  });

/** Adds a play of a track. */
const play = (userId: UserId, id: TrackId, playedAt: number): void =>
  runSql("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (?, ?, 'x', ?)", userId, id, playedAt);
const counts = (): unknown[] =>
  selectAll(
    "SELECT user_id, item_type, item_id, plays, last_played_at FROM play_counts WHERE item_type <> 'all' ORDER BY 1, 2, 3",
  );
const recount = (): unknown[] =>
  selectAll(`SELECT * FROM (
  SELECT p.user_id, 'track' AS item_type, p.track_id AS item_id, count(*) AS plays, max(p.played_at) AS last_played_at FROM plays p WHERE p.track_id IS NOT NULL GROUP BY 1, 3
  UNION ALL SELECT p.user_id, 'album', t.album_id, count(*), max(p.played_at) FROM plays p JOIN tracks t ON t.id = p.track_id WHERE t.album_id IS NOT NULL GROUP BY 1, 3
  UNION ALL SELECT p.user_id, 'artist', a.artist_id, count(*), max(p.played_at) FROM plays p JOIN track_artists a ON a.track_id = p.track_id GROUP BY 1, 3) ORDER BY 1, 2, 3`);
const stateOf = (userId: UserId, itemId: TrackId) => likes.states(userId, 'track', [itemId])[0];
const like = (userId: UserId, itemId: TrackId, liked: boolean, rating: number | null = null) =>
  likes.add(userId, { itemType: 'track', itemId }, { liked, rating });

/** Expects that every state equals the result of its events. */
function expectStatesFromEvents(): void {
  const sums = new Map<string, ItemState>();
  for (const { user_id, item_id, liked, rating, created_at } of selectAll<{
    user_id: number;
    item_id: number;
    liked: number;
    rating: number | null;
    created_at: number;
  }>('SELECT * FROM like_events ORDER BY id')) {
    const key = `${user_id} ${item_id}`;
    sums.set(key, nextState(sums.get(key), { liked: liked === 1, rating, createdAt: new Date(created_at) }));
  }
  for (const { user_id, item_id, liked, rating, rating_origin: ratingOrigin, since } of selectAll<{
    user_id: number;
    item_id: number;
    liked: number;
    rating: number;
    rating_origin: string | null;
    since: number;
  }>('SELECT * FROM like_states')) {
    expect({ liked: liked === 1, rating, ratingOrigin, since: new Date(since) }).toEqual(
      sums.get(`${user_id} ${item_id}`),
    );
  }
}

describe('plays', () => {
  test('of both belong to the kept one, for every user', () => {
    const [keptId, emptiedId] = [add(), add({ title: 'Song (2)' })];
    for (const [user, id, playedAt] of [
      [ann, keptId, 10],
      [ann, emptiedId, 30],
      [ann, emptiedId, 20],
      [bob, emptiedId, 5],
    ] as const)
      play(user, id, playedAt);
    merge.mergeInto(keptId, emptiedId);
    expect(selectAll('SELECT user_id, track_id, played_at FROM plays ORDER BY id')).toEqual([
      { user_id: 1, track_id: keptId, played_at: 10 },
      { user_id: 1, track_id: keptId, played_at: 30 },
      { user_id: 1, track_id: keptId, played_at: 20 },
      { user_id: 2, track_id: keptId, played_at: 5 },
    ]);
    expect([services.library.getTrack(ann, keptId), services.library.getTrack(bob, keptId)]).toMatchObject([
      { playCount: 3, lastPlayedAt: new Date(30) },
      { playCount: 1, lastPlayedAt: new Date(5) },
    ]);
    expect(counts()).toEqual(recount());
  });

  test('count for the album and the artists of the kept one', () => {
    const [keptId, emptiedId, otherId] = [
      add({ album: 'Harbour', artists: ['Ann', 'Cleo'] }),
      add({ album: 'Best of', artists: ['Ann', 'Dora'] }),
      add({ album: 'Best of', artists: ['Dora'] }),
    ];
    for (const [user, id, playedAt] of [
      [ann, keptId, 10],
      [ann, emptiedId, 40],
      [ann, otherId, 20],
      [bob, emptiedId, 7],
    ] as const)
      play(user, id, playedAt);
    merge.mergeInto(keptId, emptiedId);
    expect(counts()).toEqual(recount());
    // ann has counts for the kept track, Harbour, Ann, Cleo and for the merged track, Best of, Dora; bob for the kept
    // track, Harbour, Ann, Cleo
    expect(counts()).toHaveLength(4 + 3 + 4);
  });

  test('of a generated library equal a recount after many merges', () => {
    const random = seededRandom(3);
    const randomBelow = (n: number): number => Math.floor(random() * n);
    let remainingIds = Array.from({ length: 40 }, (_, i) =>
      add({
        title: `Song ${i}`,
        album: `Album ${randomBelow(6)}`,
        artists: [`Artist ${randomBelow(5)}`, `Artist ${randomBelow(5)}`],
      }),
    );
    for (let i = 0; i < 300; i++)
      play(random() < 0.5 ? ann : bob, remainingIds[randomBelow(remainingIds.length)] as TrackId, randomBelow(1_000));
    while (remainingIds.length > 10) {
      const [keptId, emptiedId] = [
        remainingIds[randomBelow(remainingIds.length)] as TrackId,
        remainingIds[randomBelow(remainingIds.length)] as TrackId,
      ];
      if (keptId === emptiedId) continue;
      merge.mergeInto(keptId, emptiedId);
      remainingIds = remainingIds.filter((id) => id !== emptiedId);
      expect(counts()).toEqual(recount());
    }
    expect(selectAll('SELECT count(*) AS n FROM plays WHERE track_id IS NOT NULL')).toEqual([{ n: 300 }]);
  });
});

describe('likes', () => {
  test.each([
    { what: 'neither said anything', kept: null, emptied: null, after: { liked: false, rating: 0, since: null } },
    {
      what: 'only the kept one is liked',
      kept: { liked: true, rating: 2 },
      emptied: null,
      after: { liked: true, rating: 2, since: 100 },
    },
    {
      what: 'only the other is liked',
      kept: null,
      emptied: { liked: true, rating: 3 },
      after: { liked: true, rating: 3, since: 200 },
    },
    {
      what: 'both are liked',
      kept: { liked: true, rating: null },
      emptied: { liked: true, rating: 5 },
      after: { liked: true, rating: 5, since: 100 },
    },
    {
      what: 'both are rated',
      kept: { liked: false, rating: 1 },
      emptied: { liked: false, rating: 5 },
      after: { liked: false, rating: 1, since: 100 },
    },
    {
      what: 'the kept one was unliked and the other is liked',
      kept: { liked: false, rating: null },
      emptied: { liked: true, rating: null },
      after: { liked: true, rating: 0, since: 200 },
    },
    {
      what: 'the kept one is liked and the other only rated',
      kept: { liked: true, rating: null },
      emptied: { liked: false, rating: 4 },
      after: { liked: true, rating: 4, since: 100 },
    },
  ])('when $what', ({ kept, emptied, after }) => {
    const [a, b] = [add(), add({ title: 'Song (2)' })];
    for (const [id, playedAt, likeState] of [
      [a, 100, kept],
      [b, 200, emptied],
    ] as const) {
      clock = playedAt;
      if (likeState) for (const user of [ann, bob]) like(user, id, likeState.liked, likeState.rating);
    }
    clock = 300;
    merge.mergeInto(a, b);
    for (const user of [ann, bob])
      expect(stateOf(user, a)).toMatchObject({ ...after, since: after.since === null ? null : new Date(after.since) });
    expect(selectAll('SELECT 1 FROM like_states WHERE item_id = ?', b)).toEqual([]);
    expectStatesFromEvents();
  });

  test('of one user do not become another’s', () => {
    const [a, b] = [add(), add({ title: 'Song (2)' })];
    like(bob, b, true);
    merge.mergeInto(a, b);
    expect([stateOf(ann, a)?.liked, stateOf(bob, a)?.liked]).toEqual([false, true]);
  });

  test('no event is changed or lost', () => {
    const [a, b] = [add(), add({ title: 'Song (2)' })];
    like(ann, a, true, 2);
    like(ann, b, true, 4);
    like(bob, b, true);
    const previousEvents = selectAll('SELECT * FROM like_events ORDER BY id');
    merge.mergeInto(a, b);
    expect(selectAll('SELECT * FROM like_events ORDER BY id').slice(0, previousEvents.length)).toEqual(previousEvents);
    expect(
      selectAll('SELECT user_id, item_id, liked, rating FROM like_events WHERE id > ?', previousEvents.length),
    ).toEqual([{ user_id: 2, item_id: a, liked: 1, rating: null }]);
  });
});

test('entries of playlists keep their ids and positions, also in a list with both tracks', () => {
  const [keptId, emptiedId, otherId] = [add(), add({ title: 'Song (2)' }), add({ title: 'Other' })];
  for (const [id, owner] of [
    [1, 1],
    [2, 2],
    [3, 2],
  ])
    runSql("INSERT INTO playlists (id, owner_id, name, created_at, updated_at) VALUES (?, ?, 'x', 0, 0)", id, owner);
  for (const [list, position, track] of [
    [1, 0, emptiedId],
    [1, 1, otherId],
    [1, 2, keptId],
    [2, 0, emptiedId],
    [3, 0, otherId],
  ])
    runSql(
      'INSERT INTO playlist_entries (playlist_id, position, track_id, added_at) VALUES (?, ?, ?, 7)',
      list,
      position,
      track,
    );
  merge.mergeInto(keptId, emptiedId);
  expect(
    selectAll('SELECT id, playlist_id, position, track_id, added_at FROM playlist_entries ORDER BY id').map((row) =>
      Object.values(row as object),
    ),
  ).toEqual([
    [1, 1, 0, keptId, 7],
    [2, 1, 1, otherId, 7],
    [3, 1, 2, keptId, 7],
    [4, 2, 0, keptId, 7],
    [5, 3, 0, otherId, 7],
  ]);
  expect(selectAll('SELECT updated_at FROM playlists ORDER BY id')).toEqual([
    { updated_at: clock },
    { updated_at: clock },
    { updated_at: 0 },
  ]);
});

describe('the other track', () => {
  test('is deleted with its search text, and an empty album and artists', async () => {
    const [keptId, emptiedId] = [
      add({ title: 'Lighthouse' }),
      add({ title: 'Lighthouse (take 2)', album: 'Best of', artists: ['Dora'] }),
    ];
    const { albumId } = services.library.getTrack(ann, emptiedId);
    runSql("INSERT INTO album_covers (album_id, key, checked_at) VALUES (?, 'covers/9.jpg', 0)", albumId);
    const { storageUri } = services.library.getTrack(ann, emptiedId);
    expect(merge.mergeInto(keptId, emptiedId)).toEqual({ storageUri, coverKey: 'covers/9.jpg' });
    expect(
      (
        await services.library.listTracks(ann, { q: 'lighthouse' }, { sort: 'title' }, { limit: 9, offset: 0 })
      ).items.map(({ id }) => id),
    ).toEqual([keptId]);
    expect(services.library.countLibrary()).toEqual({ tracks: 1, albums: 1, artists: 1 });
    expect(services.library.getTrack(ann, keptId)).toMatchObject({
      title: 'Lighthouse',
      artistName: 'The Quays',
      albumTitle: 'Harbour',
    });
  });

  test('and its data stay when anything fails', () => {
    const [keptId, emptiedId] = [add(), add({ title: 'Song (2)' })];
    play(ann, emptiedId, 5);
    like(ann, emptiedId, true);
    const failingMerge = createTrackMerge({
      db: temp.db,
      tracks: services.tracks,
      movers: [
        createLikeMoves({ db: temp.db, now: () => new Date() }).ofTracks,
        createPlayMerge({ db: temp.db }),
        {
          move: () => {
            throw new Error('no');
          },
        },
      ],
    });
    expect(() => failingMerge.mergeInto(keptId, emptiedId)).toThrow('no');
    expect(services.library.getTrack(ann, emptiedId)).toMatchObject({ liked: true, playCount: 1 });
    expect(services.library.getTrack(ann, keptId)).toMatchObject({ liked: false, playCount: 0 });
    expect(selectAll('SELECT count(*) AS n FROM like_events')).toEqual([{ n: 1 }]);
  });

  test('must be a different one, and both must exist', () => {
    const id = add();
    expect(() => merge.mergeInto(id, id)).toThrow(expect.objectContaining({ code: 'conflict' }));
    for (const [kept, emptied] of [
      [id, 99],
      [99, id],
    ] as [TrackId, TrackId][])
      expect(() => merge.mergeInto(kept, emptied)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
