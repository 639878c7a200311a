// What real clients send although the protocol says something else: the server takes it, does what is possible, and
// answers with an error only if nothing is.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { OFFLINE, openPhone, type Phone, type PhoneParams } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

type ListItem = Record<string, unknown> & { id: string; title: string; isDir: boolean };
type Directory = Record<string, unknown> & { id: string; child: ListItem[] };
interface Play {
  title: string;
  played_at: string;
}
const START_MS = Date.UTC(2025, 5, 1, 12);
const HOUR_MS = 3_600_000;
let clock = START_MS;
let server: TestServer;
let dir: string;
let phone: Phone;
/** Maps the titles of songs to their ids. */
let songs: Record<string, string>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-leniency-'));
  writeFolderLibrary(join(dir, 'music'));
  writeFileSync(join(dir, 'music', 'Mora Lind', 'Alone', '01 Alone.en.lrc'), '[00:01.00]All alone');
  writeFileSync(join(dir, 'music', 'Mora Lind', 'Alone', '02 Together.lrc'), '[00:01.00]All together');
  server = await startServer({
    env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music') },
    now: () => new Date(clock),
  });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  phone = await openPhone(server);
  const { song } = await phone.ask<{ song: ListItem[] }>('search3', { query: '', songCount: 100 }, 'searchResult3');
  songs = Object.fromEntries(song.map(({ id, title }) => [title, id]));
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});
beforeEach(() => {
  clock += 2 * 60_000;
});

const listPlays = async (): Promise<Play[]> =>
  (await server.api<{ items: Play[] }>(`/history?limit=50&from=${new Date(clock).toISOString()}`)).body.items;
const titlesOf = async (): Promise<string[]> => (await listPlays()).map(({ title }) => title).toReversed();
const errorOf = async (endpoint: string, params: PhoneParams): Promise<unknown> =>
  (await phone.get(endpoint, params)).body.error;
const idOf = (title: string): string => songs[title] ?? '';

describe('a scrobble', () => {
  it('of a client whose clock is a day ahead counts as now, in the order of the songs, and once', async () => {
    const titles = ['Sun', 'Mesh', 'Sun', 'Alone'];
    const time = titles.map((_, n) => clock + 24 * HOUR_MS + n * 200_000);
    const plays = { id: titles.map(idOf), time };
    await phone.ask('scrobble', plays, '');
    await phone.ask('scrobble', plays, '');
    await phone.ask('scrobble', { id: idOf('Sea'), time: clock + 25 * HOUR_MS }, '');
    expect(await titlesOf()).toEqual([...titles, 'Sea']);
    for (const { played_at } of await listPlays()) expect(Date.parse(played_at) - clock).toBeLessThan(10);
  });
  it('of a phone without a clock, which starts in 1970, counts as now', async () => {
    await phone.ask('scrobble', { id: [idOf('Sun'), idOf('Mesh')], time: [90_000_000, 90_200_000] }, '');
    expect(await titlesOf()).toEqual(['Sun', 'Mesh']);
  });
  it.each([
    ['seconds', () => ({ time: clock / 1_000 + 60 })],
    ['milliseconds', () => ({ time: clock + 60_000 })],
    ['seconds with a fraction', () => ({ time: `${clock / 1_000 + 60}.000` })],
    ['the date in seconds, as Amperfy', () => ({ date: clock / 1_000 + 60 })],
  ])('takes %s', async (_, time) => {
    await phone.ask('scrobble', { id: idOf('Sun'), ...time() }, '');
    expect((await listPlays()).map(({ played_at }) => Date.parse(played_at))).toEqual([clock + 60_000]);
  });
  it('leaves out empty and unknown ids, with their times', async () => {
    const times = [1, 2, 3, 4].map((n) => clock + n * 1_000);
    await phone.ask('scrobble', { id: [idOf('Sun'), '', 'tr-999999', idOf('Mesh')], time: times }, '');
    expect((await listPlays()).map(({ title, played_at }) => [title, Date.parse(played_at)])).toEqual([
      ['Mesh', times[3]],
      ['Sun', times[0]],
    ]);
  });
  it('fails if no id is one of a song, and if ids and times do not match', async () => {
    expect(await errorOf('scrobble', { id: 'tr-999999' })).toEqual({
      code: 70,
      message: expect.stringContaining('tr-999999'),
    });
    expect(await errorOf('scrobble', { id: 'al-1', submission: false })).toMatchObject({ code: 70 });
    expect(await errorOf('scrobble', { id: [idOf('Sun'), idOf('Mesh')], time: clock })).toMatchObject({ code: 0 });
    expect(await listPlays()).toEqual([]);
  });
});

