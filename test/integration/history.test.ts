// Plays are recorded once however often they are reported; they are listed, removed and counted.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { createHistoryService } from '../../server/history/service.ts';
import type { HistoryOut } from '../../server/history/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openPhone } from '../support/phone.ts';
import { keptCounts, recountedPlays } from '../support/play-counts.ts';
import { seededRandom } from '../support/test-random.ts';
import { registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';

interface Page {
  items: HistoryOut[];
  total: number;
}
interface Batch {
  recorded: number;
  items: { status: string; id: number | null }[];
}

let server: TestServer;
let clock: number;
let listener: string;
let tracks: ReturnType<typeof trackMaker>;
const START_MS = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  clock = START_MS;
  server = await startServer({ now: () => new Date(clock) });
  listener = await registerUser(server);
});
afterAll(() => server.close());
beforeEach(() => {
  clock = START_MS;
  server.app.db.$client.exec(
    'DELETE FROM plays; DELETE FROM play_counts; DELETE FROM tracks; DELETE FROM albums; DELETE FROM artists',
  );
  tracks = trackMaker(server.app);
});

const iso = (ms: number): string => new Date(ms).toISOString();
const report = <T = HistoryOut>(body: unknown, token = server.token): Promise<Answer<T>> =>
  server.api<T>('/history', { method: 'POST', body, token });
const list = async (query = '', token = server.token): Promise<Page> =>
  (await server.api<Page>(`/history${query}`, { token })).body;
const expectCounts = (): void => expect(keptCounts(server.app.db)).toEqual(recountedPlays(server.app.db));

describe('a play', () => {
  test('is recorded with its track, now when no time is given', async () => {
    const id = tracks.add({ title: 'Lighthouse' });
    const { status, body } = await report({ track_id: id, played_ms: 150_000, client: 'phone' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      track: { id, play_count: 1, last_played_at: iso(START_MS) },
      title: 'Lighthouse',
      artist_name: 'The Quays',
      album_title: 'Harbour',
      played_at: iso(START_MS),
      played_ms: 150_000,
      client: 'phone',
    });
    expect((await list()).items).toEqual([body]);
    expect(await list('', listener)).toMatchObject({ items: [], total: 0 });
    expectCounts();
  });

  test('of long ago is accepted, a future one is not', async () => {
    const id = tracks.add({ title: 'Lighthouse' });
    expect((await report({ track_id: id, played_at: '2001-02-03T04:05:06+02:00' })).body.played_at).toBe(
      '2001-02-03T02:05:06.000Z',
    );
    // a client's clock may be a little ahead
    expect((await report({ track_id: id, played_at: iso(START_MS + 5 * 60_000) })).status).toBe(201);
    const refusedResponse = await server.api<{ detail: string }>('/history', {
      method: 'POST',
      body: { track_id: id, played_at: iso(START_MS + 86_400_000) },
    });
    expect([refusedResponse.status, refusedResponse.body.detail]).toEqual([422, 'played_at: is in the future']);
    expect((await list()).total).toBe(2);
  });

  test('needs an existing track', async () => {
    expect((await report({ track_id: 999 })).status).toBe(404);
    expect((await list()).total).toBe(0);
  });

  test.each([
    [{}, 'track_id'],
    [{ track_id: 'one' }, 'track_id'],
    [{ track_id: 1, played_at: 'yesterday' }, 'played_at'],
    [{ track_id: 1, played_at: '1969-12-31T00:00:00Z' }, 'played_at'],
    [{ track_id: 1, played_ms: -1 }, 'played_ms'],
    [{ rating: 5 }, 'rating'],
    [{ items: [] }, 'items'],
    [{ items: [{ track_id: 0 }] }, 'items.0.track_id'],
    [{ items: 'all' }, 'items'],
    [[], 'body'],
  ])('of the shape %j is rejected, with the field %s', async (body, field) => {
    const { status, body: problem } = await report<{ errors: { field: string }[] }>(body);
    expect(status).toBe(422);
    expect(problem.errors.map((error) => error.field)).toContain(field);
  });
});

describe('a listening in a window, which has an id, and a phone’s report of the same song', () => {
  const DURATION = 200_000;
  test.each([
    ['the start, at its end', { from: 0, told: DURATION }, 1],
    ['the end, at once', { from: DURATION + 1_500, told: DURATION + 1_500 }, 1],
    ['the end, after it was taken over half-way', { from: DURATION - 20_000, told: DURATION - 20_000 }, 1],
    ['the start of another listening right after it', { from: DURATION, told: DURATION * 1.5 }, 2],
    ['the end of another listening right after it', { from: DURATION * 2, told: DURATION * 2 }, 2],
    ['the middle of another listening right after it', { from: DURATION * 1.5, told: DURATION * 1.5 }, 2],
  ])('%s: %j makes %i', async (_, { from, told }, plays) => {
    const id = tracks.add({ title: 'Lighthouse' }, { durationMs: DURATION });
    await report({ track_id: id, played_at: iso(START_MS), played_ms: DURATION, play_id: 'window-1' });
    const phone = await openPhone(server);
    clock = START_MS + told;
    await phone.ask('scrobble', { id: `tr-${id}`, time: START_MS + from }, '');
    expect((await list()).total).toBe(plays);
    expectCounts();
  });
});

