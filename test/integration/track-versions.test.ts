// An album with several files of a recording displays the best file; everywhere else the other files are separate
// tracks, and the details list them as versions. Tracks without a number come last.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlbumPage, TrackOut, TrackPage } from '../../server/library/wire.ts';
import { flac, id3, id3Frame, silentMp3, utf8Text, vorbisComment } from '../support/audio-bytes.ts';
import { openPhone } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';

let base: string;
let server: TestServer;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-versions-'));
  for (const name of ['data', 'music']) mkdirSync(join(base, name));
  server = await startServer({
    dir: join(base, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
});
afterEach(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

interface Tags {
  title: string;
  number?: string;
  disc?: number;
}
function writeTrack(path: string, { title, number, disc }: Tags): void {
  const file = join(base, 'music', path);
  mkdirSync(dirname(file), { recursive: true });
  const tags = {
    TITLE: title,
    ARTIST: 'The Quays',
    ALBUM: 'Blue',
    ...(number !== undefined && { TRACKNUMBER: number }),
    ...(disc !== undefined && { DISCNUMBER: String(disc) }),
  };
  const id3Names: Record<string, string> = {
    TITLE: 'TIT2',
    ARTIST: 'TPE1',
    ALBUM: 'TALB',
    TRACKNUMBER: 'TRCK',
    DISCNUMBER: 'TPOS',
  };
  const pairs = Object.entries(tags);
  writeFileSync(
    file,
    path.endsWith('.flac')
      ? flac([4, vorbisComment(...pairs.map(([name, value]) => `${name}=${value}`))])
      : Buffer.concat([
          id3(pairs.map(([name, value]) => id3Frame(id3Names[name] as string, utf8Text(value)))),
          silentMp3(path.endsWith('long.mp3') ? 400 : 38),
        ]),
  );
}
async function scan(): Promise<void> {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
}
const albums = async () => (await server.api<AlbumPage>('/albums')).body.items;
async function listShownTitles(query = '?best_only=true'): Promise<string[]> {
  const [album] = await albums();
  const { items, total } = (await server.api<TrackPage>(`/albums/${album?.id}/tracks${query}`)).body;
  expect(total).toBe(items.length);
  return items.map(({ source_id }) => source_id);
}
async function versionsOf(path: string): Promise<string[]> {
  const track = (await allTracks(server)).find(({ source_id }) => source_id === path);
  return (await server.api<TrackOut[]>(`/tracks/${track?.id}/versions`)).body.map(({ source_id }) => source_id);
}

test('the album shows the best file of a recording, its details the others', async () => {
  for (const n of ['1', '2']) writeTrack(`Blue/${n}.mp3`, { title: `Song ${n}`, number: n });
  writeTrack('Blue/1.flac', { title: 'Song 1', number: '1' });
  writeTrack('Blue/2 long.mp3', { title: 'Song 2', number: '2' }); // 9 s longer, so it counts as another recording
  await scan();
  expect((await listShownTitles()).toSorted()).toEqual(['Blue/1.flac', 'Blue/2 long.mp3', 'Blue/2.mp3']);
  expect(await listShownTitles('')).toHaveLength(4);
  expect(await allTracks(server)).toHaveLength(4);
  expect((await albums()).map(({ track_count }) => track_count)).toEqual([4]);
  expect(await versionsOf('Blue/1.flac')).toEqual(['Blue/1.mp3']);
  expect(await versionsOf('Blue/1.mp3')).toEqual(['Blue/1.flac']);
  expect(await versionsOf('Blue/2.mp3')).toEqual([]);

  const phone = await openPhone(server);
  const [album] = await albums();
  const { song } = await phone.ask<{ song: { suffix: string }[] }>('getAlbum', { id: `al-${album?.id}` }, 'album');
  expect(song.map(({ suffix }) => suffix)).toEqual(['flac', 'mp3', 'mp3']);

  rmSync(join(base, 'music/Blue/1.flac'));
  await scan();
  expect(await listShownTitles()).toContain('Blue/1.mp3');
  expect((await server.api('/tracks/999999/versions')).status).toBe(404);
});

test('two folders of the same album are one album, each song once', async () => {
  for (const n of ['1', '2']) writeTrack(`Blue MP3/${n}.mp3`, { title: `Song ${n}`, number: n });
  for (const n of ['1', '2']) writeTrack(`Blue FLAC/${n}.flac`, { title: `Song ${n}`, number: n });
  await scan();
  expect(await albums()).toHaveLength(1);
  expect(await listShownTitles()).toEqual(['Blue FLAC/1.flac', 'Blue FLAC/2.flac']);
});

test('tracks that a person says are not the same are both shown', async () => {
  writeTrack('Blue/1.mp3', { title: 'Song 1', number: '1' });
  writeTrack('Blue/1.flac', { title: 'Song 1', number: '1' });
  await scan();
  const ids = (await allTracks(server)).map(({ id }) => id).toSorted((a, b) => a - b);
  server.app.db.$client
    .prepare('INSERT INTO duplicate_dismissals (track_id, other_id, user_id, created_at) VALUES (?, ?, 1, 0)')
    .run(...ids);
  expect(await listShownTitles()).toHaveLength(2);
});

test('tracks come by disc and number, those without last; the sides of a record are discs', async () => {
  writeTrack('Blue/extra.mp3', { title: 'Extra' });
  writeTrack('Blue/b1.mp3', { title: 'Fourth', number: 'B1' });
  writeTrack('Blue/a2.mp3', { title: 'Second', number: 'A2' });
  writeTrack('Blue/a1.mp3', { title: 'First', number: 'A1' });
  writeTrack('Blue/b.mp3', { title: 'Last of B', disc: 2 });
  await scan();
  const [album] = await albums();
  const { items } = (await server.api<TrackPage>(`/albums/${album?.id}/tracks`)).body;
  expect(items.map(({ title, disc_number, track_number }) => [title, disc_number, track_number])).toEqual([
    ['First', 1, 1],
    ['Second', 1, 2],
    ['Fourth', 2, 1],
    ['Last of B', 2, null],
    ['Extra', null, null],
  ]);
});
