// Edits by hand keep what they replaced for 30 days, one by one and together.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackEditOut, UndoneEditOut, UndoneOut } from '../../server/library/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { formerCovers } from '../../server/db/schema.ts';
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
  server.api<UndoneEditOut>(`/tracks/${id}/edits/${edit}/undo`, { method: 'POST', token });
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

test('undoing one edit leaves what was changed again since, and says what', async () => {
  const id = add();
  const before = await shown(id);
  await put(id, { title: 'Other', artist: 'Somebody', album: 'Elsewhere', genre: 'Pop' });
  await patch(id, { genre: 'Soul' });
  const [, first] = await edits(id);
  const { not_undone: kept } = (await undo(id, first?.id)).body;
  expect(kept).toEqual([{ field: 'genre', value: 'Soul' }]);
  expect(await shown(id)).toEqual({ ...before, metadata_status: 'manual', genre: 'Soul', genres: ['Soul'] });
  expect((await edits(id))[0]?.changes.map(({ field }) => field)).not.toContain('genre');

  await patch(id, { genre: 'Jazz' });
  await patch(id, { genre: 'Blues' });
  const [, jazz] = await edits(id);
  const nothing = await server.api<{ detail: string }>(`/tracks/${id}/edits/${jazz?.id}/undo`, { method: 'POST' });
  expect([nothing.status, nothing.body.detail]).toEqual([
    409,
    'Nothing was undone. Changed again since: genre (“Blues”).',
  ]);
  expect((await track(id)).genre).toBe('Blues');
});

test('undoing a change of the album keeps an album artist that was set since', async () => {
  const id = add();
  await put(id, { title: 'One', artist: 'Somebody', album: 'Elsewhere', album_artist: 'First' });
  await put(id, { title: 'One', artist: 'Somebody', album: 'Third', album_artist: 'First' });
  await put(id, { title: 'One', artist: 'Somebody', album: 'Third', album_artist: 'Second' });
  const [, album] = await edits(id);
  expect((await undo(id, album?.id)).body.not_undone).toEqual([]);
  expect(await track(id)).toMatchObject({ album_title: 'Elsewhere', album_artist_name: 'Second' });
});

test.each(['by another edit', 'by an undo', 'from new files, after the trash was emptied'])(
  'a cover that a person chose is there again when the tracks of the album went and come back %s',
  async (way) => {
    let id = add();
    const { title, artist_name, album_title, album_id } = await track(id);
    const background = '#c14953';
    const png = await sharp({ create: { width: 80, height: 80, channels: 3, background } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(png)]), 'cover.png');
    const headers = { authorization: `Bearer ${server.token}` };
    const chosen = await fetch(`${server.url}/api/v1/albums/${album_id}/cover`, { method: 'PUT', body: form, headers });
    expect(chosen.status).toBe(204);
    const coverOf = async (album: number | null) =>
      Buffer.from(await (await fetch(`${server.url}/api/v1/albums/${album}/cover`, { headers })).arrayBuffer());
    const picture = await coverOf(album_id);
    if (way.startsWith('from new files')) {
      await server.api(`/tracks/${id}`, { method: 'DELETE' });
      expect((await server.api('/trash/empty', { method: 'POST', body: {} })).body).toEqual({ deleted: 1 });
      id = add();
    } else await put(id, { title: 'Away', artist: 'Somebody else', album: 'Away' });
    await server.app.drain();
    const [edit] = await edits(id);
    if (way === 'by an undo') await undo(id, edit?.id);
    else await put(id, { title, artist: artist_name, album: album_title });
    await server.app.drain();
    const back = await track(id);
    expect(back.album_id === album_id).toBe(way === 'by an undo');
    expect((await coverOf(back.album_id)).equals(picture)).toBe(true);
    expect(server.app.db.select().from(formerCovers).all()).toEqual([]);
  },
);

test('a merge is in the history of the track that is left, and is undone from there', async () => {
  const [kept, merged] = [add(), add()];
  const { title } = await track(merged);
  await patch(kept, { year: 1999 });
  const { $client } = server.app.db;
  $client.pragma('foreign_keys = OFF'); // they have no fingerprints
  for (const id of [kept, merged])
    $client.prepare('INSERT INTO duplicate_members (group_id, track_id) VALUES (1, ?)').run(id);
  $client.pragma('foreign_keys = ON');
  await server.api('/duplicates/merge', { method: 'POST', body: { keep: kept, merge: [merged] } });
  const [merge, edit] = await edits(kept);
  expect(merge).toMatchObject({
    kind: 'merge',
    id: merged,
    user_name: 'admin',
    merged: { title, reason: 'duplicate' },
  });
  expect(edit).toMatchObject({ kind: 'edit', merged: null });
  expect((await server.api(`/merges/${merge?.id}/undo`, { method: 'POST' })).status).toBe(200);
  expect((await edits(kept)).map(({ kind }) => kind)).toEqual(['edit']);
  expect((await track(merged)).title).toBe(title);
});

test('edits that were made together are undone together, but for what was edited since', async () => {
  const ids = [add(), add(), add(), add()] as const;
  const before = await Promise.all(ids.map(shown));
  for (const id of ids) await put(id, { title: `Both ${id}`, artist: 'One', album: 'Together' }, 'batch-1');
  await patch(ids[0], { genre: 'Twice' }, 'batch-1');
  expect((await edits(ids[1]))[0]).toMatchObject({ batch: 'batch-1', batch_tracks: 4 });
  await patch(ids[2], { title: 'Since' });
  await put(ids[3], { title: 'All', artist: 'Of it', album: 'Since' });
  const first = (await undoBatch('batch-1')).body;
  expect(first).toMatchObject({ undone: 3, failed: [{ id: ids[3] }] });
  expect(first.failed[0]?.detail).toMatch(/^Nothing was undone. Changed again since: title \(“All”\), artist/);
  expect([await shown(ids[0]), await shown(ids[1])]).toEqual(before.slice(0, 2));
  expect(await shown(ids[2])).toEqual({ ...before[2], title: 'Since', metadata_status: 'manual' });
  expect((await undoBatch(first.batch)).body).toMatchObject({ undone: 3, failed: [] });
  expect((await track(ids[1])).album_title).toBe('Together');
  expect((await undoBatch('no-such')).status).toBe(404);
});

test('two edits made together are undone one after the other, the last one first', async () => {
  const id = add();
  const before = await shown(id);
  await patch(id, { title: 'First', year: 1999 }, 'batch-a');
  await patch(id, { title: 'Second' }, 'batch-b');
  expect((await undoBatch('batch-b')).body).toMatchObject({ undone: 1, failed: [] });
  expect((await track(id)).title).toBe('First');
  expect((await undoBatch('batch-a')).body).toMatchObject({ undone: 1, failed: [] });
  expect(await shown(id)).toEqual(before);
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