it('plays of a window whose clock is ahead count as now', async () => {
  const items = ['Sun', 'Mesh'].map((title, n) => ({
    track_id: Number(idOf(title).slice(3)),
    played_at: new Date(clock + 48 * HOUR_MS + n).toISOString(),
    play_id: `listening-${n}`,
  }));
  for (const recorded of [2, 0])
    expect((await server.api('/history', { method: 'POST', body: { items } })).body).toMatchObject({ recorded });
  expect(await titlesOf()).toEqual(['Sun', 'Mesh']);
});

describe('players of one account', () => {
  type Entry = { title: string; playerName: string };
  const listPlaying = async (): Promise<string[]> =>
    (await phone.ask<{ entry: Entry[] }>('getNowPlaying', {}, 'nowPlaying')).entry
      .map(({ title, playerName }) => `${title} (${playerName})`)
      .toSorted();
  const playOn = async (agent: string, client: string, title: string): Promise<void> => {
    const other = await openPhone(server, { client });
    await other.bytes('scrobble', { id: idOf(title), submission: false }, { headers: { 'User-Agent': agent } });
  };
  it('are kept apart by the client and the device', async () => {
    await playOn('Ultrasonic/1 (Pixel)', 'Ultrasonic', 'Sun');
    await playOn('Ultrasonic/1 (Tablet)', 'Ultrasonic', 'Mesh');
    await playOn('Ultrasonic/1 (Pixel)', 'DSub', 'Alone');
    await server.api('/history/now-playing', {
      method: 'POST',
      body: { track_id: Number(idOf('Ebb').slice(3)), client: 'Tonearm' },
    });
    const report = { mediaId: idOf('Sea'), mediaType: 'song', positionMs: 0 };
    await phone.ask('reportPlayback', { ...report, state: 'playing' }, '');
    const others = ['Alone (DSub)', 'Ebb (Tonearm)', 'Mesh (Ultrasonic)', 'Sun (Ultrasonic)'];
    expect(await listPlaying()).toEqual([...others, 'Sea (test)'].toSorted());
    await phone.ask('reportPlayback', { ...report, state: 'stopped' }, '');
    expect(await listPlaying()).toEqual(others);
    await playOn('Ultrasonic/1 (Pixel)', 'Ultrasonic', 'Two');
    expect(await listPlaying()).toEqual([...others.slice(0, 3), 'Two (Ultrasonic)']);
  });
});

