// Likes and ratings over HTTP, and the resulting state.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlbumId, ArtistId, TrackId, UserId } from '../../server/db/ids.ts';
import type { Item } from '../../server/likes/queries.ts';
import { createLikeService } from '../../server/likes/service.ts';
import type { LikeEventOut, LikeState } from '../../server/likes/wire.ts';
import type { TrackPage } from '../../server/library/wire.ts';
import { nextState, type ItemState } from '../../server/likes/state.ts';
import { seededRandom } from '../support/test-random.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';

interface Events {
  items: LikeEventOut[];
  total: number;
  limit: number;
  offset: number;
}

let server: TestServer;
let clock: number;
let listener: string;
let ids: { tracks: TrackId[]; albums: AlbumId[]; artists: ArtistId[] };

beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1);
  server = await startServer({ now: () => new Date(clock) });
  listener = await registerUser(server);
  const library = makeSampleLibrary(server.app.db, { artists: 3, albums: 3, tracks: 6 });
  ids = {
    tracks: library.tracks.map(({ id }) => id),
    albums: library.albums.map(({ id }) => id),
    artists: library.artists.map(({ id }) => id),
  };
});
afterEach(() => server.close());

const [createdAt, laterDate] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'];
const setLike = (body: unknown, token = server.token): Promise<Answer<LikeState>> =>
  server.api('/likes', { method: 'POST', body, token });
const states = async (query: string, token = server.token): Promise<LikeState[]> =>
  (await server.api<LikeState[]>(`/likes/state?${query}`, { token })).body;

describe('liking', () => {
  test('returns the state, also for albums and artists', async () => {
    for (const [item_type, item_id] of [
      ['track', ids.tracks[0]],
      ['album', ids.albums[0]],
      ['artist', ids.artists[0]],
    ] as const) {
      const { status, body } = await setLike({ item_type, item_id, liked: true });
      expect([status, body]).toEqual([
        200,
        { item_type, item_id, liked: true, rating: 0, rating_origin: null, since: createdAt },
      ]);
      expect(await states(`item_type=${item_type}&item_id=${item_id}`)).toEqual([body]);
    }
  });

  test('is shown on the track, only for the user who liked it', async () => {
    const [id] = ids.tracks;
    await setLike({ item_type: 'track', item_id: id, liked: true });
    const liked = async (token: string): Promise<number[]> =>
      (await server.api<TrackPage>('/tracks?liked=true', { token })).body.items.map((track) => track.id);
    expect([await liked(server.token), await liked(listener)]).toEqual([[id], []]);
    await setLike({ item_type: 'track', item_id: id, liked: false });
    expect(await liked(server.token)).toEqual([]);
  });

  test('again keeps the time of the first like; unliking and liking again does not', async () => {
    const item = { item_type: 'track', item_id: ids.tracks[0] };
    await setLike({ ...item, liked: true });
    clock += 1_000;
    expect((await setLike({ ...item, liked: true })).body.since).toBe(createdAt);
    expect((await setLike({ ...item, liked: false })).body).toMatchObject({ liked: false, since: laterDate });
    clock += 1_000;
    expect((await setLike({ ...item, liked: true })).body.since).toBe('2026-01-01T00:00:02.000Z');
  });

  test('keeps the rating when it is absent, and 0 removes it', async () => {
    const item = { item_type: 'album', item_id: ids.albums[0] };
    expect((await setLike({ ...item, liked: false, rating: 4 })).body).toMatchObject({ liked: false, rating: 4 });
    expect((await setLike({ ...item, liked: true })).body).toMatchObject({ liked: true, rating: 4 });
    expect((await setLike({ ...item, liked: true, rating: 0 })).body).toMatchObject({ liked: true, rating: 0 });
  });

  test('of many at once skips missing items', async () => {
    const items = [...ids.tracks, 999_999].map((itemId) => ({ itemType: 'track' as const, itemId }));
    const service = createLikeService({ db: server.app.db, now: () => new Date(clock) });
    expect(
      await service.addMany(1 as UserId, [...items, ...items, ...Array.from({ length: 100 }, () => items[0] as Item)], {
        liked: true,
        rating: 4,
      }),
    ).toBe(112);
    expect((await server.api<TrackPage>('/tracks?liked=true')).body.total).toBe(6);
    expect(await states(`item_type=track&item_id=${ids.tracks[5]}&item_id=999999`)).toMatchObject([
      { liked: true, rating: 4 },
      { liked: false },
    ]);
  });

  test('needs an existing item', async () => {
    for (const item_type of ['track', 'album', 'artist'])
      expect((await setLike({ item_type, item_id: 999_999, liked: true })).status).toBe(404);
    expect(server.app.db.$client.prepare('SELECT count(*) AS n FROM like_events').get()).toEqual({ n: 0 });
  });

  test.each([
    { item_type: 'playlist', item_id: 1, liked: true },
    { item_type: 'track', item_id: 0, liked: true },
    { item_type: 'track', item_id: 'one', liked: true },
    { item_type: 'track', item_id: 1, rating: 3 },
    { item_type: 'track', item_id: 1, liked: 1 },
    { item_type: 'track', item_id: 1, liked: true, rating: 6 },
    { item_type: 'track', item_id: 1, liked: true, rating: 2.7 },
  ])('rejects $item_type $item_id $liked $rating', async (body) => {
    expect((await setLike(body)).status).toBe(422);
  });
});

