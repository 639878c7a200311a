// Releases at MusicBrainz that may be an album: a search, one release with its tracks beside those of the album, and
// the reason when MusicBrainz cannot be asked.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AlbumMatchDetails, AlbumMatchOut } from '../../renderer/api/routes.ts';
import type { AlbumOut, AlbumPage, TrackOut } from '../../server/library/wire.ts';
import { startFakeMusicBrainz, type FakeMusicBrainz } from '../fakes/musicbrainz.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const credit = (name: string) => [{ name, joinphrase: '', artist: { id: uuid(9) } }];
const release = {
  id: uuid(1),
  title: 'Harbour',
  status: 'Official',
  date: '1997-05-01',
  country: 'DE',
  barcode: '0123',
  disambiguation: 'remaster',
  'artist-credit': credit('The Quays'),
  'label-info': [{ 'catalog-number': 'H 1', label: { name: 'Mole Records' } }],
  'release-group': {
    id: uuid(2),
    'primary-type': 'Album',
    'secondary-types': ['Live'],
    'first-release-date': '1996',
    genres: [{ name: 'folk', count: 3 }],
  },
  media: [
    {
      position: 1,
      format: 'CD',
      'track-count': 2,
      tracks: [
        { position: 1, title: 'Tide', length: 201_000, 'artist-credit': credit('The Quays') },
        { position: 2, title: 'Shore', length: null, 'artist-credit': credit('Ann') },
      ],
    },
  ],
};

let mb: FakeMusicBrainz;
let server: TestServer;
let album: AlbumOut;
let tideId: number;

beforeAll(async () => {
  mb = await startFakeMusicBrainz();
  server = await startServer({ env: { MUSICBRAINZ_BASE_URL: mb.url }, musicBrainzPerSecond: 1_000 });
  tideId = trackMaker(server.app).add({ title: 'tide', trackNumber: 4 });
  album = (await server.api<AlbumPage>('/albums')).body.items[0]!;
});
afterAll(async () => {
  await server.close();
  await mb.close();
});
beforeEach(() => {
  mb.isAway = false;
  mb.searches = [];
  mb.releases = [{ ...release, media: [{ format: 'CD', 'track-count': 2 }] }, 'no release'];
});

test('the search takes the names of the album, or other words, without letting them be operators', async () => {
  const { status, body } = await server.api<AlbumMatchOut[]>(`/albums/${album.id}/matches`);
  expect(status).toBe(200);
  expect(body).toEqual([
    {
      mbid: uuid(1),
      title: 'Harbour',
      artists: ['The Quays'],
      year: 1997,
      original_year: 1996,
      country: 'DE',
      label: 'Mole Records',
      catalog_number: 'H 1',
      barcode: '0123',
      edition: 'remaster',
      release_types: ['album', 'live'],
      genres: ['folk'],
      formats: ['CD'],
      track_count: 2,
    },
  ]);
  const words = new URLSearchParams({ title: 'A "B" OR \\*', artist: '' }).toString();
  await server.api(`/albums/${album.id}/matches?${words}`);
  expect(mb.searches).toEqual(['release:("Harbour") AND artist:("The Quays")', 'release:("A \\"B\\" OR \\\\*")']);
});

test('a release has its tracks, each with the track of the album that it is', async () => {
  mb.entities.set(`/ws/2/release/${uuid(1)}`, release);
  const { status, body } = await server.api<AlbumMatchDetails>(`/albums/${album.id}/matches/${uuid(1)}`);
  expect(status).toBe(200);
  expect(body.tracks).toEqual([
    {
      disc_number: 1,
      track_number: 1,
      title: 'Tide',
      artist_name: 'The Quays',
      artists: ['The Quays'],
      length_ms: 201_000,
      track_id: tideId,
    },
    {
      disc_number: 1,
      track_number: 2,
      title: 'Shore',
      artist_name: 'Ann',
      artists: ['Ann'],
      length_ms: null,
      track_id: null,
    },
  ]);
  expect((await server.api(`/albums/${album.id}/matches/${uuid(7)}`)).status).toBe(404);
});

test('the reason is told in words when MusicBrainz is away or turned off, and others may not ask', async () => {
  mb.isAway = true;
  const away = await server.api<{ detail: string }>(`/albums/${album.id}/matches?title=Away`);
  expect([away.status, away.body.detail]).toEqual([503, expect.stringContaining('MusicBrainz')]);
  const listener = await registerUser(server, 'listener');
  expect((await server.api(`/albums/${album.id}/matches`, { token: listener })).status).toBe(403);
  const offline = await startServer();
  const id = trackMaker(offline.app).add({ title: 'tide' });
  const { album_id } = (await offline.api<TrackOut>(`/tracks/${id}`)).body;
  const off = await offline.api<{ detail: string }>(`/albums/${album_id}/matches`);
  await offline.close();
  expect([off.status, off.body.detail]).toEqual([
    503,
    'Looking up at MusicBrainz is turned off. An administrator can turn it on.',
  ]);
});
