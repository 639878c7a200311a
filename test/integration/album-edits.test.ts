// An album is edited as a whole: it stays the same album, keeps its cover and what people did, and an undo gives every
// track its own values back. Rescans keep what a person set.
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlbumPatch } from '../../renderer/api/routes.ts';
import type { AlbumOut, AlbumPage, TrackOut, TrackPage, UndoneOut } from '../../server/library/wire.ts';
import type { RegroupingOut } from '../../server/library/albums/regrouping-wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { OFFLINE } from '../support/phone.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

let base: string;
let server: TestServer;
let frames: number;
let mode: 'copy' | 'reference';

const start = (): Promise<TestServer> =>
  startServer({
    dir: join(base, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: mode, ...OFFLINE },
  });

interface WrittenTrack {
  album?: string;
  number?: number;
  year?: string | undefined;
  genre?: string;
  frames?: number;
}

function writeTrack(
  path: string,
  { album = 'Live at the Mill', number = 1, year, genre, frames: length }: WrittenTrack,
) {
  const texts = {
    TIT2: `Song ${number} of ${album}`,
    TPE1: 'The Quays',
    TALB: album,
    TRCK: String(number),
    ...(year !== undefined && { TDRC: year }),
    ...(genre !== undefined && { TCON: genre }),
  };
  const tag = id3(Object.entries(texts).map(([name, value]) => id3Frame(name, utf8Text(value))));
  const file = join(base, 'music', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, Buffer.concat([tag, silentMp3(length ?? frames++)]));
}

const picture = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 90, height: 90, channels: 3, background } })
    .png()
    .toBuffer();
const writeCover = async (folder: string, background: string): Promise<void> =>
  writeFileSync(join(base, 'music', folder, 'cover.png'), await picture(background));

async function scan(query = ''): Promise<void> {
  expect((await server.api(`/sources/local_folder/scan${query}`, { method: 'POST' })).status).toBe(202);
  await server.app.drain();
}

