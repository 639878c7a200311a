// Tests the library over HTTP: shapes, status codes, paging, rights. The content of lists is tested in
// library-lists.test.ts.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UserOut } from '../../server/auth/wire.ts';
import type { MainDb } from '../../server/db/client.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import type {
  AlbumOut,
  AlbumPage,
  ArtistOut,
  ArtistPage,
  GenreOut,
  TrackOut,
  TrackPage,
} from '../../server/library/wire.ts';
import type { LibrarySearchResponse } from '../../server/search/wire.ts';
import { makeSampleLibrary, placeInAlbum, type SampleLibrary } from '../support/sample-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';
import { silence } from '../support/silence.ts';
import { openMigrated } from '../support/temp-database.ts';

let server: TestServer;
let db: MainDb;
let sample: SampleLibrary;
/** The token of an account with the rights of a new account. */
let listener: string;
/** The token of an account with the right to edit. */
let editor: string;

beforeAll(async () => {
  server = await startServer();
  listener = await registerUser(server, 'somebody');
  editor = await registerUser(server, 'editor');
  const { id } = (await server.api<UserOut>('/users/me', { token: editor })).body;
  await server.api(`/users/${id}`, { method: 'PATCH', body: { can_edit: true } });
  db = openMigrated(join(server.dir, 'tonearm.db'));
  sample = makeSampleLibrary(db, { artists: 20, albums: 25, tracks: 130 }, 4);
});
afterAll(async () => {
  db.$client.close();
  await server.close();
});

const getBody = async <T>(path: string) => (await server.api<T>(path)).body;
const code = async (path: string, init?: Parameters<TestServer['api']>[1]): Promise<number> =>
  (await server.api(path, init)).status;

describe('lists', () => {
  test('default to the first fifty by title', async () => {
    const page = await getBody<TrackPage>('/tracks');
    expect(page).toMatchObject({ total: 130, limit: 50, offset: 0 });
    expect(page.items).toHaveLength(50);
    expect(page.items).toEqual((await getBody<TrackPage>('/tracks?sort=title&order=asc&limit=50&offset=0')).items);
  });

  test('take all filters together', async () => {
    const listAll =
      'q=a&source=upload&artist_id=1&album_id=1&genre=Rock&year_from=1960&year_to=2024&format=mp3&metadata_status=manual&availability=available&liked=false&sort=play_count&order=asc&seed=1';
    expect(await code(`/tracks?${listAll}`)).toBe(200);
    expect(
      await code(
        '/albums?q=a&genre=Rock&year_from=1960&year_to=2024&artist_id=1&format=mp3&liked=true&sort=last_played_at&order=desc',
      ),
    ).toBe(200);
    expect(
      await code('/artists?q=a&genre=Rock&year_from=1960&year_to=2024&artist_id=1&liked=true&sort=name&order=desc'),
    ).toBe(200);
  });

  test('filter by source', async () => {
    const { items, total } = await getBody<TrackPage>('/tracks?source=upload&limit=200');
    expect(total).toBe(sample.tracks.filter((track) => track.source === 'upload').length);
    expect(items.every((track) => track.source === 'upload')).toBe(true);
  });

  test.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1.5',
    'offset=-1',
    'sort=password',
    'sort=title;DROP',
    'order=up',
    'liked=perhaps',
    'availability=gone',
    'year_from=abc',
    'year_to=-5',
    'artist_id=0',
    'album_id=1%20OR%201',
    'limit=1&limit=2',
    `q=${'x'.repeat(501)}`,
    'seed=x',
  ])('answer 422 to %s', async (query) => {
    for (const path of ['/tracks', '/albums/1/tracks', '/artists/1/tracks'])
      expect(await code(`${path}?${query}`), path).toBe(422);
  });

  test('ignore unknown parameters', async () => {
    expect(await code('/tracks?colour=blue&__proto__=x&constructor=y')).toBe(200);
  });

  test('take any text in every field literally', async () => {
    for (const nasty of [
      "' OR 1=1 --",
      '"',
      '%',
      '\u0000',
      '); DELETE FROM tracks; --',
      '*',
      'NEAR(',
      '\ud83d',
      '\u202e',
    ]) {
      const text = encodeURIComponent(nasty.toWellFormed());
      for (const path of [
        `/tracks?q=${text}&genre=${text}&artist=${text}&album=${text}`,
        `/albums?q=${text}&genre=${text}&artist=${text}`,
        `/artists?q=${text}&genre=${text}`,
      ])
        expect(await code(path), path).toBe(200);
      expect(await code(`/tracks?source=${text}`)).toBe(422);
      expect(await code(`/albums?format=${text}`)).toBe(422);
      expect([200, 422]).toContain(await code(`/search/library?q=${text}`));
    }
    expect((await getBody<TrackPage>('/tracks')).total).toBe(130);
  });

  test('in random order do not overlap with one seed', async () => {
    const ids: number[] = [];
    for (let offset = 0; offset < 130; offset += 40)
      ids.push(
        ...(await getBody<TrackPage>(`/tracks?sort=random&seed=9&limit=40&offset=${offset}`)).items.map(
          (track) => track.id,
        ),
      );
    expect(new Set(ids).size).toBe(130);
  });

  test('show at once what another process wrote', async () => {
    const totalBefore = (await getBody<TrackPage>('/tracks?genre=Jazz&limit=1')).total;
    const id = sample.tracks.find((track) => !track.genres.includes('Jazz') && track.genres.length === 0)?.id;
    db.$client
      .prepare(
        "INSERT INTO track_genres (track_id, position, genre_id) SELECT ?, 0, id FROM genres WHERE name = 'Jazz'",
      )
      .run(id);
    expect((await getBody<TrackPage>('/tracks?genre=Jazz&limit=1')).total).toBe(totalBefore + 1);
    db.$client.prepare('DELETE FROM track_genres WHERE track_id = ?').run(id);
    expect((await getBody<TrackPage>('/tracks?genre=Jazz&limit=1')).total).toBe(totalBefore);
  });
});

