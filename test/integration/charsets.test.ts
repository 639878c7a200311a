// Tags that do not say their charset: scanned with their album as evidence, changed for an album at once, and kept.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AlbumCharsetOut, ChosenCharsetOut } from '../../server/enrichment/charset-wire.ts';
import type { MatchesOut } from '../../server/enrichment/wire.ts';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumOut, TrackOut } from '../../server/library/wire.ts';
import type { Charset } from '../../server/media/charset.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import { id3, id3FrameV23, silentMp3 } from '../support/audio-bytes.ts';
import { encodeCharset } from '../support/encode-charset.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';

const base = mkdtempSync(join(tmpdir(), 'tonearm-charsets-'));
const music = join(base, 'music');
let server: TestServer;

const TITLES = ['夜空', '月の光', '恋', '東京の雨', 'Love Song', '夢の中へ', '花火', '星'];
let frames = 40;

function song(title: string, charset: Charset, artist = '山田太郎', album = '青い海'): Buffer {
  const frame = (name: string, text: string): Buffer =>
    id3FrameV23(name, Buffer.concat([Buffer.alloc(1), encodeCharset(text, charset) as Buffer]));
  const tag = id3([frame('TIT2', title), frame('TPE1', artist), frame('TALB', album)], 3);
  return Buffer.concat([tag, silentMp3(frames++)]); // of another length each, so that no two are the same audio
}

function write(folder: string, title: string, ...rest: [charset: Charset, artist?: string, album?: string]): void {
  mkdirSync(join(music, folder), { recursive: true });
  const bytes = song(title, ...rest);
  writeFileSync(join(music, folder, `${TITLES.indexOf(title)}-${frames}.mp3`), bytes);
}

async function upload(...files: Buffer[]): Promise<TrackOut[]> {
  const form = new FormData();
  for (const bytes of files) form.append('files', new Blob([bytes as BlobPart]), 'song.mp3');
  return (await server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form })).body.items;
}

async function scan(): Promise<void> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  expect((await server.api<JobOut>(`/jobs/${body.id}`)).body).toMatchObject({ status: 'succeeded', error: null });
}

const tracksIn = async (folder: string): Promise<TrackOut[]> =>
  (await allTracks(server)).filter(({ source_id }) => source_id.startsWith(`${folder}/`));
const charsetOf = async (albumId: number | null): Promise<AlbumCharsetOut> =>
  (await server.api<AlbumCharsetOut>(`/albums/${albumId}/charset`)).body;
const originsOf = async (id: number): Promise<MatchesOut['origins']> =>
  (await server.api<MatchesOut>(`/tracks/${id}/matches`)).body.origins;

beforeAll(async () => {
  for (const title of TITLES) write('japanese', title, 'shift_jis');
  for (const title of ['Été', 'À la folie']) write('french', title, 'windows-1252', 'Zoé', 'Forêt');
  server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: music, LOCAL_MEDIA_IMPORT_MODE: 'reference', LOCAL_MEDIA_WATCH: 'false' },
  });
  await scan();
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

it('an album in Shift-JIS is one album with its names', async () => {
  const tracks = await tracksIn('japanese');
  expect(tracks.map(({ title }) => title).toSorted()).toEqual(TITLES.toSorted());
  expect(new Set(tracks.map(({ artist_name, album_title }) => `${artist_name} ${album_title}`))).toEqual(
    new Set(['山田太郎 青い海']),
  );
  const short = tracks.find(({ title }) => title === '恋') as TrackOut;
  expect(await originsOf(short.id)).toMatchObject({ title: 'charset', artist: 'charset', album: 'charset' });
  expect(await charsetOf(short.album_id)).toMatchObject({ charset: 'shift_jis', is_chosen: false, track_count: 8 });
});

it('text that was right stays, and its origin is the tag', async () => {
  const tracks = await tracksIn('french');
  expect(tracks.map(({ title }) => title).toSorted()).toEqual(['À la folie', 'Été'].toSorted());
  expect(await originsOf((tracks[0] as TrackOut).id)).toMatchObject({ title: 'tag', album: 'tag' });
});

it('identification keeps the charset', async () => {
  const track = (await tracksIn('japanese')).find(({ title }) => title === '恋') as TrackOut;
  expect((await server.api(`/tracks/${track.id}/metadata/enrich`, { method: 'POST' })).status).toBe(202);
  await server.app.drain();
  expect((await tracksIn('japanese')).find(({ id }) => id === track.id)).toMatchObject({
    title: '恋',
    album_title: '青い海',
  });
});

