// Files of a folder that name an album but no album artist form one album if the tags and the folder agree.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobOut } from '../../server/jobs/wire.ts';
import type { AlbumPage, TrackOut } from '../../server/library/wire.ts';
import { id3, id3Frame, silentMp3, utf8Text } from '../support/audio-bytes.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { allTracks } from '../support/served-library.ts';

let dir: string;
let server: TestServer;
let writtenSongs = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tonearm-folder-albums-'));
  server = await startServer({ env: { LOCAL_MEDIA_IMPORT_PATH: dir, LOCAL_MEDIA_IMPORT_MODE: 'reference' } });
});
afterAll(async () => {
  await server.close();
  rmSync(dir, { recursive: true, force: true });
});

function song(folder: string, artist: string, album: string, number: number, albumArtist?: string): void {
  mkdirSync(join(dir, folder), { recursive: true });
  const texts = { TIT2: `${artist} ${number}`, TPE1: artist, TALB: album, TRCK: String(number), TPE2: albumArtist };
  const frames = Object.entries(texts).flatMap(([id, text]) =>
    text === undefined ? [] : [id3Frame(id, utf8Text(text))],
  );
  writeFileSync(
    join(dir, folder, `${number} ${artist}.mp3`),
    Buffer.concat([id3(frames), silentMp3(20 + writtenSongs++)]),
  );
}

async function albumsAfterScan(): Promise<string[]> {
  const { body } = await server.api<JobOut>('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  expect((await server.api<JobOut>(`/jobs/${body.id}`)).body.status).toBe('succeeded');
  const { items } = (await server.api<AlbumPage>('/albums?sort=artist')).body;
  return items.map((album) => `${album.artist_name} / ${album.title} / ${album.track_count}`).toSorted();
}

it('a soundtrack is one album of its composer, a sampler of various artists, and two albums of one title stay two', async () => {
  for (let n = 1; n <= 6; n++) song('Soundtrack', 'Composer', 'The Film', n);
  song('Soundtrack', 'Guest', 'The Film', 7);
  for (let n = 1; n <= 2; n++) {
    song('Sampler/CD1', `Band ${n}`, 'Hits of the Year', n);
    song('Sampler/CD2', `Group ${n}`, 'Hits of the Year', n + 2);
    song('Both', 'Ada', 'Greatest Hits', n);
    song('Both', 'Bea', 'Greatest Hits', n);
  }
  const expected = [
    'Ada / Greatest Hits / 2',
    'Bea / Greatest Hits / 2',
    'Composer / The Film / 7',
    'Various Artists / Hits of the Year / 4',
  ];
  expect(await albumsAfterScan()).toEqual(expected);
  expect(await albumsAfterScan()).toEqual(expected);

  // later files join the album; files of the sampler's bands in other folders do not
  song('Soundtrack', 'Late Guest', 'The Film', 8);
  song('Elsewhere', 'Band 1', 'Hits of the Year', 1);
  song('Soundtrack', 'Guest', 'The Film', 7);
  expect(await albumsAfterScan()).toEqual([
    'Ada / Greatest Hits / 2',
    'Band 1 / Hits of the Year / 1',
    'Bea / Greatest Hits / 2',
    'Composer / The Film / 8',
    'Various Artists / Hits of the Year / 4',
  ]);
});

it('a liked album keeps its id when others join it', async () => {
  song('Later', 'Cleo', 'Score', 1);
  await albumsAfterScan();
  const scoreTrack = (await allTracks(server)).find((track) => track.album_title === 'Score') as TrackOut;
  const like = { item_type: 'album', item_id: scoreTrack.album_id, liked: true };
  expect((await server.api('/likes', { method: 'POST', body: like })).status).toBeLessThan(300);
  song('Later', 'Dora', 'Score', 2);
  song('Later', 'Edna', 'Score', 3);
  expect(await albumsAfterScan()).toContain('Various Artists / Score / 3');
  const { items } = (await server.api<AlbumPage>('/albums?liked=true')).body;
  expect(items).toMatchObject([{ id: scoreTrack.album_id, title: 'Score', is_compilation: true }]);
});

it('an album with a cover that somebody chose keeps it when others join it', async () => {
  song('Covered', 'Fay', 'Suite', 1);
  await albumsAfterScan();
  const suiteTrack = (await allTracks(server)).find((track) => track.album_title === 'Suite') as TrackOut;
  const db = server.app.db.$client;
  db.prepare(
    `INSERT OR REPLACE INTO album_covers (album_id, key, etag, origin, checked_at)
      VALUES (?, 'covers/chosen.png', 'chosen', 'manual', 1)`,
  ).run(suiteTrack.album_id);
  for (const n of [2, 3]) song('Covered', 'Gil', 'Suite', n);
  expect(await albumsAfterScan()).toContain('Various Artists / Suite / 3');
  const chosenAlbumIds = db.prepare("SELECT album_id FROM album_covers WHERE origin = 'manual'").pluck().all();
  expect(chosenAlbumIds).toEqual([suiteTrack.album_id]);
});

it('two albums that became one are two again when their files name their artists', async () => {
  const write = (hasAlbumName: boolean): void => {
    for (const n of [1, 2]) {
      song('Mixed', 'Hal', 'Best', n, hasAlbumName ? 'Hal' : undefined);
      song('Mixed', 'Ida', 'Best', n + 2, hasAlbumName ? 'Ida' : undefined);
    }
  };
  write(false);
  expect(await albumsAfterScan()).toContain('Various Artists / Best / 4');
  write(true);
  const albums = await albumsAfterScan();
  expect(albums.filter((album) => album.includes('Best'))).toEqual(['Hal / Best / 2', 'Ida / Best / 2']);
});
