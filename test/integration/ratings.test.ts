// Ratings in lists: shown, sorted, filtered and used by smart playlists, in halves; and the mean of all users on phones.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumPage, TrackPage } from '../../server/library/wire.ts';
import { openPhone } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { trackMaker } from '../support/fixed-tracks.ts';

let server: TestServer;
let ids: number[];
beforeAll(async () => {
  server = await startServer();
  const { add } = trackMaker(server.app);
  for (let i = 0; i < 6; i++) add({ title: `Song ${i}` });
  ids = (await allTracks(server)).map(({ id }) => id).toSorted((a, b) => a - b);
});
afterAll(() => server.close());

const rate = async (id: number | undefined, rating: number, itemType = 'track', token = server.token) =>
  (
    await server.api('/likes', {
      method: 'POST',
      token,
      body: { item_type: itemType, item_id: id, liked: false, rating },
    })
  ).status;
const tracks = async (query: string): Promise<TrackPage['items']> =>
  (await server.api<TrackPage>(`/tracks?${query}`)).body.items;
const ratings = async (query: string): Promise<number[]> => (await tracks(query)).map(({ rating }) => rating);

test('tracks, albums and artists show ratings in halves, and lists sort and filter by them', async () => {
  expect([await rate(ids[0], 3.5), await rate(ids[1], 5), await rate(ids[2], 0.5)]).toEqual([200, 200, 200]);
  expect(await ratings('sort=rating')).toEqual([5, 3.5, 0.5, 0, 0, 0]);
  expect(await ratings('sort=rating&order=asc')).toEqual([0, 0, 0, 0.5, 3.5, 5]);
  expect(await ratings('sort=rating&limit=2&offset=1')).toEqual([3.5, 0.5]);
  expect(await ratings('rating_from=3&sort=rating')).toEqual([5, 3.5]);
  expect(await ratings('rating_from=0.5&rating_to=3.5&sort=rating')).toEqual([3.5, 0.5]);
  expect(await ratings('rating_to=0')).toEqual([0, 0, 0]);
  expect((await server.api<TrackPage>('/tracks?rating_to=3')).body.total).toBe(4);
  const [track] = await tracks('sort=rating');
  expect([await rate(track?.album_id ?? 0, 4.5, 'album'), await rate(track?.artist_id ?? 0, 4, 'artist')]).toEqual([
    200, 200,
  ]);
  const { body } = await server.api<AlbumPage>('/albums?sort=rating&limit=1');
  expect(body.items).toMatchObject([{ id: track?.album_id, rating: 4.5 }]);
  expect((await server.api(`/artists/${track?.artist_id}`)).body).toMatchObject({ rating: 4 });
});

test('another rating changes a sorted list at once', async () => {
  const countRated = async () => (await server.api<TrackPage>('/tracks?rating_from=4&limit=1')).body.total;
  expect(await countRated()).toBe(1);
  await rate(ids[3], 4);
  expect(await countRated()).toBe(2);
  expect(await ratings('sort=rating&limit=3')).toEqual([5, 4, 3.5]);
  expect(await ratings('sort=rating&limit=3&offset=3')).toEqual([0.5, 0, 0]);
  expect(await ratings('sort=rating&limit=2&offset=4')).toEqual([0, 0]);
  await rate(ids[3], 0);
  const pages = await Promise.all(ids.map((_, offset) => tracks(`sort=rating&limit=1&offset=${offset}`)));
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(ids));
  expect(await countRated()).toBe(1);
  expect(await ratings('sort=rating&limit=3')).toEqual([5, 3.5, 0.5]);
});

test.each(['5.5', '-1', '0.3', 'good'])('a filter by the rating %s is refused', async (rating) => {
  const { status, text } = await server.api(`/tracks?rating_from=${rating}`);
  expect([status, text]).toEqual([422, expect.stringContaining('rating_from')]);
});

test.each([5.5, -0.5, 0.3])('the rating %s is refused', async (rating) => {
  expect(await rate(ids[0], rating)).toBe(422);
});

test('smart playlists compare halves', async () => {
  const rules = { all: [{ field: 'rating', op: 'greater_than', value: 3 }] };
  const { body, status, text } = await server.api<{ track_count: number }>('/playlists/preview', {
    method: 'POST',
    body: { rules },
  });
  expect(status, text).toBe(200);
  expect(body.track_count).toBe(2);
});

test('phones get whole stars, and the mean of all users', async () => {
  const token = await registerUser(server, 'other');
  await rate(ids[0], 2, 'track', token);
  const phone = await openPhone(server);
  const song = await phone.ask('getSong', { id: `tr-${ids[0]}` }, 'song');
  expect(song).toMatchObject({ userRating: 4, averageRating: 2.75 });
  const unrated = await phone.ask('getSong', { id: `tr-${ids[5]}` }, 'song');
  expect(unrated).not.toHaveProperty('averageRating');
});