test('a phone’s play counts beside one of a window that was taken back', async () => {
  const id = tracks.add({ title: 'Lighthouse' }, { durationMs: 200_000 });
  const { body } = await report({ track_id: id, played_at: iso(START_MS), played_ms: 200_000, play_id: 'window-2' });
  await server.api(`/history/${body.id}`, { method: 'DELETE' });
  const phone = await openPhone(server);
  clock = START_MS + 150_000;
  await phone.ask('scrobble', { id: `tr-${id}`, time: clock }, '');
  expect((await list()).total).toBe(1);
});

describe('a play that is reported again', () => {
  test.each([
    ['at the same time', 0, 200_000, 1],
    ['a second later', 1_000, 200_000, 1],
    ['before it could have counted again', 99_000, 200_000, 1],
    ['after that', 100_000, 200_000, 2],
    ['four minutes into an hour', 239_000, 3_600_000, 1],
    ['later in that hour', 240_000, 3_600_000, 2],
    ['a moment later, of a jingle', 1_900, 1_000, 1],
    ['two seconds later, of a jingle', 2_000, 1_000, 2],
    ['soon, of unknown length', 9_000, null, 1],
  ])('%s (%i ms, of %s) makes %s', async (_, delayMs, durationMs, plays) => {
    const id = tracks.add({ title: 'Lighthouse' }, { durationMs });
    // only phones and imports, because the REST API recognizes a play by its time or its play_id
    const { db } = server.app;
    const deps = {
      now: () => new Date(START_MS),
      log: { warn: () => undefined },
      events: { publish: () => undefined },
      library: { tracksById: () => [] },
    };
    const history = createHistoryService({ db, ...deps });
    const recordOnePlay = (playedAtMs: number) =>
      history.recordMany(1 as UserId, [{ trackId: id, playedAt: new Date(playedAtMs) }]);
    for (const playedAtMs of [START_MS - delayMs, START_MS]) await recordOnePlay(playedAtMs);
    expect((await list()).total).toBe(plays);
    await recordOnePlay(START_MS - delayMs);
    expect((await list()).total).toBe(plays);
    expectCounts();
  });

  test('returns the existing play, with the longer duration', async () => {
    const id = tracks.add({ title: 'Lighthouse' });
    const firstReport = await report({
      track_id: id,
      played_at: iso(START_MS - 50_000),
      played_ms: 100_000,
      client: 'phone',
    });
    const secondReport = await report({
      track_id: id,
      played_at: iso(START_MS - 50_000),
      played_ms: 190_000,
      client: 'web',
    });
    expect([firstReport.status, secondReport.status]).toEqual([201, 200]);
    expect(secondReport.body).toMatchObject({
      id: firstReport.body.id,
      played_at: iso(START_MS - 50_000),
      played_ms: 190_000,
      client: 'phone',
    });
    expect((await report({ track_id: id, played_at: iso(START_MS - 50_000), played_ms: 5 })).body.played_ms).toBe(
      190_000,
    );
  });

  test('is a new play for another track or another user', async () => {
    const [trackId, liveTrackId] = [tracks.add({ title: 'Lighthouse' }), tracks.add({ title: 'Lighthouse (live)' })];
    for (const [id, token] of [
      [trackId, server.token],
      [liveTrackId, server.token],
      [trackId, listener],
    ] as const)
      expect((await report({ track_id: id }, token)).status).toBe(201);
    expectCounts();
  });

  test('many times at once is still one play', async () => {
    const id = tracks.add({ title: 'Lighthouse' });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0
          ? report({ track_id: id, played_at: iso(START_MS) })
          : report<Batch>({ items: [{ track_id: id, played_at: iso(START_MS + i) }] }),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await list()).total).toBe(1);
    expectCounts();
  });
});

