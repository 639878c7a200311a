// Albums that are filed under several artists, because their tags name several album artists; and the counts of albums,
// which are the same wherever a client looks.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { flac, vorbisComment } from '../support/audio-bytes.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { startServer, type TestServer } from '../support/server.ts';

type Tags = Record<string, string | readonly string[]>;
type NamedItem = { id: string; name: string };
type Artist = NamedItem & { albumCount: number; starred?: string; userRating?: number; album: Album[] };
type Album = NamedItem & { artist: string; artistId: string; displayArtist: string; artists: NamedItem[] };

let server: TestServer;
let dir: string;
let phone: Phone;
let fileCount = 0;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-album-artists-'));
  fileCount = 0;
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: dir } });
  phone = await openPhone(server);
});
afterEach(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

function write(path: string, tags: Tags): void {
  const comments = Object.entries(tags).flatMap(([name, values]) => [values].flat().map((value) => `${name}=${value}`));
  const bytes = flac([4, vorbisComment(...comments)]);
  bytes.writeUInt32BE(++fileCount, bytes.length - 4);
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), bytes);
}
async function scan(path = ''): Promise<void> {
  expect((await server.api(`/sources/local_folder/scan${path}`, { method: 'POST' })).status).toBe(202);
  await server.app.drain();
}
const duets = (albumArtists: string | readonly string[], artists: string | readonly string[] = 'Ada'): Tags => ({
  TITLE: 'Both',
  ALBUM: 'Duets',
  ARTIST: artists,
  ALBUMARTIST: albumArtists,
  DATE: '2001',
});

async function listArtists(): Promise<Record<string, Artist>> {
  const { index } = await phone.ask<{ index: { artist: NamedItem[] }[] }>('getArtists', {}, 'artists');
  const artists = await Promise.all(
    index.flatMap(({ artist }) => artist).map(({ id }) => phone.ask<Artist>('getArtist', { id }, 'artist')),
  );
  return Object.fromEntries(artists.map((artist) => [artist.name, artist]));
}
const albumsByArtist = async (): Promise<Record<string, string[]>> =>
  Object.fromEntries(
    Object.entries(await listArtists()).map(([name, { album }]) => [name, album.map((entry) => entry.name)]),
  );
/** Compares the counts that triggers maintain with the rows. */
function expectCounts(): void {
  const wrongCounts = server.app.db.$client
    .prepare(
      `SELECT name FROM artists x WHERE album_count <> (SELECT count(*) FROM albums a WHERE a.artist_id = x.id
        OR EXISTS (SELECT 1 FROM tracks t JOIN track_album_artists r ON r.track_id = t.id
          WHERE t.album_id = a.id AND r.artist_id = x.id))
      OR first_year IS NOT (SELECT min(year) FROM albums a WHERE a.artist_id = x.id
        OR EXISTS (SELECT 1 FROM album_artists r WHERE r.album_id = a.id AND r.artist_id = x.id))`,
    )
    .pluck()
    .all();
  expect(wrongCounts).toEqual([]);
}

