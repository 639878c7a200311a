// What people did with albums and artists follows the tracks through every change of their names: likes, ratings,
// chosen covers and pictures, what radios never play, and since when an album is there.
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumOut, ArtistOut, TrackEditOut, TrackOut } from '../../server/library/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { startServer, type TestServer } from '../support/server.ts';

const YEAR_MS = 365 * 86_400_000;

let server: TestServer;
let maker: ReturnType<typeof trackMaker>;
let now = Date.now() - YEAR_MS;
let made = 0;
beforeAll(async () => {
  server = await startServer({ now: () => new Date(now) });
  maker = trackMaker(server.app, () => new Date(now));
});
afterAll(() => server.close());

interface Names {
  artist: string;
  album: string | null;
}

/** Adds an album of so many tracks by an artist of its own. */
function addAlbum(tracks: number): { ids: number[]; names: Names } {
  made += 1;
  const names = { artist: `Quay ${made}`, album: `Harbour ${made}` };
  const ids = Array.from({ length: tracks }, (_, i) =>
    maker.add({ title: `Tide ${made}.${i}`, artists: [names.artist], album: names.album }),
  );
  return { ids, names };
}
const track = async (id: number | undefined): Promise<TrackOut> => (await server.api<TrackOut>(`/tracks/${id}`)).body;
const album = async (id: number | null): Promise<AlbumOut> => (await server.api<AlbumOut>(`/albums/${id}`)).body;
const artist = async (id: number | null): Promise<ArtistOut> => (await server.api<ArtistOut>(`/artists/${id}`)).body;
const rename = async (ids: readonly number[], { artist: artistName, album: title }: Names): Promise<void> => {
  for (const id of ids)
    expect(
      await server.api(`/tracks/${id}/metadata`, {
        method: 'PUT',
        body: { title: `Tide ${id}`, artist: artistName, album: title },
      }),
    ).toMatchObject({ status: 200 });
};
const undo = async (id: number | undefined): Promise<void> => {
  const [edit] = (await server.api<TrackEditOut[]>(`/tracks/${id}/edits`)).body;
  expect((await server.api(`/tracks/${id}/edits/${edit?.id}/undo`, { method: 'POST' })).status).toBe(200);
};
const like = (item_type: 'album' | 'artist', item_id: number | null, more: object = {}) =>
  server.api('/likes', { method: 'POST', body: { item_type, item_id, liked: true, ...more } });

/** Liked, and the rating. */
async function said(item_type: 'album' | 'artist', id: number | null): Promise<[boolean, number]> {
  const { body } = await server.api<{ liked: boolean; rating: number }[]>(
    `/likes/state?item_type=${item_type}&item_id=${id}`,
  );
  return [body[0]?.liked ?? false, body[0]?.rating ?? 0];
}