const get = async <T>(path: string): Promise<T> => {
  const { status, body } = await server.api<T>(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const albumCalled = async (title: string): Promise<AlbumOut> =>
  (await get<AlbumPage>('/albums?limit=50')).items.find((album) => album.title === title)!;
const tracksOf = async (id: number): Promise<TrackOut[]> => (await get<TrackPage>(`/albums/${id}/tracks`)).items;
const yearsOf = async (id: number) => (await tracksOf(id)).map(({ year }) => year);
const edit = (id: number, body: AlbumPatch, batch = 'one') =>
  server.api<AlbumOut>(`/albums/${id}?batch=${batch}`, { method: 'PATCH', body });
const undo = async (batch: string): Promise<UndoneOut> => {
  const { status, body } = await server.api<UndoneOut>(`/edits/${batch}/undo`, { method: 'POST' });
  expect([status, body.failed]).toEqual([200, []]);
  await server.app.drain();
  return body;
};
/** Returns the colour of the middle of the cover; null without a cover. */
async function coverOf(id: number): Promise<string | null> {
  const response = await fetch(`${server.url}/api/v1/albums/${id}/cover`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  if (response.status === 404) return null;
  const [red, green, blue] = await sharp(Buffer.from(await response.arrayBuffer()))
    .raw()
    .toBuffer();
  return `#${[red, green, blue].map((value) => value?.toString(16).padStart(2, '0')).join('')}`;
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-album-edits-'));
  for (const name of ['data', 'music']) mkdirSync(join(base, name));
  frames = 40;
});
afterEach(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

describe.each(['reference', 'copy'] as const)('in %s mode', (chosenMode) => {
  beforeEach(async () => {
    mode = chosenMode;
    for (const [i, year] of ['2013', '2013', '2012', undefined].entries())
      writeTrack(`Mill/${i + 1}.mp3`, { number: i + 1, year, genre: i === 0 ? 'Rock' : 'Pop' });
    await writeCover('Mill', '#aa3322');
    server = await start();
    await scan();
  });

  test('the year of an album changes at once, for phones too, and stays after rescans and a restart', async () => {
    const album = await albumCalled('Live at the Mill');
    expect(album.year).toBe(2013);
    await server.api('/likes', { method: 'POST', body: { item_type: 'album', item_id: album.id, liked: true } });
    const { status, body } = await edit(album.id, { year: 1997 });
    expect([status, body.id, body.year, body.liked]).toEqual([200, album.id, 1997, true]);
    expect((await get<AlbumPage>('/albums?year_from=1997&year_to=1997')).items.map(({ id }) => id)).toEqual([album.id]);
    expect((await tracksOf(album.id)).map(({ genre }) => genre)).toEqual(['Rock', 'Pop', 'Pop', 'Pop']);

    writeTrack('Mill/2.mp3', { number: 2, year: '2013', genre: 'Folk', frames: 41 });
    utimesSync(join(base, 'music', 'Mill', '2.mp3'), 1_700_000_000, 1_700_000_000);
    await scan();
    await scan('?reread=true');
    await server.close();
    server = await start();
    const rescannedAlbum = await get<AlbumOut>(`/albums/${album.id}`);
    expect([rescannedAlbum.year, rescannedAlbum.track_count, rescannedAlbum.liked]).toEqual([1997, 4, true]);
    expect(await yearsOf(album.id)).toEqual([1997, 1997, 1997, 1997]);
    expect((await tracksOf(album.id))[1]?.genre).toBe('Folk');

    await undo('one');
    expect(await yearsOf(album.id)).toEqual([2013, 2013, 2012, null]);
    expect((await get<AlbumOut>(`/albums/${album.id}`)).year).toBe(2013);
  });

  test('every field of an album is corrected and undone, and the album stays the same one with its cover', async () => {
    const album = await albumCalled('Live at the Mill');
    const tracks = await tracksOf(album.id);
    const patch: AlbumPatch = {
      title: 'Live at the Old Mill',
      artists: ['The Quays', 'Guests'],
      year: 1997,
      original_year: 1996,
      genres: ['Folk', 'Live'],
      release_types: ['album', 'live'],
      edition: 'Deluxe',
      label: 'Harbour',
      catalog_number: 'H 1',
      barcode: '0123',
      is_compilation: true,
      sort_title: 'Old Mill, Live at the',
      tracks: [{ id: tracks[0]!.id, title: 'First', artist: 'Ann & Bob', artists: ['Ann', 'Bob'], track_number: 9 }],
    };
    const { status, body } = await edit(album.id, patch);
    expect(status).toBe(200);
    const expected = {
      id: album.id,
      title: 'Live at the Old Mill',
      artist_name: 'The Quays, Guests',
      year: 1997,
      original_year: 1996,
      release_types: ['album', 'live'],
      edition: 'Deluxe',
      labels: ['Harbour'],
      is_compilation: true,
      sort_title: 'Old Mill, Live at the',
    };
    expect(body).toMatchObject(expected);
    const editedTracks = await tracksOf(album.id);
    expect(editedTracks.at(-1)).toMatchObject({ title: 'First', artist_name: 'Ann & Bob', track_number: 9 });
    expect(editedTracks.map(({ genres }) => genres)).toEqual(tracks.map(() => ['Folk', 'Live']));
    expect(await coverOf(album.id)).toBe('#aa3322');

    await scan('?reread=true');
    expect(await get<AlbumOut>(`/albums/${album.id}`)).toMatchObject({ ...expected, track_count: 4 });

    const undone = await undo('one');
    const withoutTimes = (items: object[]) =>
      items.map((item) => ({ ...item, created_at: undefined, updated_at: undefined }));
    expect(withoutTimes([await get<AlbumOut>(`/albums/${album.id}`)])).toEqual(withoutTimes([album]));
    expect(withoutTimes(await tracksOf(album.id))).toEqual(withoutTimes(tracks));
    expect(await coverOf(album.id)).toBe('#aa3322');

    await undo(undone.batch);
    expect(await get<AlbumOut>(`/albums/${album.id}`)).toMatchObject(expected);
  });

  test('a correction joins the album with no other one of its name, and divides it in no rescan', async () => {
    for (const number of [1, 2, 3, 4]) writeTrack(`Mill remaster/${number}.mp3`, { number, year: '1997' });
    await scan();
    const albums = (await get<AlbumPage>('/albums?sort=year&order=asc')).items;
    expect(albums.map(({ year, track_count }) => [year, track_count])).toEqual([
      [1997, 4],
      [2013, 4],
    ]);
    const [remaster, original] = albums;
    await edit(original!.id, { year: 1997 });
    for (const number of [1, 2]) utimesSync(join(base, 'music', 'Mill', `${number}.mp3`), 1_700_000_000, 1_700_000_000);
    await scan();
    await scan('?reread=true');
    for (const album of [remaster!, original!])
      expect(await get<AlbumOut>(`/albums/${album.id}`)).toMatchObject({ year: 1997, track_count: 4 });
  });

  test('merged, split and restored albums keep their covers when the folder is gone', async () => {
    for (const number of [1, 2]) writeTrack(`Ocean/${number}.mp3`, { album: 'Ocean', number });
    await writeCover('Ocean', '#2233aa');
    await scan();
    const [mill, ocean] = [await albumCalled('Live at the Mill'), await albumCalled('Ocean')];
    const [oceanTrack, otherOceanTrack] = await tracksOf(ocean.id);
    renameSync(join(base, 'music'), join(base, 'elsewhere'));
    mkdirSync(join(base, 'music'));
    const move = (track: TrackOut, album: string, batch: string) =>
      server.api(`/tracks/${track.id}?batch=${batch}`, { method: 'PATCH', body: { album, album_artist: 'The Quays' } });

    for (const track of [oceanTrack!, otherOceanTrack!]) await move(track, mill.title, 'merge');
    await server.app.drain();
    expect((await get<AlbumOut>(`/albums/${mill.id}`)).track_count).toBe(6);
    expect(await coverOf(mill.id)).toBe('#aa3322');
    // the old address leads to the album that has the tracks
    expect((await get<AlbumOut>(`/albums/${ocean.id}`)).id).toBe(mill.id);

    await undo('merge');
    expect((await get<AlbumOut>(`/albums/${ocean.id}`)).track_count).toBe(2);
    expect([await coverOf(mill.id), await coverOf(ocean.id)]).toEqual(['#aa3322', '#2233aa']);

    await move(otherOceanTrack!, 'Shore', 'split');
    await server.app.drain();
    const shore = await albumCalled('Shore');
    expect([await coverOf(ocean.id), await coverOf(shore.id)]).toEqual(['#2233aa', '#2233aa']);
    await undo('split');
    expect(await coverOf(ocean.id)).toBe('#2233aa');
    expect((await server.api(`/albums/${shore.id}`)).body).toMatchObject({ id: ocean.id });
  });

  test('albums of one name that are merged and restored keep their covers when the folder is gone', async () => {
    for (const number of [1, 2]) writeTrack(`Mill again/${number}.mp3`, { number: number + 4, year: '1990' });
    await writeCover('Mill again', '#2233aa');
    await scan();
    const [again, mill] = (await get<AlbumPage>('/albums?sort=year&order=asc')).items as [AlbumOut, AlbumOut];
    expect([await coverOf(again.id), await coverOf(mill.id)]).toEqual(['#2233aa', '#aa3322']);
    renameSync(join(base, 'music'), join(base, 'elsewhere'));
    mkdirSync(join(base, 'music'));
    const regrouping = await server.api<RegroupingOut>(`/albums/${again.id}/merge`, {
      method: 'POST',
      body: { into: mill.id },
    });
    expect(regrouping.status).toBe(200);
    await server.app.drain();
    expect((await get<AlbumOut>(`/albums/${again.id}`)).id).toBe(mill.id);
    expect(await coverOf(mill.id)).toBe('#aa3322');
    expect((await server.api(`/album-regroupings/${regrouping.body.id}/undo`, { method: 'POST' })).status).toBe(204);
    await server.app.drain();
    expect([await coverOf(again.id), await coverOf(mill.id)]).toEqual(['#2233aa', '#aa3322']);
  });
});

test('the year of an album follows the years of its tracks', async () => {
  mode = 'reference';
  for (const number of [1, 2]) writeTrack(`Mill/${number}.mp3`, { number, year: '2013' });
  server = await start();
  await scan();
  const album = await albumCalled('Live at the Mill');
  for (const { id } of await tracksOf(album.id))
    await server.api(`/tracks/${id}?batch=years`, { method: 'PATCH', body: { year: 1997 } });
  expect((await get<AlbumOut>(`/albums/${album.id}`)).year).toBe(1997);
  await undo('years');
  expect((await get<AlbumOut>(`/albums/${album.id}`)).year).toBe(2013);
});

test('an edit of an album is refused without the right, for tracks of other albums, and for names without letters', async () => {
  mode = 'reference';
  writeTrack('Mill/1.mp3', { year: '2013' });
  writeTrack('Ocean/1.mp3', { album: 'Ocean' });
  server = await start();
  await scan();
  const [mill, ocean] = [await albumCalled('Live at the Mill'), await albumCalled('Ocean')];
  const [oceanTrack] = await tracksOf(ocean.id);
  const listener = await registerUser(server, 'listener');
  const path = `/albums/${mill.id}`;
  expect((await server.api(path, { method: 'PATCH', body: { year: 1 }, token: listener })).status).toBe(403);
  expect((await edit(mill.id, { tracks: [{ id: oceanTrack!.id, title: 'Stolen' }] })).status).toBe(422);
  expect((await edit(mill.id, { title: '\u200b' })).status).toBe(422);
  expect((await edit(mill.id, { artists: ['\u200b'] })).status).toBe(422);
  expect((await edit(999_999, { year: 1997 })).status).toBe(404);
  expect(await get<AlbumOut>(path)).toMatchObject({ title: 'Live at the Mill', year: 2013 });
});
