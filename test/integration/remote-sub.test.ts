// Another Subsonic server as the catalogue: a fake that can fail, and a second Tonearm server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AlbumOut, ArtistOut, TrackOut } from '../../server/library/wire.ts';
import type { SourceOut } from '../../server/sources/wire.ts';
import { startFakeSubsonic, type FakeSubsonic } from '../fakes/subsonic-catalogue.ts';
import { openPhone } from '../support/phone.ts';
import { HASTE, makeAudio, remoteUser } from '../support/remote.ts';
import { startServer, type TestServer } from '../support/server.ts';

let dir: string;
let fake: FakeSubsonic;
let server: TestServer;
let user: ReturnType<typeof remoteUser>;
let audio: Buffer[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-sub-'));
  audio = makeAudio(join(dir, 'audio'), 6, 'flac');
  fake = await startFakeSubsonic({ username: 'ann', password: 'secret words' });
  fake.songs.set('s-1', {
    id: 's-1',
    title: 'Ferry',
    artist: 'The Quays',
    album: 'Low Water',
    duration: 1,
    bytes: audio[0] as Buffer,
    coverArt: 'c-1',
  });
  fake.songs.set('s-2', { id: 's-2', title: 'Sold', artist: 'The Quays', bytes: audio[1] as Buffer });
  server = await startServer({ env: { STREAMSRC_ENABLED: 'true', STREAMSRC_PROVIDER: 'sub' }, cataloguePace: HASTE });
  await point(fake.url, 'ann', 'secret words');
  user = remoteUser(server);
});
afterAll(async () => {
  await server.close();
  await fake.close();
  rmSync(dir, { recursive: true, force: true });
});

const point = (url: string, username: string, password: string) =>
  server.api('/settings', {
    method: 'PATCH',
    body: { streamsrc_base_url: url, streamsrc_username: username, streamsrc_password: password },
  });

it('search, save, fetch and stream return the bytes of the other server, and do not disclose its account', async () => {
  const hit = await user.firstHit('ferry');
  expect(hit).toMatchObject({
    source_id: 'sub:s-1',
    title: 'Ferry',
    artist_name: 'The Quays',
    album_title: 'Low Water',
    duration_ms: 1_000,
  });
  expect(JSON.stringify(hit)).not.toMatch(/ann|secret|[?&][uts]=/);
  const { body: track } = await user.save(hit);
  const { body: download } = await user.materialize(track.id);
  await server.app.drain();
  expect(await user.download(download.id)).toMatchObject({ status: 'succeeded', bytes_total: audio[0]?.length });
  expect((await user.bytesOf(track.id)).equals(audio[0] as Buffer)).toBe(true);
});

it('a missing song fails the download at once, with the other server’s message', async () => {
  const { body: track } = await user.save(await user.firstHit('sold'));
  fake.songs.delete('s-2');
  const { body: download } = await user.materialize(track.id);
  await server.app.drain();
  expect(await user.download(download.id)).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: expect.stringMatching(/no longer has it \(Song not found\)\.$/),
  });
  expect((await user.track(track.id)).availability).toBe('remote');
});

it('a wrong password is reported in the list of sources, and in searches', async () => {
  await point(fake.url, 'ann', 'wrong');
  const { body } = await server.api<SourceOut[]>('/sources');
  const sentence =
    /refuses the account; check STREAMSRC_USERNAME and STREAMSRC_PASSWORD \(Wrong username or password\)\.$/;
  expect(body.find(({ name }) => name === 'streamsrc')).toMatchObject({
    enabled: true,
    reason: expect.stringMatching(sentence),
  });
  const search = await server.api<{ detail: string }>('/sources/streamsrc/search?q=other');
  expect([search.status, search.body.detail]).toEqual([409, expect.stringMatching(sentence)]);
  await point(fake.url, 'ann', 'secret words');
});

it('a track of a catalogue that is not in use says so', async () => {
  const { body: track } = await user.save(await user.firstHit('ferry'));
  await server.api(`/tracks/${track.id}`, { method: 'DELETE' });
  await server.api(`/trash/${track.id}`, { method: 'DELETE' });
  const { body: savedAgain } = await user.save(await user.firstHit('ferry'));
  server.app.db.$client.prepare("UPDATE remote_ids SET source_id = 'ia:a/b.mp3' WHERE track_id = ?").run(savedAgain.id);
  const { status, body } = await server.api<{ detail: string }>(`/tracks/${savedAgain.id}/materialize`, {
    method: 'POST',
  });
  expect([status, body.detail]).toEqual([
    409,
    'It comes from the catalogue “ia”, and “sub” is the one in use (STREAMSRC_PROVIDER).',
  ]);
});

it('a second Tonearm server can be a catalogue', async () => {
  const otherServer = await startServer();
  try {
    const form = new FormData();
    form.append('files', new Blob([audio[2] as BlobPart]), 'a.flac');
    const { body } = await otherServer.api<{ items: TrackOut[] }>('/tracks/upload', { method: 'POST', body: form });
    await otherServer.app.drain();
    const remoteTrack = body.items[0] as TrackOut;
    const phone = await openPhone(otherServer);
    await point(otherServer.url, phone.username, phone.password);
    const hit = await user.firstHit(remoteTrack.title);
    expect(hit).toMatchObject({
      source_id: `sub:tr-${remoteTrack.id}`,
      title: remoteTrack.title,
      artist_name: remoteTrack.artist_name,
    });
    const { body: track } = await user.save(hit);
    await user.materialize(track.id);
    await server.app.drain();
    expect((await user.bytesOf(track.id)).equals(audio[2] as Buffer)).toBe(true);
    const { body: album } = await server.api<AlbumOut>(`/albums/${track.album_id}`);
    const { body: artist } = await server.api<ArtistOut>(`/artists/${track.artist_id}`);
    expect(album).toMatchObject({ source: 'streamsrc', source_id: `sub:al-${remoteTrack.album_id}` });
    expect(artist).toMatchObject({ source: 'streamsrc', source_id: `sub:ar-${remoteTrack.artist_id}` });
  } finally {
    await otherServer.close();
  }
});