describe('single items', () => {
  test('are the same as in lists', async () => {
    const [track] = (await getBody<TrackPage>('/tracks?limit=1')).items as [TrackOut];
    expect(await getBody<TrackOut>(`/tracks/${track.id}`)).toEqual(track);
    const [album] = (await getBody<AlbumPage>('/albums?limit=1')).items as [AlbumOut];
    expect(await getBody<AlbumOut>(`/albums/${album.id}`)).toEqual(album);
    const [artist] = (await getBody<ArtistPage>('/artists?limit=1')).items as [ArtistOut];
    expect(await getBody<ArtistOut>(`/artists/${artist.id}`)).toEqual(artist);
  });

  test.each([
    '/tracks/99999',
    '/albums/99999',
    '/artists/99999',
    '/albums/99999/tracks',
    '/artists/99999/albums',
    '/artists/99999/tracks',
  ])('%s is not found', async (path) => {
    expect(await code(path)).toBe(404);
  });

  test.each(['/tracks/0', '/tracks/-1', '/tracks/abc', '/albums/1e3', '/artists/9999999999999999', '/tracks/1%27'])(
    '%s is not an id',
    async (path) => {
      expect(await code(path)).toBe(422);
    },
  );
});

describe('related items', () => {
  test('tracks of an album are sorted by disc and number', async () => {
    for (const [albumIndex, album] of sample.albums.entries()) {
      const albumTracks = sample.tracks.filter((track) => track.album === albumIndex);
      const { items, total } = await getBody<TrackPage>(`/albums/${album.id}/tracks?limit=200`);
      expect(total).toBe(albumTracks.length);
      expect(items.map((track) => track.id)).toEqual(
        albumTracks.toSorted((a, b) => placeInAlbum(a) - placeInAlbum(b) || a.id - b.id).map((track) => track.id),
      );
    }
    const [firstAlbum] = sample.albums;
    const allIds = (await getBody<TrackPage>(`/albums/${firstAlbum?.id}/tracks`)).items.map((track) => track.id);
    expect(
      (await getBody<TrackPage>(`/albums/${firstAlbum?.id}/tracks?limit=2&offset=1`)).items.map((track) => track.id),
    ).toEqual(allIds.slice(1, 3));
    expect(
      (await getBody<TrackPage>(`/albums/${firstAlbum?.id}/tracks?album_id=9999`)).items.map((track) => track.id),
    ).toEqual(allIds);
  });

  test('albums of an artist are their own and those they appear on', async () => {
    for (const [artistIndex, artist] of sample.artists.entries()) {
      const expected = sample.albums
        .filter(
          (a, n) =>
            a.artist === artistIndex ||
            sample.tracks.some((track) => track.album === n && track.artists.includes(artistIndex)),
        )
        .map((album) => album.id);
      const { items } = await getBody<AlbumPage>(`/artists/${artist.id}/albums?limit=200`);
      expect(items.map((album) => album.id).sort((a, b) => a - b)).toEqual(expected);
      const ownAlbumIds = sample.albums.filter((a) => a.artist === artistIndex).map((a) => a.id);
      expect(
        items
          .filter((a) => a.artist_id === artist.id)
          .map((album) => album.id)
          .sort((a, b) => a - b),
      ).toEqual(ownAlbumIds);
    }
  });

  test('tracks of an artist are all that credit the artist', async () => {
    for (const [artistIndex, artist] of sample.artists.entries()) {
      const { items } = await getBody<TrackPage>(`/artists/${artist.id}/tracks?limit=200`);
      expect(items.map((t) => t.id).sort((a, b) => a - b)).toEqual(
        sample.tracks.filter((track) => track.artists.includes(artistIndex)).map((t) => t.id),
      );
    }
  });

  test('genres have counts', async () => {
    const genres = await getBody<GenreOut[]>('/genres');
    expect(genres.map((genre) => genre.name)).toEqual([
      'Ambient',
      'Blues & Soul',
      'Électro',
      'Hip-Hop',
      'Jazz',
      'Rock',
    ]);
    for (const g of genres)
      expect((await getBody<TrackPage>(`/tracks?genre=${encodeURIComponent(g.name)}&limit=1`)).total).toBe(
        g.track_count,
      );
    for (const g of genres)
      expect((await getBody<AlbumPage>(`/albums?genre=${encodeURIComponent(g.name)}&limit=1`)).total).toBe(
        g.album_count,
      );
  });
});