describe('several album artists', () => {
  it.each([
    ['two values', ['Ada', 'Bela']],
    ['a separator', 'Ada; Bela'],
  ])('of %s are artists with the album, everywhere', async (_, albumArtists) => {
    write('duets/1.flac', duets(albumArtists));
    await scan();
    expect(await albumsByArtist()).toEqual({ Ada: ['Duets'], Bela: ['Duets'] });
    const artists = await listArtists();
    const [ada, bela] = ['Ada', 'Bela'].map((name) => ({ id: artists[name]?.id, name }));
    const names = { artist: 'Ada, Bela', artistId: ada?.id, displayArtist: 'Ada, Bela', artists: [ada, bela] };
    const id = artists['Ada']?.album[0]?.id;
    expect(artists['Bela']).toMatchObject({ albumCount: 1, album: [names] });
    expect(await phone.ask('getAlbum', { id }, 'album')).toMatchObject({
      ...names,
      song: [{ displayAlbumArtist: 'Ada, Bela', albumArtists: [ada, bela] }],
    });
    const [rest] = (await server.api<{ items: { artists: unknown }[] }>('/albums')).body.items;
    expect(rest).toMatchObject({ artist_name: 'Ada, Bela', artists: [{ name: 'Ada' }, { name: 'Bela' }] });
    for (const artist of [ada, bela])
      expect(
        (await server.api<{ total: number }>(`/artists/${artist?.id?.slice(3)}/albums`)).body.total,
        artist?.name,
      ).toBe(1);
    const { album } = await phone.ask<{ album: Album[] }>('search3', { query: 'bela duets' }, 'searchResult3');
    expect(album.map((hit) => hit.id)).toEqual([id]);
    expectCounts();
  });

  it('follow new tags, also to one artist and back', async () => {
    write('duets/1.flac', duets(['Ada', 'Bela']));
    write('duets/2.flac', { ...duets(['Ada', 'Cleo']), TITLE: 'Other' });
    await scan();
    expect(await albumsByArtist()).toEqual({ Ada: ['Duets'], Bela: ['Duets'], Cleo: ['Duets'] });
    write('duets/2.flac', { ...duets('Ada'), TITLE: 'Other' });
    write('duets/1.flac', { ...duets(['Bela', 'Ada']), DATE: '1999' });
    await scan();
    expect(await albumsByArtist()).toEqual({ Ada: ['Duets', 'Duets'], Bela: ['Duets'] });
    expectCounts();
    write('duets/1.flac', duets('Ada'));
    await scan();
    expect(await albumsByArtist()).toEqual({ Ada: ['Duets'] });
    expectCounts();
  });

  it('come back from the trash with their track', async () => {
    write('duets/1.flac', duets(['Ada', 'Bela']));
    await scan();
    const { items } = (await server.api<{ items: { id: number }[] }>('/tracks')).body;
    await server.api(`/tracks/${items[0]?.id}`, { method: 'DELETE' });
    expect(await albumsByArtist()).toEqual({});
    const trash = (await server.api<{ items: { id: number }[] }>('/trash')).body.items;
    expect((await server.api(`/trash/${trash[0]?.id}/restore`, { method: 'POST' })).status).toBe(200);
    expect(await albumsByArtist()).toEqual({ Ada: ['Duets'], Bela: ['Duets'] });
    expectCounts();
  });

  it('stay when another field is edited, and are replaced by a typed one, and undone', async () => {
    write('duets/1.flac', duets(['Ada', 'Bela']));
    await scan();
    const id = (await server.api<{ items: { id: number }[] }>('/tracks')).body.items[0]?.id;
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: { title: 'Typed' } });
    expect(Object.keys(await albumsByArtist())).toEqual(['Ada', 'Bela']);
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: { album_artist: 'Ada, Bela' } });
    expect(Object.keys(await albumsByArtist())).toEqual(['Ada', 'Bela']);
    await server.api(`/tracks/${id}`, { method: 'PATCH', body: { album_artist: 'Cleo; Dora' } });
    expect(Object.keys(await albumsByArtist())).toEqual(['Cleo', 'Dora']);
    expectCounts();
    const [lastEdit] = (await server.api<{ id: number }[]>(`/tracks/${id}/edits`)).body;
    expect((await server.api(`/tracks/${id}/edits/${lastEdit?.id}/undo`, { method: 'POST' })).status).toBe(200);
    expect(Object.keys(await albumsByArtist())).toEqual(['Ada', 'Bela']);
    expectCounts();
  });
});