describe('the events', () => {
  test('are sorted newest first, in pages, of one type on request, and only one’s own', async () => {
    const [firstId, secondId] = ids.tracks;
    await setLike({ item_type: 'track', item_id: firstId, liked: true, rating: 5 });
    await setLike({ item_type: 'album', item_id: ids.albums[0], liked: true });
    await setLike({ item_type: 'track', item_id: secondId, liked: false });
    await setLike({ item_type: 'track', item_id: firstId, liked: true }, listener);
    const list = async (query: string, token = server.token): Promise<Events> =>
      (await server.api<Events>(`/likes${query}`, { token })).body;
    const { items, ...rest } = await list('?limit=2');
    expect(rest).toEqual({ total: 3, limit: 2, offset: 0 });
    expect(items).toEqual([
      { id: 3, item_type: 'track', item_id: secondId, liked: false, rating: null, created_at: createdAt },
      { id: 2, item_type: 'album', item_id: ids.albums[0], liked: true, rating: null, created_at: createdAt },
    ]);
    expect((await list('?limit=2&offset=2')).items).toEqual([
      { id: 1, item_type: 'track', item_id: firstId, liked: true, rating: 5, created_at: createdAt },
    ]);
    expect((await list('?item_type=track')).items.map(({ id }) => id)).toEqual([3, 1]);
    expect(await list('?item_type=artist')).toMatchObject({ items: [], total: 0 });
    expect((await list('', listener)).items.map(({ id }) => id)).toEqual([4]);
    expect((await server.api('/likes?item_type=genre')).status).toBe(422);
  });
});

describe('the state', () => {
  test('is returned for every requested id, in that order', async () => {
    const [firstId, secondId, thirdId] = ids.tracks as [TrackId, TrackId, TrackId];
    await setLike({ item_type: 'track', item_id: secondId, liked: true, rating: 3 });
    await setLike({ item_type: 'track', item_id: firstId, liked: true }, listener);
    const emptyState = { item_type: 'track', liked: false, rating: 0, rating_origin: null, since: null };
    expect(
      await states(`item_type=track&item_id=${thirdId}&item_id=${secondId}&item_id=999999&item_id=${firstId}`),
    ).toEqual([
      { ...emptyState, item_id: thirdId },
      { item_type: 'track', item_id: secondId, liked: true, rating: 3, rating_origin: 'person', since: createdAt },
      { ...emptyState, item_id: 999_999 },
      { ...emptyState, item_id: firstId },
    ]);
  });

  test('can be requested for at most a thousand items at once', async () => {
    const query = (count: number): string =>
      `item_type=track&${Array.from({ length: count }, (_, i) => `item_id=${i + 1}`).join('&')}`;
    expect(await states(query(1_000))).toHaveLength(1_000);
    expect((await server.api(`/likes/state?${query(1_001)}`)).status).toBe(422);
  });

  test.each([
    'item_id=1',
    'item_type=track&item_id=x',
    'item_type=track&item_id=1&item_id=-1',
    'item_type=song&item_id=1',
  ])('cannot be requested with %s', async (query) => {
    expect((await server.api(`/likes/state?${query}`)).status).toBe(422);
  });

  test('equals the result of all events, of any user in any order', async () => {
    const random = seededRandom(7);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const items = [
      ...ids.tracks.slice(0, 2).map((item_id) => ({ item_type: 'track', item_id })),
      { item_type: 'artist', item_id: ids.artists[0] },
    ];
    const likeBodies: {
      token: string;
      item: { item_type: string; item_id: number };
      liked: boolean;
      rating: number | undefined;
    }[] = Array.from({ length: 120 }, () => ({
      token: pick([server.token, listener]),
      item: pick(items) as { item_type: string; item_id: number },
      liked: random() < 0.5,
      rating: pick([undefined, undefined, 0, 1, 5]),
    }));
    for (let i = 0; i < likeBodies.length; i += 6) {
      clock += pick([0, 1_000, -500]); // the order of events holds even if the clock is set back
      await Promise.all(
        likeBodies
          .slice(i, i + 6)
          .map(({ token, item, liked, rating }) =>
            setLike({ ...item, liked, ...(rating !== undefined && { rating }) }, token),
          ),
      );
    }
    for (const token of [server.token, listener]) {
      const { body } = await server.api<Events>('/likes?limit=200', { token });
      for (const { item_type, item_id } of items) {
        const ownTracks = body.items
          .filter((event) => event.item_type === item_type && event.item_id === item_id)
          .sort((a, b) => a.id - b.id);
        const sum = ownTracks.reduce<ItemState | undefined>(
          (state, event) =>
            nextState(state, { liked: event.liked, rating: event.rating, createdAt: new Date(event.created_at) }),
          undefined,
        );
        expect(await states(`item_type=${item_type}&item_id=${item_id}`, token)).toEqual([
          {
            item_type,
            item_id,
            liked: sum?.liked,
            rating: sum?.rating,
            rating_origin: sum?.ratingOrigin,
            since: sum?.since.toISOString(),
          },
        ]);
      }
    }
  });
});
