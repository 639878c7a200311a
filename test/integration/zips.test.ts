// Albums, playlists, artists and selections as one file, over both APIs and in shares.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumOut, TrackOut } from '../../server/library/wire.ts';
import type { PlaylistOut } from '../../server/playlists/wire.ts';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { toolOrWarn } from '../support/tools.ts';
import { unzip } from '../support/unzip.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'zips of converted audio are');

let dir: string;
let server: TestServer;
let phone: Phone;
let manifest: Manifest;
let tracks: TrackOut[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-zips-'));
  manifest = makeLibrary({ tracks: 12, messy: 0, seed: 'zips', formats: ['flac'] }, join(dir, 'music'));
  server = await startServer({ env: { ...OFFLINE, LOCAL_MEDIA_IMPORT_PATH: manifest.dir } });
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  phone = await openPhone(server);
  tracks = await allTracks(server);
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

const getZip = (query: string, { token = server.token, ...init }: RequestInit & { token?: string } = {}) =>
  fetch(`${server.url}/api/v1/zip?${query}`, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
  });
const readBytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());
const readOriginal = (track: TrackOut): Buffer => readFileSync(join(manifest.dir, track.source_id ?? ''));

// this test runs first, while no checksum is known
test('a file that was damaged and is mended has its right checksum in the next zip', async () => {
  const track = tracks.at(-1)!;
  const path = join(server.dir, 'library', (track.storage_uri ?? '').replace('local:', ''));
  const expectedBytes = readFileSync(path);
  writeFileSync(path, Buffer.from(expectedBytes).fill(7, 100, 101));
  const downloadZip = async (): Promise<Buffer> =>
    (await unzip(await readBytes(await getZip(`track_ids=${track.id}`))))[0]?.bytes ?? Buffer.alloc(0);
  expect((await downloadZip()).equals(expectedBytes)).toBe(false);
  writeFileSync(path, expectedBytes);
  expect((await downloadZip()).equals(expectedBytes)).toBe(true);
});

