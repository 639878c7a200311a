// Tests the tracks of a file with a CUE sheet: in an object store with Subsonic clients, and in a watched folder.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LikeState } from '../../server/likes/wire.ts';
import type { TrackOut } from '../../server/library/wire.ts';
import { startFakeS3, type FakeS3 } from '../fakes/s3.ts';
import { openPhone, type Phone } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { decode, encode, FRAME_BYTES, noise, RATE, samplesAt, SECONDS, sheetOf } from '../support/split-files.ts';
import { toolOrWarn } from '../support/tools.ts';

const ffmpeg = toolOrWarn('ffmpeg', 'cue sheets for Subsonic clients are');

let base: string;
let musicDir: string;
let server: TestServer;
const pcm = noise(5);

function makeFolder(): void {
  base = mkdtempSync(join(tmpdir(), 'tonearm-cue-clients-'));
  musicDir = join(base, 'music');
  mkdirSync(musicDir);
  encode(pcm, join(musicDir, 'Image.flac'), '-metadata', 'title=Whole');
}
const writeSheet = (...titles: string[]): void =>
  writeFileSync(join(musicDir, 'Image.cue'), sheetOf('Image.flac', 'Record', titles));

interface Song {
  id: string;
  title: string;
  track: number;
  duration: number;
  suffix: string;
  contentType: string;
  playCount?: number;
  starred?: string;
}

describe.skipIf(!ffmpeg)('in an object store', () => {
  let fake: FakeS3;
  let phone: Phone;
  let songs: Song[];

  beforeAll(async () => {
    makeFolder();
    writeSheet('One', 'Two', 'Three');
    fake = await startFakeS3();
    server = await startServer({ env: { STORAGE_BACKEND: 's3', LOCAL_MEDIA_IMPORT_PATH: musicDir, ...fake.settings } });
    await server.api('/sources/local_folder/scan', { method: 'POST' });
    await server.app.drain();
    phone = await openPhone(server);
    const { album } = await phone.ask<{ album: { id: string }[] }>('search3', { query: 'Record' }, 'searchResult3');
    songs = (await phone.ask<{ song: Song[] }>('getAlbum', { id: album[0]?.id }, 'album')).song;
  });
  afterAll(async () => {
    await server.close();
    await fake.close();
    rmSync(base, { recursive: true, force: true });
  });

  async function fetchAudio(endpoint: string, params: Record<string, string | number>, headers = {}): Promise<Buffer> {
    const response = await phone.bytes(endpoint, params, { headers });
    expect(response.status).toBe('range' in headers ? 206 : 200);
    return Buffer.from(await response.arrayBuffer());
  }
  const idOf = (index: number): string => songs[index]?.id ?? '';
  const pcmOfSong = (index: number): Buffer =>
    pcm.subarray((samplesAt[index] as number) * FRAME_BYTES, (samplesAt[index + 1] ?? SECONDS * RATE) * FRAME_BYTES);

  test('the file is stored once, and its tracks are songs of an album', () => {
    expect([...fake.objects.keys()].filter((key) => key.includes('audio/'))).toHaveLength(1);
    expect(
      songs.map(({ title, track, duration, suffix, contentType }) => [title, track, duration, suffix, contentType]),
    ).toEqual([
      ['One', 1, 4, 'flac', 'audio/flac'],
      ['Two', 2, 4, 'flac', 'audio/flac'],
      ['Three', 3, 4, 'flac', 'audio/flac'],
    ]);
  });

  test.each(['stream', 'download'])('with %s the songs are the file, sample for sample', async (endpoint) => {
    const parts: Buffer[] = [];
    for (const { id } of songs) parts.push(decode(await fetchAudio(endpoint, { id })));
    expect(parts.map(({ length }) => length)).toEqual([0, 1, 2].map((i) => pcmOfSong(i).length));
    expect(Buffer.concat(parts).equals(pcm)).toBe(true);
  });

  test('a lossless transcode from the middle is the rest of the song alone', async () => {
    const restOfSong = decode(await fetchAudio('stream', { id: idOf(1), format: 'flac', timeOffset: 2 }));
    expect(restOfSong.equals(pcmOfSong(1).subarray(2 * RATE * FRAME_BYTES))).toBe(true);
  });

  test('a transcode with a bit rate is as long as the song', async () => {
    const mp3 = decode(await fetchAudio('stream', { id: idOf(1), format: 'mp3', maxBitRate: 96 }));
    expect(Math.abs(mp3.length - pcmOfSong(1).length) / FRAME_BYTES).toBeLessThan(3_000); // the encoder fills its last blocks
  });

  test('HEAD and range requests treat a song as a file of its own', async () => {
    const songBytes = await fetchAudio('stream', { id: idOf(2) });
    const headResponse = await phone.bytes('stream', { id: idOf(2) }, { method: 'HEAD' });
    expect([headResponse.status, headResponse.headers.get('content-length')]).toEqual([200, String(songBytes.length)]);
    expect(await fetchAudio('stream', { id: idOf(2) }, { range: 'bytes=1000-1999' })).toEqual(
      songBytes.subarray(1_000, 2_000),
    );
    expect(await fetchAudio('stream', { id: idOf(2) }, { range: 'bytes=-10' })).toEqual(songBytes.subarray(-10));
  });

  test('plays and stars belong to a single song', async () => {
    await phone.ask('scrobble', { id: idOf(1) }, 'status');
    await phone.ask('star', { id: idOf(2) }, 'status');
    const currentSongs = await Promise.all(songs.map(({ id }) => phone.ask<Song>('getSong', { id }, 'song')));
    expect(currentSongs.map(({ playCount = 0, starred }) => [playCount, starred !== undefined])).toEqual([
      [0, false],
      [1, false],
      [0, true],
    ]);
  });
});

