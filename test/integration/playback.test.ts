// The play queue, which devices share, and bookmarks.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { createTrackMerge } from '../../server/library/merges/track-merge.ts';
import type { ChaptersOut, TrackPage } from '../../server/library/wire.ts';
import { createPlaybackMerge } from '../../server/playback/track-merge.ts';
import type { BookmarkOut, QueueOut } from '../../server/playback/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openPhone } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let clock: number;
let listener: string;
let tracks: ReturnType<typeof trackMaker>;
let ids: TrackId[];
const START_MS = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  clock = START_MS;
  server = await startServer({ now: () => new Date(clock) });
  listener = await registerUser(server);
});
afterAll(() => server.close());
beforeEach(() => {
  clock = START_MS;
  server.app.db.$client.exec('DELETE FROM play_queues; DELETE FROM bookmarks; DELETE FROM tracks');
  tracks = trackMaker(server.app);
  ids = ['A', 'B', 'C', 'D'].map((title) => tracks.add({ title }));
});

const save = (body: unknown, token = server.token) => server.api<QueueOut>('/queue', { method: 'PUT', body, token });
const queue = async (token = server.token): Promise<QueueOut> => (await server.api<QueueOut>('/queue', { token })).body;
const mergeInto = (kept: TrackId, emptied: TrackId) =>
  createTrackMerge({
    db: server.app.db,
    tracks: tracks.writer,
    movers: [createPlaybackMerge({ db: server.app.db })],
  }).mergeInto(kept, emptied);

describe('the queue', () => {
  test('is returned as saved, only to its owner', async () => {
    expect(await queue()).toEqual({
      track_ids: [],
      current_index: 0,
      position_ms: 0,
      listening: null,
      changed_by: null,
      updated_at: null,
    });
    const savedQueue = { track_ids: [ids[1], ids[0], ids[1]], current_index: 2, position_ms: 4_500, listening: null };
    const expectedQueue = { ...savedQueue, changed_by: 'phone', updated_at: new Date(START_MS).toISOString() };
    const { status, body } = await save({ ...savedQueue, client: 'phone' });
    expect([status, body, await queue()]).toEqual([200, expectedQueue, expectedQueue]);
    expect((await queue(listener)).updated_at).toBeNull();
    expect((await save({ track_ids: [] })).body).toMatchObject({ track_ids: [], current_index: 0 });
  });

  test('returns its tracks in pages, including repeated ones', async () => {
    await save({ track_ids: [ids[1], ids[0], ids[1]] });
    const { body } = await server.api<TrackPage>('/queue/tracks?limit=2&offset=1');
    expect([body.items.map(({ id }) => id), body.total]).toEqual([[ids[0], ids[1]], 3]);
  });

  test('may have very many tracks, and any current index', async () => {
    const longQueueIds = Array.from({ length: 20_000 }, (_, i) => ids[i % 4]);
    await save({ track_ids: longQueueIds, current_index: 19_999 });
    expect((await queue()).track_ids).toEqual(longQueueIds);
    expect((await save({ track_ids: Array.from({ length: 200_001 }, () => ids[0]) })).status).toBe(422);
  });

  test('leaves out missing tracks, and keeps the current one', async () => {
    await save({ track_ids: [ids[0], 999_999, ids[1], ids[2]], current_index: 2, position_ms: 7 });
    expect(await queue()).toMatchObject({ track_ids: [ids[0], ids[1], ids[2]], current_index: 1, position_ms: 7 });
    await server.api(`/tracks/${ids[0]}`, { method: 'DELETE' });
    expect(await queue()).toMatchObject({ track_ids: [ids[1], ids[2]], current_index: 0, position_ms: 7 });
    await server.api(`/tracks/${ids[1]}`, { method: 'DELETE' });
    expect(await queue()).toMatchObject({ track_ids: [ids[2]], current_index: 0, position_ms: 0 });
  });

  test('says what was heard of the current track, as long as that is there', async () => {
    const listening = { play_id: 'window-1', started_at: new Date(START_MS).toISOString(), heard_ms: 70_000 };
    await save({ track_ids: [ids[0], ids[1]], current_index: 1, listening });
    expect((await queue()).listening).toEqual(listening);
    await server.api(`/tracks/${ids[1]}`, { method: 'DELETE' });
    expect((await queue()).listening).toBeNull();
    await save({ track_ids: [ids[0]], listening });
    const phone = await openPhone(server);
    await phone.ask('savePlayQueue', { id: `tr-${ids[0]}`, current: `tr-${ids[0]}` }, '');
    expect((await queue()).listening).toBeNull();
    server.app.db.$client.exec("UPDATE play_queues SET listening = '{dam'");
    expect((await queue()).listening).toBeNull();
  });

  test('follows a merged track', async () => {
    const [a, b, c] = ids as [TrackId, TrackId, TrackId];
    await save({ track_ids: [b, a, b, c], current_index: 2 });
    mergeInto(a, b);
    expect(await queue()).toMatchObject({ track_ids: [a, a, a, c], current_index: 2 });
  });

  test('notifies the user’s other windows of changes', async () => {
    const receivedQueues: string[] = [];
    const stops = [1, 2].map((user) =>
      server.app.events.subscribe({ id: user as UserId, isSuperuser: true }, undefined, ({ name, data }) => {
        if (name === 'queue') receivedQueues.push(`${user} ${name} ${data}`); // events of jobs may arrive meanwhile
      }),
    );
    await save({ track_ids: ids, client: 'phone' });
    expect(receivedQueues).toEqual([`1 queue {"client":"phone","updated_at":"${new Date(START_MS).toISOString()}"}`]);
    for (const stop of stops) stop();
  });

  test.each([
    { track_ids: [1, 2], current_index: 2 },
    { track_ids: [], current_index: 1 },
    { track_ids: [0] },
    { track_ids: ['1'] },
    { current_index: 0 },
    { track_ids: [1], position_ms: -1 },
    { user_id: 2 },
    { track_ids: [1], listening: { play_id: 'window-1' } },
    { track_ids: [1], listening: { play_id: '', started_at: '2026-01-01T00:00:00Z', heard_ms: 1 } },
  ])('%j is refused', async (body) => {
    expect((await save(body)).status).toBe(422);
  });
});

