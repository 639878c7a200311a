// Edits by hand keep the replaced values for 30 days and can be undone, one by one or together.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackEditOut, UndoneEditOut, UndoneOut } from '../../server/library/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { formerCovers } from '../../server/db/schema.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { ADMIN, registerUser, startServer, type TestServer } from '../support/server.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let nowMs = Date.now();
let trackNumber = 0;
let maker: ReturnType<typeof trackMaker>;
beforeAll(async () => {
  server = await startServer({ now: () => new Date(nowMs) });
  maker = trackMaker(server.app);
});
afterAll(() => server.close());

const add = (): number => {
  trackNumber += 1;
  const title = `Tide ${trackNumber}`;
  return maker.add({
    title,
    artists: [`Quay ${trackNumber}`],
    album: `Harbour ${trackNumber}`,
    genres: ['Folk', 'Sea'],
    year: 1990,
  });
};
const track = async (id: number): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${id}`)).body;
/** Returns the metadata fields of a track that users can see. */
const getEditableFields = async (id: number): Promise<Partial<TrackOut>> => {
  const { updated_at: _, ...rest } = await track(id);
  return rest;
};
const edits = async (id: number): Promise<TrackEditOut[]> =>
  (await server.api<TrackEditOut[]>(`/tracks/${id}/edits`)).body;
const patch = (id: number, body: object, batch?: string) =>
  server.api(`/tracks/${id}${batch === undefined ? '' : `?batch=${batch}`}`, { method: 'PATCH', body });
const putMetadata = (id: number, body: object, batch?: string) =>
  server.api(`/tracks/${id}/metadata${batch === undefined ? '' : `?batch=${batch}`}`, { method: 'PUT', body });
const undo = (id: number, edit: number | undefined, token = server.token) =>
  server.api<UndoneEditOut>(`/tracks/${id}/edits/${edit}/undo`, { method: 'POST', token });
const undoBatch = (batch: string) => server.api<UndoneOut>(`/edits/${batch}/undo`, { method: 'POST' });

test('an edit records its changes and its author, and an edit without changes is not recorded', async () => {
  const id = add();
  await patch(id, { year: 1999, title: `Tide ${trackNumber}` });
  await patch(id, { year: 1999 });
  const [edit, ...otherEdits] = await edits(id);
  expect(otherEdits).toEqual([]);
  expect(edit).toMatchObject({ user_name: 'admin', batch: null, batch_tracks: 1 });
  expect(edit?.changes).toEqual([{ field: 'year', before: '1990', after: '1999' }]);
});

test('undoing brings back every field, the status, and an album and artist that were left empty, under their ids', async () => {
  const id = add();
  const fieldsBefore = await getEditableFields(id);
  await server.api('/likes', {
    method: 'POST',
    body: { item_type: 'album', item_id: fieldsBefore.album_id, liked: true },
  });
  await putMetadata(id, { title: 'Other', artist: 'Somebody', album: 'Elsewhere', genre: 'Jazz', year: 1980 });
  const fieldsAfter = await getEditableFields(id);
  // the address of an album without tracks leads to the album that they are in
  const albumAt = async (albumId: number | null | undefined) =>
    (await server.api<{ id: number }>(`/albums/${albumId}`)).body.id;
  expect(await albumAt(fieldsBefore.album_id)).toBe(fieldsAfter.album_id);
  const [edit] = await edits(id);
  expect((await undo(id, edit?.id)).status).toBe(200);
  expect(await getEditableFields(id)).toEqual(fieldsBefore);
  expect((await server.api<{ liked: boolean }>(`/albums/${fieldsBefore.album_id}`)).body.liked).toBe(true);
  expect(await albumAt(fieldsAfter.album_id)).toBe(fieldsBefore.album_id);
  const [undoneEdit] = await edits(id);
  await undo(id, undoneEdit?.id);
  const { album_id: _, artist_id: __, artists: ___, ...fieldsAfterUndo } = await getEditableFields(id);
  expect(fieldsAfter).toMatchObject(fieldsAfterUndo);
});

test('undoing an edit leaves fields that were changed again since, and names them', async () => {
  const id = add();
  const fieldsBefore = await getEditableFields(id);
  await putMetadata(id, { title: 'Other', artist: 'Somebody', album: 'Elsewhere', genre: 'Pop' });
  await patch(id, { genre: 'Soul' });
  const [, firstEdit] = await edits(id);
  const { not_undone: notUndoneFields } = (await undo(id, firstEdit?.id)).body;
  expect(notUndoneFields).toEqual([{ field: 'genre', value: 'Soul' }]);
  expect(await getEditableFields(id)).toEqual({
    ...fieldsBefore,
    metadata_status: 'manual',
    genre: 'Soul',
    genres: ['Soul'],
  });
  expect((await edits(id))[0]?.changes.map(({ field }) => field)).not.toContain('genre');

  await patch(id, { genre: 'Jazz' });
  await patch(id, { genre: 'Blues' });
  const [, jazz] = await edits(id);
  const undoResponse = await server.api<{ detail: string }>(`/tracks/${id}/edits/${jazz?.id}/undo`, { method: 'POST' });
  expect([undoResponse.status, undoResponse.body.detail]).toEqual([
    409,
    'Nothing was undone. Changed again since: genre (“Blues”).',
  ]);
  expect((await track(id)).genre).toBe('Blues');
});

test('undoing a change of the album keeps an album artist that was set since', async () => {
  const id = add();
  await putMetadata(id, { title: 'One', artist: 'Somebody', album: 'Elsewhere', album_artist: 'First' });
  await putMetadata(id, { title: 'One', artist: 'Somebody', album: 'Third', album_artist: 'First' });
  await putMetadata(id, { title: 'One', artist: 'Somebody', album: 'Third', album_artist: 'Second' });
  const [, album] = await edits(id);
  expect((await undo(id, album?.id)).body.not_undone).toEqual([]);
  expect(await track(id)).toMatchObject({ album_title: 'Elsewhere', album_artist_name: 'Second' });
});

test.each(['by another edit', 'by an undo', 'from new files, after the trash was emptied'])(
  'a chosen cover is restored when the tracks of its album were removed and come back %s',
  async (change) => {
    let id = add();
    const { title, artist_name, album_title, album_id } = await track(id);
    const background = '#c14953';
    const png = await sharp({ create: { width: 80, height: 80, channels: 3, background } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(png)]), 'cover.png');
    const headers = { authorization: `Bearer ${server.token}` };
    const coverResponse = await fetch(`${server.url}/api/v1/albums/${album_id}/cover`, {
      method: 'PUT',
      body: form,
      headers,
    });
    expect(coverResponse.status).toBe(204);
    const coverOf = async (album: number | null) =>
      Buffer.from(await (await fetch(`${server.url}/api/v1/albums/${album}/cover`, { headers })).arrayBuffer());
    const picture = await coverOf(album_id);
    if (change.startsWith('from new files')) {
      await server.api(`/tracks/${id}`, { method: 'DELETE' });
      expect((await server.api('/trash/empty', { method: 'POST', body: {} })).body).toEqual({ deleted: 1 });
      id = add();
    } else await putMetadata(id, { title: 'Away', artist: 'Somebody else', album: 'Away' });
    await server.app.drain();
    const [edit] = await edits(id);
    if (change === 'by an undo') await undo(id, edit?.id);
    else await putMetadata(id, { title, artist: artist_name, album: album_title });
    await server.app.drain();
    const restoredTrack = await track(id);
    expect(restoredTrack.album_id === album_id).toBe(change === 'by an undo');
    expect((await coverOf(restoredTrack.album_id)).equals(picture)).toBe(true);
    expect(server.app.db.select().from(formerCovers).all()).toEqual([]);
  },
);

test('a merge is in the history of the remaining track, and can be undone there', async () => {
  const [keptId, mergedId] = [add(), add()];
  const { title } = await track(mergedId);
  await patch(keptId, { year: 1999 });
  const { $client } = server.app.db;
  $client.pragma('foreign_keys = OFF'); // the rows refer to fingerprints, which the tracks lack
  for (const id of [keptId, mergedId])
    $client.prepare('INSERT INTO duplicate_members (group_id, track_id) VALUES (1, ?)').run(id);
  $client.pragma('foreign_keys = ON');
  await server.api('/duplicates/merge', { method: 'POST', body: { keep: keptId, merge: [mergedId] } });
  const [merge, edit] = await edits(keptId);
  expect(merge).toMatchObject({
    kind: 'merge',
    id: mergedId,
    user_name: 'admin',
    merged: { title, reason: 'duplicate' },
  });
  expect(edit).toMatchObject({ kind: 'edit', merged: null });
  expect((await server.api(`/merges/${merge?.id}/undo`, { method: 'POST' })).status).toBe(200);
  expect((await edits(keptId)).map(({ kind }) => kind)).toEqual(['edit']);
  expect((await track(mergedId)).title).toBe(title);
});

test('edits that were made together are undone together, except for fields that were edited since', async () => {
  const ids = [add(), add(), add(), add()] as const;
  const fieldsBefore = await Promise.all(ids.map(getEditableFields));
  for (const id of ids) await putMetadata(id, { title: `Both ${id}`, artist: 'One', album: 'Together' }, 'batch-1');
  await patch(ids[0], { genre: 'Twice' }, 'batch-1');
  expect((await edits(ids[1]))[0]).toMatchObject({ batch: 'batch-1', batch_tracks: 4 });
  await patch(ids[2], { title: 'Since' });
  await putMetadata(ids[3], { title: 'All', artist: 'Of it', album: 'Since' });
  const undoResult = (await undoBatch('batch-1')).body;
  expect(undoResult).toMatchObject({ undone: 3, failed: [{ id: ids[3] }] });
  expect(undoResult.failed[0]?.detail).toMatch(/^Nothing was undone. Changed again since: title \(“All”\), artist/);
  expect([await getEditableFields(ids[0]), await getEditableFields(ids[1])]).toEqual(fieldsBefore.slice(0, 2));
  expect(await getEditableFields(ids[2])).toEqual({ ...fieldsBefore[2], title: 'Since', metadata_status: 'manual' });
  expect((await undoBatch(undoResult.batch)).body).toMatchObject({ undone: 3, failed: [] });
  expect((await track(ids[1])).album_title).toBe('Together');
  expect((await undoBatch('no-such')).status).toBe(404);
});

test('two edits made together are undone one after the other, the last one first', async () => {
  const id = add();
  const fieldsBefore = await getEditableFields(id);
  await patch(id, { title: 'First', year: 1999 }, 'batch-a');
  await patch(id, { title: 'Second' }, 'batch-b');
  expect((await undoBatch('batch-b')).body).toMatchObject({ undone: 1, failed: [] });
  expect((await track(id)).title).toBe('First');
  expect((await undoBatch('batch-a')).body).toMatchObject({ undone: 1, failed: [] });
  expect(await getEditableFields(id)).toEqual(fieldsBefore);
});

test('an account that may not edit a track may not undo its edits', async () => {
  const id = add();
  await patch(id, { year: 1999 });
  const listener = await registerUser(server, 'listener');
  const [edit] = await edits(id);
  expect((await undo(id, edit?.id, listener)).status).toBe(403);
  const otherId = add();
  expect((await undo(otherId, edit?.id)).status).toBe(404);
  expect((await track(id)).year).toBe(1999);
});

test('edits go to the trash and come back with their track, and are kept for 30 days', async () => {
  const id = add();
  await patch(id, { year: 1999 });
  await server.api(`/tracks/${id}`, { method: 'DELETE' });
  await server.api(`/trash/${id}/restore`, { method: 'POST' });
  const [edit] = await edits(id);
  expect(edit?.changes).toEqual([{ field: 'year', before: '1990', after: '1999' }]);
  nowMs += 30 * DAY_MS + 1;
  const { body } = await server.api<{ access_token: string }>('/auth/login', {
    method: 'POST',
    body: ADMIN,
  });
  server.token = body.access_token;
  expect(await edits(id)).toEqual([]);
  expect((await undo(id, edit?.id)).status).toBe(404);
});
