// Requests of the maximum size while others are served: a queue, a playlist, stars, plays and shares of tens of
// thousands of ids. The benchmark `hostile` measures their cost; these tests check that they are correct and limited.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlaylistOut, PlaylistPage } from '../../server/playlists/wire.ts';
import type { QueueOut } from '../../server/playback/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Exceeds the parameters of an SQLite statement, and every batch in which the server writes. */
const ID_COUNT = 35_000;

let server: TestServer;
let phone: Phone;
let tracks: number[];
beforeAll(async () => {
  server = await startServer();
  const maker = trackMaker(server.app);
  tracks = Array.from({ length: 50 }, (_, n) => maker.add({ title: `Song ${n}` }));
  phone = await openPhone(server);
});
afterAll(() => server.close());

const makeManyIds = (count = ID_COUNT): number[] =>
  Array.from({ length: count }, (_, n) => tracks[n % tracks.length] as number);
const toSubsonicIds = (ids: number[]): string[] => ids.map((id) => `tr-${id}`);

describe('tens of thousands of ids', () => {
  test('are a queue, in both APIs', async () => {
    const putAnswer = await server.api<QueueOut>('/queue', {
      method: 'PUT',
      body: { track_ids: makeManyIds(), current_index: ID_COUNT - 1 },
    });
    expect([putAnswer.status, putAnswer.body.track_ids.length, putAnswer.body.current_index]).toEqual([
      200,
      ID_COUNT,
      ID_COUNT - 1,
    ]);
    const saveAnswer = await phone.post('savePlayQueue', {
      id: toSubsonicIds(makeManyIds()),
      current: toSubsonicIds(tracks)[3],
    });
    expect(saveAnswer.body.status).toBe('ok');
    const { entry } = await phone.ask<{ entry: { id: string }[] }>('getPlayQueue', {}, 'playQueue');
    expect(entry.map(({ id }) => id)).toEqual(toSubsonicIds(makeManyIds()));
  });

  test('are a playlist that is one version, in both APIs', async () => {
    const createAnswer = await server.api<PlaylistOut>('/playlists?entries=false', {
      method: 'POST',
      body: { name: 'long', track_ids: makeManyIds() },
    });
    expect([createAnswer.status, createAnswer.body.track_count, createAnswer.body.version]).toEqual([201, ID_COUNT, 1]);
    const playlist = await server.api<PlaylistOut>(`/playlists/${createAnswer.body.id}`);
    expect(playlist.body.entries?.map(({ track }) => track.id)).toEqual(makeManyIds());

    const { status, text } = await phone.post('createPlaylist', {
      name: 'longer',
      songId: toSubsonicIds(makeManyIds()),
    });
    expect([status, text.slice(0, 40)]).toEqual([200, '{"subsonic-response":{"status":"ok","ver']);
    const lists = (await server.api<PlaylistPage>('/playlists')).body.items;
    expect(lists.map(({ name, track_count }) => [name, track_count])).toEqual([
      ['long', ID_COUNT],
      ['longer', ID_COUNT],
    ]);
  });

  test('are starred, each song once', async () => {
    expect((await phone.post('star', { id: toSubsonicIds(makeManyIds()) })).body.status).toBe('ok');
    expect(server.app.db.$client.prepare('SELECT count(*) FROM like_events').pluck().get()).toBe(tracks.length);
    const { song } = await phone.ask<{ song: unknown[] }>('getStarred2', {}, 'starred2');
    expect(song).toHaveLength(tracks.length);
    expect((await phone.post('unstar', { id: toSubsonicIds(makeManyIds()) })).body.status).toBe('ok');
  });

  test('are plays, each with its time', async () => {
    const times = makeManyIds().map((_, n) => 1_600_000_000_000 + n * 300_000);
    expect(
      (await phone.post('scrobble', { id: toSubsonicIds(makeManyIds(2_000)), time: times.slice(0, 2_000) })).body
        .status,
    ).toBe('ok');
    expect(server.app.db.$client.prepare('SELECT count(*) FROM plays').pluck().get()).toBe(2_000);
  });

  test('are starred without those that name nothing, and answered with an error if all of them name nothing', async () => {
    const countEvents = server.app.db.$client.prepare('SELECT count(*) FROM like_events WHERE liked = 1').pluck();
    const previousEvents = countEvents.get() as number;
    const noneIsTaken = await phone.post('star', { id: Array.from({ length: 500 }, (_, n) => `tr-${900_000 + n}`) });
    expect([noneIsTaken.body.error?.code, countEvents.get()]).toEqual([70, previousEvents]);
    const someAreTaken = await phone.post('star', { id: [...toSubsonicIds(makeManyIds(500)), 'tr-999999'] });
    expect([someAreTaken.body.status, countEvents.get()]).toEqual([
      'ok',
      previousEvents + Math.min(500, tracks.length),
    ]);
  });
});

