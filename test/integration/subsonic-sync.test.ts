// What apps do with a library that lacks every kind of tag: first copies, copies during a scan, what changed since,
// plays that come late, queues that move between devices, playing elsewhere, downloads that break.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOLDER_LIBRARY, writeFolderLibrary } from '../support/folder-library.ts';
import { OFFLINE, openPhone, type Phone, type PhoneOptions } from '../support/phone.ts';
import { SYNCS } from '../support/phone-syncs.ts';
import { seededRandom } from '../support/random.ts';
import { startServer, type TestServer } from '../support/server.ts';

type Listed = Record<string, unknown> & { id: string };
const NAMES = Object.keys(SYNCS) as (keyof typeof SYNCS)[];
const GENERATED = 85;

let server: TestServer;
let dir: string;
let phone: Phone;

/** Files by artist and album, each without some of its tags. */
function messy(first: number, count: number): Record<string, Record<string, string>> {
  const random = seededRandom(first);
  const files: Record<string, Record<string, string>> = {};
  for (let n = first; n < first + count; n++) {
    const [artist, album] = [`Artist ${n % 7}`, `Album ${n % 11}`];
    const all = { ARTIST: artist, ALBUMARTIST: artist, ALBUM: album, TITLE: `Song ${n}`, DATE: `${1970 + (n % 40)}` };
    const kept = Object.entries({ ...all, TRACKNUMBER: `${n % 12}`, GENRE: 'Rock' }).filter(() => random() < 0.7);
    const folder = random() < 0.3 ? `Misc ${n % 3}` : `${artist}/${album}`;
    files[`${folder}/${n}.flac`] = Object.fromEntries(kept);
  }
  return files;
}

const scan = async (): Promise<void> => {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
};
const total = async (): Promise<number> => (await server.api<{ total: number }>('/tracks?limit=1')).body.total;
const open = (client: string, options: PhoneOptions = {}): Promise<Phone> => openPhone(server, { client, ...options });

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-sync-'));
  writeFolderLibrary(join(dir, 'music'));
  writeFolderLibrary(join(dir, 'music'), messy(100, GENERATED), 100);
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: join(dir, 'music') } });
  phone = await open('sync');
  await scan();
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

describe('a copy of the library', () => {
  it.each(NAMES)('by %s has every track once', async (name) => {
    const { songs } = await SYNCS[name](phone, 7);
    expect(await total()).toBe(Object.keys(FOLDER_LIBRARY).length + GENERATED);
    expect([songs.length, new Set(songs).size]).toEqual([await total(), await total()]);
  });

  it.each(NAMES)('by %s misses nothing while a scan adds to it', async (name) => {
    const before = new Set((await SYNCS.search3(phone)).songs);
    const first = 1_000 * (NAMES.indexOf(name) + 1);
    writeFolderLibrary(join(dir, 'music'), messy(first, 60), first);
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    const drained = server.app.drain();
    const { songs } = await SYNCS[name](phone, 7);
    expect([...before].filter((id) => !songs.includes(id))).toEqual([]);
    expect(new Set(songs).size).toBe(songs.length);
    await drained;
    expect((await SYNCS[name](phone, 7)).songs).toHaveLength(await total());
  });

  it.each(['alphabeticalByName', 'newest', 'random'])(
    'by pages of the list %s keeps step with changes',
    async (type) => {
      const page = async (offset: number): Promise<string[]> => {
        const params = { type, size: 5, offset };
        const { album } = await phone.ask<{ album: Listed[] }>('getAlbumList2', params, 'albumList2');
        return album.map(({ id }) => id);
      };
      const all = await phone.ask<{ album: Listed[] }>(
        'search3',
        { query: '', artistCount: 0, songCount: 0, albumCount: 500 },
        'searchResult3',
      );
      const pages = [await page(0)];
      // an album of the first page goes, and another one comes
      const { song } = await phone.ask<{ song: Listed[] }>('getAlbum', { id: pages[0]?.[0] ?? '' }, 'album');
      for (const { id } of song) await server.api(`/tracks/${id.slice(3)}`, { method: 'DELETE' });
      writeFolderLibrary(join(dir, 'music'), { [`${type}/1.flac`]: { ALBUM: `0 ${type}`, TITLE: type } }, 20_000);
      await scan();
      while (pages.at(-1)?.length === 5) pages.push(await page(pages.length * 5));
      const read = pages.flat();
      expect(new Set(read).size).toBe(read.length);
      expect(all.album.map(({ id }) => id).filter((id) => !read.includes(id))).toEqual([]);
      expect(read).toHaveLength(all.album.length + 1);
    },
  );

  it('of an unchanged library is one request', async () => {
    const { lastModified } = await phone.ask<{ lastModified: number }>('getIndexes', {}, 'indexes');
    const again = await phone.ask<Listed>('getIndexes', { ifModifiedSince: lastModified }, 'indexes');
    expect(again).toMatchObject({ lastModified, index: [] });
    writeFolderLibrary(join(dir, 'music'), messy(9_000, 1), 9_000);
    await scan();
    const changed = await phone.ask<{ index: unknown[] }>('getIndexes', { ifModifiedSince: lastModified }, 'indexes');
    expect(changed.index.length).toBeGreaterThan(0);
  });
});

