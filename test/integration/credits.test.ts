// Composers, conductors, performers and other people are credits with pages of their own, and movements are grouped
// into works.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumCreditOut, PersonOut, TrackCreditOut, WorkOut } from '../../server/library/credits/credit-wire.ts';
import type { AlbumPage, TrackOut, TrackPage } from '../../server/library/wire.ts';
import { flac, id3, id3Frame, silentMp3, utf8Text, vorbisComment } from '../support/audio-bytes.ts';
import { OFFLINE } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const ALBUM = ['ALBUM=Sonatas', 'ALBUMARTIST=Clara Wieck', 'ARTIST=Clara Wieck', 'DISCNUMBER=1'];
const SONATA = ['WORK=Sonata in A', 'COMPOSER=Robert Schumann', 'COMPOSERSORT=Schumann, Robert'];
const COMMENTS: Record<string, string[]> = {
  'Sonatas/1.flac': [
    ...ALBUM,
    ...SONATA,
    'TRACKNUMBER=1',
    'TITLE=Sonata in A: I. Allegro',
    'MOVEMENTNAME=Allegro',
    'MOVEMENT=1',
    'PERFORMER=Jo Joachim (violin)',
    'PERFORMER=Jo Joachim (viola)',
    'PERFORMER:cello=Al Piatti',
    'CONDUCTOR=Felix M.',
    'PRODUCER=Fay; Gus',
  ],
  'Sonatas/2.flac': [
    ...ALBUM,
    ...SONATA,
    'TRACKNUMBER=2',
    'TITLE=Sonata in A: II. Adagio',
    'MOVEMENTNAME=Adagio',
    'MOVEMENT=2',
    'PERFORMER=jo joachim (violin)',
  ],
  'Sonatas/3.flac': [...ALBUM, 'TRACKNUMBER=3', 'TITLE=Romance', 'COMPOSER=Clara Wieck', 'WORK=Romances'],
  'Sonatas/4.flac': [
    ...ALBUM,
    'TRACKNUMBER=4',
    'TITLE=Trio: I',
    'GROUPING=Trio',
    'MOVEMENT=1/3',
    'COMPOSER=Clara Wieck; Robert Schumann',
  ],
  'Sonatas/5.flac': [
    ...ALBUM,
    'TRACKNUMBER=5',
    'TITLE=Hidden',
    'WORK=Trio',
    'MOVEMENT=2',
    'SHOWMOVEMENT=0',
    'REMIXER=Remy (2)',
  ],
};
const MP3 = Buffer.concat([
  id3([
    id3Frame('TIT2', utf8Text('Studio')),
    id3Frame('TPE1', utf8Text('Clara Wieck')),
    id3Frame('TALB', utf8Text('Studio')),
    id3Frame('TIPL', utf8Text('composer\0Robert Schumann\0producer\0Fay\0engineer\0Eva')),
    id3Frame('TMCL', utf8Text('performer\0Pia\0piano (upright)\0Jo Joachim')),
  ]),
  silentMp3(40),
]);