async function choosePicture(kind: 'albums' | 'artists', id: number | null, background: string): Promise<string> {
  const png = await sharp({ create: { width: 80, height: 80, channels: 3, background } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(png)]), 'picture.png');
  const answer = await fetch(`${server.url}/api/v1/${kind}/${id}/cover`, {
    method: 'PUT',
    body: form,
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(answer.status).toBe(204);
  return picture(kind, id);
}
/** A hash of what is shown. */
async function picture(kind: 'albums' | 'artists', id: number | null): Promise<string> {
  await server.app.drain();
  const answer = await fetch(`${server.url}/api/v1/${kind}/${id}/cover`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  return createHash('sha1')
    .update(new Uint8Array(await answer.arrayBuffer()))
    .digest('hex');
}
const neverPlayed = async (): Promise<string[]> =>
  (await server.api<{ artists: { name: string }[] }>('/radio/never')).body.artists.map(({ name }) => name);

/** Likes, rates and draws pictures for the album and artist of a track, and returns what is to be there for ever. */
async function annotate(id: number | undefined) {
  const { album_id: albumId, artist_id: artistId } = await track(id);
  await like('album', albumId, { rating: 4 });
  await like('artist', artistId, { rating: 2 });
  expect((await server.api(`/radio/never/artists/${artistId}`, { method: 'PUT' })).status).toBe(204);
  const cover = await choosePicture('albums', albumId, '#c14953');
  const portrait = await choosePicture('artists', artistId, '#4953c1');
  return {
    cover,
    portrait,
    since: (await album(albumId)).created_at,
    artistSince: (await artist(artistId)).created_at,
  };
}
/** Which of the annotations the album and artist of a track have. */
async function annotationsOf(id: number | undefined) {
  const { album_id: albumId, artist_id: artistId, artist_name: name } = await track(id);
  const [itsAlbum, itsArtist] = [await album(albumId), await artist(artistId)];
  return {
    album: [...(await said('album', albumId)), itsAlbum.created_at],
    artist: [...(await said('artist', artistId)), itsArtist.created_at],
    cover: await picture('albums', albumId),
    portrait: await picture('artists', artistId),
    never: (await neverPlayed()).filter((one) => one === name).length,
  };
}
const whole = ({ cover, portrait, since, artistSince }: Awaited<ReturnType<typeof annotate>>) => ({
  album: [true, 4, since],
  artist: [true, 2, artistSince],
  cover,
  portrait,
  never: 1,
});

test('an album that gets another title and artist in several sittings', async () => {
  const { ids, names } = addAlbum(3);
  const annotated = await annotate(ids[0]);
  const other = { artist: `The ${names.artist}`, album: `${names.album} (Deluxe)` };
  for (const id of ids) {
    now += 10_000;
    expect(await annotationsOf(ids[2]), 'those that are left').toEqual(whole(annotated));
    await rename([id], other);
  }
  expect(await annotationsOf(ids[0])).toEqual(whole(annotated));

  await rename(ids, names); // and back, by hand
  expect(await annotationsOf(ids[1])).toEqual(whole(annotated));
});

test('when the tracks go to several, to the one that gets most; it follows them further', async () => {
  const { ids } = addAlbum(3);
  const annotated = await annotate(ids[0]);
  await rename(ids.slice(0, 1), { artist: `Few ${made}`, album: `Few ${made}` });
  await rename(ids.slice(1), { artist: `Many ${made}`, album: `Many ${made}` });
  expect(await annotationsOf(ids[2])).toEqual(whole(annotated));
  expect((await annotationsOf(ids[0])).album.slice(0, 2)).toEqual([false, 0]);

  await rename(ids.slice(1), { artist: `Few ${made}`, album: `Few ${made}` });
  expect(await annotationsOf(ids[0])).toEqual(whole(annotated));
});

test('tracks that have no album and no artist for a while', async () => {
  const { ids, names } = addAlbum(2);
  const annotated = await annotate(ids[0]);
  await rename(ids, { artist: names.artist, album: null });
  await rename(ids, { artist: names.artist, album: `Found ${made}` });
  expect(await annotationsOf(ids[0])).toEqual(whole(annotated));
});

test('in an album that has its own, those count, and an undo parts the two again', async () => {
  const [{ ids }, { ids: others, names: theirs }] = [addAlbum(2), addAlbum(2)];
  const annotated = await annotate(ids[0]);
  const { album_id: albumId, artist_id: artistId } = await track(others[0]);
  const ownCover = await choosePicture('albums', albumId, '#53c149');
  const before = await annotationsOf(others[0]);
  await like('album', albumId, { liked: false, rating: 5 });
  await rename(ids, theirs);
  const together = await annotationsOf(others[0]);
  expect(together).toMatchObject({
    album: [true, 5, annotated.since],
    cover: ownCover,
    portrait: annotated.portrait,
    never: 1,
  });

  for (const id of ids) await undo(id);
  expect(await annotationsOf(ids[1])).toEqual(whole(annotated));
  expect([await said('album', albumId), await said('artist', artistId)]).toEqual([
    [false, 5],
    [false, 0],
  ]);
  expect(await annotationsOf(others[0])).toMatchObject({ never: 0, portrait: before.portrait });
});

test('when each track is merged into one of another album, and when that is undone', async () => {
  const [{ ids }, { ids: others }] = [addAlbum(2), addAlbum(2)];
  const annotated = await annotate(ids[0]);
  const { $client } = server.app.db;
  $client.pragma('foreign_keys = OFF'); // they have no fingerprints
  for (const [n, id] of [...ids, ...others].entries())
    $client.prepare('INSERT INTO duplicate_members (group_id, track_id) VALUES (?, ?)').run(made * 10 + (n % 2), id);
  $client.pragma('foreign_keys = ON');
  for (const [n, id] of ids.entries())
    expect(
      await server.api('/duplicates/merge', { method: 'POST', body: { keep: others[n], merge: [id] } }),
    ).toMatchObject({ status: 200 });
  expect(await annotationsOf(others[0])).toEqual(whole(annotated));

  for (const id of ids) expect((await server.api(`/merges/${id}/undo`, { method: 'POST' })).status).toBe(200);
  expect(await annotationsOf(ids[0])).toMatchObject({ ...whole(annotated), album: [true, 4, annotated.since] });
  const { album_id: albumId, artist_id: artistId } = await track(others[0]);
  expect([await said('album', albumId), await said('artist', artistId)]).toEqual([
    [false, 0],
    [false, 0],
  ]);
});

test('an artist whose tracks were all deleted and are restored', async () => {
  const { ids } = addAlbum(2);
  const annotated = await annotate(ids[0]);
  for (const id of ids) await server.api(`/tracks/${id}`, { method: 'DELETE' });
  expect(await neverPlayed()).not.toContain(`Quay ${made}`);
  for (const id of ids) await server.api(`/trash/${id}/restore`, { method: 'POST' });
  expect(await annotationsOf(ids[0])).toEqual(whole(annotated));
});

test('what a person takes back while the names are others stays taken back', async () => {
  const { ids, names } = addAlbum(2);
  await annotate(ids[0]);
  await rename(ids, { artist: `Taken ${made}`, album: `Back ${made}` });
  const { album_id: albumId, artist_id: artistId } = await track(ids[0]);
  await like('album', albumId, { liked: false, rating: 0 });
  await like('artist', artistId, { liked: false });
  await rename(ids.slice(0, 1), names);
  await undo(ids[1]);
  const { album: itsAlbum, artist: itsArtist } = await annotationsOf(ids[1]);
  expect([itsAlbum[0], itsAlbum[1], itsArtist[0], itsArtist[1]]).toEqual([false, 0, false, 2]);
});

test('an album is there since its oldest track, whatever its name', async () => {
  const { ids } = addAlbum(1);
  const { created_at: since, artist_id: artistId } = await track(ids[0]);
  now += 50_000;
  const { names } = addAlbum(1);
  await rename(ids, names);
  const { album_id: albumId, artist_id: newArtist } = await track(ids[0]);
  expect(newArtist).not.toBe(artistId);
  expect([(await album(albumId)).created_at, (await artist(newArtist)).created_at]).toEqual([since, since]);
});

test('an artist whose only track is by its album artist now, and a guest who is named no more', async () => {
  const add = (artists: string[]) =>
    maker.add({ title: `Ebb ${artists.join()}`, artists, album: `Ebb ${artists.join()}`, albumArtist: 'Host' });
  const [alone, withGuest] = [add(['Lone']), add(['Host', 'Guest'])];
  const [lone, host] = (await Promise.all([alone, withGuest].map(track))).map(({ artist_id }) => artist_id);
  const guest = (await track(withGuest)).artists[1]?.id ?? null;
  await like('artist', guest);
  await like('artist', lone ?? null, { rating: 3 });
  await server.api(`/tracks/${withGuest}`, { method: 'PATCH', body: { artists: ['Host'] } });
  expect(await said('artist', host ?? null)).toEqual([false, 0]);
  await server.api(`/tracks/${alone}`, { method: 'PATCH', body: { artist: 'Host' } });
  expect(await said('artist', host ?? null)).toEqual([true, 3]);
});
