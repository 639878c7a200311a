// What ten apps do according to their public sources or documentation: first copies, changes since the last sync, plays
// that arrive late, queues that move between devices, the jukebox, interrupted downloads. `npm run prove -- phones`
// does the same with 100,000 tracks, of which these have audio.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillLibrary } from '../bench/large-library.ts';
import { writeFolderLibrary } from '../support/folder-library.ts';
import { OFFLINE, openPhone, type Phone, type PhoneOptions } from '../support/phone.ts';
import { SYNCS } from '../support/phone-syncs.ts';
import { startServer, type TestServer } from '../support/server.ts';

type ListItem = Record<string, unknown> & { id: string };
const FILE_COUNT = 100;
/** Number of additional tracks, which have rows but no audio. */
const EXTRA_ROW_COUNT = Number(process.env['TEST_STORY_TRACKS'] ?? FILE_COUNT) - FILE_COUNT;
const PATIENCE_MS = EXTRA_ROW_COUNT > 0 ? 900_000 : 60_000;
const TITLE_WORDS = [
  'Harbour',
  'Beacon',
  'Tidal',
  'Gannet',
  'Lantern',
  'Keel',
  'Sextant',
  'Mizzen',
  'Fathom',
  'Estuary',
];

let server: TestServer;
let dir: string;
let phone: Phone;
/** Songs that have audio. */
let files: ListItem[];

const scan = async (): Promise<void> => {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
};
const total = async (): Promise<number> => (await server.api<{ total: number }>('/tracks?limit=1')).body.total;
const open = (client: string, options: PhoneOptions = {}): Promise<Phone> => openPhone(server, { client, ...options });
const songs = (count: number): string[] => files.slice(0, count).map(({ id }) => id);
const playsOf = async (id: string): Promise<number> =>
  (await phone.ask<{ playCount: number }>('getSong', { id }, 'song')).playCount;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-stories-'));
  const taggedFiles = Array.from({ length: FILE_COUNT }, (_, n) => {
    const [firstWord, secondWord] = [TITLE_WORDS[n % 10], TITLE_WORDS[Math.floor(n / 10)]];
    const [artist, album] = [`The ${firstWord} Story`, `${firstWord} ${Math.floor(n / 50)}`];
    return [
      `${artist}/${album}/${n}.flac`,
      {
        ARTIST: artist,
        ALBUMARTIST: artist,
        ALBUM: album,
        TITLE: `${secondWord} Tale`,
        TRACKNUMBER: `${n % 12}`,
        GENRE: 'Sea',
      },
    ] as const;
  });
  writeFolderLibrary(join(dir, 'music'), Object.fromEntries(taggedFiles));
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music') } });
  if (EXTRA_ROW_COUNT > 0)
    fillLibrary(server.app.db.$client, { tracks: EXTRA_ROW_COUNT, userId: 1, likeEvents: 1_000, plays: 1_000 });
  await scan();
  phone = await open('stories');
  const searchParams = { query: 'Story Tale', songCount: FILE_COUNT, albumCount: 0, artistCount: 0 };
  files = (await phone.ask<{ song: ListItem[] }>('search3', searchParams, 'searchResult3')).song;
  expect([files.length, await total()]).toEqual([FILE_COUNT, FILE_COUNT + EXTRA_ROW_COUNT]);
}, PATIENCE_MS);
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const story = (name: string, runStory: () => Promise<void>): void => it(name, runStory, PATIENCE_MS);

