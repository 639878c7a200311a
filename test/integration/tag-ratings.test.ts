// Ratings and play counts in tags belong to the account that an administrator names, and are never put over what this
// account did itself.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTagPlays } from '../../server/history/tag-plays.ts';
import type { JobContext } from '../../server/jobs/tasks.ts';
import { createLikeService } from '../../server/likes/service.ts';
import type { LikeState } from '../../server/likes/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { createTagRatings } from '../../server/tag-ratings/service.ts';
import { ascii, flac, id3, id3Frame, silentMp3, u32, utf8Text, vorbisComment } from '../support/audio-bytes.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let base: string;
const servers: TestServer[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-tag-ratings-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Popularity {
  byte: number;
  plays?: number;
}

/** Writes an MP3 with a rating in the dialect of MediaMonkey; each number has audio of its own. */
function writeMp3(folder: string, number: number, popularity: Popularity | undefined, title = `Song ${number}`): void {
  const frames = [
    id3Frame('TIT2', utf8Text(title)),
    id3Frame('TALB', utf8Text('Album')),
    id3Frame('TPE1', utf8Text('Artist')),
  ];
  if (popularity)
    frames.push(
      id3Frame(
        'POPM',
        Buffer.concat([ascii('no@email\0'), Buffer.from([popularity.byte]), u32(popularity.plays ?? 0)]),
      ),
    );
  const audio = silentMp3(100);
  audio.writeUInt32BE(number + 1, audio.length - 8);
  writeFileSync(join(folder, 'Album', `${number}.mp3`), Buffer.concat([id3(frames), audio]));
}

async function open(
  popularities: (Popularity | undefined)[],
  { account = 'admin' }: { account?: string | null } = {},
): Promise<{ server: TestServer; folder: string; dir: string }> {
  const folder = mkdtempSync(join(base, 'music-'));
  mkdirSync(join(folder, 'Album'));
  popularities.forEach((popularity, number) => writeMp3(folder, number, popularity));
  const dir = mkdtempSync(join(base, 'data-'));
  const server = await start(folder, dir);
  if (account !== null) await nameAccount(server, account);
  await scan(server);
  return { server, folder, dir };
}

async function start(folder: string, dir: string, env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer({
    dir,
    env: { LOCAL_MEDIA_IMPORT_PATH: folder, LOCAL_MEDIA_IMPORT_MODE: 'reference', ...env },
  });
  servers.push(server);
  return server;
}

async function nameAccount(server: TestServer, account: string | null): Promise<void> {
  const { status } = await server.api('/settings', { method: 'PATCH', body: { tag_ratings_account: account } });
  expect(status).toBe(200);
  await server.app.drain();
}

async function scan(server: TestServer, query = ''): Promise<void> {
  expect((await server.api(`/sources/local_folder/scan${query}`, { method: 'POST' })).status).toBe(202);
  await server.app.drain();
}

async function rate(server: TestServer, id: number, rating: number): Promise<void> {
  await server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: false, rating } });
}

type Shown = [title: string, rating: number | undefined, plays: number];
async function shownTracks(server: TestServer, token?: string): Promise<Shown[]> {
  const { body } = await server.api<{ items: TrackOut[] }>('/tracks?sort=title', token === undefined ? {} : { token });
  return body.items.map(({ title, rating, play_count }) => [title, rating, play_count]);
}
/** Returns the sums of the play counts of all users, by type of item. */
const countsOf = (server: TestServer): Record<string, number> =>
  Object.fromEntries(
    server.app.db.$client
      .prepare<[], [string, number]>('SELECT item_type, sum(plays) FROM play_counts GROUP BY item_type')
      .raw()
      .all(),
  );
const idOf = async (server: TestServer, title: string): Promise<number> =>
  (await allTracks(server)).find((track) => track.title === title)?.id ?? 0;
async function originOf(server: TestServer, id: number): Promise<LikeState['rating_origin']> {
  const { body } = await server.api<LikeState[]>(`/likes/state?item_type=track&item_id=${id}`);
  return body[0]?.rating_origin ?? null;
}

test('new files give their ratings and plays to the named account only', async () => {
  const { server } = await open([{ byte: 186, plays: 12 }, { byte: 255 }, undefined]);
  expect(await shownTracks(server)).toEqual([
    ['Song 0', 3.5, 12],
    ['Song 1', 5, 0],
    ['Song 2', 0, 0],
  ]);
  const token = await registerUser(server);
  expect(await shownTracks(server, token)).toEqual([
    ['Song 0', 0, 0],
    ['Song 1', 0, 0],
    ['Song 2', 0, 0],
  ]);
  const id = await idOf(server, 'Song 0');
  expect(await originOf(server, id)).toBe('tag');
  const { body: history } = await server.api<{ total: number }>('/history');
  expect(history.total).toBe(0);
  expect(countsOf(server)).toEqual({ album: 12, artist: 12, track: 12 });
});