describe.skipIf(!ffmpeg)('while the folder is watched', () => {
  beforeAll(async () => {
    makeFolder();
    server = await startServer({
      env: { LOCAL_MEDIA_IMPORT_PATH: musicDir, LOCAL_MEDIA_IMPORT_MODE: 'reference', LOCAL_MEDIA_WATCH: '' },
      watchTiming: { quietMs: 100, folderCheckMs: 100, pollMs: 200, scanCheckMs: 20 },
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  });

  const listTracks = async (): Promise<TrackOut[]> =>
    (await allTracks(server)).toSorted((a, b) => (a.track_number ?? 0) - (b.track_number ?? 0));
  const listTitles = async (): Promise<string[]> => (await listTracks()).map(({ title }) => title);
  const like = (id: number | undefined) =>
    server.api('/likes', { method: 'POST', body: { item_type: 'track', item_id: id, liked: true } });
  async function listLikes(): Promise<boolean[]> {
    const states = (await listTracks()).map(({ id }) =>
      server.api<LikeState[]>(`/likes/state?item_type=track&item_id=${id}`),
    );
    return (await Promise.all(states)).map(({ body }) => body[0]?.liked === true);
  }

  test('the tracks follow the sheet when it is added, changed and removed, and likes stay with their tracks', async () => {
    await expect.poll(listTitles).toEqual(['Whole']);
    await like((await listTracks())[0]?.id);

    writeSheet('One', 'Two', 'Three');
    await expect.poll(listTitles).toEqual(['One', 'Two', 'Three']);
    expect(await listLikes()).toEqual([false, false, false]);
    await like((await listTracks())[1]?.id);

    writeSheet('One', 'Second', 'Three');
    await expect.poll(listTitles).toEqual(['One', 'Second', 'Three']);
    rmSync(join(musicDir, 'Image.cue'));
    await expect.poll(listTitles).toEqual(['Whole']);
    expect(await listLikes()).toEqual([true]);

    writeSheet('One', 'Second', 'Three');
    await expect.poll(listTitles).toEqual(['One', 'Second', 'Three']);
    expect(await listLikes()).toEqual([false, true, false]);
  });
});