describe('a bookmark', () => {
  const path = (id: unknown): string => `/bookmarks/${String(id)}`;
  const putBookmark = (id: unknown, body: unknown, token = server.token) =>
    server.api<BookmarkOut>(path(id), { method: 'PUT', body, token });
  const listBookmarks = async (token = server.token): Promise<BookmarkOut[]> =>
    (await server.api<{ items: BookmarkOut[] }>('/bookmarks', { token })).body.items;

  test('is set, moved, listed and removed', async () => {
    expect((await putBookmark(ids[0], { position_ms: 1_000, comment: 'chapter 2' })).body).toMatchObject({
      track: { id: ids[0] },
      position_ms: 1_000,
      comment: 'chapter 2',
    });
    clock += 1_000;
    await putBookmark(ids[1], { position_ms: 5 });
    clock += 1_000;
    expect((await putBookmark(ids[0], { position_ms: 9_000 })).body).toEqual(
      expect.objectContaining({
        position_ms: 9_000,
        comment: 'chapter 2',
        created_at: new Date(START_MS).toISOString(),
        updated_at: new Date(clock).toISOString(),
      }),
    );
    expect((await listBookmarks()).map(({ track, position_ms }) => [track.id, position_ms])).toEqual([
      [ids[0], 9_000],
      [ids[1], 5],
    ]);
    expect(await listBookmarks(listener)).toEqual([]);
    const placeOf = async (token: string): Promise<number | null> =>
      (await server.api<ChaptersOut>(`/tracks/${ids[0]}/chapters`, { token })).body.position_ms;
    expect([await placeOf(server.token), await placeOf(listener)]).toEqual([9_000, null]);
    expect((await putBookmark(ids[0], { position_ms: 9_000, comment: null })).body.comment).toBe(null);
    expect((await server.api(path(ids[0]), { method: 'DELETE' })).status).toBe(204);
    expect([
      (await server.api(path(ids[0]))).status,
      (await server.api(path(ids[0]), { method: 'DELETE' })).status,
    ]).toEqual([404, 404]);
  });

  test('needs an existing track, and is deleted with it', async () => {
    expect((await putBookmark(999_999, { position_ms: 1 })).status).toBe(404);
    await putBookmark(ids[0], { position_ms: 1 });
    await server.api(`/tracks/${ids[0]}`, { method: 'DELETE' });
    expect(await listBookmarks()).toEqual([]);
  });

  test('of two merged tracks is the later of both, for every user', async () => {
    const [a, b] = ids as [TrackId, TrackId];
    await putBookmark(a, { position_ms: 1 });
    await putBookmark(b, { position_ms: 7 }, listener);
    clock += 1_000;
    await putBookmark(b, { position_ms: 2, comment: 'later' });
    mergeInto(a, b);
    expect([
      (await listBookmarks()).map(({ track, position_ms, comment }) => [track.id, position_ms, comment]),
      (await listBookmarks(listener)).map(({ track, position_ms }) => [track.id, position_ms]),
    ]).toEqual([[[a, 2, 'later']], [[a, 7]]]);
  });
});
