// Credits, moods, works, release types and similar tags reach Subsonic clients, also in a library of an earlier
// version.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { flac, vorbisComment } from '../support/audio-bytes.ts';
import { OFFLINE, openPhone, type Phone } from '../support/phone.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { jsonFaults, xmlFaults, type XmlDocument } from '../support/subsonic-schema.ts';
import { until } from '../support/until.ts';

const RELEASE_ID = '5b11f4ce-a62d-471e-81fc-a69a8278c7da';
const ALBUM_TAGS = [
  'ALBUM=The Works',
  'ALBUMARTIST=Anna',
  'ALBUMSORT=Works, The',
  'DATE=1999-10-03',
  `MUSICBRAINZ_ALBUMID=${RELEASE_ID.toUpperCase()}`,
  'MUSICBRAINZ_RELEASEGROUPID=aaaaaaaa-a62d-471e-81fc-a69a8278c7da',
  'ALBUMVERSION=Deluxe',
];
const TAGGED_FILES: Record<string, string[]> = {
  'Works/1.flac': [
    ...ALBUM_TAGS,
    'TITLE=The First',
    'TITLESORT=First, The',
    'ARTIST=Anna',
    'DISCNUMBER=1',
    'TRACKNUMBER=1',
    'DISCSUBTITLE=Morning',
    'ORIGINALDATE=1971-05-02',
    'RELEASETYPE=Live',
    'RELEASETYPE=Album',
    'MOOD=calm; warm',
    'GROUPING=suites',
    'WORK=Suite',
    'MUSICBRAINZ_WORKID=3f6d2a2e-7b4a-4a49-9a7e-2b8c6d1a5e90',
    'MOVEMENTNAME=Prelude',
    'MOVEMENT=1',
    'MOVEMENTTOTAL=4',
    'COMPOSER=Ben',
    'CONDUCTOR=Nobody Else',
    'PRODUCER=anna',
    'PERFORMER=Ben (double bass)',
  ],
  'Works/2.flac': [...ALBUM_TAGS, 'TITLE=Second', 'ARTIST=Ben', 'DISCNUMBER=1', 'TRACKNUMBER=2', 'ITUNESADVISORY=1'],
  'Works/3.flac': [...ALBUM_TAGS, 'TITLE=Third', 'ARTIST=Ben', 'DISCNUMBER=2', 'TRACKNUMBER=1', 'DISCSUBTITLE=Evening'],
  'Record/1.flac': ['TITLE=Over', 'ARTIST=Ben', 'ALBUM=Record', 'TRACKNUMBER=B1', 'DISCNUMBER=1/1'],
  'Record/2.flac': ['TITLE=Tenth', 'ARTIST=Ben', 'ALBUM=Record', 'TRACKNUMBER=A10', 'DISCNUMBER=1/1'],
  'Record/3.flac': ['TITLE=Under', 'ARTIST=Ben', 'ALBUM=Record', 'TRACKNUMBER=A2', 'DISCNUMBER=1/1'],
  'Plain/1.flac': ['TITLE=Plain', 'ARTIST=Ben', 'ALBUM=Plain', 'ITUNESADVISORY=2', 'DATE=2001'],
};

let base: string;
let server: TestServer;
let phone: Phone;
const start = (): Promise<TestServer> =>
  startServer({
    dir: join(base, 'data'),
    env: { LOCAL_MEDIA_IMPORT_PATH: join(base, 'music'), LOCAL_MEDIA_IMPORT_MODE: 'reference', ...OFFLINE },
  });

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-more-tags-'));
  mkdirSync(join(base, 'data'));
  for (const [name, comments] of Object.entries(TAGGED_FILES)) {
    mkdirSync(dirname(join(base, 'music', name)), { recursive: true });
    writeFileSync(join(base, 'music', name), flac([4, vorbisComment(...comments)]));
  }
  server = await start();
  phone = await openPhone(server);
  await server.api('/sources/local_folder/scan', { method: 'POST' });
  await server.app.drain();
});
afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

const findIds = async (title: string): Promise<{ song: string; album: string }> => {
  const track = (await allTracks(server)).find((item) => item.title === title);
  return { song: `tr-${track?.id}`, album: `al-${track?.album_id}` };
};

const SONG_TAGS = {
  sortName: 'First, The',
  explicitStatus: '',
  moods: ['calm', 'warm'],
  groupings: ['suites'],
  works: [{ name: 'Suite', musicBrainzId: '3f6d2a2e-7b4a-4a49-9a7e-2b8c6d1a5e90' }],
  movements: [{ name: 'Prelude', number: 1, count: 4 }],
};
const WORK_TAGS = {
  moods: ['calm', 'warm'],
  musicBrainzId: RELEASE_ID,
  version: 'Deluxe',
  sortName: 'Works, The',
  explicitStatus: 'explicit',
  releaseTypes: ['album', 'live'],
  originalReleaseDate: { year: 1971, month: 5, day: 2 },
  releaseDate: { year: 1999, month: 10, day: 3 },
  discTitles: [
    { disc: 1, title: 'Morning' },
    { disc: 2, title: 'Evening' },
  ],
};