describe('changes', () => {
  const patch = (path: string, body: unknown, token?: string) =>
    server.api<TrackOut>(path, { method: 'PATCH', body, ...(token && { token }) });

  test('only an account with the right can edit a track', async () => {
    const id = sample.tracks[0]?.id;
    const trackBefore = await getBody<TrackOut>(`/tracks/${id}`);
    expect((await patch(`/tracks/${id}`, { title: 'Mine' }, listener)).status).toBe(403);
    expect(await getBody<TrackOut>(`/tracks/${id}`)).toEqual(trackBefore);
    const response = await patch(`/tracks/${id}`, { title: '  New title ', year: 1987, genre: 'Dub' }, editor);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id, title: 'New title', year: 1987, genre: 'Dub', genres: ['Dub'] });
    expect(await getBody<TrackOut>(`/tracks/${id}`)).toMatchObject({
      title: 'New title',
      year: 1987,
      metadata_status: sample.tracks[0]?.status,
    });
  });

  test.each([
    [{ title: '' }, 422],
    [{ title: '   ' }, 422],
    [{ title: null }, 422],
    [{ year: -1 }, 422],
    [{ year: 1.5 }, 422],
    [{ year: 'soon' }, 422],
    [{ genre: '' }, 422],
    [{ track_number: 10_000 }, 422],
    [{ metadata_status: 'manual' }, 422],
    [{ id: 3 }, 422],
    [{ storage_uri: 'file:/etc/passwd' }, 422],
    [{ created_at: 'x' }, 422],
    [[], 422],
    ['{not json', 400],
  ])('a body of %j gets %d and changes nothing', async (body, status) => {
    const id = sample.tracks[1]?.id;
    const trackBefore = await getBody<TrackOut>(`/tracks/${id}`);
    expect(
      await code(`/tracks/${id}`, { method: 'PATCH', body, headers: { 'Content-Type': 'application/json' } }),
    ).toBe(status);
    expect(await getBody<TrackOut>(`/tracks/${id}`)).toEqual(trackBefore);
  });

  test('only an administrator may change an artist', async () => {
    const id = sample.artists[0]?.id;
    expect((await patch(`/artists/${id}`, { sort_name: 'Zzz' }, listener)).status).toBe(403);
    expect((await patch(`/artists/${id}`, { sort_name: '!Zzz', never_split: true })).body).toMatchObject({
      id,
      sort_name: '!Zzz',
      never_split: true,
    });
    expect((await patch(`/artists/${id}`, { never_split: false })).body).toMatchObject({
      sort_name: '!Zzz',
      never_split: false,
    });
    expect((await getBody<ArtistPage>('/artists?limit=1')).items[0]?.id).toBe(id);
    expect((await patch(`/artists/${id}`, { name: 'x' })).status).toBe(422);
    expect((await patch('/artists/99999', { never_split: true })).status).toBe(404);
  });

  test('a deleted track is not found when it is deleted again', async () => {
    const id = sample.tracks[2]?.id;
    expect(await code(`/tracks/${id}`, { method: 'DELETE', token: listener })).toBe(403);
    expect(await code(`/tracks/${id}`)).toBe(200);
    expect(await code(`/tracks/${id}`, { method: 'DELETE', token: editor })).toBe(204);
    expect(await code(`/tracks/${id}`)).toBe(404);
    expect(await code(`/tracks/${id}`, { method: 'DELETE' })).toBe(404);
    expect(await code(`/tracks/${id}`, { method: 'PATCH', body: { title: 'x' } })).toBe(404);
    expect((await getBody<TrackPage>('/tracks?limit=1')).total).toBe(129);
  });

  test('everything requires a token', async () => {
    for (const [method, path] of [
      ['GET', '/tracks'],
      ['GET', '/tracks/1'],
      ['PATCH', '/tracks/1'],
      ['DELETE', '/tracks/1'],
      ['GET', '/albums'],
      ['GET', '/artists'],
      ['PATCH', '/artists/1'],
      ['GET', '/genres'],
      ['GET', '/search/library?q=a'],
    ] as const) {
      expect(await code(path, { method, token: null, ...(method === 'PATCH' && { body: {} }) }), path).toBe(401);
    }
  });
});