describe('an artist of an earlier version, who was called like several', () => {
  it('leaves their star, rating and albums with the stars to the first one', async () => {
    write('duets/1.flac', duets('Ada, Bela', ['Ada', 'Bela']));
    await scan();
    const { 'Ada, Bela': joined } = await listArtists();
    const album = joined?.album[0]?.id;
    const { song } = await phone.ask<{ song: NamedItem[] }>('getAlbum', { id: album }, 'album');
    await phone.ask('star', { id: [joined?.id ?? '', album ?? '', song[0]?.id ?? ''] }, '');
    await phone.ask('setRating', { id: joined?.id, rating: 4 }, '');
    await phone.ask('createBookmark', { id: song[0]?.id, position: 7 }, '');
    write('duets/1.flac', duets(['Ada', 'Bela'], ['Ada', 'Bela']));
    await scan();
    const artists = await listArtists();
    expect(artists['Ada, Bela']).toBeUndefined();
    expect(artists['Ada']).toMatchObject({ starred: expect.any(String), userRating: 4 });
    expect(artists['Bela']?.starred).toBeUndefined();
    const starred = await phone.ask<{ album: Album[]; song: NamedItem[] }>('getStarred2', {}, 'starred2');
    expect(starred.album).toMatchObject([{ name: 'Duets', artist: 'Ada, Bela' }]);
    expect(starred.song).toHaveLength(1);
    expect(await phone.ask('getBookmarks', {}, 'bookmarks')).toMatchObject({ bookmark: [{ position: 7 }] });
    expectCounts();
  });
});

describe('the albums of all artists', () => {
  it('are each album, once for each of its artists, and none where somebody only appears', async () => {
    write('duets/1.flac', duets(['Ada', 'Bela']));
    write('solo/1.flac', { TITLE: 'Alone', ALBUM: 'Solo', ARTIST: ['Ada', 'Guest'], ALBUMARTIST: 'Ada' });
    write('sampler/1.flac', { TITLE: 'A', ALBUM: 'Sampler', ARTIST: 'Bela', ALBUMARTIST: 'Various Artists' });
    write('own/1.flac', { TITLE: 'B', ALBUM: 'Own', ARTIST: 'Guest' });
    await scan();
    const artists = Object.values(await listArtists());
    for (const { name, albumCount, album } of artists) expect(album, name).toHaveLength(albumCount);
    expect(await albumsByArtist()).toEqual({
      Ada: ['Duets', 'Solo'],
      Bela: ['Duets'],
      Guest: ['Own'],
      'Various Artists': ['Sampler'],
    });
    const { artist } = await phone.ask<{ artist: Artist[] }>(
      'search3',
      { query: '', artistCount: 50 },
      'searchResult3',
    );
    const countsOf = (items: Artist[]): string[] =>
      items.map(({ name, albumCount }) => `${name} ${albumCount}`).toSorted();
    expect(countsOf(artist)).toEqual(countsOf(artists));
    const guest = artists.find(({ name }) => name === 'Guest');
    const appearances = (await server.api<{ items: { title: string }[] }>(`/artists/${guest?.id.slice(3)}/albums`))
      .body;
    expect(appearances.items.map(({ title }) => title).toSorted()).toEqual(['Own', 'Solo']);
  });

  it('of one year are in the order of their releases, and reissues are found by their first year', async () => {
    const album = (title: string, date: string, original?: string): void =>
      write(`${title}/1.flac`, {
        TITLE: title,
        ALBUM: title,
        ARTIST: 'Ada',
        DATE: date,
        ...(original !== undefined && { ORIGINALDATE: original }),
      });
    album('Autumn', '2001-10-01');
    album('Winter', '2001-01-15');
    album('Spring', '2001-04');
    album('Remaster', '2019', '1969-09-26');
    album('Earlier', '1998');
    await scan();
    expect((await albumsByArtist())['Ada']).toEqual(['Earlier', 'Winter', 'Spring', 'Autumn', 'Remaster']);
    const byYear = async (fromYear: number, toYear: number): Promise<string[]> =>
      (
        await phone.ask<{ album: Album[] }>('getAlbumList2', { type: 'byYear', fromYear, toYear }, 'albumList2')
      ).album.map(({ name }) => name);
    expect(await byYear(1969, 1969)).toEqual(['Remaster']);
    expect(await byYear(2019, 1969)).toHaveLength(5);
    expect(await byYear(2010, 2020)).toEqual(['Remaster']);
    expect(await byYear(1960, 1999)).toEqual(['Earlier', 'Remaster']);
  });
});