describe('many plays at once', () => {
  test('each have a result, in any order', async () => {
    const [firstId, secondId] = [tracks.add({ title: 'A' }), tracks.add({ title: 'B' })];
    const { status, body } = await report<Batch>({
      items: [
        { track_id: secondId, played_at: iso(START_MS - 10) },
        { track_id: firstId, played_at: iso(START_MS - 900_000) },
        { track_id: 999 },
        { track_id: secondId, played_at: iso(START_MS - 11) },
        { track_id: firstId, played_at: '2999-01-01T00:00:00Z' },
      ],
    });
    expect(status).toBe(201);
    expect(body.recorded).toBe(3);
    expect(body.items.map((item) => item.status)).toEqual([
      'recorded',
      'recorded',
      'unknown_track',
      'known',
      'recorded',
    ]);
    expect(body.items[3]?.id).toBe(body.items[0]?.id);
    expect((await report<Batch>({ items: [{ track_id: secondId, played_at: iso(START_MS - 10) }] })).status).toBe(200);
  });

  test('of a phone that was offline for weeks are all recorded once', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => tracks.add({ title: `Song ${i}` }));
    const items = Array.from({ length: 5_000 }, (_, i) => ({
      track_id: ids[i % 50],
      played_at: iso(START_MS - i * 200_000),
    }));
    expect((await report<Batch>({ items })).body.recorded).toBe(5_000);
    expect((await report<Batch>({ items })).body.recorded).toBe(0);
    expect((await list()).total).toBe(5_000);
    expect((await report({ items: [...items, items[0]] })).status).toBe(422);
    expectCounts();
  });
});

describe('the list', () => {
  test('is sorted newest first by the time of the play, in pages, by track and time', async () => {
    const [firstId, secondId] = [tracks.add({ title: 'A' }), tracks.add({ title: 'B' })];
    for (const [id, hours] of [
      [firstId, 5],
      [secondId, 1],
      [firstId, 3],
      [secondId, 2],
      [firstId, 4],
    ] as const)
      await report({ track_id: id, played_at: iso(START_MS - hours * 3_600_000) });
    const hours = async (query: string): Promise<number[]> =>
      (await list(query)).items.map(({ played_at }) => (START_MS - Date.parse(played_at)) / 3_600_000);
    expect(await hours('')).toEqual([1, 2, 3, 4, 5]);
    expect(await hours('?limit=2&offset=1')).toEqual([2, 3]);
    expect(await hours(`?track_id=${firstId}`)).toEqual([3, 4, 5]);
    expect(await hours(`?from=${iso(START_MS - 4 * 3_600_000)}&to=${iso(START_MS - 2 * 3_600_000)}`)).toEqual([3, 4]);
    expect(await hours('?offset=9')).toEqual([]);
    expect([
      (await list('?limit=1')).total,
      (await list(`?track_id=${firstId}&limit=1`)).total,
      (await list(`?from=${iso(START_MS - 3 * 3_600_000)}`)).total,
    ]).toEqual([5, 3, 3]);
    for (const query of ['?from=x', '?track_id=0', '?limit=0', '?to=2026'])
      expect((await server.api(`/history${query}`)).status).toBe(422);
  });

  test('keeps the names of deleted and renamed tracks', async () => {
    const id = tracks.add({ title: 'Lighthouse', album: 'Harbour' });
    await report({ track_id: id });
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: { title: 'Renamed' } });
    expect((await list()).items[0]).toMatchObject({ title: 'Lighthouse', track: { title: 'Renamed' } });
    await server.api(`/tracks/${id}`, { method: 'DELETE' });
    expect((await list()).items[0]).toMatchObject({
      track: null,
      title: 'Lighthouse',
      artist_name: 'The Quays',
      album_title: 'Harbour',
    });
    expectCounts();
    expect(keptCounts(server.app.db)).toEqual([
      { user_id: 1, item_type: 'all', item_id: 0, plays: 1, last_played_at: START_MS },
    ]);
  });
});

