// A deleted track is in no response of either API, and comes back as the same track with all user data.
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrackOut } from '../../server/library/wire.ts';
import type { TrashedTrackOut, TrashPage } from '../../server/library/wire.ts';
import type { StorageStatsOut } from '../../server/stats/wire.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import { ascii, id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { ADMIN, registerUser, startServer, type Answer, type TestServer } from '../support/server.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let phone: Phone;
let music: string;
let now = Date.now();
let songCount = 0;

beforeAll(async () => {
  music = mkdtempSync(join(tmpdir(), 'tonearm-trash-'));
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: music }, now: () => new Date(now) });
  phone = await openPhone(server);
});
afterAll(async () => {
  await server.close();
  rmSync(music, { recursive: true, force: true });
});

const PICTURE_BYTES = Buffer.concat([
  ascii('\0image/png\0\x03\0'),
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
]);
const song = (name: string, title = name): Buffer =>
  Buffer.concat([
    id3([
      id3Frame('TIT2', utf8Text(title)),
      id3Frame('TPE1', utf8Text(`${name} Band`)),
      id3Frame('TALB', utf8Text(`${name} Album`)),
      id3Frame('TCON', utf8Text(`${name} Genre`)),
      id3Frame('APIC', PICTURE_BYTES),
    ]),
    silentMp3(20 + songCount),
  ]);
async function upload(bytes: Buffer, token = server.token): Promise<TrackOut> {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(bytes)]), 'song.mp3');
  const { body, text } = await server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form, token });
  const [track] = body.items;
  if (!track) throw new Error(text);
  await server.app.drain();
  return track;
}
const uploadSong = (token?: string): Promise<TrackOut> => upload(song(`Quaynote${++songCount}`), token);
const getJson = <T>(path: string, token?: string): Promise<Answer<T>> => server.api<T>(path, token ? { token } : {});
const post = <T>(path: string, body?: unknown): Promise<Answer<T>> => server.api<T>(path, { method: 'POST', body });
const remove = (id: number, token?: string): Promise<Answer> =>
  server.api(`/tracks/${id}`, { method: 'DELETE', ...(token && { token }) });
const restore = (id: number): Promise<Answer<TrackOut>> => post<TrackOut>(`/trash/${id}/restore`);
const listTrashed = async (token?: string): Promise<TrashedTrackOut[]> =>
  (await getJson<TrashPage>('/trash?limit=200', token)).body.items;
