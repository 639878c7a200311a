// Albums of an earlier version stay unchanged until a user has reviewed the changes, which can be undone. Albums with
// the same name that a user merges stay merged.
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

let baseDir: string;
let server: TestServer;
let frames: number;

const start = (): Promise<TestServer> =>
  startServer({
    dir: join(baseDir, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(baseDir, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
beforeEach(async () => {
  baseDir = mkdtempSync(join(tmpdir(), 'tonearm-regroupings-'));
  for (const name of ['data', 'music']) mkdirSync(join(baseDir, name));
  frames = 40;
  server = await start();
});
afterEach(async () => {
  await server.close();
  rmSync(baseDir, { recursive: true, force: true });
});

function writeTrack(path: string, album: string, number: number, year: string, releaseMbid?: string): void {
  const texts = { TIT2: `Song ${number}`, TPE1: 'The Quays', TALB: album, TRCK: String(number), TDRC: year };
  const tag = id3([
    ...Object.entries(texts).map(([name, value]) => id3Frame(name, utf8Text(value))),
    ...(releaseMbid === undefined ? [] : [id3Frame('TXXX', Buffer.from(`\x03MusicBrainz Album Id\0${releaseMbid}`))]),
  ]);
  mkdirSync(dirname(join(baseDir, 'music', path)), { recursive: true });
  writeFileSync(join(baseDir, 'music', path), Buffer.concat([tag, silentMp3(frames++)]));
}
async function scan(): Promise<void> {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
}
const listAlbums = async (): Promise<AlbumOut[]> =>
  (await server.api<AlbumPage>('/albums?sort=year&order=asc')).body.items;
const listAlbumShapes = async () =>
  (await listAlbums()).map(({ id, title, track_count }) => ({ id, title, track_count }));
const getAlbumChanges = async (): Promise<AlbumChangePage> =>
  (await server.api<AlbumChangePage>('/album-changes')).body;
const like = (item_id: number): Promise<unknown> =>
  server.api('/likes', { method: 'POST', body: { item_type: 'album', item_id, liked: true } });

/** Merges two editions into one album and splits an album of two discs, as an earlier version did. */
async function makeEarlierAlbums(): Promise<void> {
  for (const number of [1, 2, 3]) writeTrack(`Blue/${number}.mp3`, 'Blue', number, '1999');
  for (const number of [1, 2]) writeTrack(`Blue again/${number}.mp3`, 'Blue', number, '2009');
  writeTrack('Green/1.mp3', 'Green', 1, '1998');
  writeTrack('Green too/2.mp3', 'Green', 2, '1998');
  await scan();
  const database = server.app.db.$client;
  const [blueId, blueAgainId] = (await listAlbums()).filter(({ title }) => title === 'Blue').map(({ id }) => id);
  database.prepare('UPDATE tracks SET album_id = ? WHERE album_id = ?').run(blueId, blueAgainId);
  database.prepare('DELETE FROM albums WHERE id = ?').run(blueAgainId);
  const [greenId] = (await listAlbums()).filter(({ title }) => title === 'Green').map(({ id }) => id);
  const secondGreenId = database
    .prepare(
      `INSERT INTO albums (title, title_sort, artist_id, artist_sort, year, created_at, updated_at)
        SELECT title, title_sort, artist_id, artist_sort, year, created_at, updated_at FROM albums WHERE id = ?`,
    )
    .run(greenId).lastInsertRowid;
  database.prepare("UPDATE tracks SET album_id = ? WHERE source_id LIKE 'Green too/%'").run(secondGreenId);
  database.exec("DELETE FROM album_keys; UPDATE albums SET fixed_by = 'upgrade'");
  database.prepare('INSERT INTO album_review VALUES (?)').run(Date.now() + 86_400_000);
}

test('changes are listed, made when somebody accepts them, and can be undone', async () => {
  await makeEarlierAlbums();
  await like((await listAlbums()).find(({ title }) => title === 'Blue')?.id as number);
  const previousShapes = await listAlbumShapes();
  expect(previousShapes.map(({ title, track_count }) => [title, track_count])).toEqual([
    ['Green', 1],
    ['Green', 1],
    ['Blue', 5],
  ]);
  await scan();
  expect(await listAlbumShapes()).toEqual(previousShapes);

  const albumChanges = await getAlbumChanges();
  expect(
    albumChanges.items.map(({ title, albums: currentAlbums, becomes }) => [
      title,
      currentAlbums.length,
      becomes.length,
    ]),
  ).toEqual([
    ['Blue', 1, 2],
    ['Green', 2, 1],
  ]);
  expect(albumChanges.items[0]?.becomes).toEqual([
    { track_count: 3, year: 1999, edition: null, release_mbid: null, folders: ['Blue'] },
    { track_count: 2, year: 2009, edition: null, release_mbid: null, folders: ['Blue again'] },
  ]);
  expect(albumChanges.due_at).not.toBeNull();

  expect((await server.api<JobOut>('/album-changes', { method: 'POST', body: { album_ids: null } })).status).toBe(202);
  await server.app.drain();
  expect((await listAlbums()).map(({ title, track_count, liked }) => [title, track_count, liked])).toEqual([
    ['Green', 2, false],
    ['Blue', 3, true],
    ['Blue', 2, false],
  ]);
  expect(await getAlbumChanges()).toMatchObject({ total: 0, due_at: null });

  const regroupings = (await server.api<RegroupingPage>('/album-regroupings')).body;
  expect(regroupings.items.map(({ title, albums_before }) => [title, albums_before])).toEqual([
    ['Green', 2],
    ['Blue', 1],
  ]);
  for (const { id } of regroupings.items)
    expect((await server.api(`/album-regroupings/${id}/undo`, { method: 'POST' })).status).toBe(204);
  expect(await listAlbumShapes()).toEqual(previousShapes);
  await scan();
  expect(await listAlbumShapes()).toEqual(previousShapes);
  expect((await getAlbumChanges()).total).toBe(0);
  expect((await server.api('/album-regroupings/999/undo', { method: 'POST' })).status).toBe(404);
});

test('new files follow the rule at once, and everything follows the rule after a week', async () => {
  await makeEarlierAlbums();
  writeTrack('Blue, a third time/1.mp3', 'Blue', 1, '2019');
  await scan();
  expect((await listAlbums()).map(({ title, track_count }) => [title, track_count])).toEqual([
    ['Green', 1],
    ['Green', 1],
    ['Blue', 5],
    ['Blue', 1],
  ]);
  server.app.db.$client.prepare('UPDATE album_review SET due_at = ?').run(Date.now() - 1);
  await server.close();
  server = await start();
  await until(listAlbumShapes, (albumShapes) => albumShapes.length === 4 && albumShapes[0]?.track_count === 2);
  expect((await listAlbums()).map(({ title, track_count }) => [title, track_count])).toEqual([
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

test('albums with the same name that a person merges stay merged, and can be separated again', async () => {
  for (const number of [1, 2]) writeTrack(`Blue/${number}.mp3`, 'Blue', number, '1999');
  for (const number of [1, 2]) writeTrack(`Blue again/${number}.mp3`, 'Blue', number, '2009');
  writeTrack('Green/1.mp3', 'Green', 1, '1998');
  await scan();
  const [greenId, blueId, blueAgainId] = (await listAlbums()).map(({ id }) => id as AlbumId);
  const mergeAlbum = (sourceId: number | undefined, targetId: number | undefined) =>
    server.api<RegroupingOut>(`/albums/${sourceId}/merge`, { method: 'POST', body: { into: targetId } });
  expect((await mergeAlbum(greenId, blueId)).status).toBe(409);
  expect((await mergeAlbum(blueId, 999)).status).toBe(404);
  await like(blueAgainId as number);
  const { id } = (await mergeAlbum(blueAgainId, blueId)).body;
  expect((await listAlbums())[1]).toMatchObject({ id: blueId, track_count: 4, liked: true });
  writeTrack('Blue again/3.mp3', 'Blue', 3, '2009');
  await scan();
  expect((await listAlbums()).map(({ id, track_count }) => [id, track_count])).toEqual([
    [greenId, 1],
    [blueId, 5],
  ]);
  await server.api(`/album-regroupings/${id}/undo`, { method: 'POST' });
  expect((await listAlbums()).find((album) => album.id === blueAgainId)).toMatchObject({ liked: true });
});

const undoAllRegroupings = async (): Promise<number[]> => {
  const statuses: number[] = [];
  for (const { id } of (await server.api<RegroupingPage>('/album-regroupings')).body.items)
    statuses.push((await server.api(`/album-regroupings/${id}/undo`, { method: 'POST' })).status);
  return statuses;
};
const acceptAllChanges = () => server.api<JobOut>('/album-changes', { method: 'POST', body: { album_ids: null } });

test('albums whose releases differ only in their tags are listed too', async () => {
  for (const number of [1, 2]) {
    writeTrack(`Blue/${number}.mp3`, 'Blue', number, '1999', '00000001-0000-4000-8000-000000000001');
    writeTrack(`Blue again/${number}.mp3`, 'Blue', number, '1999', '00000001-0000-4000-8000-000000000002');
  }
  await scan();
  const [blueId, blueAgainId] = (await listAlbums()).map(({ id }) => id);
  const database = server.app.db.$client;
  database.prepare('UPDATE tracks SET album_id = ? WHERE album_id = ?').run(blueId, blueAgainId);
  database.prepare('DELETE FROM albums WHERE id = ?').run(blueAgainId);
  database.exec(`DELETE FROM album_keys; DELETE FROM more_tags; UPDATE albums SET fixed_by = 'upgrade';
    INSERT INTO tags_again (last_id, up_to_id) SELECT 0, max(id) FROM tracks`);
  database.prepare('INSERT INTO album_review VALUES (?)').run(Date.now() + 86_400_000);
  await acceptAllChanges(); // accepts the changes before the tags are read again
  await server.app.drain();
  for (let starts = 0; starts < 2; starts++) {
    await server.close();
    server = await start();
    await until(
      () => server.app.db.$client.prepare('SELECT 1 FROM tags_again').all().length,
      (remainingRows) => remainingRows === 0,
    );
  }
  await scan();
  expect(await listAlbumShapes()).toEqual([{ id: blueId, title: 'Blue', track_count: 4 }]);
  expect((await getAlbumChanges()).items.map(({ becomes }) => becomes.length)).toEqual([2]);
});

test('an undo restores the years of the albums, and the titles of removed albums', async () => {
  await makeEarlierAlbums();
  const database = server.app.db.$client;
  database.exec(
    "UPDATE albums SET year = 2009 WHERE title = 'Blue'; UPDATE albums SET title = 'GREEN' WHERE id = (SELECT max(id) FROM albums)",
  );
  const previousAlbums = (await listAlbums()).map(({ id, title, year, track_count }) => ({
    id,
    title,
    year,
    track_count,
  }));
  await acceptAllChanges();
  await server.app.drain();
  expect(await undoAllRegroupings()).toEqual([204, 204]);
  expect((await listAlbums()).map(({ id, title, year, track_count }) => ({ id, title, year, track_count }))).toEqual(
    previousAlbums,
  );
});

test('an undo does not change tracks that were retagged meanwhile', async () => {
  await makeEarlierAlbums();
  await acceptAllChanges();
  await server.app.drain();
  writeTrack('Blue/1.mp3', 'Red', 1, '1999');
  writeTrack('Green/1.mp3', 'Yellow', 1, '1998');
  writeTrack('Green too/2.mp3', 'Yellow', 2, '1998');
  await scan();
  const greenResponse = await server.api<{ detail: string }>('/album-regroupings/2/undo', { method: 'POST' });
  expect([greenResponse.status, greenResponse.body.detail]).toEqual([409, 'No album is called Green any more.']);
  expect((await server.api('/album-regroupings/1/undo', { method: 'POST' })).status).toBe(204);
  expect((await listAlbums()).map(({ title, track_count }) => [title, track_count])).toEqual([
    ['Yellow', 2],
    ['Blue', 4],
    ['Red', 1],
  ]);
});

test('an undo moves no tracks into an album that was renamed meanwhile', async () => {
  await makeEarlierAlbums();
  const blueId = (await listAlbums()).find(({ title }) => title === 'Blue')?.id;
  await acceptAllChanges();
  await server.app.drain();
  const database = server.app.db.$client; // simulates files whose texts are read in another charset
  database.prepare("UPDATE albums SET title = 'Red', title_sort = 'red' WHERE id = ?").run(blueId);
  database.prepare("UPDATE tracks SET album_sort = 'red' WHERE album_id = ?").run(blueId);
  expect((await server.api('/album-regroupings/1/undo', { method: 'POST' })).status).toBe(204);
  const albums = await listAlbums();
  expect(albums.find(({ id }) => id === blueId)).toMatchObject({ title: 'Red', track_count: 3 });
  expect(albums.filter(({ title }) => title === 'Blue').map(({ track_count }) => track_count)).toEqual([2]);
});

test('changes that are accepted twice are made once, and a change that is undone meanwhile stays undone', async () => {
  await makeEarlierAlbums();
  const previousShapes = await listAlbumShapes();
  const jobs = await Promise.all([acceptAllChanges(), acceptAllChanges()]);
  expect(jobs.map(({ status }) => status)).toEqual([202, 202]);
  await until(
    () => server.api<RegroupingPage>('/album-regroupings'),
    ({ body }) => body.total > 0,
  );
  await undoAllRegroupings();
  await server.app.drain();
  await undoAllRegroupings(); // undoes the changes that the second job made
  expect(await listAlbumShapes()).toEqual(previousShapes);
  const { items } = (await server.api<{ items: JobOut[] }>('/jobs?task=regroup_albums')).body;
  expect(items.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect((await getAlbumChanges()).total).toBe(0);
});

test('two albums of one folder stay separate until somebody accepts the change, and again after an undo', async () => {
  const writeAlbum = (otherYear: string): void => {
    for (const number of [1, 2, 3, 4])
      writeTrack(`Blue/${number}.mp3`, 'Blue', number, number < 3 ? '1999' : otherYear);
  };
  writeAlbum('2009');
  await scan();
  const database = server.app.db.$client;
  const [blueId] = (await listAlbums()).map(({ id }) => id);
  const secondBlueId = database
    .prepare(
      `INSERT INTO albums (title, title_sort, artist_id, artist_sort, year, created_at, updated_at)
        SELECT title, title_sort, artist_id, artist_sort, 2009, created_at, updated_at FROM albums WHERE id = ?`,
    )
    .run(blueId).lastInsertRowid;
  database.prepare('UPDATE tracks SET album_id = ? WHERE year = 2009').run(secondBlueId);
  database.exec("UPDATE albums SET fixed_by = 'upgrade'");
  const previousShapes = await listAlbumShapes();
  expect(previousShapes.map(({ track_count }) => track_count)).toEqual([2, 2]);

  writeAlbum('2008');
  await scan();
  expect(await listAlbumShapes()).toEqual(previousShapes);
  await acceptAllChanges();
  await server.app.drain();
  expect((await listAlbumShapes()).map(({ track_count }) => track_count)).toEqual([4]);
  await undoAllRegroupings();
  writeAlbum('2007');
  await scan();
  expect(await listAlbumShapes()).toEqual(previousShapes);
});