describe('every client', () => {
  it.each(['0.9.9', '2.0.0', 'new', '1'])('may call itself version %s', async (version) => {
    const client = await openPhone(server, { version });
    expect((await client.get('ping')).body.status).toBe('ok');
  });
  it.each(['//rest/ping.view', '/rest//ping.view', '///rest///ping'])('may ask for %s', async (path) => {
    const query = new URLSearchParams({ ...phone.credentials(), f: 'json' }).toString();
    expect(await (await fetch(`${server.url}${path}?${query}`)).text()).toContain('"status":"ok"');
  });
  it('may write slashes too many in front of the other interfaces', async () => {
    expect((await server.api('//tracks?limit=1')).status).toBe(200);
    expect((await fetch(`${server.url}//health`)).status).toBe(200);
    const response = await fetch(`${server.url}//stream//${idOf('Sun').slice(3)}`);
    expect(response.status).toBe(401);
  });
  it('of the web may send every header that its browser asks for', async () => {
    const headers = { 'Access-Control-Request-Headers': 'x-client, Cache-Control,bad header,evil\tname' };
    const response = await fetch(`${server.url}/rest/ping`, { method: 'OPTIONS', headers });
    const allowedHeaders = response.headers.get('access-control-allow-headers')?.split(', ') ?? [];
    expect(allowedHeaders).toEqual(expect.arrayContaining(['Range', 'Content-Type', 'x-client', 'Cache-Control']));
    expect(allowedHeaders.filter((name) => /bad|evil/.test(name))).toEqual([]);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a list of ids', () => {
  const starredIds = async (): Promise<string[]> =>
    (await phone.ask<{ song: ListItem[] }>('getStarred2', {}, 'starred2')).song.map(({ id }) => id);
  it('is starred without those that are empty or unknown', async () => {
    const id = [idOf('Sun'), '', 'tr-999999', 'nonsense', 'dir-999999', 'pl-1', idOf('Mesh')];
    await phone.ask('star', { id, albumId: 'ar-1' }, '');
    expect((await starredIds()).toSorted()).toEqual([idOf('Sun'), idOf('Mesh')].toSorted());
    await phone.ask('unstar', { id }, '');
    expect(await starredIds()).toEqual([]);
    expect(await errorOf('star', { id: ['tr-999999', 'nonsense'] })).toMatchObject({ code: 70 });
    expect(await errorOf('star', { id: 'tr-999999' })).toMatchObject({
      code: 70,
      message: expect.stringContaining('tr-999999'),
    });
  });

  it('of deleted songs replaces neither the queue nor a playlist', async () => {
    const ids = [idOf('Sun'), idOf('Mesh')];
    await phone.ask('savePlayQueue', { id: ids, current: ids[1], position: 5_000 }, '');
    await phone.ask('savePlayQueue', { id: ['tr-999998', 'tr-999999'], current: 'tr-999999' }, '');
    expect(await phone.ask('getPlayQueue', {}, 'playQueue')).toMatchObject({
      current: ids[1],
      position: 5_000,
      entry: ids.map((id) => expect.objectContaining({ id }) as unknown),
    });
    await phone.ask('savePlayQueue', { id: ['tr-999999', ...ids], current: 'tr-999999', position: 7_000 }, '');
    expect(await phone.ask('getPlayQueue', {}, 'playQueue')).toMatchObject({ current: ids[0], position: 0 });

    const { id: playlistId } = await phone.ask<ListItem>('createPlaylist', { name: 'Mine', songId: ids }, 'playlist');
    expect(await errorOf('createPlaylist', { playlistId, songId: 'tr-999999' })).toMatchObject({ code: 70 });
    expect(await errorOf('updatePlaylist', { playlistId, songIdToAdd: 'tr-999999' })).toMatchObject({ code: 70 });
    await phone.ask('updatePlaylist', { playlistId, songIdToAdd: ['tr-999999', '', idOf('Sea')] }, '');
    expect(await phone.ask('getPlaylist', { id: playlistId }, 'playlist')).toMatchObject({ songCount: 3 });
  });

  it('is shared without those that are unknown', async () => {
    type Shares = { share: { entry: ListItem[] }[] };
    const { share } = await phone.ask<Shares>('createShare', { id: ['tr-999999', idOf('Sun'), 'pl-999999'] }, 'shares');
    expect(share[0]?.entry.map(({ id }) => id)).toEqual([idOf('Sun')]);
    expect(await errorOf('createShare', { id: ['tr-999999', 'al-999999'] })).toMatchObject({ code: 70 });
  });
});

describe('a time', () => {
  it('of a share that is over is refused for a new one, and ends an old one', async () => {
    const id = idOf('Sun');
    expect(await errorOf('createShare', { id, expires: clock - 1_000 })).toEqual({
      code: 0,
      message: expect.stringContaining('expires'),
    });
    type Shares = { share: { id: string; url: string; expires: string }[] };
    const { share } = await phone.ask<Shares>('createShare', { id, expires: clock / 1_000 + 60 }, 'shares');
    expect(Date.parse(share[0]?.expires ?? '')).toBe(clock + 60_000);
    expect((await fetch(share[0]?.url ?? '')).status).toBe(200);
    await phone.ask('updateShare', { id: share[0]?.id, expires: clock - 1_000 }, '');
    expect((await fetch(share[0]?.url ?? '')).status).toBe(410);
  });
  it('of the library may be in seconds', async () => {
    type Indexes = { lastModified: number; index: unknown[] };
    const { lastModified } = await phone.ask<Indexes>('getIndexes', {}, 'indexes');
    const listed = async (ifModifiedSince: number): Promise<number> =>
      (await phone.ask<Indexes>('getIndexes', { ifModifiedSince }, 'indexes')).index.length;
    expect(await listed(Math.floor(lastModified / 1_000))).toBe(0);
    expect(await listed(Math.floor(lastModified / 1_000) - 1)).toBeGreaterThan(0);
    expect(await listed(lastModified)).toBe(0);
    expect(await listed(lastModified - 1)).toBeGreaterThan(0);
  });
});

it('lyrics are in the language that their file names', async () => {
  type Lyrics = { structuredLyrics: { lang: string }[] };
  for (const [title, lang] of [
    ['Alone', 'en'],
    ['Together', 'und'],
  ] as const)
    expect(await phone.ask<Lyrics>('getLyricsBySongId', { id: idOf(title) }, 'lyricsList')).toMatchObject({
      structuredLyrics: [{ lang }],
    });
});

describe('an account', () => {
  it('is changed by clients that send all roles, also those that Tonearm does not have', async () => {
    await registerUser(server, 'guest');
    const fixedRoles = { settingsRole: false, commentRole: false, playlistRole: false, videoConversionRole: true };
    const params = { username: 'guest', ...fixedRoles, ldapAuthenticated: true, downloadRole: false };
    await phone.ask('updateUser', params, '');
    expect(await phone.ask('getUser', { username: 'guest' }, 'user')).toMatchObject({
      downloadRole: false,
      commentRole: true,
    });
    expect(await errorOf('updateUser', { username: 'guest', streamRole: false })).toMatchObject({ code: 50 });
  });
});

describe('the root', () => {
  it.each(['0', '-1', '1', 'dir-0', ''])('has the id "%s", too', async (id) => {
    expect((await phone.ask<Directory>('getMusicDirectory', { id }, 'directory')).id).toBe('dir-0');
  });
});

describe('a folder with the music of several artists', () => {
  const readMixed = async (): Promise<ListItem | undefined> =>
    (await phone.ask<Directory>('getMusicDirectory', { id: 'dir-0' }, 'directory')).child.find(
      ({ title }) => title === 'Mixed',
    );
  const listStarred = async (): Promise<string[]> =>
    (await phone.ask<{ album: ListItem[] }>('getStarred', {}, 'starred')).album.map(({ id }) => id);

  it('can be starred and rated, and shows that', async () => {
    const id = (await readMixed())?.id ?? '';
    await phone.ask('star', { id }, '');
    await phone.ask('setRating', { id, rating: 4 }, '');
    const state = { starred: new Date(clock).toISOString(), userRating: 4 };
    expect(await readMixed()).toMatchObject(state);
    expect(await phone.ask('getMusicDirectory', { id }, 'directory')).toMatchObject(state);
    expect(await listStarred()).toEqual([id]);
    await phone.ask('unstar', { id }, '');
    expect(await readMixed()).toMatchObject({ userRating: 4 });
    expect((await readMixed())?.['starred']).toBeUndefined();
    expect(await listStarred()).toEqual([]);
  });
  it('is described, without a biography', async () => {
    const id = (await readMixed())?.id ?? '';
    expect(await phone.ask('getArtistInfo', { id }, 'artistInfo')).toEqual({ similarArtist: [] });
    expect(await phone.ask('getArtistInfo2', { id }, 'artistInfo2')).toEqual({ similarArtist: [] });
    expect(await phone.ask('getAlbumInfo', { id }, 'albumInfo')).toEqual({});
  });
});