describe('a removed play', () => {
  test('counts nowhere, is not restored by another report, and can be restored', async () => {
    const id = tracks.add({ title: 'Lighthouse' });
    const { body: play } = await report({ track_id: id, played_at: iso(START_MS) });
    const otherPlay = (await report({ track_id: id, played_at: iso(START_MS - 900_000) })).body;
    expect((await server.api(`/history/${play.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await list()).items.map((item) => item.id)).toEqual([otherPlay.id]);
    expect((await server.api<TrackOut>(`/tracks/${id}`)).body).toMatchObject({
      play_count: 1,
      last_played_at: iso(START_MS - 900_000),
    });
    expectCounts();
    expect((await report<Batch>({ items: [{ track_id: id, played_at: iso(START_MS) }] })).body.items).toEqual([
      { status: 'withdrawn', id: play.id },
    ]);
    expect((await server.api(`/history/${play.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await server.api<HistoryOut>(`/history/${play.id}/restore`, { method: 'POST' })).body.id).toBe(play.id);
    expect((await server.api(`/history/${play.id}/restore`, { method: 'POST' })).status).toBe(404);
    expect((await list()).total).toBe(2);
    expectCounts();
  });
});

describe('counts', () => {
  test('are updated when tracks change album and artists or are deleted, and plays are added or removed', async () => {
    const random = seededRandom(8);
    const randomBelow = (n: number): number => Math.floor(random() * n);
    const identity = () => ({
      title: `Song ${randomBelow(8)}`,
      artists: [...new Set([`Artist ${randomBelow(4)}`, `Artist ${randomBelow(4)}`])],
      ...(random() < 0.9 && { album: `Album ${randomBelow(4)}` }),
      genres: [],
    });
    let ids = Array.from({ length: 30 }, () => tracks.add(identity()));
    const users = [1, 2] as UserId[];
    const db = server.app.db.$client;
    for (let i = 0; i < 200; i++)
      db.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (?, ?, 'x', ?)").run(
        users[randomBelow(2)],
        ids[randomBelow(30)],
        randomBelow(500),
      );
    for (let step = 0; step < 120; step++) {
      const id = ids[randomBelow(ids.length)] as TrackId;
      const dice = random();
      if (dice < 0.4) db.transaction(() => tracks.writer.setIdentity(id, identity()))();
      else if (dice < 0.5 && ids.length > 5) {
        await server.api(`/tracks/${id}`, { method: 'DELETE' });
        ids = ids.filter((otherId) => otherId !== id);
      } else if (dice < 0.7) db.prepare('UPDATE plays SET withdrawn_at = 1 WHERE id = ?').run(1 + randomBelow(200));
      else if (dice < 0.8) db.prepare('UPDATE plays SET withdrawn_at = NULL WHERE id = ?').run(1 + randomBelow(200));
      else if (dice < 0.9)
        db.prepare('UPDATE plays SET track_id = ? WHERE id = ? AND track_id IS NULL').run(id, 1 + randomBelow(200));
      else
        db.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (?, ?, 'x', ?)").run(
          users[randomBelow(2)],
          random() < 0.8 ? id : null,
          randomBelow(500),
        );
      expectCounts();
    }
    expect(keptCounts(server.app.db).length).toBeGreaterThan(20);
  });
});

describe('what is playing now', () => {
  test('is sent to the user’s other devices only, and is not a play', async () => {
    const id = tracks.add({ title: 'Lighthouse' });
    const receivedEvents: string[] = [];
    const collectEvents = (userId: number) =>
      server.app.events.subscribe({ id: userId as UserId, isSuperuser: true }, undefined, ({ name, data }) => {
        if (name !== 'library' && name !== 'job') receivedEvents.push(`${userId} ${name} ${data}`);
      });
    const stops = [collectEvents(1), collectEvents(2)];
    expect(
      (
        await server.api('/history/now-playing', {
          method: 'POST',
          body: { track_id: id, position_ms: 5_000, client: 'phone' },
        })
      ).status,
    ).toBe(204);
    expect(receivedEvents).toEqual([`1 now_playing {"user_id":1,"track_id":${id},"position_ms":5000}`]);
    const listPlaying = async (token = server.token) =>
      (await server.api<{ playing: { track: TrackOut } | null }>('/history/now-playing', { token })).body.playing;
    expect(await listPlaying()).toMatchObject({
      track: { id, play_count: 0 },
      position_ms: 5_000,
      since: iso(START_MS),
      client: 'phone',
    });
    expect(await listPlaying(listener)).toBeNull();
    clock += 200_000 - 5_000 + 10 * 60_000; // the time is after the end of the track and the tolerance
    expect(await listPlaying()).toBeNull();
    await server.api('/history/now-playing', { method: 'POST', body: { track_id: id } });
    await server.api('/history/now-playing', { method: 'POST', body: { track_id: null } });
    expect(await listPlaying()).toBeNull();
    expect((await server.api('/history/now-playing', { method: 'POST', body: { track_id: 999 } })).status).toBe(404);
    expect((await list()).total).toBe(0);
    for (const stop of stops) stop();
  });
});

test('likes and plays are sent to the user’s own windows', async () => {
  const id = tracks.add({ title: 'Lighthouse' });
  const receivedEvents: string[] = [];
  const stops = [1, 2].map((userId) =>
    server.app.events.subscribe({ id: userId as UserId, isSuperuser: false }, undefined, ({ name, data }) => {
      if (name !== 'library') receivedEvents.push(`${userId} ${name} ${data}`);
    }),
  );
  for (let i = 0; i < 2; i++) await report({ track_id: id, played_at: iso(START_MS) });
  await server.api('/likes', {
    method: 'POST',
    body: { item_type: 'track', item_id: id, liked: true },
    token: listener,
  });
  expect(receivedEvents).toEqual([
    '1 history {"plays":1}',
    `2 like {"item_type":"track","item_id":${id},"liked":true,"rating":0,"rating_origin":null,"since":"${iso(START_MS)}"}`,
  ]);
  for (const stop of stops) stop();
});