describe('search', () => {
  test('answers with a page of each kind', async () => {
    const body = await getBody<LibrarySearchResponse>('/search/library?q=LOVE&limit=3&offset=0');
    expect(body.query).toBe('LOVE');
    for (const page of [body.tracks, body.albums, body.artists]) expect(page).toMatchObject({ limit: 3, offset: 0 });
    expect(body.tracks.items).toHaveLength(3);
    expect(body.tracks.items[0]).toEqual(await getBody<TrackOut>(`/tracks/${body.tracks.items[0]?.id}`));
  });

  test.each(['', 'q=', 'q=%20%20', `q=${'x'.repeat(201)}`, 'q=a&limit=0', 'q=a&offset=-1', 'q=a&q=b'])(
    'answers 422 to %j',
    async (query) => {
      expect(await code(`/search/library?${query}`)).toBe(422);
    },
  );
});

test('“never split” gives an artist of many tracks all of them, and removing it splits them again', async () => {
  const tracks = createTrackWriter({ db, now: () => new Date() });
  db.$client.transaction(() => {
    for (let n = 0; n < 230; n++)
      tracks.insert({
        source: 'upload',
        sourceId: `pair ${n}`,
        identity: {
          title: `${n}`,
          artists: ['Salt ; Pepper'],
          album: 'Mill',
          albumArtist: 'Salt ; Pepper',
          genres: [],
        },
        audio: silence,
      });
    // from a time at which names were not split
    createTrackWriter({ db, now: () => new Date(), artistSeparators: () => [] }).insert({
      source: 'upload',
      sourceId: 'whole pair',
      identity: { title: 'Guest', artists: ['Guest'], album: 'Kitchen', albumArtist: 'Salt ; Pepper', genres: [] },
      audio: silence,
    });
  })();
  const pair = async (): Promise<ArtistOut | undefined> =>
    (await getBody<ArtistPage>('/artists?q=salt pepper')).items.find(({ name }) => name === 'Salt ; Pepper');
  const id = (await pair())?.id;
  for (const [never_split, expectedCount, albumCount] of [
    [true, 230, 2],
    [false, 0, 1],
  ] as const) {
    expect((await server.api(`/artists/${id}`, { method: 'PATCH', body: { never_split } })).status).toBe(200);
    await server.app.drain();
    expect(await pair()).toMatchObject({ never_split, track_count: expectedCount, album_count: albumCount });
    expect(
      (await getBody<ArtistPage>('/artists?q=pepper&limit=200')).items.map(({ name, track_count }) => [
        name,
        track_count,
      ]),
    ).toEqual(
      never_split
        ? [['Salt ; Pepper', 230]]
        : [
            ['Pepper', 230],
            ['Salt ; Pepper', 0],
          ],
    );
  }
});
