// A track without an album shows the picture in its own file.
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('the picture inside a track without an album is its cover, also for phones; without one there is none', async () => {
  const jpeg = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#a03020' } })
    .jpeg()
    .toBuffer();
  const picture = id3Frame('APIC', Buffer.concat([ascii('\0image/jpeg\0\x03\0'), jpeg]));
  const track = await upload([id3Frame('TIT2', utf8Text('Loose')), picture], 30);
  expect([track.album_id, track.has_cover]).toEqual([null, true]);
  const response = await fetch(`${server.url}/api/v1/tracks/${track.id}/cover?size=64`, {
    headers: { Authorization: `Bearer ${server.token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  expect([width, height]).toEqual([90, 90]);
  const bare = await upload([id3Frame('TIT2', utf8Text('Bare'))], 31);
  expect(bare.has_cover).toBe(false);
  expect((await server.api(`/tracks/${bare.id}/cover`)).status).toBe(404);
});
