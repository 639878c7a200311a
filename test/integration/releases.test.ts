// Albums are releases: two editions of one album stay two through scans, uploads and edits.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlbumOut, AlbumPage, ContradictionOut, TrackOut } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const RELEASE_GROUP_ID = '11111111-1111-4111-8111-111111111111';
const STANDARD_RELEASE_ID = '22222222-2222-4222-8222-222222222222';
const DELUXE_RELEASE_ID = '33333333-3333-4333-8333-333333333333';

let base: string;
let server: TestServer;
let lengths = 0;
const start = (): Promise<TestServer> =>
  startServer({
    dir: join(base, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-releases-'));
  mkdirSync(join(base, 'data'));
  mkdirSync(join(base, 'music'));
  server = await start();
});
afterEach(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

/** Writes a file of the album "Blue" that sounds like no other file. */
function song(number: number, release: string | undefined, year = '1999'): Buffer {
  const ownText = (name: string, value: string) => id3Frame('TXXX', Buffer.from(`\x03${name}\0${value}`));
  return Buffer.concat([
    id3([
      id3Frame('TIT2', utf8Text(`Song ${number}`)),
      id3Frame('TPE1', utf8Text('The Quays')),
      id3Frame('TALB', utf8Text('Blue')),
      id3Frame('TRCK', utf8Text(String(number))),
      id3Frame('TDRC', utf8Text(year)),
      ...(release === undefined
        ? []
        : [ownText('MusicBrainz Release Group Id', RELEASE_GROUP_ID), ownText('MusicBrainz Album Id', release)]),
    ]),
    silentMp3(60 + lengths++),
  ]);
}
function writeTrack(path: string, number: number, release: string | undefined): void {
  const file = join(base, 'music', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, song(number, release));
}
async function scan(): Promise<void> {
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
}
/** Returns the release and the number of tracks of each album. */
async function albums(): Promise<[string | null, number][]> {
  const { items } = (await server.api<AlbumPage>('/albums?limit=50')).body;
  return items
    .map((album): [string | null, number] => [album.release_mbid, album.track_count])
    .toSorted(([a], [b]) => (a ?? '').localeCompare(b ?? ''));
}
const listReleaseTracks = async (release: string): Promise<TrackOut[]> => {
  const { items } = (await server.api<AlbumPage>('/albums?limit=50')).body;
  const ids = items.filter((album) => album.release_mbid === release).map((album) => album.id);
  return (await allTracks(server)).filter((track) => ids.includes(track.album_id ?? 0));
};

test('two editions in two folders stay two albums when they are edited, moved and scanned again', async () => {
  for (const number of [1, 2]) writeTrack(`Blue/${number}.mp3`, number, STANDARD_RELEASE_ID);
  for (const number of [1, 2, 3]) writeTrack(`Blue (Deluxe)/${number}.mp3`, number, DELUXE_RELEASE_ID);
  await scan();
  const twoEditions: [string, number][] = [
    [STANDARD_RELEASE_ID, 2],
    [DELUXE_RELEASE_ID, 3],
  ];
  expect(await albums()).toEqual(twoEditions);

  const [deluxeTrack] = await listReleaseTracks(DELUXE_RELEASE_ID);
  const [standardTrack] = await listReleaseTracks(STANDARD_RELEASE_ID);
  const editions = await server.api<AlbumOut[]>(`/albums/${deluxeTrack?.album_id}/editions`);
  expect(editions.body.map(({ id }) => id)).toEqual([standardTrack?.album_id]);
  expect((await server.api('/albums/999/editions')).status).toBe(404);

  await server.api(`/tracks/${deluxeTrack?.id}`, { method: 'PATCH', body: { genre: 'Jazz' } });
  await server.api(`/tracks/${deluxeTrack?.id}/metadata`, {
    method: 'PUT',
    body: { title: 'Another', artist: 'The Quays', album: 'Blue' },
  });
  expect(await albums()).toEqual(twoEditions);

  renameSync(join(base, 'music', 'Blue (Deluxe)'), join(base, 'music', 'Elsewhere'));
  await scan();
  expect(await albums()).toEqual(twoEditions);
  writeTrack('A third folder/1.mp3', 4, undefined);
  await scan();
  expect(await albums()).toEqual([[null, 1], ...twoEditions]);
});

async function upload(number: number, file: Buffer): Promise<void> {
  const form = new FormData();
  form.set('files', new Blob([Uint8Array.from(file)]), `${number}.mp3`);
  expect((await server.api('/tracks/upload', { method: 'POST', body: form })).status).toBeLessThan(300);
}

test('tracks of an album that are uploaded with the years of their songs are one album', async () => {
  for (const number of [1, 2, 3]) await upload(number, song(number, undefined, `${1990 + number}`));
  await server.app.drain();
  expect(await albums()).toEqual([[null, 3]]);
});

test('two editions that are uploaded are one album, unless two songs claim one place', async () => {
  for (const [release, number] of [
    [STANDARD_RELEASE_ID, 1],
    [DELUXE_RELEASE_ID, 1],
    [STANDARD_RELEASE_ID, 2],
    [DELUXE_RELEASE_ID, 2],
  ] as const)
    await upload(number, song(number, release));
  await server.app.drain();
  expect(await albums()).toEqual([[STANDARD_RELEASE_ID, 4]]);
  const [track] = await allTracks(server);
  const sameNumberTracks = (await allTracks(server)).filter(({ track_number: n }) => n === track?.track_number);
  await server.api(`/tracks/${sameNumberTracks[1]?.id}`, { method: 'PUT', body: { title: 'Another' } });
  expect(await albums()).toEqual([
    [STANDARD_RELEASE_ID, 2],
    [DELUXE_RELEASE_ID, 2],
  ]);
});

test('an album of an earlier version stays whole, and a new edition is an album of its own', async () => {
  writeTrack('Blue/1.mp3', 1, STANDARD_RELEASE_ID);
  await scan();
  server.app.db.$client.exec(`DELETE FROM more_tags;
    INSERT INTO tags_again (last_id, up_to_id) SELECT 0, max(id) FROM tracks`);
  await server.close();
  server = await start();
  await until(albums, ([album]) => album?.[0] === STANDARD_RELEASE_ID);
  writeTrack('Blue (Deluxe)/1.mp3', 1, DELUXE_RELEASE_ID);
  await scan();
  expect(await albums()).toEqual([
    [STANDARD_RELEASE_ID, 1],
    [DELUXE_RELEASE_ID, 1],
  ]);
});

test('the album goes by most of its files, and tells which say something else', async () => {
  for (const number of [2, 3, 4]) writeTrack(`Blue/${number}.mp3`, number, STANDARD_RELEASE_ID);
  writeTrack('Blue/1.mp3', 1, DELUXE_RELEASE_ID);
  writeFileSync(join(base, 'music/Blue/5.mp3'), song(5, STANDARD_RELEASE_ID, '2004'));
  await scan();
  const { items } = (await server.api<AlbumPage>('/albums')).body;
  expect(items).toHaveLength(1);
  const id = items[0]?.id;
  expect((await server.api<AlbumOut>(`/albums/${id}`)).body.release_mbid).toBe(STANDARD_RELEASE_ID);
  const { body } = await server.api<ContradictionOut[]>(`/albums/${id}/contradictions`);
  expect(body.map(({ source_id, field, value, usual }) => [source_id, field, value, usual])).toEqual([
    ['Blue/1.mp3', 'release_mbid', DELUXE_RELEASE_ID, STANDARD_RELEASE_ID],
    ['Blue/5.mp3', 'year', 2004, 1999],
  ]);
});
