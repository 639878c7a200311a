// Tags that do not state their charset are decoded with the whole album as evidence; a user can choose another charset
// for an album, which is kept.
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

const baseDir = mkdtempSync(join(tmpdir(), 'tonearm-charsets-'));
const musicDir = join(baseDir, 'music');
let server: TestServer;

const TITLES = ['夜空', '月の光', '恋', '東京の雨', 'Love Song', '夢の中へ', '花火', '星'];
let frames = 40;

function makeSong(title: string, charset: Charset, artist = '山田太郎', album = '青い海'): Buffer {
  const makeFrame = (name: string, text: string): Buffer =>
    id3FrameV23(name, Buffer.concat([Buffer.alloc(1), encodeCharset(text, charset) as Buffer]));
  const tag = id3([makeFrame('TIT2', title), makeFrame('TPE1', artist), makeFrame('TALB', album)], 3);
  return Buffer.concat([tag, silentMp3(frames++)]); // a different length gives each file different audio
}

function writeSong(folder: string, title: string, ...tags: [charset: Charset, artist?: string, album?: string]): void {
  mkdirSync(join(musicDir, folder), { recursive: true });
  const bytes = makeSong(title, ...tags);
  writeFileSync(join(musicDir, folder, `${TITLES.indexOf(title)}-${frames}.mp3`), bytes);
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

const listTracksIn = async (folder: string): Promise<TrackOut[]> =>
  (await allTracks(server)).filter(({ source_id }) => source_id.startsWith(`${folder}/`));
const charsetOf = async (albumId: number | null): Promise<AlbumCharsetOut> =>
  (await server.api<AlbumCharsetOut>(`/albums/${albumId}/charset`)).body;
const originsOf = async (id: number): Promise<MatchesOut['origins']> =>
  (await server.api<MatchesOut>(`/tracks/${id}/matches`)).body.origins;

beforeAll(async () => {
  for (const title of TITLES) writeSong('japanese', title, 'shift_jis');
  for (const title of ['Été', 'À la folie']) writeSong('french', title, 'windows-1252', 'Zoé', 'Forêt');
  server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: musicDir, LOCAL_MEDIA_IMPORT_MODE: 'reference', LOCAL_MEDIA_WATCH: 'false' },
  });
  await scan();
});
afterAll(async () => {
  await server.close();
  rmSync(baseDir, { recursive: true, force: true });
});

it('an album in Shift-JIS is one album with its names', async () => {
  const tracks = await listTracksIn('japanese');
  expect(tracks.map(({ title }) => title).toSorted()).toEqual(TITLES.toSorted());
  expect(new Set(tracks.map(({ artist_name, album_title }) => `${artist_name} ${album_title}`))).toEqual(
    new Set(['山田太郎 青い海']),
  );
  const shortTrack = tracks.find(({ title }) => title === '恋') as TrackOut;
  expect(await originsOf(shortTrack.id)).toMatchObject({ title: 'charset', artist: 'charset', album: 'charset' });
  expect(await charsetOf(shortTrack.album_id)).toMatchObject({
    charset: 'shift_jis',
    is_chosen: false,
    track_count: 8,
  });
});

it('text that was decoded correctly stays, and its origin is the tag', async () => {
  const tracks = await listTracksIn('french');
  expect(tracks.map(({ title }) => title).toSorted()).toEqual(['À la folie', 'Été'].toSorted());
  expect(await originsOf((tracks[0] as TrackOut).id)).toMatchObject({ title: 'tag', album: 'tag' });
});

it('identification keeps the charset', async () => {
  const track = (await listTracksIn('japanese')).find(({ title }) => title === '恋') as TrackOut;
  expect((await server.api(`/tracks/${track.id}/metadata/enrich`, { method: 'POST' })).status).toBe(202);
  await server.app.drain();
  expect((await listTracksIn('japanese')).find(({ id }) => id === track.id)).toMatchObject({
    title: '恋',
    album_title: '青い海',
  });
});

it('another charset for an album is applied to its files at once; the album, its likes and typed fields stay', async () => {
  const [firstTrack, secondTrack] = (await listTracksIn('french')) as [TrackOut, TrackOut];
  const like = { item_type: 'album', item_id: firstTrack.album_id, liked: true };
  await server.api('/likes', { method: 'POST', body: like });
  await server.api(`/tracks/${secondTrack.id}`, { method: 'PATCH', body: { title: 'Typed' } });
  const { status, body } = await server.api<ChosenCharsetOut>(`/albums/${firstTrack.album_id}/charset`, {
    method: 'PUT',
    body: { charset: 'windows-1251' },
  });
  expect([status, body]).toEqual([200, { album_id: firstTrack.album_id, changed: 2, failed: 0 }]);
  const tracks = await listTracksIn('french');
  expect(tracks.find(({ id }) => id === secondTrack.id)?.title).toBe('Typed');
  const album = (await server.api<AlbumOut>(`/albums/${firstTrack.album_id}`)).body;
  expect(album).toMatchObject({ title: 'Forкt', artist_name: 'Zoй', liked: true, track_count: 2 });
  expect(await charsetOf(album.id)).toMatchObject({ charset: 'windows-1251', is_chosen: true });
});