let base: string;
let server: TestServer;
let tracks: TrackOut[];
const start = (): Promise<TestServer> =>
  startServer({
    dir: join(base, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference', ...OFFLINE },
  });

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-credits-'));
  mkdirSync(join(base, 'data'));
  for (const [name, comments] of Object.entries(COMMENTS)) {
    mkdirSync(dirname(join(base, 'music', name)), { recursive: true });
    writeFileSync(join(base, 'music', name), flac([4, vorbisComment(...comments)]));
  }
  writeFileSync(join(base, 'music', 'studio.mp3'), MP3);
  server = await start();
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
  tracks = await allTracks(server);
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const get = async <T>(path: string): Promise<T> => {
  const { status, body } = await server.api<T>(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const find = (title: string): TrackOut => tracks.find((track) => track.title === title) as TrackOut;
const creditsOf = async (title: string): Promise<string[]> =>
  (await get<TrackCreditOut[]>(`/tracks/${find(title).id}/credits`)).map(
    ({ role, name, instrument }) => `${role}: ${name}${instrument === null ? '' : ` (${instrument})`}`,
  );
const people = async (query: string): Promise<string[]> =>
  (await get<{ items: { name: string; track_count: number }[] }>(`/people?${query}`)).items.map(
    ({ name, track_count }) => `${name} ${track_count}`,
  );
const personId = async (name: string): Promise<number> =>
  (await get<{ items: { id: number }[] }>(`/people?q=${encodeURIComponent(name)}`)).items[0]?.id ?? 0;
const titles = async (query: string): Promise<string[]> =>
  (await get<TrackPage>(`/tracks?sort=title&${query}`)).items.map(({ title }) => title);

const EXPECTED_CREDITS = [
  'composer: Robert Schumann',
  'conductor: Felix M.',
  'producer: Fay',
  'producer: Gus',
  'performer: Jo Joachim (violin, viola)',
  'performer: Al Piatti (cello)',
];

test('a track says who did what, in the order of the roles', async () => {
  expect(await creditsOf('Sonata in A: I. Allegro')).toEqual(EXPECTED_CREDITS);
  expect(await creditsOf('Studio')).toEqual([
    'composer: Robert Schumann',
    'producer: Fay',
    'engineer: Eva',
    'performer: Pia',
    'performer: Jo Joachim (piano (upright))',
  ]);
  expect(await creditsOf('Hidden')).toEqual(['remixer: Remy (2)']);
});

test('an album says who did what on which tracks', async () => {
  const album = find('Romance').album_id;
  const credits = await get<AlbumCreditOut[]>(`/albums/${album}/credits`);
  const joachim = credits.find(({ name }) => name === 'Jo Joachim');
  expect(joachim).toMatchObject({
    role: 'performer',
    instrument: 'violin, viola',
    artist_id: null,
    track_ids: [find('Sonata in A: I. Allegro').id, find('Sonata in A: II. Adagio').id],
  });
  expect(credits.find(({ name }) => name === 'Clara Wieck')).toMatchObject({
    role: 'composer',
    artist_id: find('Romance').artist_id,
  });
});

test('movements are grouped into works, by the grouping of older files too', async () => {
  const works = await get<WorkOut[]>(`/albums/${find('Romance').album_id}/works`);
  expect(
    works.map(({ name, composer, movements }) => [name, composer, movements.map((m) => [m.number, m.name])]),
  ).toEqual([
    [
      'Sonata in A',
      'Robert Schumann',
      [
        [1, 'Allegro'],
        [2, 'Adagio'],
      ],
    ],
    ['Trio', 'Clara Wieck; Robert Schumann', [[1, null]]],
  ]);
});

test('people are listed by role and sort name, and found by a part of their name', async () => {
  expect(await people('role=composer')).toEqual(['Clara Wieck 2', 'Robert Schumann 4']);
  expect(await people('role=producer')).toEqual(['Fay 2', 'Gus 1']);
  expect(await people('q=JOACHIM')).toEqual(['Jo Joachim 3']);
  expect(await get('/people/roles')).toEqual(['composer', 'conductor', 'producer', 'engineer', 'remixer', 'performer']);
});

test('the page of a person has roles, tracks and albums', async () => {
  const id = await personId('schumann');
  expect(await get<PersonOut>(`/people/${id}`)).toEqual({
    id,
    name: 'Robert Schumann',
    artist_id: null,
    roles: [{ role: 'composer', track_count: 4, album_count: 2 }],
  });
  expect((await server.api('/people/987654')).status).toBe(404);
  const artist = find('Romance').artist_id;
  expect(await get(`/artists/${artist}/credits`)).toMatchObject({ name: 'Clara Wieck', artist_id: artist });
  expect(await titles(`credit_id=${id}`)).toEqual([
    'Sonata in A: I. Allegro',
    'Sonata in A: II. Adagio',
    'Studio',
    'Trio: I',
  ]);
  expect(await titles(`credit_id=${id}&credit_role=producer`)).toEqual([]);
  expect(await titles('credit=FAY&credit_role=producer')).toEqual(['Sonata in A: I. Allegro', 'Studio']);
  expect(await titles('credit_role=remixer')).toEqual(['Hidden']);
  const albums = await get<AlbumPage>(`/albums?credit_id=${id}&credit_role=composer`);
  expect(albums.items.map(({ title }) => title).toSorted()).toEqual(['Sonatas', 'Studio']);
});

test('smart playlists have rules by role', async () => {
  const body = { rules: { all: [{ field: 'performer', op: 'is', value: 'jo joachim' }] } };
  const { body: matches } = await server.api<{ tracks: TrackOut[] }>('/playlists/preview', { method: 'POST', body });
  expect(matches.tracks.map(({ title }) => title).toSorted()).toEqual([
    'Sonata in A: I. Allegro',
    'Sonata in A: II. Adagio',
    'Studio',
  ]);
});

test('an edited composer is another credit', async () => {
  const { id } = find('Studio');
  await server.api(`/tracks/${id}`, { method: 'PATCH', body: { composer: 'Typed; Gus' } });
  expect(await people('role=composer&q=typed')).toEqual(['Typed 1']);
  await server.api(`/tracks/${id}/metadata`, { method: 'PUT', body: { composer: 'Other', title: 'Studio' } });
  expect((await creditsOf('Studio'))[0]).toBe('composer: Other');
  expect(await people('role=composer&q=typed')).toEqual([]);
});

test('credits leave with a deleted track and come back with it', async () => {
  const { id } = find('Hidden');
  await server.api(`/tracks/${id}`, { method: 'DELETE' });
  expect(await people('role=remixer')).toEqual([]);
  const trash = await get<{ items: { id: number }[] }>('/trash');
  await server.api(`/trash/${trash.items[0]?.id}/restore`, { method: 'POST' });
  expect(await people('role=remixer')).toEqual(['Remy (2) 1']);

  // the trash of an earlier version has no credits
  await server.api(`/tracks/${id}`, { method: 'DELETE' });
  const client = server.app.db.$client;
  const snapshot = JSON.parse(
    client.prepare<[], string>('SELECT snapshot FROM trashed_tracks').pluck().get() ?? '',
  ) as { rows: { table: string }[] };
  snapshot.rows = snapshot.rows.filter(({ table }) => table !== 'track_credits');
  client.prepare('UPDATE trashed_tracks SET snapshot = ?').run(JSON.stringify(snapshot));
  const laterTrash = await get<{ items: { id: number }[] }>('/trash');
  await server.api(`/trash/${laterTrash.items[0]?.id}/restore`, { method: 'POST' });
  expect(await people('role=remixer')).toEqual(['Remy (2) 1']);
});

test('a library of an earlier version gets its credits in the background', async () => {
  const client = server.app.db.$client;
  client.exec(`DELETE FROM track_credits; DELETE FROM people;
    INSERT INTO credits_fill (last_id, up_to_id) SELECT 0, max(id) FROM tracks`);
  await server.close();
  server = await start();
  const listProgress = server.app.db.$client.prepare('SELECT * FROM credits_fill');
  await until(
    () => listProgress.all(),
    (rows) => rows.length === 0,
  );
  expect(await creditsOf('Sonata in A: I. Allegro')).toEqual(EXPECTED_CREDITS);
  expect(await people('role=remixer')).toEqual(['Remy (2) 1']);
});