it('another charset for an album is read from its files at once; the album, its likes and typed fields stay', async () => {
  const [first, second] = (await tracksIn('french')) as [TrackOut, TrackOut];
  const like = { item_type: 'album', item_id: first.album_id, liked: true };
  await server.api('/likes', { method: 'POST', body: like });
  await server.api(`/tracks/${second.id}`, { method: 'PATCH', body: { title: 'Typed' } });
  const { status, body } = await server.api<ChosenCharsetOut>(`/albums/${first.album_id}/charset`, {
    method: 'PUT',
    body: { charset: 'windows-1251' },
  });
  expect([status, body]).toEqual([200, { album_id: first.album_id, changed: 2, failed: 0 }]);
  const now = await tracksIn('french');
  expect(now.find(({ id }) => id === second.id)?.title).toBe('Typed');
  const album = (await server.api<AlbumOut>(`/albums/${first.album_id}`)).body;
  expect(album).toMatchObject({ title: 'Forкt', artist_name: 'Zoй', liked: true, track_count: 2 });
  expect(await charsetOf(album.id)).toMatchObject({ charset: 'windows-1251', is_chosen: true });
});

it('what a person chose is kept when files change, and holds for files that are added', async () => {
  write('french', 'Été', 'windows-1252', 'Zoé', 'Forêt');
  for (const { source_id } of await tracksIn('french')) utimesSync(join(music, source_id), new Date(), new Date(1e12));
  await scan();
  const tracks = await tracksIn('french');
  expect(tracks).toHaveLength(3);
  expect(new Set(tracks.map(({ album_title }) => album_title))).toEqual(new Set(['Forкt']));
  expect(await charsetOf((tracks[0] as TrackOut).album_id)).toMatchObject({ is_chosen: true, track_count: 3 });
});

it.skipIf(!toolOrWarn('ffmpeg', 'cue sheets are'))('the names of a cue sheet are not those of its file', async () => {
  write('sheet', 'Été', 'windows-1252', 'Zoé', 'Forêt bleue');
  const track = (n: number, title: string, time: string): string[] => [
    `TRACK 0${n} AUDIO`,
    `TITLE "${title}"`,
    `INDEX 01 ${time}`,
  ];
  const sheet = ['FILE "image.wav" WAVE', ...track(1, 'One', '00:00:00'), ...track(2, 'Two', '00:00:30')];
  writeFileSync(join(music, 'sheet', 'image.cue'), sheet.join('\n'));
  await scan();
  const before = await tracksIn('sheet');
  expect(before.map(({ title }) => title).toSorted()).toEqual(['One', 'Two']);
  const { body } = await server.api<ChosenCharsetOut>(`/albums/${before[0]?.album_id}/charset`, {
    method: 'PUT',
    body: { charset: 'windows-1251' },
  });
  expect(body).toMatchObject({ changed: 0, failed: 0 });
  expect((await tracksIn('sheet')).map(({ title }) => title).toSorted()).toEqual(['One', 'Two']);
});

it('an uploaded album is decoded as a whole, however its files come', async () => {
  const add = (title: string) => upload(song(title, 'shift_jis', 'Mai', '雪'));
  const [first] = (await add('恋')) as [TrackOut];
  expect(first.album_title).not.toBe('雪'); // two letters are no evidence
  await server.api(`/tracks/${first.id}`, { method: 'PATCH', body: { title: 'Typed' } });
  const like = { item_type: 'album', item_id: first.album_id, liked: true };
  await server.api('/likes', { method: 'POST', body: like });
  for (const title of ['東京の雨', '夢の中へ', '月の光']) await add(title);
  await upload(song('花火', 'shift_jis', 'Mai', '雪'), song('星', 'shift_jis', 'Mai', '雪'));
  const tracks = (await allTracks(server)).filter(({ source }) => source === 'upload');
  expect(tracks.map(({ title }) => title).toSorted()).toEqual(
    ['Typed', '東京の雨', '夢の中へ', '月の光', '花火', '星'].toSorted(),
  );
  expect(new Set(tracks.map(({ artist_name, album_title }) => `${artist_name} ${album_title}`))).toEqual(
    new Set(['Mai 雪']),
  );
  const album = (await server.api<AlbumOut>(`/albums/${tracks[0]?.album_id}`)).body;
  expect(album).toMatchObject({ id: first.album_id, liked: true, track_count: 6 });
});

it('the charset that a person chose for an uploaded album holds for files that are added', async () => {
  const add = (title: string) => upload(song(title, 'windows-1252', 'Zoé', 'Élan'));
  const [first] = (await add('Été')) as [TrackOut];
  expect(first.album_title).toBe('Élan');
  const chosen = { method: 'PUT', body: { charset: 'windows-1251' } } as const;
  expect((await server.api(`/albums/${first.album_id}/charset`, chosen)).status).toBe(200);
  const [second] = (await add('À la folie')) as [TrackOut];
  expect(second).toMatchObject({ album_title: 'Йlan', artist_name: 'Zoй' });
  expect(await charsetOf(second.album_id)).toMatchObject({ is_chosen: true, track_count: 2 });
});