it('a chosen charset is kept when files change, and applies to added files', async () => {
  writeSong('french', 'Été', 'windows-1252', 'Zoé', 'Forêt');
  for (const { source_id } of await listTracksIn('french'))
    utimesSync(join(musicDir, source_id), new Date(), new Date(1e12));
  await scan();
  const tracks = await listTracksIn('french');
  expect(tracks).toHaveLength(3);
  expect(new Set(tracks.map(({ album_title }) => album_title))).toEqual(new Set(['Forкt']));
  expect(await charsetOf((tracks[0] as TrackOut).album_id)).toMatchObject({ is_chosen: true, track_count: 3 });
});

it.skipIf(!toolOrWarn('ffmpeg', 'cue sheets are'))(
  'another charset for an album does not change the names from a cue sheet',
  async () => {
    writeSong('sheet', 'Été', 'windows-1252', 'Zoé', 'Forêt bleue');
    const trackLines = (number: number, title: string, time: string): string[] => [
      `TRACK 0${number} AUDIO`,
      `TITLE "${title}"`,
      `INDEX 01 ${time}`,
    ];
    const sheetLines = [
      'FILE "image.wav" WAVE',
      ...trackLines(1, 'One', '00:00:00'),
      ...trackLines(2, 'Two', '00:00:30'),
    ];
    writeFileSync(join(musicDir, 'sheet', 'image.cue'), sheetLines.join('\n'));
    await scan();
    const tracks = await listTracksIn('sheet');
    expect(tracks.map(({ title }) => title).toSorted()).toEqual(['One', 'Two']);
    const { body } = await server.api<ChosenCharsetOut>(`/albums/${tracks[0]?.album_id}/charset`, {
      method: 'PUT',
      body: { charset: 'windows-1251' },
    });
    expect(body).toMatchObject({ changed: 0, failed: 0 });
    expect((await listTracksIn('sheet')).map(({ title }) => title).toSorted()).toEqual(['One', 'Two']);
  },
);

it('an uploaded album is decoded as a whole, in one request or several', async () => {
  const uploadSong = (title: string) => upload(makeSong(title, 'shift_jis', 'Mai', '雪'));
  const [firstTrack] = (await uploadSong('恋')) as [TrackOut];
  expect(firstTrack.album_title).not.toBe('雪'); // two characters are not enough evidence
  await server.api(`/tracks/${firstTrack.id}`, { method: 'PATCH', body: { title: 'Typed' } });
  const like = { item_type: 'album', item_id: firstTrack.album_id, liked: true };
  await server.api('/likes', { method: 'POST', body: like });
  for (const title of ['東京の雨', '夢の中へ', '月の光']) await uploadSong(title);
  await upload(makeSong('花火', 'shift_jis', 'Mai', '雪'), makeSong('星', 'shift_jis', 'Mai', '雪'));
  const tracks = (await allTracks(server)).filter(({ source }) => source === 'upload');
  expect(tracks.map(({ title }) => title).toSorted()).toEqual(
    ['Typed', '東京の雨', '夢の中へ', '月の光', '花火', '星'].toSorted(),
  );
  expect(new Set(tracks.map(({ artist_name, album_title }) => `${artist_name} ${album_title}`))).toEqual(
    new Set(['Mai 雪']),
  );
  const album = (await server.api<AlbumOut>(`/albums/${tracks[0]?.album_id}`)).body;
  expect(album).toMatchObject({ id: firstTrack.album_id, liked: true, track_count: 6 });
});

it('the charset that a person chose for an uploaded album applies to added files', async () => {
  const uploadSong = (title: string) => upload(makeSong(title, 'windows-1252', 'Zoé', 'Élan'));
  const [firstTrack] = (await uploadSong('Été')) as [TrackOut];
  expect(firstTrack.album_title).toBe('Élan');
  const request = { method: 'PUT', body: { charset: 'windows-1251' } } as const;
  expect((await server.api(`/albums/${firstTrack.album_id}/charset`, request)).status).toBe(200);
  const [secondTrack] = (await uploadSong('À la folie')) as [TrackOut];
  expect(secondTrack).toMatchObject({ album_title: 'Йlan', artist_name: 'Zoй' });
  expect(await charsetOf(secondTrack.album_id)).toMatchObject({ is_chosen: true, track_count: 2 });
});
