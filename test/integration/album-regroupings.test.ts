// Albums of an earlier version stay what they are until somebody has seen what would change; what changed can be taken
// back. Albums of one name become one by a person, and stay so.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlbumId } from '../../server/db/ids.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumChangePage, RegroupingOut, RegroupingPage } from '../../server/library/albums/regrouping-wire.ts';
import type { AlbumOut, AlbumPage } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

let base: string;
let server: TestServer;
let frames: number;

const start = (): Promise<TestServer> =>
  startServer({
    dir: join(base, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-regroupings-'));
  for (const name of ['data', 'music']) mkdirSync(join(base, name));
  frames = 40;
  server = await start();
});
afterEach(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

function put(path: string, album: string, number: number, year: string, releaseMbid?: string): void {
  const texts = { TIT2: `Song ${number}`, TPE1: 'The Quays', TALB: album, TRCK: String(number), TDRC: year };
  const tag = id3([
    ...Object.entries(texts).map(([name, value]) => id3Frame(name, utf8Text(value))),
    ...(releaseMbid === undefined ? [] : [id3Frame('TXXX', Buffer.from(`\x03MusicBrainz Album Id\0${releaseMbid}`))]),
  ]);
  mkdirSync(dirname(join(base, 'music', path)), { recursive: true });
  writeFileSync(join(base, 'music', path), Buffer.concat([tag, silentMp3(frames++)]));
}
async function scan(): Promise<void> {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
}
const albums = async (): Promise<AlbumOut[]> => (await server.api<AlbumPage>('/albums?sort=year&order=asc')).body.items;
const shapes = async () => (await albums()).map(({ id, title, track_count }) => ({ id, title, track_count }));
const changes = async (): Promise<AlbumChangePage> => (await server.api<AlbumChangePage>('/album-changes')).body;
const like = (item_id: number): Promise<unknown> =>
  server.api('/likes', { method: 'POST', body: { item_type: 'album', item_id, liked: true } });

/** Two editions in one album and two discs in two, as an earlier version made them. */
async function asBefore(): Promise<void> {
  for (const number of [1, 2, 3]) put(`Blue/${number}.mp3`, 'Blue', number, '1999');
  for (const number of [1, 2]) put(`Blue again/${number}.mp3`, 'Blue', number, '2009');
  put('Green/1.mp3', 'Green', 1, '1998');
  put('Green too/2.mp3', 'Green', 2, '1998');
  await scan();
  const sql = server.app.db.$client;
  const [blue, again] = (await albums()).filter(({ title }) => title === 'Blue').map(({ id }) => id);
  sql.prepare('UPDATE tracks SET album_id = ? WHERE album_id = ?').run(blue, again);
  sql.prepare('DELETE FROM albums WHERE id = ?').run(again);
  const [green] = (await albums()).filter(({ title }) => title === 'Green').map(({ id }) => id);
  const other = sql
    .prepare(
      `INSERT INTO albums (title, title_sort, artist_id, artist_sort, year, created_at, updated_at)
        SELECT title, title_sort, artist_id, artist_sort, year, created_at, updated_at FROM albums WHERE id = ?`,
    )
    .run(green).lastInsertRowid;
  sql.prepare("UPDATE tracks SET album_id = ? WHERE source_id LIKE 'Green too/%'").run(other);
  sql.exec("DELETE FROM album_keys; UPDATE albums SET fixed_by = 'upgrade'");
  sql.prepare('INSERT INTO album_review VALUES (?)').run(Date.now() + 86_400_000);
}

test('what would change is told, happens when somebody says so, and can be taken back', async () => {
  await asBefore();
  await like((await albums()).find(({ title }) => title === 'Blue')?.id as number);
  const before = await shapes();
  expect(before.map(({ title, track_count }) => [title, track_count])).toEqual([
    ['Green', 1],
    ['Green', 1],
    ['Blue', 5],
  ]);
  await scan();
  expect(await shapes()).toEqual(before);

  const told = await changes();
  expect(told.items.map(({ title, albums: now, becomes }) => [title, now.length, becomes.length])).toEqual([
    ['Blue', 1, 2],
    ['Green', 2, 1],
  ]);
  expect(told.items[0]?.becomes).toEqual([
    { track_count: 3, year: 1999, edition: null, release_mbid: null, folders: ['Blue'] },
    { track_count: 2, year: 2009, edition: null, release_mbid: null, folders: ['Blue again'] },
  ]);
  expect(told.due_at).not.toBeNull();

  expect((await server.api<JobOut>('/album-changes', { method: 'POST', body: { album_ids: null } })).status).toBe(202);
  await server.app.drain();
  expect((await albums()).map(({ title, track_count, liked }) => [title, track_count, liked])).toEqual([
    ['Green', 2, false],
    ['Blue', 3, true],
    ['Blue', 2, false],
  ]);
  expect(await changes()).toMatchObject({ total: 0, due_at: null });

  const past = (await server.api<RegroupingPage>('/album-regroupings')).body;
  expect(past.items.map(({ title, albums_before }) => [title, albums_before])).toEqual([
    ['Green', 2],
    ['Blue', 1],
  ]);
  for (const { id } of past.items)
    expect((await server.api(`/album-regroupings/${id}/undo`, { method: 'POST' })).status).toBe(204);
  expect(await shapes()).toEqual(before);
  await scan();
  expect(await shapes()).toEqual(before);
  expect((await changes()).total).toBe(0);
  expect((await server.api('/album-regroupings/999/undo', { method: 'POST' })).status).toBe(404);
});

test('new files follow the rule before, and everything does after a week', async () => {
  await asBefore();
  put('Blue, a third time/1.mp3', 'Blue', 1, '2019');
  await scan();
  expect((await albums()).map(({ title, track_count }) => [title, track_count])).toEqual([
    ['Green', 1],
    ['Green', 1],
    ['Blue', 5],
    ['Blue', 1],
  ]);
  server.app.db.$client.prepare('UPDATE album_review SET due_at = ?').run(Date.now() - 1);
  await server.close();
  server = await start();
  await until(shapes, (list) => list.length === 4 && list[0]?.track_count === 2);
  expect((await albums()).map(({ title, track_count }) => [title, track_count])).toEqual([
    ['Green', 2],
    ['Blue', 3],
    ['Blue', 2],
    ['Blue', 1],
  ]);
  await server.close();
  server = await start();
  await server.app.drain();
  const { items } = (await server.api<{ items: JobOut[] }>('/jobs?task=regroup_albums')).body;
  expect(items, 'once is enough').toHaveLength(1);
});

test('albums of one name become one by a person, stay so, and can be two again', async () => {
  for (const number of [1, 2]) put(`Blue/${number}.mp3`, 'Blue', number, '1999');
  for (const number of [1, 2]) put(`Blue again/${number}.mp3`, 'Blue', number, '2009');
  put('Green/1.mp3', 'Green', 1, '1998');
  await scan();
  const [green, blue, again] = (await albums()).map(({ id }) => id as AlbumId);
  const merge = (from: number | undefined, into: number | undefined) =>
    server.api<RegroupingOut>(`/albums/${from}/merge`, { method: 'POST', body: { into } });
  expect((await merge(green, blue)).status).toBe(409);
  expect((await merge(blue, 999)).status).toBe(404);
  await like(again as number);
  const { id } = (await merge(again, blue)).body;
  expect((await albums())[1]).toMatchObject({ id: blue, track_count: 4, liked: true });
  put('Blue again/3.mp3', 'Blue', 3, '2009');
  await scan();
  expect((await albums()).map(({ id, track_count }) => [id, track_count])).toEqual([
    [green, 1],
    [blue, 5],
  ]);
  await server.api(`/album-regroupings/${id}/undo`, { method: 'POST' });
  expect((await albums()).find((album) => album.id === again)).toMatchObject({ liked: true });
});

const undoAll = async (): Promise<number[]> => {
  const statuses: number[] = [];
  for (const { id } of (await server.api<RegroupingPage>('/album-regroupings')).body.items)
    statuses.push((await server.api(`/album-regroupings/${id}/undo`, { method: 'POST' })).status);
  return statuses;
};
const changeAll = () => server.api<JobOut>('/album-changes', { method: 'POST', body: { album_ids: null } });

test('albums whose releases only their tags tell are asked about too', async () => {
  for (const number of [1, 2]) {
    put(`Blue/${number}.mp3`, 'Blue', number, '1999', '00000001-0000-4000-8000-000000000001');
    put(`Blue again/${number}.mp3`, 'Blue', number, '1999', '00000001-0000-4000-8000-000000000002');
  }
  await scan();
  const [blue, again] = (await albums()).map(({ id }) => id);
  const sql = server.app.db.$client;
  sql.prepare('UPDATE tracks SET album_id = ? WHERE album_id = ?').run(blue, again);
  sql.prepare('DELETE FROM albums WHERE id = ?').run(again);
  sql.exec(`DELETE FROM album_keys; DELETE FROM more_tags; UPDATE albums SET fixed_by = 'upgrade';
    INSERT INTO tags_again (last_id, up_to_id) SELECT 0, max(id) FROM tracks`);
  sql.prepare('INSERT INTO album_review VALUES (?)').run(Date.now() + 86_400_000);
  await changeAll(); // before they are read
  await server.app.drain();
  for (let starts = 0; starts < 2; starts++) {
    await server.close();
    server = await start();
    await until(
      () => server.app.db.$client.prepare('SELECT 1 FROM tags_again').all().length,
      (left) => left === 0,
    );
  }
  await scan();
  expect(await shapes()).toEqual([{ id: blue, title: 'Blue', track_count: 4 }]);
  expect((await changes()).items.map(({ becomes }) => becomes.length)).toEqual([2]);
});

test('an undo gives back the years of the albums, and the titles of those that were gone', async () => {
  await asBefore();
  const sql = server.app.db.$client;
  sql.exec(
    "UPDATE albums SET year = 2009 WHERE title = 'Blue'; UPDATE albums SET title = 'GREEN' WHERE id = (SELECT max(id) FROM albums)",
  );
  const before = (await albums()).map(({ id, title, year, track_count }) => ({ id, title, year, track_count }));
  await changeAll();
  await server.app.drain();
  expect(await undoAll()).toEqual([204, 204]);
  expect((await albums()).map(({ id, title, year, track_count }) => ({ id, title, year, track_count }))).toEqual(
    before,
  );
});

test('an undo leaves alone what was retagged meanwhile', async () => {
  await asBefore();
  await changeAll();
  await server.app.drain();
  put('Blue/1.mp3', 'Red', 1, '1999');
  put('Green/1.mp3', 'Yellow', 1, '1998');
  put('Green too/2.mp3', 'Yellow', 2, '1998');
  await scan();
  const green = await server.api<{ detail: string }>('/album-regroupings/2/undo', { method: 'POST' });
  expect([green.status, green.body.detail]).toEqual([409, 'No album is called Green any more.']);
  expect((await server.api('/album-regroupings/1/undo', { method: 'POST' })).status).toBe(204);
  expect((await albums()).map(({ title, track_count }) => [title, track_count])).toEqual([
    ['Yellow', 2],
    ['Blue', 4],
    ['Red', 1],
  ]);
});

test('an undo puts no tracks into an album that has another name by now', async () => {
  await asBefore();
  const blue = (await albums()).find(({ title }) => title === 'Blue')?.id;
  await changeAll();
  await server.app.drain();
  const sql = server.app.db.$client; // as for files whose texts are read in another charset
  sql.prepare("UPDATE albums SET title = 'Red', title_sort = 'red' WHERE id = ?").run(blue);
  sql.prepare("UPDATE tracks SET album_sort = 'red' WHERE album_id = ?").run(blue);
  expect((await server.api('/album-regroupings/1/undo', { method: 'POST' })).status).toBe(204);
  const list = await albums();
  expect(list.find(({ id }) => id === blue)).toMatchObject({ title: 'Red', track_count: 3 });
  expect(list.filter(({ title }) => title === 'Blue').map(({ track_count }) => track_count)).toEqual([2]);
});

test('changes that are asked for twice are made once, and one that is undone meanwhile stays undone', async () => {
  await asBefore();
  const before = await shapes();
  const jobs = await Promise.all([changeAll(), changeAll()]);
  expect(jobs.map(({ status }) => status)).toEqual([202, 202]);
  await until(
    () => server.api<RegroupingPage>('/album-regroupings'),
    ({ body }) => body.total > 0,
  );
  await undoAll();
  await server.app.drain();
  await undoAll(); // what came after the first
  expect(await shapes()).toEqual(before);
  const { items } = (await server.api<{ items: JobOut[] }>('/jobs?task=regroup_albums')).body;
  expect(items.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect((await changes()).total).toBe(0);
});

test('albums of one folder stay two until somebody has looked, and once that is taken back', async () => {
  const write = (otherYear: string): void => {
    for (const number of [1, 2, 3, 4]) put(`Blue/${number}.mp3`, 'Blue', number, number < 3 ? '1999' : otherYear);
  };
  write('2009');
  await scan();
  const sql = server.app.db.$client;
  const [blue] = (await albums()).map(({ id }) => id);
  const other = sql
    .prepare(
      `INSERT INTO albums (title, title_sort, artist_id, artist_sort, year, created_at, updated_at)
        SELECT title, title_sort, artist_id, artist_sort, 2009, created_at, updated_at FROM albums WHERE id = ?`,
    )
    .run(blue).lastInsertRowid;
  sql.prepare('UPDATE tracks SET album_id = ? WHERE year = 2009').run(other);
  sql.exec("UPDATE albums SET fixed_by = 'upgrade'");
  const before = await shapes();
  expect(before.map(({ track_count }) => track_count)).toEqual([2, 2]);

  write('2008');
  await scan();
  expect(await shapes()).toEqual(before);
  await changeAll();
  await server.app.drain();
  expect((await shapes()).map(({ track_count }) => track_count)).toEqual([4]);
  await undoAll();
  write('2007');
  await scan();
  expect(await shapes()).toEqual(before);
});