test('an album is a zip of its original files, with the names of a music folder', async () => {
  const album = tracks[0]!.album_id!;
  const answer = await getZip(`album_id=${album}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const { title } = (await server.api<AlbumOut>(`/albums/${album}`)).body;
  expect(decodeURIComponent(answer.headers.get('content-disposition') ?? '')).toContain(`${title}.zip`);
  const zip = await readBytes(answer);
  expect(answer.headers.get('content-length')).toBe(String(zip.length));
  const files = await unzip(zip);
  const albumTracks = tracks.filter(({ album_id: id }) => id === album);
  expect(files).toHaveLength(albumTracks.length);
  for (const track of albumTracks)
    expect(files.find(({ bytes }) => bytes.equals(readOriginal(track)))?.name).toMatch(/^[^/]+\/[^/]+\/[^/]+\.flac$/);
});

test('a broken download goes on where it stopped, and not when the zip is another one by now', async () => {
  const query = `track_ids=${tracks
    .slice(0, 5)
    .map(({ id }) => id)
    .join(',')}`;
  const wholeZip = await getZip(query);
  const [etag, zip] = [wholeZip.headers.get('etag') ?? '', await readBytes(wholeZip)];
  const middle = Math.floor(zip.length / 2);
  const zipEnd = await getZip(query, { headers: { Range: `bytes=${middle}-`, 'If-Range': etag } });
  expect([zipEnd.status, zipEnd.headers.get('content-range')]).toEqual([
    206,
    `bytes ${middle}-${zip.length - 1}/${zip.length}`,
  ]);
  expect(Buffer.concat([zip.subarray(0, middle), await readBytes(zipEnd)]).equals(zip)).toBe(true);
  const changedResponse = await getZip(query, { headers: { Range: `bytes=${middle}-`, 'If-Range': '"another"' } });
  expect(changedResponse.status).toBe(200);
  await changedResponse.body?.cancel();
  expect((await getZip(query, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  const head = await getZip(query, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String(zip.length));
});

test('a playlist keeps its order, also with a track twice, and what has no audio is named', async () => {
  const [firstTrack, secondTrack] = [tracks[3]!, tracks[1]!];
  const { body: list } = await server.api<PlaylistOut>('/playlists', {
    method: 'POST',
    body: { name: 'Odd: names / here?', track_ids: [firstTrack.id, secondTrack.id, firstTrack.id] },
  });
  const files = await unzip(await readBytes(await getZip(`playlist_id=${list.id}`)));
  expect(files.map(({ bytes }) => bytes)).toEqual([
    readOriginal(firstTrack),
    readOriginal(secondTrack),
    readOriginal(firstTrack),
  ]);
  expect(files.map(({ name }) => basename(name).slice(0, 3))).toEqual(['01 ', '02 ', '03 ']);
  expect(files.every(({ name }) => !/[\\:*?"<>|]/.test(name))).toBe(true);
});

test('an artist is everything that is theirs', async () => {
  const artist = tracks[0]!.artists[0]!.id;
  const files = await unzip(await readBytes(await getZip(`artist_id=${artist}`)));
  const artistTracks = tracks.filter(({ artists }) => artists.some(({ id }) => id === artist));
  for (const track of artistTracks) expect(files.some(({ bytes }) => bytes.equals(readOriginal(track)))).toBe(true);
});

test.runIf(ffmpeg)('converted tracks come one after the other, without ranges', async () => {
  const answer = await getZip(`track_ids=${tracks[0]!.id},${tracks[1]!.id}&format=mp3&max_bitrate=64`);
  expect([answer.headers.get('accept-ranges'), answer.headers.get('content-length')]).toEqual(['none', null]);
  const files = await unzip(await readBytes(answer));
  expect(files.map(({ name }) => name.split('.').at(-1))).toEqual(['mp3', 'mp3']);
  expect(files.every(({ bytes }) => bytes.length > 1_000)).toBe(true);
});

test('what is asked for has to be one thing that is there', async () => {
  for (const [query, status] of [
    ['', 422],
    ['album_id=1&artist_id=1', 422],
    ['track_ids=x', 422],
    ['album_id=99999', 404],
    ['playlist_id=99999', 404],
  ] as const)
    expect([query, (await getZip(query)).status]).toEqual([query, status]);
});

test('it takes the right to save files, and a token for a download works in an address', async () => {
  const token = await registerUser(server, 'listener');
  expect((await getZip(`album_id=${tracks[0]!.album_id}`, { token, method: 'HEAD' })).status).toBe(200);
  const { body } = await server.api<{ token: string }>('/auth/media-token', {
    method: 'POST',
    body: { scope: 'download', path: `/zip?album_id=${tracks[0]!.album_id}` },
    token,
  });
  const byAddress = async (): Promise<number> =>
    (await fetch(`${server.url}/api/v1/zip?album_id=${tracks[0]!.album_id}&token=${body.token}`, { method: 'HEAD' }))
      .status;
  expect(await byAddress()).toBe(200);
  const { body: user } = await server.api<{ id: number }>('/users/me', { token });
  await server.api(`/users/${user.id}`, { method: 'PATCH', body: { can_download: false } });
  expect([await byAddress(), (await getZip(`track_ids=${tracks[0]!.id}`, { token })).status]).toEqual([403, 403]);
});

test('Subsonic’s download takes albums, artists and playlists', async () => {
  const album = tracks[0]!.album_id!;
  const expectedFiles = await unzip(await readBytes(await getZip(`album_id=${album}`)));
  const answer = await phone.bytes('download', { id: `al-${album}` });
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename=".*\.zip"/);
  expect(await unzip(await readBytes(answer))).toEqual(expectedFiles);
});

test('a share is saved as a whole, as it is or converted, while its owner may save files', async () => {
  const { share } = await phone.ask<{ share: { url: string }[] }>(
    'createShare',
    { id: `tr-${tracks[0]!.id}`, description: 'For you' },
    'shares',
  );
  const url = share[0]!.url;
  expect(await (await fetch(`${url}/content`)).json()).toMatchObject({ allows_saving: true });
  const files = await unzip(await readBytes(await fetch(`${url}/zip`)));
  expect(files.map(({ bytes }) => bytes)).toEqual([readOriginal(tracks[0]!)]);
  if (!ffmpeg) return;
  const [convertedFile] = await unzip(await readBytes(await fetch(`${url}/zip?format=mp3`)));
  expect(convertedFile?.name).toMatch(/\.mp3$/);
});
