// Edits by hand keep what they replaced for 30 days, one by one and together.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackEditOut, UndoneOut } from '../../server/library/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let now = Date.now();
let made = 0;
let maker: ReturnType<typeof trackMaker>;
beforeAll(async () => {
  server = await startServer({ now: () => new Date(now) });
  maker = trackMaker(server.app);
});
afterAll(() => server.close());

const add = (): number => {
  made += 1;
  const title = `Tide ${made}`;
  return maker.add({ title, artists: [`Quay ${made}`], album: `Harbour ${made}`, genres: ['Folk', 'Sea'], year: 1990 });
};
const track = async (id: number): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${id}`)).body;
/** What people see of its metadata. */
const shown = async (id: number): Promise<Partial<TrackOut>> => {
  const { updated_at: _, ...rest } = await track(id);
  return rest;
};
const edits = async (id: number): Promise<TrackEditOut[]> =>
  (await server.api<TrackEditOut[]>(`/tracks/${id}/edits`)).body;
const patch = (id: number, body: object, batch?: string) =>
  server.api(`/tracks/${id}${batch === undefined ? '' : `?batch=${batch}`}`, { method: 'PATCH', body });
const put = (id: number, body: object, batch?: string) =>
  server.api(`/tracks/${id}/metadata${batch === undefined ? '' : `?batch=${batch}`}`, { method: 'PUT', body });
const undo = (id: number, edit: number | undefined, token = server.token) =>
  server.api<TrackOut>(`/tracks/${id}/edits/${edit}/undo`, { method: 'POST', token });
const undoBatch = (batch: string) => server.api<UndoneOut>(`/edits/${batch}/undo`, { method: 'POST' });

test('an edit says what it changed and who did it, and one that changes nothing is none', async () => {
  const id = add();
  await patch(id, { year: 1999, title: `Tide ${made}` });
  await patch(id, { year: 1999 });
  const [edit, ...others] = await edits(id);
  expect(others).toEqual([]);
  expect(edit).toMatchObject({ user_name: 'admin', batch: null, batch_tracks: 1 });
  expect(edit?.changes).toEqual([{ field: 'year', before: '1990', after: '1999' }]);
});

test('undoing brings back every field, the status, and an album and artist that were left empty, under their ids', async () => {
  const id = add();
  const before = await shown(id);
  await server.api('/likes', { method: 'POST', body: { item_type: 'album', item_id: before.album_id, liked: true } });
  await put(id, { title: 'Other', artist: 'Somebody', album: 'Elsewhere', genre: 'Jazz', year: 1980 });
  expect((await server.api(`/albums/${before.album_id}`)).status).toBe(404);
  const changed = await shown(id);
  const [edit] = await edits(id);
  expect((await undo(id, edit?.id)).status).toBe(200);
  expect(await shown(id)).toEqual(before);
  expect((await server.api<{ liked: boolean }>(`/albums/${before.album_id}`)).body.liked).toBe(true);
  expect((await server.api(`/albums/${changed.album_id}`)).status).toBe(404); // nothing is left in it
  const [undone] = await edits(id);
  await undo(id, undone?.id);
  const { album_id: _, artist_id: __, artists: ___, ...again } = await shown(id);
  expect(changed).toMatchObject(again);
});

test('edits that were made together are undone together, but for tracks that were edited since', async () => {
  const ids = [add(), add(), add()] as const;
  const before = await Promise.all(ids.map(shown));
  for (const id of ids) await put(id, { title: `Both ${id}`, artist: 'One', album: 'Together' }, 'batch-1');
  await patch(ids[0], { genre: 'Twice' }, 'batch-1');
  expect((await edits(ids[1]))[0]).toMatchObject({ batch: 'batch-1', batch_tracks: 3 });
  await patch(ids[2], { year: 2001 });
  const first = (await undoBatch('batch-1')).body;
  expect(first).toMatchObject({ undone: 2, failed: [{ id: ids[2], detail: 'The track was edited again since.' }] });
  expect([await shown(ids[0]), await shown(ids[1])]).toEqual(before.slice(0, 2));
  expect((await track(ids[2])).title).toBe(`Both ${ids[2]}`);
  expect((await undoBatch(first.batch)).body).toMatchObject({ undone: 2, failed: [] });
  expect((await track(ids[1])).album_title).toBe('Together');
  expect((await undoBatch('no-such')).status).toBe(404);
});

test('who may not edit a track may not undo its edits', async () => {
  const id = add();
  await patch(id, { year: 1999 });
  const listener = await registerUser(server, 'listener');
  const [edit] = await edits(id);
  expect((await undo(id, edit?.id, listener)).status).toBe(403);
  const other = add();
  expect((await undo(other, edit?.id)).status).toBe(404);
  expect((await track(id)).year).toBe(1999);
});

test('edits go to the trash and come back with their track, and are kept for 30 days', async () => {
  const id = add();
  await patch(id, { year: 1999 });
  await server.api(`/tracks/${id}`, { method: 'DELETE' });
  await server.api(`/trash/${id}/restore`, { method: 'POST' });
  const [edit] = await edits(id);
  expect(edit?.changes).toEqual([{ field: 'year', before: '1990', after: '1999' }]);
  now += 30 * DAY_MS + 1;
  const { body } = await server.api<{ access_token: string }>('/auth/login', {
    method: 'POST',
    body: ADMIN,
  });
  server.token = body.access_token;
  expect(await edits(id)).toEqual([]);
  expect((await undo(id, edit?.id)).status).toBe(404);
});