story('Symfonium: copies all by search3 with an API key, then plays, genres, bookmarks and radio', async () => {
  const app = await open('Symfonium', { form: 'apiKey', suffix: '' });
  const extensions = await app.ask<{ name: string }[]>('getOpenSubsonicExtensions', {}, 'openSubsonicExtensions');
  expect(extensions.map(({ name }) => name)).toContain('apiKeyAuthentication');
  const { songs: copiedSongs } = await SYNCS.search3(app, 500);
  expect([copiedSongs.length, new Set(copiedSongs).size]).toEqual([await total(), await total()]);
  const { genre } = await app.ask<{ genre: { value: string }[] }>('getGenres', {}, 'genres');
  expect(genre.filter(({ value }) => value.trim() === '')).toEqual([]);
  const [id = ''] = songs(1);
  await app.ask('createBookmark', { id, position: 61_000 }, '');
  const { bookmark } = await app.ask<{ bookmark: { entry: ListItem }[] }>('getBookmarks', {}, 'bookmarks');
  expect(bookmark.map(({ entry }) => entry.id)).toContain(id);
  expect(await app.ask('getSong', { id }, 'song')).toMatchObject({ bookmarkPosition: 61_000 });
  for (const [endpoint, key] of [
    ['getPlaylists', 'playlists'],
    ['getInternetRadioStations', 'internetRadioStations'],
    ['getStarred2', 'starred2'],
  ] as const)
    expect(await app.ask(endpoint, {}, key), endpoint).toBeTypeOf('object');
});

story('Strawberry: copies all by albums, and each song has what it requires', async () => {
  const app = await open('Strawberry', { version: '1.11.0', form: 'hex' });
  const { songs: copiedSongs } = await SYNCS.albums(app, 500);
  expect([copiedSongs.length, new Set(copiedSongs).size]).toEqual([await total(), await total()]);
});

story('DSub: copies all by folders, and what it did offline is found by the names of its files', async () => {
  const app = await open('DSub', { version: '1.2.0', form: 'hex' });
  const { songs: copiedSongs } = await SYNCS.folders(app);
  expect(copiedSongs).toHaveLength(await total());
  const [song] = files as (ListItem & { artist: string; title: string; album: string })[];
  const searchQuery = `artist:"${song?.artist}" AND title:"${song?.title}"`;
  const oneSongQuery = { query: searchQuery, artistCount: 0, albumCount: 0, songCount: 1 };
  const { song: foundSongs } = await app.ask<{ song: ListItem[] }>('search2', oneSongQuery, 'searchResult2');
  expect(foundSongs).toMatchObject([{ artist: song?.artist, title: song?.title }]);
  const id = foundSongs[0]?.id ?? '';
  const previousPlays = await playsOf(id);
  await app.ask('scrobble', { id, submission: true, time: Date.now() - 86_400_000 }, '');
  expect(await playsOf(id)).toBe(previousPlays + 1);
  const folder = `(artist:"${song?.artist}" AND album:"${song?.album}") OR artist:"${song?.album}"`;
  const { album } = await app.ask<{ album: ListItem[] }>(
    'search2',
    { query: folder, artistCount: 1, albumCount: 1, songCount: 0 },
    'searchResult2',
  );
  expect(album).toMatchObject([{ title: song?.album, artist: song?.artist }]);
  await app.ask('star', { id: album[0]?.id }, '');
});

story('Feishin: counts the library by jumps, and pages through it by POST', async () => {
  const app = await open('Feishin', { version: '1.13.0' });
  const fetchPage = async (songOffset: number, songCount: number): Promise<number> => {
    const searchParams = { query: '""', songOffset, songCount, albumCount: 0, artistCount: 0 };
    const { body } = await app.post('search3', searchParams);
    return (body['searchResult3'] as { song: ListItem[] }).song.length;
  };
  let lowOffset = 0;
  for (let step = 5_000; step >= 1; step = Math.floor(step / 2))
    while ((await fetchPage(lowOffset + step, 1)) === 1) lowOffset += step;
  const firstMissing = (await fetchPage(lowOffset, 1)) === 1 ? lowOffset + 1 : lowOffset;
  expect(firstMissing).toBe(await total());
  expect(await fetchPage(Math.max(0, firstMissing - 500), 500)).toBe(Math.min(500, firstMissing));
});

story('Substreamer: asks for 10,000 albums at once, and again from where a page ended', async () => {
  const app = await open('substreamer8', { version: '1.15.0' });
  const albums = async (offset: number): Promise<ListItem[]> => {
    const albumParams = { query: '', albumCount: 10_000, albumOffset: offset, songCount: 0, artistCount: 0 };
    return (await app.ask<{ album: ListItem[] }>('search3', albumParams, 'searchResult3')).album;
  };
  const [firstPage, lastPage] = [await albums(0), await albums(10_000)];
  const { total: albumTotal } = (await server.api<{ total: number }>('/albums?limit=1')).body;
  expect(new Set([...firstPage, ...lastPage].map(({ id }) => id)).size).toBe(Math.min(20_000, albumTotal));
});

