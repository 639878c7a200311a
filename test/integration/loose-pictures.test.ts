// Tracks without an album are in an album without a name, and display the pictures in their own files.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AlbumOut, AlbumPage, ArtistPage, TrackOut } from '../../server/library/wire.ts';
import type { UploadOut } from '../../server/uploads/wire.ts';
import { ascii, id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function upload(frames: Buffer[], count: number): Promise<UploadOut['items'][number]> {
  const form = new FormData();
  const bytes = Buffer.concat([id3(frames), silentMp3(count)]);
  form.append('files', new Blob([bytes]), 'song.mp3');
  const { body } = await server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form });
  return body.items[0] as UploadOut['items'][number];
}

it('the picture in the file of a track without an album is its cover, also for Subsonic clients', async () => {
  const jpeg = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#a03020' } })
    .jpeg()
    .toBuffer();
  const picture = id3Frame('APIC', Buffer.concat([ascii('\0image/jpeg\0\x03\0'), jpeg]));
  const track = await upload([id3Frame('TIT2', utf8Text('Loose')), picture], 30);
  expect([track.album_title, track.has_cover]).toEqual([null, true]);
  const album = await server.api<AlbumOut>(`/albums/${track.album_id}`);
  expect(album.body).toMatchObject({ title: '[Unknown Album]', has_cover: false });
  const form = new FormData();
  form.append('file', new Blob([jpeg]), 'cover.jpg');
  expect((await server.api(`/albums/${track.album_id}/cover`, { method: 'PUT', body: form })).status).toBe(409);
  const response = await fetch(`${server.url}/api/v1/tracks/${track.id}/cover?size=64`, {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  expect([width, height]).toEqual([90, 90]);
  const untaggedTrack = await upload([id3Frame('TIT2', utf8Text('Bare'))], 31);
  expect(untaggedTrack.has_cover).toBe(false);
  expect((await server.api(`/tracks/${untaggedTrack.id}/cover`)).status).toBe(404);
});

it('tracks without an album are in an untitled album of their artist, in every list, until the last track leaves', async () => {
  const titleFrames = (title: string, artist?: string): Buffer[] => [
    id3Frame('TIT2', utf8Text(title)),
    ...(artist === undefined ? [] : [id3Frame('TPE1', utf8Text(artist))]),
  ];
  const firstTrack = await upload(titleFrames('One', 'Ada'), 40);
  const secondTrack = await upload([...titleFrames('Two', 'Ada'), id3Frame('TALB', utf8Text('[Unknown Album]'))], 41);
  const trackWithoutArtist = await upload(titleFrames('Three'), 42);
  expect([secondTrack.album_id, secondTrack.album_title, trackWithoutArtist.artist_name]).toEqual([
    firstTrack.album_id,
    null,
    null,
  ]);
  expect(trackWithoutArtist.album_id).not.toBe(firstTrack.album_id);

  const { body: unnamed } = await server.api<AlbumPage>('/albums?unnamed=true&sort=artist');
  expect(unnamed.items.map(({ artist_name, title }) => `${artist_name} / ${title}`)).toEqual([
    '[Unknown Artist] / [Unknown Album]',
    'Ada / [Unknown Album]',
  ]);
  expect((await server.api<AlbumPage>('/albums')).body.total).toBe(2);
  expect((await server.api<AlbumPage>('/albums?unnamed=false')).body.total).toBe(0);
  expect((await server.api<AlbumPage>('/albums?q=unknown')).body.total).toBe(0);
  const { body: artists } = await server.api<ArtistPage>('/artists');
  expect(artists.items.map(({ name, album_count }) => [name, album_count])).toEqual([
    ['[Unknown Artist]', 1],
    ['Ada', 1],
  ]);

  const setAlbum = (track: TrackOut, album: string | null) =>
    server.api<TrackOut>(`/tracks/${track.id}/metadata`, {
      method: 'PUT',
      body: { title: track.title, artist: 'Ada', album },
    });
  expect((await setAlbum(firstTrack, 'Named')).body).toMatchObject({ album_title: 'Named', album_artist_name: 'Ada' });
  expect((await setAlbum(secondTrack, 'Named')).body.album_title).toBe('Named');
  expect((await server.api(`/albums/${firstTrack.album_id}`)).status).toBe(404);
  const trackWithoutAlbum = (await setAlbum(secondTrack, null)).body;
  expect([
    trackWithoutAlbum.album_title,
    (await server.api<AlbumOut>(`/albums/${trackWithoutAlbum.album_id}`)).body.track_count,
  ]).toEqual([null, 1]);
});