test('songs and albums have them', async () => {
  const { song, album } = await findIds('The First');
  const plainIds = await findIds('Plain');
  expect(await phone.ask('getSong', { id: song }, 'song')).toMatchObject(SONG_TAGS);
  expect(await phone.ask('getAlbum', { id: album }, 'album')).toMatchObject(WORK_TAGS);
  expect(await phone.ask('getAlbum', { id: plainIds.album }, 'album')).toMatchObject({
    explicitStatus: 'clean',
    releaseTypes: [],
    releaseDate: { year: 2001 },
    discTitles: [],
  });
});

test('the sides of a record are its discs, in their order', async () => {
  const { album } = await findIds('Over');
  const { song, discTitles } = await phone.ask<{ song: object[]; discTitles: object[] }>(
    'getAlbum',
    { id: album },
    'album',
  );
  expect(song).toMatchObject([
    { title: 'Under', discNumber: 1, track: 2 },
    { title: 'Tenth', discNumber: 1, track: 10 },
    { title: 'Over', discNumber: 2, track: 1 },
  ]);
  expect(discTitles).toEqual([
    { disc: 1, title: 'Side A' },
    { disc: 2, title: 'Side B' },
  ]);
});

test('contributors have the ids of artists, or ids of their own, with which a client gets their albums', async () => {
  const { song, album } = await findIds('The First');
  const { contributors, artistId } = await phone.ask<{ contributors: object[]; artistId: string }>(
    'getSong',
    { id: song },
    'song',
  );
  const otherSong = await phone.ask<{ artistId: string }>('getSong', { id: (await findIds('Second')).song }, 'song');
  const ben = { id: otherSong.artistId, name: 'Ben' };
  expect(contributors).toEqual([
    { role: 'composer', artist: ben },
    { role: 'conductor', artist: { id: expect.stringMatching(/^cr-\d+$/), name: 'Nobody Else' } },
    { role: 'producer', artist: { id: artistId, name: 'anna' } },
    { role: 'performer', subRole: 'double bass', artist: ben },
  ]);
  const conductor = (contributors[1] as { artist: { id: string } }).artist.id;
  expect(await phone.ask('getArtist', { id: conductor }, 'artist')).toMatchObject({
    id: conductor,
    name: 'Nobody Else',
    albumCount: 1,
    roles: ['conductor'],
    album: [{ id: album, name: 'The Works' }],
  });
  expect(await phone.ask('getArtist', { id: ben.id }, 'artist')).toMatchObject({
    roles: ['albumartist', 'artist', 'composer', 'performer'],
  });
  expect(await phone.ask('getArtistInfo2', { id: conductor }, 'artistInfo2')).toEqual({ similarArtist: [] });
  expect(await phone.ask('getTopSongs', { id: conductor }, 'topSongs')).toMatchObject({ song: [{ id: song }] });
  const { index } = await phone.ask<{ index: { artist: { name: string }[] }[] }>('getArtists', {}, 'artists');
  expect(index.flatMap(({ artist }) => artist.map(({ name }) => name))).not.toContain('Nobody Else');
  // contributors are omitted where clients would take an artist for a folder
  const { child } = await phone.ask<{ child: { contributors: object[] }[] }>(
    'getMusicDirectory',
    { id: album },
    'directory',
  );
  expect(child.map((item) => item.contributors)).toEqual([[], [], []]);
});

test('they are as the schema has them, in both formats', async () => {
  const { song, album } = await findIds('The First');
  const calls = { getSong: { id: song }, getAlbum: { id: album }, getAlbumList2: { type: 'newest' } };
  const documents: XmlDocument[] = [];
  for (const [endpoint, params] of Object.entries(calls)) {
    const { body } = await phone.get(endpoint, { ...params, f: 'json' });
    expect([endpoint, jsonFaults(endpoint, { 'subsonic-response': body })]).toEqual([endpoint, []]);
    const xml = await phone.xml(endpoint, params);
    expect(xml).toContain(endpoint === 'getSong' ? '<contributors' : '<discTitles');
    documents.push({ name: endpoint, xml });
  }
  const faults = xmlFaults(documents, 'SUBSONIC_XSD');
  if (faults) expect(faults).toEqual([]);
});

test('a library from before gets them from its files', async () => {
  const { song, album } = await findIds('The First');
  server.app.db.$client.exec(`DELETE FROM more_tags;
    INSERT INTO tags_again (last_id, up_to_id) SELECT 0, max(id) FROM tracks`);
  await server.close();
  server = await start();
  phone = await openPhone(server);
  const selectProgress = server.app.db.$client.prepare<[], number>('SELECT last_id FROM tags_again').pluck();
  await until(
    () => selectProgress.all(),
    (rows) => rows.length === 0,
  );
  expect(await phone.ask('getSong', { id: song }, 'song')).toMatchObject(SONG_TAGS);
  expect(await phone.ask('getAlbum', { id: album }, 'album')).toMatchObject(WORK_TAGS);
});

test('a title that a person wrote has no sort name of the file, and stays so', async () => {
  const { song } = await findIds('The First');
  const id = song.slice(3);
  expect((await server.api(`/tracks/${id}`, { method: 'PATCH', body: { title: 'Another' } })).status).toBe(200);
  expect(await phone.ask('getSong', { id: song }, 'song')).toMatchObject({
    ...SONG_TAGS,
    title: 'Another',
    sortName: '',
  });
});
