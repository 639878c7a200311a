// The requests of real clients when they first connect to a server, in their format, kind of credentials and spelling;
// and a whole library synced with search3.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLibrary } from '../support/library.ts';
import { md5, OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';

type ListItem = Record<string, unknown> & { id: string };
const TRACK_COUNT = 40;
let server: TestServer;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-clients-'));
  makeLibrary({ tracks: TRACK_COUNT, seed: 'clients', seconds: '2', art: 'embedded' }, join(dir, 'music'));
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music') } });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const songsOfAlbums = async (phone: Phone, albums: ListItem[]): Promise<ListItem[]> =>
  (
    await Promise.all(
      albums.map(async ({ id }) => (await phone.ask<{ song: ListItem[] }>('getAlbum', { id }, 'album')).song),
    )
  ).flat();
const trackTotal = async (): Promise<number> => (await server.api<{ total: number }>('/tracks?limit=1')).body.total;
const albumTotal = async (): Promise<number> => (await server.api<{ total: number }>('/albums?limit=1')).body.total;

async function pagesOf(phone: Phone, size: number, type = 'alphabeticalByName'): Promise<ListItem[]> {
  const albums: ListItem[] = [];
  for (let offset = 0; ; offset += size) {
    const { album } = await phone.ask<{ album: ListItem[] }>('getAlbumList2', { type, size, offset }, 'albumList2');
    albums.push(...album);
    if (album.length < size) return albums;
  }
}

/** Expects bytes that start like audio, not like an envelope. */
async function plays(phone: Phone, id: string, params = {}): Promise<void> {
  const response = await phone.bytes('stream', { id, ...params });
  expect([response.status, response.headers.get('content-type')?.startsWith('audio/')]).toEqual([200, true]);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
}

describe('the first connection', () => {
  it('Feishin: signs in by getUser, counts the library by deep offsets, browses by folder', async () => {
    const phone = await openPhone(server, { client: 'Feishin', version: '1.13.0' });
    const ping = await phone.get('ping');
    expect(ping.body).toMatchObject({ openSubsonic: true, serverVersion: '0.0.0-test', type: 'tonearm' });
    const { versions } = (
      await phone.ask<(ListItem & { name: string; versions: number[] })[]>(
        'getOpenSubsonicExtensions',
        {},
        'openSubsonicExtensions',
      )
    ).find(({ name }) => name === 'formPost') ?? { versions: [] };
    expect(versions).toEqual([1]);
    expect(await phone.ask('getUser', { username: phone.username }, 'user')).toMatchObject({
      adminRole: true,
      folder: [1],
    });
    expect(
      (await phone.ask<{ musicFolder: { id: unknown }[] }>('getMusicFolders', {}, 'musicFolders')).musicFolder[0]?.id,
    ).toBe(1);

    const albumList = await phone.post('getAlbumList2', { type: 'newest', size: 500, offset: 0 });
    expect(albumList.headers.get('x-total-count')).toBe(String(await albumTotal()));
    expect(
      (
        await phone.ask<{ song: ListItem[] }>(
          'search3',
          { query: '""', songCount: 1, songOffset: 5_000, artistCount: 0, albumCount: 0 },
          'searchResult3',
        )
      ).song,
    ).toEqual([]);
    const { song } = await phone.ask<{ song: ListItem[] }>(
      'search3',
      { query: '', songCount: 500, artistCount: 0, albumCount: 0 },
      'searchResult3',
    );
    expect(song).toHaveLength(await trackTotal());
    for (const songEntry of song)
      expect(songEntry).toMatchObject({ contentType: expect.stringMatching(/^audio\//), isDir: false });

    const { index } = await phone.ask<{ index: { artist: ListItem[] }[] }>(
      'getIndexes',
      { musicFolderId: 1 },
      'indexes',
    );
    const seenIds: string[] = [];
    const walk = async (id: string): Promise<void> => {
      const { child } = await phone.ask<{ child: (ListItem & { isDir: boolean })[] }>(
        'getMusicDirectory',
        { id },
        'directory',
      );
      for (const entry of child)
        if (entry.isDir) await walk(entry.id);
        else seenIds.push(entry.id);
    };
    for (const { artist } of index) for (const { id } of artist) await walk(id);
    expect(seenIds.toSorted()).toEqual(song.map(({ id }) => id).toSorted());
    await plays(phone, song[0]?.id ?? '');
  });

  it('Amperfy: XML, all pages of albums at once, by the counts of artists', async () => {
    const phone = await openPhone(server, { client: 'Amperfy', version: '1.13.0' });
    expect(await phone.xml('getGenres')).toContain('<genre ');
    const artists = await phone.xml('getArtists');
    const albumCount = [...artists.matchAll(/albumCount="(\d+)"/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(albumCount).toBe(await albumTotal());
    const pages = await Promise.all(
      [0, 1, 2].map((page) => phone.xml('getAlbumList2', { type: 'alphabeticalByName', size: 10, offset: page * 10 })),
    );
    const ids = pages.flatMap((xml) => [...xml.matchAll(/<album id="([^"]+)"/g)].map(([, id]) => id));
    expect(new Set(ids).size).toBe(Math.min(30, albumCount));
    expect(await phone.xml('getPodcasts')).toContain('<podcasts/>');
    expect(await phone.xml('getAlbum', { id: 'al-999999' })).toContain('<error code="70"');
    const cover = await phone.bytes('getCoverArt', { id: ids[0] ?? '', size: 300 });
    expect([cover.headers.get('content-type'), Number(cover.headers.get('content-length')) > 2_000]).toEqual([
      'image/jpeg',
      true,
    ]);
  });

  it('Strawberry: every album with its own call, with all fields that it requires', async () => {
    const phone = await openPhone(server, { client: 'Strawberry', version: '1.11.0', form: 'hex' });
    const albums = await pagesOf(phone, 7);
    for (const album of albums)
      expect(album).toMatchObject({ id: expect.any(String), artist: expect.any(String), name: expect.any(String) });
    const songs = await songsOfAlbums(phone, albums);
    expect(songs).toHaveLength(await trackTotal());
    for (const song of songs)
      expect(song).toMatchObject({
        title: expect.any(String),
        size: expect.any(Number),
        suffix: expect.any(String),
        duration: expect.any(Number),
        type: 'music',
      });
  });

  it('Ultrasonic: starts at 1.7.0 with a hexadecimal password, continues with tokens, resumes downloads', async () => {
    const firstPhone = await openPhone(server, { client: 'Ultrasonic', version: '1.7.0', form: 'hex' });
    expect((await firstPhone.get('ping')).body['version']).toBe('1.16.1');
    const phone = await openPhone(server, { client: 'Ultrasonic', version: '1.16.1' });
    for (const [endpoint, ok] of [
      ['getChatMessages', false],
      ['getBookmarks', true],
      ['getShares', true],
      ['getPodcasts', true],
    ] as const)
      expect((await phone.get(endpoint)).body.status === 'ok', endpoint).toBe(ok);
    expect(await phone.ask('getLicense', {}, 'license')).toEqual({ valid: true });
    const { song } = await phone.ask<{ song: (ListItem & { size: number })[] }>(
      'getRandomSongs',
      { size: 1 },
      'randomSongs',
    );
    const resumedDownload = await phone.bytes(
      'download',
      { id: song[0]?.id ?? '' },
      { headers: { Range: 'bytes=100-' } },
    );
    expect([resumedDownload.status, (await resumedDownload.arrayBuffer()).byteLength]).toEqual([
      206,
      (song[0]?.size ?? 0) - 100,
    ]);
    expect(resumedDownload.headers.get('content-disposition')).toMatch(/^attachment; filename="/);
  });

  it('DSub: 1.2.0, folders and plain 1.16.1, with a Basic header that is ignored', async () => {
    const phone = await openPhone(server, { client: 'DSub', version: '1.2.0', form: 'hex' });
    const answer = await phone.bytes('ping', {}, { headers: { Authorization: 'Basic eDp5' } });
    expect(await answer.text()).toMatch(/<subsonic-response xmlns="[^"]+" status="ok" version="1.16.1"\/>/);
    const home = await phone.xml('getAlbumList', { type: 'newest', size: 20 });
    expect(home).toContain('isDir="true"');
    expect(home).not.toMatch(/mediaType|displayArtist|<artists /);
    const byYear = await phone.ask<{ album: (ListItem & { year: number })[] }>(
      'getAlbumList',
      { type: 'byYear', fromYear: 2100, toYear: 1900, size: 500 },
      'albumList',
    );
    const years = byYear.album.map(({ year }) => year);
    expect(years).toEqual(years.toSorted((a, b) => b - a));
    expect(years.length).toBeGreaterThan(1);
  });

  it('Tempus, Supersonic, Substreamer and Sublime Music: lists, queue, lyrics, scrobbles of days ago', async () => {
    const phone = await openPhone(server, { client: 'Tempus', version: '1.15.0', suffix: '' });
    const { song } = await phone.ask<{ song: ListItem[] }>('getRandomSongs', { size: 5 }, 'randomSongs');
    const ids = song.map(({ id }) => id);
    const createdPlaylist = await phone.ask<ListItem & { entry: ListItem[] }>(
      'createPlaylist',
      { name: 'On the way', songId: ids },
      'playlist',
    );
    expect(createdPlaylist.entry.map(({ id }) => id)).toEqual(ids);
    const replacedPlaylist = await phone.ask<ListItem & { entry: ListItem[]; name: string }>(
      'createPlaylist',
      { playlistId: createdPlaylist.id, name: 'Back', songId: ids.toReversed() },
      'playlist',
    );
    expect([replacedPlaylist.name, ...replacedPlaylist.entry.map(({ id }) => id)]).toEqual([
      'Back',
      ...ids.toReversed(),
    ]);
    await phone.ask(
      'updatePlaylist',
      { playlistId: createdPlaylist.id, songIndexToRemove: [0, 1, 2, 3, 4], songIdToAdd: ids },
      '',
    );
    expect(
      (await phone.ask<{ entry: ListItem[] }>('getPlaylist', { id: createdPlaylist.id }, 'playlist')).entry.map(
        ({ id }) => id,
      ),
    ).toEqual(ids);
    expect(
      (await phone.bytes('getCoverArt', { id: `${createdPlaylist.id}-2`, size: 160 })).headers.get('content-type'),
    ).toBe('image/jpeg');
    await phone.ask('deletePlaylist', { id: createdPlaylist.id }, '');

    await phone.ask('savePlayQueue', { id: ids, current: ids[2] ?? '', position: 12_345 }, '');
    expect(await phone.ask('getPlayQueue', {}, 'playQueue')).toMatchObject({
      current: ids[2],
      position: 12_345,
      changedBy: 'Tempus',
      entry: ids.map((id) => ({ id })),
    });
    expect(await phone.ask('getPlayQueueByIndex', {}, 'playQueueByIndex')).toMatchObject({
      currentIndex: 2,
      position: 12_345,
    });

    const ago = Date.now() - 3 * 86_400_000;
    await phone.ask('scrobble', { id: [ids[0] ?? '', ids[0] ?? '', 'tr-999999'], time: [ago, ago, ago] }, '');
    expect(await phone.ask('getSong', { id: ids[0] ?? '' }, 'song')).toMatchObject({
      playCount: 1,
      played: new Date(ago).toISOString(),
    });
    await phone.ask('scrobble', { id: ids[1] ?? '', submission: false }, '');
    expect(await phone.ask('getNowPlaying', {}, 'nowPlaying')).toMatchObject({
      entry: [{ id: ids[1], username: 'admin', playerName: 'Tempus' }],
    });
    expect(
      (await phone.ask<{ album: ListItem[] }>('getAlbumList2', { type: 'recent' }, 'albumList2')).album,
    ).toHaveLength(1);
    for (const [endpoint, key] of [
      ['getLyrics', 'lyrics'],
      ['getLyricsBySongId', 'lyricsList'],
      ['getAlbumInfo2', 'albumInfo'],
      ['getTopSongs', 'topSongs'],
    ] as const) {
      const album = (song[0] as ListItem & { albumId: string; artist: string }).albumId;
      expect(
        await phone
          .ask(endpoint, { id: endpoint === 'getAlbumInfo2' ? album : (ids[0] ?? ''), artist: 'nobody' }, key)
          .catch(String),
        endpoint,
      ).toBeTypeOf('object');
    }
  });

  it('airsonic-refix: in a browser, with forms, with t, s and p together for public calls', async () => {
    const phone = await openPhone(server, { client: 'airsonic-refix', version: '1.15.0', suffix: '' });
    const parameters = new URLSearchParams({ ...phone.credentials(), p: phone.password, f: 'json' });
    expect(
      await (
        await fetch(`${server.url}/rest/getOpenSubsonicExtensions?${parameters.toString()}`, {
          headers: { Origin: 'http://refix.example' },
        })
      ).json(),
    ).toMatchObject({ 'subsonic-response': { status: 'ok' } });
    const { index } = await phone.ask<{ index: { artist: ListItem[] }[] }>('getArtists', {}, 'artists');
    const id = index[0]?.artist[0]?.id ?? '';
    for (const [endpoint, key] of [
      ['getArtist', 'artist'],
      ['getArtistInfo2', 'artistInfo2'],
      ['getSimilarSongs2', 'similarSongs2'],
    ] as const)
      expect((await phone.post(endpoint, { id })).body[key], endpoint).toBeTypeOf('object');
    await phone.ask('savePlayQueue', {}, '');
    expect(await phone.ask('getPlayQueue', {}, 'playQueue')).toMatchObject({ entry: [] });
  });
});

describe('a whole library by search3', () => {
  let large: TestServer;
  let phone: Phone;
  beforeAll(async () => {
    large = await startServer();
    phone = await openPhone(large);
    makeSampleLibrary(large.app.db, { artists: 60, albums: 90, tracks: 1_700 }, 7);
  });
  afterAll(() => large.close());

  it.each([1_000, 500, 333, 10_000])('returns every artist, album and track once, %i at a time', async (size) => {
    const seenIds = { artist: [] as string[], album: [] as string[], song: [] as string[] };
    for (let offset = 0; ; offset += size) {
      const page = await phone.ask<Record<keyof typeof seenIds, ListItem[]>>(
        'search3',
        {
          query: '',
          artistCount: size,
          albumCount: size,
          songCount: size,
          artistOffset: offset,
          albumOffset: offset,
          songOffset: offset,
          musicFolderId: 1,
        },
        'searchResult3',
      );
      for (const kind of ['artist', 'album', 'song'] as const) seenIds[kind].push(...page[kind].map(({ id }) => id));
      if (page.song.length < size) break;
    }
    expect([seenIds.artist.length, seenIds.album.length, seenIds.song.length]).toEqual([60, 90, 1_700]);
    expect([new Set(seenIds.artist).size, new Set(seenIds.album).size, new Set(seenIds.song).size]).toEqual([
      60, 90, 1_700,
    ]);
  });

  it.each(['newest', 'alphabeticalByName', 'alphabeticalByArtist', 'highest', 'frequent', 'recent', 'starred'])(
    'has pages of %s without overlaps, and an end',
    async (type) => {
      const albums = await pagesOf(phone, 20, type);
      expect(new Set(albums.map(({ id }) => id)).size).toBe(albums.length);
      if (['newest', 'alphabeticalByName', 'alphabeticalByArtist'].includes(type)) expect(albums).toHaveLength(90);
    },
  );

  it.each(['', '""', '*'])('is asked for by the query %s', async (query) => {
    const searchResult = await phone.ask<{ song: ListItem[] }>(
      'search3',
      { query, songCount: 3, songOffset: 1_698 },
      'searchResult3',
    );
    expect(searchResult.song).toHaveLength(2);
  });

  it('saves a queue of 5,000 songs, with GET and POST', async () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `tr-${(n % 1_700) + 1}`);
    for (const [n, save] of [phone.get, phone.post].entries()) {
      const queue = n === 0 ? ids : ids.toReversed();
      expect((await save('savePlayQueue', { id: queue, current: queue[7] ?? '', position: n })).body).toMatchObject({
        status: 'ok',
      });
      const savedQueue = await phone.ask<{ entry: ListItem[]; current: string }>('getPlayQueue', {}, 'playQueue');
      expect(savedQueue.entry.map(({ id }) => id)).toEqual(queue);
      expect(savedQueue.current).toBe(queue[7]);
    }
  });

  it('returns every name unchanged, in XML and JSON', async () => {
    const name = 'A & B <"C"> \u0007\u001b🎵 עברית العربية\u2028東京';
    const { id } = await phone.ask<ListItem>('createPlaylist', { name, songId: 'tr-1' }, 'playlist');
    expect(await phone.ask('getPlaylist', { id }, 'playlist')).toMatchObject({ name });
    const xml = await phone.xml('getPlaylist', { id });
    expect(xml).toContain('name="A &amp; B &lt;&quot;C&quot;&gt; 🎵 עברית العربية\u2028東京"');
    if (toolOrWarn('xmllint', 'that odd names make well-formed XML is', '--version')) {
      const { spawnSync } = await import('node:child_process');
      expect(spawnSync('xmllint', ['--noout', '-'], { input: xml }).status).toBe(0);
    }
    expect(md5('sesamec19b2d')).toBe('26719a1196d2a940705a59634eb18eab');
  });
});
