// Malicious names in tags and file names are stored and served as valid text, and lists stay usable.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UploadOut } from '../../server/uploads/wire.ts';
import type { TrackOut, TrackPage } from '../../server/library/wire.ts';
import { flac, id3, id3Frame, silentMp3, utf8Text, vorbisComment } from '../support/audio-bytes.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

const LONE_SURROGATE = '\ud83d'; // the first half of a surrogate pair
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

let base: string;
let server: TestServer;
let count = 0;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-names-'));
  mkdirSync(join(base, 'music'));
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music') } });
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

async function upload(bytes: Buffer, name = 'a.mp3'): Promise<TrackOut> {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(bytes)]), name);
  const response = await server.api<UploadOut>('/tracks/upload', { method: 'POST', body: form });
  expect([response.status, response.body.errors]).toEqual([201, []]);
  expectSoundText(response.text);
  return response.body.items[0] as TrackOut;
}

/** Makes an MP3 with audio that no other file has. */
const mp3 = (...frames: Buffer[]): Buffer => Buffer.concat([id3(frames), silentMp3(60 + ++count)]);

/** Expects JSON in which all texts are valid Unicode. */
function expectSoundText(text: string): void {
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toMatch(/\\u[dD][89a-fA-F]/);
  JSON.parse(text, (_key, value: unknown) => {
    if (typeof value === 'string') expect(value.isWellFormed()).toBe(true);
    return value;
  });
}

test('half of a UTF-16 pair becomes a replacement character, in names, lists and lyrics', async () => {
  const track = await upload(
    mp3(
      id3Frame('TIT2', utf16(`Half ${LONE_SURROGATE} of it`)),
      id3Frame('TPE1', utf16(`Art${LONE_SURROGATE}ist`)),
      id3Frame('TALB', utf16(`\udc00Album`)),
      id3Frame('TCON', utf16(`Roc${LONE_SURROGATE}k`)),
      id3Frame(
        'USLT',
        Buffer.concat([
          Buffer.from([1]),
          Buffer.from('eng'),
          Buffer.from([0xff, 0xfe, 0, 0, 0xff, 0xfe]),
          Buffer.from(`la ${LONE_SURROGATE} la`, 'utf16le'),
        ]),
      ),
    ),
  );
  expect(track).toMatchObject({
    title: 'Half \ufffd of it',
    artist_name: 'Art\ufffdist',
    album_title: '\ufffdAlbum',
    genres: ['Roc\ufffdk'],
    has_lyrics: true,
  });
  for (const path of ['/tracks', '/albums', '/artists', '/genres', `/search/library?q=half`])
    expectSoundText((await server.api(path)).text);
  const row = server.app.db.$client.prepare('SELECT lines FROM lyrics WHERE track_id = ?').get(track.id) as {
    lines: string;
  };
  expect(JSON.parse(row.lines)).toEqual([{ text: 'la \ufffd la' }]);
});

test('control characters and NULs in a name become spaces', async () => {
  const track = await upload(
    flac([4, vorbisComment('TITLE=one\0two\u0007three\nfour', 'ARTIST=\u0001Nobody\u001b[31m', 'ALBUM=\u009bx')]),
    'a.flac',
  );
  expect(track).toMatchObject({ title: 'one two three four', artist_name: 'Nobody [31m', album_title: 'x' });
});

test('markup and bidi characters are ordinary text', async () => {
  const title = '<script>alert("x")</script> \u202etxt.exe\u202c & \'; DROP TABLE tracks; --';
  const track = await upload(mp3(id3Frame('TIT2', utf8Text(title))));
  expect(track.title).toBe(title);
  const searchResponse = await server.api<{ tracks: TrackPage }>(`/search/library?q=${encodeURIComponent('<script>')}`);
  expect(searchResponse.body.tracks.items.map((foundTrack) => foundTrack.id)).toContain(track.id);
  const response = await server.api(`/tracks/${track.id}`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
});

test('a name of a megabyte is truncated, so that a list of such tracks stays small', async () => {
  for (let i = 0; i < 5; i++) {
    const longTitle = `${i}${'long \u{1f3b5} '.repeat(90_000)}`;
    const track = await upload(
      mp3(
        id3Frame('TIT2', utf8Text(longTitle)),
        id3Frame('TPE1', utf8Text(longTitle)),
        id3Frame('TALB', utf8Text(longTitle)),
      ),
    );
    expect(track.title.length).toBeLessThanOrEqual(2_000);
    expect(track.title).toMatch(/^\d\u006cong .*…$/su);
  }
  for (const path of [
    '/tracks?limit=200&sort=title',
    '/albums?limit=200',
    '/artists?limit=200',
    '/search/library?q=long',
  ]) {
    const response = await server.api(path);
    expect(response.status).toBe(200);
    expectSoundText(response.text);
    expect(response.text.length).toBeLessThan(200_000);
  }
});

test('file names as titles: an upload without tags, and a scan of unusual names', async () => {
  expect((await upload(mp3(), '..\\..\\na\u0000me\u202e.mp3')).title).toMatch(/^na.*me$/);
  const names = [
    '\u0001bell\u0007.mp3',
    'new\nline.mp3',
    '\u202egnp.mp3',
    '<img src=x onerror=alert(1)>.mp3',
    '".mp3',
    "'; DROP TABLE tracks; --.mp3",
    '%00.mp3',
    'con.mp3',
    '-rf.mp3',
    `${'n'.repeat(250)}.mp3`,
  ];
  if (process.platform !== 'win32') for (const name of names) writeFileSync(join(base, 'music', name), mp3());
  if (process.platform === 'linux')
    writeFileSync(Buffer.concat([Buffer.from(join(base, 'music/')), Buffer.from('bad\xff\xfe.mp3', 'latin1')]), mp3());
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  const tracks = (await allTracks(server)).filter((track) => track.source === 'local_folder');
  if (process.platform === 'linux') expect(tracks).toHaveLength(names.length + 1);
  for (const track of tracks) {
    expect(track.title).not.toBe('');
    expect((await fetch(`${server.url}/stream/${track.id}?token=${server.token}`)).status, track.source_id).toBe(200);
  }
  expectSoundText((await server.api('/tracks?limit=200')).text);
  expectSoundText((await server.api('/jobs')).text);
});