test('nothing is given before an account is named; naming one gives what is stored, renaming it moves it', async () => {
  const { server } = await open([{ byte: 64, plays: 3 }], { account: null });
  expect(await shownTracks(server)).toEqual([['Song 0', 0, 0]]);
  await nameAccount(server, 'admin');
  expect(await shownTracks(server)).toEqual([['Song 0', 2, 3]]);
  const token = await registerUser(server);
  await nameAccount(server, 'Listener');
  expect(await shownTracks(server)).toEqual([['Song 0', 0, 0]]);
  expect(await shownTracks(server, token)).toEqual([['Song 0', 2, 3]]);
  await nameAccount(server, null);
  expect(await shownTracks(server, token)).toEqual([['Song 0', 0, 0]]);
});

test('an account that is named while another one gets its ratings has all of them in the end', async () => {
  const { server } = await open([{ byte: 196, plays: 3 }], { account: null });
  await registerUser(server, 'bea');
  const { db } = server.app;
  let account = 'admin';
  const { task } = createTagRatings({
    db,
    settings: { ...server.app.settings, get: (key) => (key === 'TAG_RATINGS_ACCOUNT' ? account : undefined) as never },
    likes: createLikeService({ db, now: () => new Date(), onChange: () => {} }),
    tagPlays: createTagPlays({ db, now: () => new Date() }),
    tracks: { setListening: () => {} },
    audioStore: { resolve: () => Promise.reject(new Error('no file is read here')) },
    readTags: () => Promise.reject(new Error('no file is read here')),
    libraryChanged: () => {},
  });
  const { signal } = new AbortController();
  const progress = (): void => void (account = 'bea');
  await task({}, { jobId: 1, attempt: 1, signal, progress } as unknown as JobContext);
  expect(
    db.$client
      .prepare(
        `SELECT username, rating, plays FROM users u LEFT JOIN like_states l ON l.user_id = u.id AND l.rating > 0
          LEFT JOIN tag_plays p ON p.user_id = u.id ORDER BY u.id`,
      )
      .raw()
      .all(),
  ).toEqual([
    ['admin', null, null],
    ['bea', 4, 3],
  ]);
});

test('an account that does not exist is refused', async () => {
  const { server } = await open([], { account: null });
  const answer = await server.api('/settings', { method: 'PATCH', body: { tag_ratings_account: 'nobody' } });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain('is not the name of an account');
});

test('own ratings stay, removed ratings stay removed, and only untouched ratings follow the file', async () => {
  const { server, folder } = await open([{ byte: 64 }, { byte: 64 }, { byte: 64 }, { byte: 64 }]);
  await rate(server, await idOf(server, 'Song 0'), 5);
  await rate(server, await idOf(server, 'Song 1'), 0);
  await server.api('/likes', {
    method: 'POST',
    body: { item_type: 'track', item_id: await idOf(server, 'Song 2'), liked: true },
  });
  await scan(server, '?reread=true');
  expect(await shownTracks(server)).toEqual([
    ['Song 0', 5, 0],
    ['Song 1', 0, 0],
    ['Song 2', 2, 0],
    ['Song 3', 2, 0],
  ]);
  expect(await originOf(server, await idOf(server, 'Song 0'))).toBe('person');
  for (const number of [0, 1, 2]) writeMp3(folder, number, { byte: 196, plays: 4 });
  writeMp3(folder, 3, undefined);
  await scan(server);
  expect(await shownTracks(server)).toEqual([
    ['Song 0', 5, 4],
    ['Song 1', 0, 4],
    ['Song 2', 4, 4],
    ['Song 3', 0, 0],
  ]);
});

test('plays by tags and own plays are added up, and sort and filter lists', async () => {
  const { server } = await open([{ byte: 0, plays: 10 }, undefined, { byte: 0, plays: 2 }]);
  const id = await idOf(server, 'Song 0');
  const { body: play } = await server.api<{ id: number }>('/history', {
    method: 'POST',
    body: { track_id: id, duration_played: 300 },
  });
  expect(await shownTracks(server)).toEqual([
    ['Song 0', 0, 11],
    ['Song 1', 0, 0],
    ['Song 2', 0, 2],
  ]);
  const { body: byPlays } = await server.api<{ items: TrackOut[] }>('/tracks?sort=play_count');
  expect(byPlays.items.map(({ title }) => title)).toEqual(['Song 0', 'Song 2', 'Song 1']);
  const { body: byTime } = await server.api<{ items: TrackOut[] }>('/tracks?sort=last_played_at');
  expect(byTime.items.map(({ last_played_at }) => last_played_at !== null)).toEqual([true, false, false]);
  await server.api(`/history/${play.id}`, { method: 'DELETE' });
  expect((await shownTracks(server))[0]).toEqual(['Song 0', 0, 10]);
});