test('a playlist file whose lines all have the same name is read', async () => {
  const formData = new FormData();
  const line = (n: number): string => `#EXTINF:200,The Quays - Song ${n % tracks.length}\n${n}/same.mp3\n`;
  formData.append('file', new Blob(Array.from({ length: 6_000 }, (_, n) => line(n))), 'same.m3u8');
  const { status, body } = await server.api<{ matched: number; unmatched: unknown[] }>('/playlists/import', {
    method: 'POST',
    body: formData,
  });
  expect([status, body.matched, body.unmatched]).toEqual([201, 6_000, []]);
});

describe('more than a limit, or no text, is refused with the limit and what was given', () => {
  test.each<[string, string, string, unknown, number, RegExp]>([
    [
      'ids of a queue',
      'PUT',
      '/queue',
      { track_ids: Array(200_001).fill(1) },
      422,
      /at most 200000 ids, and this one holds 200001/,
    ],
    [
      'ids of a playlist',
      'POST',
      '/playlists',
      { name: 'x', track_ids: Array(100_001).fill(1) },
      422,
      /at most 100000 ids/,
    ],
    ['bytes', 'POST', '/likes', { item_type: 'x'.repeat(600_000) }, 413, /at most 524288 bytes/],
    ['values', 'POST', '/history', { items: Array(31_000).fill(1) }, 422, /at most 30000 values/],
    ['text', 'POST', '/users/me/app-passwords', { name: '\ud800' }, 400, /not valid Unicode/],
    ['levels', 'PATCH', '/settings', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`, 400, /50 levels/],
  ])('%s', async (_title, method, path, body, status, words) => {
    const answer = await server.api(path, { method, body, headers: { 'Content-Type': 'application/json' } });
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(words)]);
  });

  test('parameters of an address and of a form', async () => {
    const answer = await server.api(`/likes/state?item_type=track${'&item_id=1'.repeat(11_001)}`);
    expect([answer.status, answer.text]).toEqual([413, expect.stringMatching(/at most 11000 parameters/)]);
    const formAnswer = await fetch(phone.address('star'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'id=tr-1&'.repeat(250_001),
    });
    expect(await formAnswer.text()).toMatch(/at most 250000 parameters/);
  });

  test('songs of a share, before any is read', async () => {
    const { body } = await server.api<PlaylistOut>('/playlists?entries=false', {
      method: 'POST',
      body: { name: 'for a share', track_ids: makeManyIds(4_000) },
    });
    const answer = await phone.post('createShare', { id: Array(40).fill(`pl-${body.id}`) });
    expect(answer.body.error?.message).toMatch(/at most 5000 songs, and stands for 8000 or more/);
  });

  test('a list of faults is cut off', async () => {
    const { body } = await server.api<{ errors: unknown[] }>('/history', {
      method: 'POST',
      body: { items: Array.from({ length: 4_000 }, () => ({ track_id: 'x' })) },
    });
    expect(body.errors.length).toBeLessThanOrEqual(100);
  });
});