story('Sublime Music: keeps its queue on the server while it plays, and puts a playlist in another order', async () => {
  const app = await open('Sublime Music', { version: '1.8.0' });
  const ids = songs(30);
  for (const current of ids.slice(0, 5)) {
    await app.ask('scrobble', { id: current, submission: false }, '');
    await app.ask('savePlayQueue', { id: ids, current, position: 1_000 }, '');
    const queue = await app.ask<{ entry: ListItem[]; current: string }>('getPlayQueue', {}, 'playQueue');
    expect([queue.current, queue.entry.length]).toEqual([current, 30]);
  }
  const { id } = await app.ask<ListItem>('createPlaylist', { name: 'Order', songId: ids }, 'playlist');
  await app.ask('createPlaylist', { playlistId: id, songId: ids.toReversed() }, '');
  const { entry } = await app.ask<{ entry: ListItem[] }>('getPlaylist', { id }, 'playlist');
  expect(entry.map((item) => item.id)).toEqual(ids.toReversed());
});

story('play:Sub: keeps an album offline as MP3, and seeks in it when it comes again', async () => {
  const app = await open('play:Sub', { version: '1.16.1' });
  const { albumId } = files[0] as ListItem & { albumId: string };
  const { song } = await app.ask<{ song: ListItem[] }>('getAlbum', { id: albumId }, 'album');
  for (const { id } of song.slice(0, 2)) {
    const wholeFile = await app.bytes('download', { id });
    expect([wholeFile.status, Number(wholeFile.headers.get('content-length'))]).toEqual([
      200,
      (await wholeFile.arrayBuffer()).byteLength,
    ]);
    const firstTwoBytes = await app.bytes('stream', { id }, { headers: { Range: 'bytes=0-1' } });
    expect([firstTwoBytes.status, (await firstTwoBytes.arrayBuffer()).byteLength]).toEqual([206, 2]);
  }
});

story('Amperfy, Sonixd: new albums come first, so what is new is on the first page', async () => {
  writeFolderLibrary(join(dir, 'music'), { 'New/1.flac': { ARTIST: 'New', ALBUM: 'Newest', TITLE: 'New' } }, 20_000);
  await scan();
  const app = await open('Amperfy', { version: '1.13.0' });
  const { album } = await app.ask<{ album: ListItem[] }>('getAlbumList2', { type: 'newest', size: 5 }, 'albumList2');
  expect(album[0]).toMatchObject({ name: 'Newest', songCount: 1 });
  expect(await app.xml('getAlbumList2', { type: 'newest', size: 5 })).toContain('name="Newest"');
});

story(
  'Substreamer: plays of days without a network come one by one, and count once when they are repeated',
  async () => {
    const app = await open('substreamer8', { version: '1.15.0' });
    const [firstSong = '', secondSong = ''] = songs(2);
    const previousPlays = [await playsOf(firstSong), await playsOf(secondSong)];
    const days = [5, 4, 3].map((ago) => Date.now() - ago * 86_400_000);
    for (const attempt of [1, 2])
      for (const time of days)
        expect((await app.get('scrobble', { id: firstSong, time, submission: true })).body.status, `${attempt}`).toBe(
          'ok',
        );
    expect([await playsOf(firstSong), await playsOf(secondSong)]).toEqual([
      (previousPlays[0] ?? 0) + 3,
      previousPlays[1],
    ]);
  },
);

story('Tempus, Ultrasonic: many late plays in one request, some of songs that are gone', async () => {
  const app = await open('Tempus', { suffix: '' });
  const [firstSong = '', secondSong = ''] = songs(2);
  const previousPlays = [await playsOf(firstSong), await playsOf(secondSong)];
  const now = Date.now();
  const ids = [firstSong, 'tr-999999', secondSong, firstSong];
  await app.ask('scrobble', { id: ids, time: ids.map((_, n) => now - (n + 1) * 3_600_000) }, '');
  expect([await playsOf(firstSong), await playsOf(secondSong)]).toEqual([
    (previousPlays[0] ?? 0) + 2,
    (previousPlays[1] ?? 0) + 1,
  ]);
});