test('files that an earlier version has read are read when an account is named', async () => {
  const { server, folder, dir } = await open([{ byte: 118, plays: 7 }, undefined], { account: null });
  server.app.db.$client.exec(
    'DELETE FROM tag_ratings; INSERT INTO tag_ratings_unread (last_id, up_to_id) SELECT 0, max(id) FROM tracks',
  );
  await server.close();
  servers.length = 0;
  const restarted = await start(folder, dir);
  await restarted.app.drain();
  expect(await shownTracks(restarted)).toEqual([
    ['Song 0', 0, 0],
    ['Song 1', 0, 0],
  ]);
  await nameAccount(restarted, 'admin');
  expect(await shownTracks(restarted)).toEqual([
    ['Song 0', 2.5, 7],
    ['Song 1', 0, 0],
  ]);
  const { body: jobs } = await restarted.api<{ items: { task: string; result: unknown }[] }>('/jobs?limit=50');
  expect(jobs.items.find(({ task }) => task === 'read_tag_ratings')?.result).toEqual({ read: 2, tracks: 1 });
});

test('an account that is named in the environment gets what is stored at the next start', async () => {
  const { server, folder, dir } = await open([{ byte: 128 }], { account: null });
  await server.close();
  servers.length = 0;
  const restarted = await start(folder, dir, { TAG_RATINGS_ACCOUNT: 'admin' });
  await restarted.app.drain();
  expect(await shownTracks(restarted)).toEqual([['Song 0', 3, 0]]);
});

test('a deleted track that is restored has its rating and plays again', async () => {
  const { server } = await open([{ byte: 196, plays: 5 }]);
  const id = await idOf(server, 'Song 0');
  expect((await server.api(`/tracks/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect(countsOf(server)).toEqual({});
  expect((await server.api(`/trash/${id}/restore`, { method: 'POST' })).status).toBeLessThan(300);
  expect(await shownTracks(server)).toEqual([['Song 0', 4, 5]]);
  expect(countsOf(server)).toEqual({ album: 5, artist: 5, track: 5 });
});

test('merged tracks have the plays of both files and the rating of either, and part again', async () => {
  const { server } = await open([
    { byte: 196, plays: 5 },
    { byte: 0, plays: 2 },
  ]);
  const [rated, unrated] = [await idOf(server, 'Song 0'), await idOf(server, 'Song 1')];
  const { $client } = server.app.db;
  $client.pragma('foreign_keys = OFF'); // the rows refer to fingerprints, which the tracks lack
  for (const id of [rated, unrated])
    $client.prepare('INSERT INTO duplicate_members (group_id, track_id) VALUES (1, ?)').run(id);
  $client.pragma('foreign_keys = ON');
  const merged = await server.api('/duplicates/merge', { method: 'POST', body: { keep: unrated, merge: [rated] } });
  expect(merged.status).toBeLessThan(300);
  expect(await shownTracks(server)).toEqual([['Song 1', 4, 7]]);
  const { body: merges } = await server.api<{ items: { id: number }[] }>('/merges');
  expect((await server.api(`/merges/${merges.items[0]?.id}/undo`, { method: 'POST' })).status).toBeLessThan(300);
  expect(await shownTracks(server)).toEqual([
    ['Song 0', 4, 5],
    ['Song 1', 0, 2],
  ]);
});

test('a file in the place of another counts its own plays only, and both count theirs after an undo', async () => {
  const { server, folder } = await open([{ byte: 196, plays: 5 }]);
  const id = await idOf(server, 'Song 0');
  rmSync(join(folder, 'Album', '0.mp3'));
  writeMp3(folder, 7, { byte: 64, plays: 7 }, 'Song 0');
  await scan(server);
  const [track] = await allTracks(server);
  expect([track?.id, track?.source_id]).toEqual([id, 'Album/7.mp3']);
  expect(await shownTracks(server)).toEqual([['Song 0', 2, 7]]);
  expect(countsOf(server)).toEqual({ album: 7, artist: 7, track: 7 });
  const { body: merges } = await server.api<{ items: { id: number }[] }>('/merges');
  expect((await server.api(`/merges/${merges.items[0]?.id}/undo`, { method: 'POST' })).status).toBeLessThan(300);
  expect(new Set((await shownTracks(server)).map(([, , plays]) => plays))).toEqual(new Set([5, 7]));
});

test('an uploaded file gives its rating, too', async () => {
  const { server } = await open([]);
  const form = new FormData();
  const bytes = flac([4, vorbisComment('TITLE=Uploaded', 'RATING=80', 'PLAYCOUNT=9')]);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'uploaded.flac');
  expect((await server.api('/tracks/upload', { method: 'POST', body: form })).status).toBe(201);
  expect(await shownTracks(server)).toEqual([['Uploaded', 4, 9]]);
});