describe('apps', () => {
  const songs = async (count: number): Promise<string[]> =>
    (await phone.ask<{ song: Listed[] }>('getRandomSongs', { size: count }, 'randomSongs')).song.map(({ id }) => id);
  const playsOf = async (id: string): Promise<number> =>
    (await phone.ask<{ playCount: number }>('getSong', { id }, 'song')).playCount;

  it('Amperfy, Sonixd: new albums come first, so what is new is on the first page', async () => {
    writeFolderLibrary(join(dir, 'music'), { 'New/1.flac': { ARTIST: 'New', ALBUM: 'Newest', TITLE: 'New' } }, 20_000);
    await scan();
    const app = await open('Amperfy', { version: '1.13.0' });
    const { album } = await app.ask<{ album: Listed[] }>('getAlbumList2', { type: 'newest', size: 5 }, 'albumList2');
    expect(album[0]).toMatchObject({ name: 'Newest', songCount: 1 });
    expect(await app.xml('getAlbumList2', { type: 'newest', size: 5 })).toContain('name="Newest"');
  });

  it('Substreamer: plays of days without a network come one by one, and count once when they are repeated', async () => {
    const app = await open('substreamer8', { version: '1.15.0' });
    const [one = '', two = ''] = await songs(2);
    const days = [5, 4, 3].map((ago) => Date.now() - ago * 86_400_000);
    for (const attempt of [1, 2])
      for (const time of days)
        expect((await app.get('scrobble', { id: one, time, submission: true })).body.status, `${attempt}`).toBe('ok');
    expect([await playsOf(one), await playsOf(two)]).toEqual([3, 0]);
  });

  it('Tempus, Ultrasonic: many late plays in one request, some of songs that are gone', async () => {
    const app = await open('Tempus', { suffix: '' });
    const [one = '', two = ''] = await songs(2);
    const before = [await playsOf(one), await playsOf(two)];
    const now = Date.now();
    const ids = [one, 'tr-999999', two, one];
    await app.ask('scrobble', { id: ids, time: ids.map((_, n) => now - (n + 1) * 3_600_000) }, '');
    expect([await playsOf(one), await playsOf(two)]).toEqual([(before[0] ?? 0) + 2, (before[1] ?? 0) + 1]);
  });

  it('Tempus to Feishin: the queue goes on where it was, also with an episode in it', async () => {
    const ids = await songs(4);
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

  it('DSub: plays on the computer that offers itself, and hears that none does', async () => {
    const app = await open('DSub', { version: '1.2.0', form: 'hex' });
    const [one = '', two = ''] = await songs(2);
    expect(await app.xml('jukeboxControl', { action: 'status' })).toContain('code="50"');
    await server.api('/jukebox/speaker', { method: 'PUT', body: { speaker_id: 'window', name: 'Kitchen' } });
    await app.xml('jukeboxControl', { action: 'set', id: [one, two] });
    await app.xml('jukeboxControl', { action: 'skip', index: 1 });
    expect(await app.xml('jukeboxControl', { action: 'start' })).toContain('currentIndex="1" playing="true"');
    expect(await app.xml('jukeboxControl', { action: 'get' })).toContain(`<entry id="${two}"`);
    await server.api('/jukebox/speaker/window', { method: 'DELETE' });
  });

  it('Ultrasonic, play:Sub: a download that broke goes on in the background, and not with another file', async () => {
    const app = await open('Ultrasonic');
    const [id = ''] = await songs(1);
    const whole = await app.bytes('download', { id });
    const [etag, bytes] = [whole.headers.get('etag') ?? '', Buffer.from(await whole.arrayBuffer())];
    const rest = await app.bytes('download', { id }, { headers: { Range: 'bytes=20-', 'If-Range': etag } });
    expect([rest.status, Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(20))]).toEqual([206, true]);
    const other = await app.bytes('stream', { id }, { headers: { Range: 'bytes=20-', 'If-Range': '"another"' } });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
  });

  it('Supersonic: rates many songs at once, and replaces a playlist by POST', async () => {
    const app = await open('supersonic', { version: '1.15.0', suffix: '' });
    const ids = await songs(20);
    await Promise.all(ids.map((id, n) => app.ask('setRating', { id, rating: 1 + (n % 5) }, '')));
    const { body } = await app.post('createPlaylist', { name: 'Rated', songId: ids });
    const { id } = body['playlist'] as Listed;
    await app.post('createPlaylist', { playlistId: id, songId: ids.toReversed() });
    const { entry } = await app.ask<{ entry: (Listed & { userRating: number })[] }>('getPlaylist', { id }, 'playlist');
    expect(entry.map((song) => song.id)).toEqual(ids.toReversed());
    expect(entry.map(({ userRating }) => userRating)).toEqual(ids.map((_, n) => 1 + (n % 5)).toReversed());
  });
});