const signInAgain = async (): Promise<void> => {
  const { body } = await post<{ access_token: string }>('/auth/login', ADMIN);
  server.token = body.access_token;
};
const storedFiles = (): string[] =>
  readdirSync(join(server.dir, 'library'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

/** Likes a track, plays it, and puts it into a playlist between two other tracks. */
async function useTrack(id: number): Promise<{ playlist: number; others: number[] }> {
  const others = [(await uploadSong()).id, (await uploadSong()).id];
  await post('/likes', { item_type: 'track', item_id: id, liked: true, rating: 4 });
  await post('/history', { track_id: id });
  await server.api(`/bookmarks/${id}`, { method: 'PUT', body: { position_ms: 7 } });
  const { body } = await post<{ id: number }>('/playlists', { name: 'Mine' });
  await post(`/playlists/${body.id}/tracks`, { track_ids: [others[0], id, others[1]] });
  return { playlist: body.id, others };
}
const listEntries = async (playlist: number): Promise<number[]> =>
  (await getJson<{ entries: { track: { id: number } }[] }>(`/playlists/${playlist}`)).body.entries.map(
    ({ track }) => track.id,
  );

test('no GET route and no endpoint of Subsonic tells of a deleted track', async () => {
  const track = await uploadSong();
  const name = track.title;
  const { playlist } = await useTrack(track.id);
  expect((await getJson(`/search/library?q=${name}`)).text).toContain(name);
  await remove(track.id);

  const lists = server.app.routes.filter(
    ({ spec }) =>
      spec.method === 'get' && spec.reply !== undefined && !/^\/(trash|history|stats|openapi)/.test(spec.path),
  );
  for (const { spec } of lists) {
    const path = spec.path.replace('/playlists/:id', `/playlists/${playlist}`).replace(/\/:\w+/g, `/${track.id}`);
    const { text } = await getJson(
      `${path}?q=${name.toLowerCase()}&limit=200&item_type=track&item_id=${track.id}&track_id=${track.id}`,
    );
    expect(text, path).not.toContain(`${name} `);
    expect(text, path).not.toContain(`"${name}"`);
  }
  const history = await getJson<{ items: { track: unknown }[] }>('/history?limit=200');
  expect(history.body.items.some((play) => (play.track as { id?: number } | null)?.id === track.id)).toBe(false);
  for (const path of ['', '/cover', '/lyrics']) expect((await getJson(`/tracks/${track.id}${path}`)).status).toBe(404);
  expect((await fetch(`${server.url}/stream/${track.id}?token=${server.token}`)).status).toBe(404);

  const calls: [string, Record<string, string>][] = [
    ['search3', { query: name }],
    ['search2', { query: name }],
    ['getStarred2', {}],
    ['getAlbumList2', { type: 'newest', size: '500' }],
    ['getRandomSongs', { size: '500' }],
    ['getArtists', {}],
    ['getIndexes', {}],
    ['getGenres', {}],
    ['getBookmarks', {}],
    ['getNowPlaying', {}],
    ['getPlaylist', { id: `pl-${playlist}` }],
    ['getSongsByGenre', { genre: `${name} Genre` }],
  ];
  for (const [endpoint, params] of calls) {
    const { text } = await phone.get(endpoint, params);
    expect(text, endpoint).not.toContain(`"${name}"`);
    expect(text, endpoint).not.toContain(`tr-${track.id}"`);
  }
  for (const endpoint of ['getSong', 'stream', 'download'])
    expect((await phone.get(endpoint, { id: `tr-${track.id}` })).body.error?.code, endpoint).toBe(70);
});

test('a restored track has its id, cover, likes, plays, bookmark and places in playlists again', async () => {
  const track = await uploadSong();
  const { playlist, others } = await useTrack(track.id);
  await post('/likes', { item_type: 'album', item_id: track.album_id, liked: true });
  const previousTrack = (await getJson<TrackOut>(`/tracks/${track.id}`)).body;
  const { disk: _, ...totals } = (await getJson<StorageStatsOut>('/storage')).body;
  await remove(track.id);
  expect(await listEntries(playlist)).toEqual(others);
  expect((await getJson('/storage')).body).toMatchObject({ tracks: totals.tracks - 1, albums: totals.albums - 1 });

  const { status, body } = await restore(track.id);
  expect([status, body]).toEqual([200, { ...previousTrack, created_at: previousTrack.created_at }]);
  expect(await listEntries(playlist)).toEqual([others[0], track.id, others[1]]);
  expect((await getJson<{ position_ms: number }>(`/bookmarks/${track.id}`)).body.position_ms).toBe(7);
  expect((await getJson<{ liked: boolean }>(`/albums/${track.album_id}`)).body.liked).toBe(true);
  expect((await getJson('/storage')).body).toMatchObject(totals);
  expect((await getJson(`/tracks/${track.id}/cover`)).status).toBe(200);
  expect((await getJson(`/search/library?q=${track.title}`)).text).toContain(`"id":${track.id},`);
  expect(
    (await getJson<{ items: { version: number; change: string }[] }>(`/playlists/${playlist}/versions`)).body.items[0],
  ).toMatchObject({
    change: 'track_restored',
  });
});

test('a restored track has its rows in every table that refers to it again', async () => {
  const track = await uploadSong();
  const { playlist, others } = await useTrack(track.id);
  const parents: Record<string, unknown> = {
    playlist_id: playlist,
    share_id: 1,
    track_id: others[0],
    other_id: others[1],
    by_id: others[0],
    user_id: 1,
    person_id: 1,
    artist_id: track.artist_id,
  };
  await phone.ask('createShare', { id: `tr-${others[0]}` }, 'shares');
  const db = new Database(join(server.dir, 'tonearm.db'));
  db.pragma('foreign_keys = OFF');
  db.exec("INSERT OR IGNORE INTO people (id, name, name_key, name_sort) VALUES (1, 'Ben', 'ben', 'ben')");
  const tables = db
    .prepare(
      `SELECT m.name AS "table", f."from" AS "column" FROM sqlite_schema m
      JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND f."table" = 'tracks' AND f.on_delete = 'CASCADE'`,
    )
    .all() as { table: string; column: string }[];
  const selectRows = ({ table, column }: { table: string; column: string }): unknown[] =>
    (db.prepare(`SELECT * FROM ${table} WHERE ${column} = ? ORDER BY 1, 2`).all(track.id) as object[]).map(
      // since_version changes, because the entry is in the playlist since another version
      (row) => ({ ...row, since_version: null }),
    );
  for (const { table, column } of tables.filter((reference) => selectRows(reference).length === 0)) {
    const columns = db.prepare('SELECT name, type, pk, "notnull" AS needed FROM pragma_table_info(?)').all(table);
    const row = (columns as { name: string; type: string; pk: number; needed: number }[]).flatMap(
      ({ name, type, pk, needed }): [string, unknown][] => {
        if (name === column) return [[name, track.id]];
        if (name in parents && (pk > 0 || needed > 0)) return [[name, parents[name]]];
        return pk > 0 || needed > 0 ? [[name, type === 'TEXT' ? '[]' : type === 'BLOB' ? Buffer.of(1) : 1]] : [];
      },
    );
    db.prepare(
      `INSERT INTO ${table} (${row.map(([name]) => `"${name}"`).join()}) VALUES (${row.map(() => '?').join()})`,
    ).run(...row.map(([, value]) => value));
  }
  const previousRows = tables.map((reference) => [reference.table, selectRows(reference)]);
  expect(previousRows.filter(([, rows]) => rows?.length === 0)).toEqual([]);
  expect((await remove(track.id)).status).toBe(204);
  expect(tables.flatMap(selectRows)).toEqual([]);
  expect((await restore(track.id)).status).toBe(200);
  expect(tables.map((reference) => [reference.table, selectRows(reference)])).toEqual(previousRows);
  db.close();
});

test('a restored track has its place in a playlist that was renumbered meanwhile', async () => {
  const track = await uploadSong();
  const { playlist, others } = await useTrack(track.id);
  const [first, last] = others as [number, number];
  await remove(track.id);
  // inserts at the same position until there is no gap left
  const insertedIds = Array.from({ length: 35 }, () => first);
  for (const id of insertedIds)
    expect((await post(`/playlists/${playlist}/tracks`, { track_ids: [id], position: 1 })).status).toBe(200);
  await restore(track.id);
  expect(await listEntries(playlist)).toEqual([first, ...insertedIds.slice(1), track.id, first, last]);
});

test('an album that came anew under the same name takes the restored track', async () => {
  const name = `Quaynote${++songCount}`;
  const firstTrack = await upload(song(name));
  await remove(firstTrack.id);
  songCount++;
  const secondTrack = await upload(song(name, 'Another'));
  expect(secondTrack.id).not.toBe(firstTrack.id);
  const { body: restoredTrack } = await restore(firstTrack.id);
  const { body: laterTrack } = await getJson<TrackOut>(`/tracks/${secondTrack.id}`);
  expect(laterTrack).toMatchObject({ album_id: restoredTrack.album_id, artist_id: restoredTrack.artist_id });
});

test('the same upload again is the same track', async () => {
  const bytes = song(`Quaynote${++songCount}`);
  const { id } = await upload(bytes);
  await remove(id);
  expect((await upload(bytes)).id).toBe(id);
  expect((await listTrashed()).map((track) => track.id)).not.toContain(id);
});

async function scan(query = ''): Promise<void> {
  await post(`/sources/local_folder/scan${query}`);
  await server.app.drain();
}
const scanForTitle = async (title: string): Promise<TrackOut | undefined> =>
  (await getJson<{ items: TrackOut[] }>(`/tracks?q=${title}&limit=200`)).body.items[0];

test('a deleted file of the music folder stays away until it changes or is asked for, and is the same track then', async () => {
  const path = join(music, 'a.mp3');
  writeFileSync(path, song('Foldernote'));
  await scan();
  const { id } = (await scanForTitle('Foldernote')) as TrackOut;
  await remove(id);
  await scan();
  expect(await scanForTitle('Foldernote')).toBeUndefined();
  await scan('?restore=true');
  expect((await scanForTitle('Foldernote'))?.id).toBe(id);

  await remove(id);
  writeFileSync(path, song('Foldernote Changed'));
  utimesSync(path, 1_000, 1_000);
  await scan();
  expect(await scanForTitle('Foldernote')).toMatchObject({ id, title: 'Foldernote Changed' });
});

test('everybody sees what they deleted or brought in; who may edit sees who deleted what', async () => {
  const token = await registerUser(server, 'ann');
  const [listenersSong, ownSong] = [await uploadSong(token), await uploadSong()];
  await remove(listenersSong.id, token);
  await remove(ownSong.id);
  expect((await listTrashed(token)).map(({ id }) => id)).toEqual([listenersSong.id]);
  expect((await listTrashed()).find(({ id }) => id === listenersSong.id)).toMatchObject({
    deleted_by_name: 'ann',
    size_bytes: listenersSong.size_bytes,
    expires_at: new Date(now + 30 * DAY_MS).toISOString(),
  });
  for (const [method, path] of [
    ['POST', `/trash/${ownSong.id}/restore`],
    ['DELETE', `/trash/${ownSong.id}`],
  ] as const)
    expect((await server.api(path, { method, token })).status).toBe(404);
});

test('audio and cover stay through gc, and go with "delete now" or after 30 days', async () => {
  const [first, second] = [await uploadSong(), await uploadSong()];
  const listStoredFiles = (track: TrackOut): boolean[] =>
    [track.storage_uri?.split('/').at(-1) ?? '', `${track.album_id}.png`].map((name) => storedFiles().includes(name));
  await remove(first.id);
  await remove(second.id);
  now += 8 * DAY_MS; // garbage collection spares objects that are younger than a week
  await signInAgain();
  await post('/jobs/gc', { dry_run: false });
  await server.app.drain();
  expect([listStoredFiles(first), listStoredFiles(second)]).toEqual([
    [true, true],
    [true, true],
  ]);

  expect((await server.api(`/trash/${first.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await restore(first.id)).status).toBe(404);
  now += 23 * DAY_MS;
  await server.app.trash.purgeOld();
  expect([listStoredFiles(first), listStoredFiles(second)]).toEqual([
    [false, false],
    [false, false],
  ]);
});

test('many are restored or deleted at once, each as far as one may', async () => {
  await signInAgain();
  const token = await registerUser(server, 'bea');
  const hers = [await uploadSong(token), await uploadSong(token)] as const;
  const ownTracks = [await uploadSong(), await uploadSong()] as const;
  for (const { id } of [...hers, ...ownTracks]) await remove(id);
  const allIds = [...hers, ...ownTracks].map(({ id }) => id);
  const callForSome = (path: string, body: object, by = server.token) =>
    server.api<{ restored: number; deleted: number; failed: { id: number }[] }>(`/trash/${path}`, {
      method: 'POST',
      body,
      token: by,
    });
  // the other track is kept
  expect((await callForSome('empty', { track_ids: allIds.slice(1) }, token)).body).toEqual({ deleted: 1 });
  const { body } = await callForSome('restore', { track_ids: allIds }, token);
  expect([body.restored, body.failed.map(({ id }) => id)]).toEqual([1, allIds.slice(1)]);
  expect((await getJson(`/tracks/${hers[0].id}`)).status).toBe(200);
  const previousTrash = (await getJson<TrashPage>('/trash')).body;
  expect(previousTrash.size_bytes).toBeGreaterThan(ownTracks[0].size_bytes ?? 0);
  expect((await callForSome('empty', {}, token)).body).toEqual({ deleted: 0 });
  expect((await callForSome('restore', { track_ids: [ownTracks[0].id] })).body).toEqual({ restored: 1, failed: [] });
  expect((await callForSome('empty', {})).body).toEqual({ deleted: previousTrash.total - 1 });
  expect((await getJson<TrashPage>('/trash')).body).toMatchObject({ total: 0, size_bytes: 0 });
  expect((await callForSome('restore', { track_ids: [] })).status).toBe(422);
});

test('plays of a deleted track wait for it, whatever else is called the same', async () => {
  const name = `Quaynote${++songCount}`;
  const track = await upload(song(name));
  await post('/history', { track_id: track.id, played_ms: 200_000 });
  expect((await remove(track.id)).status).toBe(204);
  songCount++; // a new number makes other audio for the next song
  const otherTrack = await upload(song(name));
  await server.app.drain();
  const countOf = async (id: number): Promise<number> => (await getJson<TrackOut>(`/tracks/${id}`)).body.play_count;
  expect(await countOf(otherTrack.id)).toBe(0);
  expect((await restore(track.id)).status).toBe(200);
  expect([await countOf(track.id), await countOf(otherTrack.id)]).toEqual([1, 0]);
});