story('Tempus to Feishin: the queue goes on where it was, also with an episode in it', async () => {
  const ids = songs(4);
  const app = await open('Tempus', { suffix: '' });
  const queue = [ids[0] ?? '', 'pe-1', ...ids.slice(1)];
  await app.ask('savePlayQueue', { id: queue, current: ids[2] ?? '', position: 61_000 }, '');
  const desktop = await open('Feishin', { version: '1.13.0' });
  const { body } = await desktop.post('getPlayQueueByIndex');
  expect(body['playQueueByIndex']).toMatchObject({ currentIndex: 2, position: 61_000, changedBy: 'Tempus' });
  await desktop.post('savePlayQueueByIndex', { id: queue, currentIndex: 2, position: 5 });
  expect(await app.ask('getPlayQueue', {}, 'playQueue')).toMatchObject({
    current: ids[1],
    entry: ids.map((id) => ({ id })),
  });
  await desktop.post('savePlayQueue', { id: 'pe-1', current: 'pe-1' });
  expect(await app.ask('getPlayQueue', {}, 'playQueue')).toMatchObject({ current: ids[1] });
});

story('DSub: plays on the computer that offers itself, and hears that none does', async () => {
  const app = await open('DSub', { version: '1.2.0', form: 'hex' });
  const [firstSong = '', secondSong = ''] = songs(2);
  expect(await app.xml('jukeboxControl', { action: 'status' })).toContain('code="50"');
  await server.api('/jukebox/speaker', { method: 'PUT', body: { speaker_id: 'window', name: 'Kitchen' } });
  await app.xml('jukeboxControl', { action: 'set', id: [firstSong, secondSong] });
  await app.xml('jukeboxControl', { action: 'skip', index: 1 });
  expect(await app.xml('jukeboxControl', { action: 'start' })).toContain('currentIndex="1" playing="true"');
  expect(await app.xml('jukeboxControl', { action: 'get' })).toContain(`<entry id="${secondSong}"`);
  await server.api('/jukebox/speaker/window', { method: 'DELETE' });
});

story('Ultrasonic, play:Sub: a download that broke goes on in the background, and not with another file', async () => {
  const app = await open('Ultrasonic');
  const [id = ''] = songs(1);
  const wholeFile = await app.bytes('download', { id });
  const [etag, bytes] = [wholeFile.headers.get('etag') ?? '', Buffer.from(await wholeFile.arrayBuffer())];
  const fileEnd = await app.bytes('download', { id }, { headers: { Range: 'bytes=20-', 'If-Range': etag } });
  expect([fileEnd.status, Buffer.from(await fileEnd.arrayBuffer()).equals(bytes.subarray(20))]).toEqual([206, true]);
  const changedResponse = await app.bytes(
    'stream',
    { id },
    { headers: { Range: 'bytes=20-', 'If-Range': '"another"' } },
  );
  expect([changedResponse.status, (await changedResponse.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
});

story('Supersonic: rates many songs at once, and replaces a playlist by POST', async () => {
  const app = await open('supersonic', { version: '1.15.0', suffix: '' });
  const ids = songs(20);
  await Promise.all(ids.map((id, n) => app.ask('setRating', { id, rating: 1 + (n % 5) }, '')));
  const { body } = await app.post('createPlaylist', { name: 'Rated', songId: ids });
  const { id } = body['playlist'] as ListItem;
  await app.post('createPlaylist', { playlistId: id, songId: ids.toReversed() });
  const { entry } = await app.ask<{ entry: (ListItem & { userRating: number })[] }>('getPlaylist', { id }, 'playlist');
  expect(entry.map((song) => song.id)).toEqual(ids.toReversed());
  expect(entry.map(({ userRating }) => userRating)).toEqual(ids.map((_, n) => 1 + (n % 5)).toReversed());
});
