// Likes, ratings, chosen covers and pictures, radio exclusions and dates of albums and artists follow the tracks
// through every change of their names.
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumOut, ArtistOut, TrackEditOut, TrackOut } from '../../server/library/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { startServer, type TestServer } from '../support/server.ts';

const YEAR_MS = 365 * 86_400_000;

let server: TestServer;
let trackFactory: ReturnType<typeof trackMaker>;
let now = Date.now() - YEAR_MS;
let albumNumber = 0;
beforeAll(async () => {
  server = await startServer({ now: () => new Date(now) });
  trackFactory = trackMaker(server.app, () => new Date(now));
});
afterAll(() => server.close());

interface Names {
  artist: string;
  album: string | null;
}

/** Adds an album with this number of tracks by an artist who has no other album. */
function addAlbum(trackCount: number): { ids: number[]; names: Names } {
  albumNumber += 1;
  const names = { artist: `Quay ${albumNumber}`, album: `Harbour ${albumNumber}` };
  const ids = Array.from({ length: trackCount }, (_, i) =>
    trackFactory.add({ title: `Tide ${albumNumber}.${i}`, artists: [names.artist], album: names.album }),
  );
  return { ids, names };
}
const getTrack = async (id: number | undefined): Promise<TrackOut> =>
  (await server.api<TrackOut>(`/tracks/${id}`)).body;
const getAlbum = async (id: number | null): Promise<AlbumOut> => (await server.api<AlbumOut>(`/albums/${id}`)).body;
const getArtist = async (id: number | null): Promise<ArtistOut> => (await server.api<ArtistOut>(`/artists/${id}`)).body;
const retagTracks = async (ids: readonly number[], { artist: artistName, album: title }: Names): Promise<void> => {
  for (const id of ids)
    expect(
      await server.api(`/tracks/${id}/metadata`, {
        method: 'PUT',
        body: { title: `Tide ${id}`, artist: artistName, album: title },
      }),
    ).toMatchObject({ status: 200 });
};
const undoLatestEdit = async (id: number | undefined): Promise<void> => {
  const [edit] = (await server.api<TrackEditOut[]>(`/tracks/${id}/edits`)).body;
  expect((await server.api(`/tracks/${id}/edits/${edit?.id}/undo`, { method: 'POST' })).status).toBe(200);
};
const setLike = (item_type: 'album' | 'artist', item_id: number | null, extraFields: object = {}) =>
  server.api('/likes', { method: 'POST', body: { item_type, item_id, liked: true, ...extraFields } });

/** Returns whether the album or artist is liked, and its rating. */
async function getLikeAndRating(item_type: 'album' | 'artist', id: number | null): Promise<[boolean, number]> {
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
  const response = await fetch(`${server.url}/api/v1/${kind}/${id}/cover`, {
    method: 'PUT',
    body: form,
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(response.status).toBe(204);
  return hashOfPicture(kind, id);
}
/** Returns a hash of the image that is displayed. */
async function hashOfPicture(kind: 'albums' | 'artists', id: number | null): Promise<string> {
  await server.app.drain();
  const response = await fetch(`${server.url}/api/v1/${kind}/${id}/cover`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  return createHash('sha1')
    .update(new Uint8Array(await response.arrayBuffer()))
    .digest('hex');
}
const listExcludedArtists = async (): Promise<string[]> =>
  (await server.api<{ artists: { name: string }[] }>('/radio/never')).body.artists.map(({ name }) => name);

/** Likes, rates and draws pictures for the album and artist of a track; returns what must stay with them. */
async function annotate(id: number | undefined) {
  const { album_id: albumId, artist_id: artistId } = await getTrack(id);
  await setLike('album', albumId, { rating: 4 });
  await setLike('artist', artistId, { rating: 2 });
  expect((await server.api(`/radio/never/artists/${artistId}`, { method: 'PUT' })).status).toBe(204);
  const cover = await choosePicture('albums', albumId, '#c14953');
  const portrait = await choosePicture('artists', artistId, '#4953c1');
  return {
    cover,
    portrait,
    since: (await getAlbum(albumId)).created_at,
    artistSince: (await getArtist(artistId)).created_at,
  };
}
/** Returns the annotations of a track's album and artist. */
async function annotationsOf(id: number | undefined) {
  const { album_id: albumId, artist_id: artistId, artist_name: name } = await getTrack(id);
  const [album, artist] = [await getAlbum(albumId), await getArtist(artistId)];
  return {
    album: [...(await getLikeAndRating('album', albumId)), album.created_at],
    artist: [...(await getLikeAndRating('artist', artistId)), artist.created_at],
    cover: await hashOfPicture('albums', albumId),
    portrait: await hashOfPicture('artists', artistId),
    never: (await listExcludedArtists()).filter((excludedName) => excludedName === name).length,
  };
}
const expectedAnnotations = ({ cover, portrait, since, artistSince }: Awaited<ReturnType<typeof annotate>>) => ({
  album: [true, 4, since],
  artist: [true, 2, artistSince],
  cover,
  portrait,
  never: 1,
});

test('an album that gets another title and artist in several sittings', async () => {
  const { ids, names } = addAlbum(3);
  const annotated = await annotate(ids[0]);
  const newNames = { artist: `The ${names.artist}`, album: `${names.album} (Deluxe)` };
  for (const id of ids) {
    now += 10_000;
    expect(await annotationsOf(ids[2]), 'the tracks that were not renamed yet').toEqual(expectedAnnotations(annotated));
    await retagTracks([id], newNames);
  }
  expect(await annotationsOf(ids[0])).toEqual(expectedAnnotations(annotated));

  await retagTracks(ids, names); // another edit restores the names
  expect(await annotationsOf(ids[1])).toEqual(expectedAnnotations(annotated));
});

test('annotations move to the album that most of the tracks move to, and on with them', async () => {
  const { ids } = addAlbum(3);
  const annotated = await annotate(ids[0]);
  await retagTracks(ids.slice(0, 1), { artist: `Few ${albumNumber}`, album: `Few ${albumNumber}` });
  await retagTracks(ids.slice(1), { artist: `Many ${albumNumber}`, album: `Many ${albumNumber}` });
  expect(await annotationsOf(ids[2])).toEqual(expectedAnnotations(annotated));
  expect((await annotationsOf(ids[0])).album.slice(0, 2)).toEqual([false, 0]);

  await retagTracks(ids.slice(1), { artist: `Few ${albumNumber}`, album: `Few ${albumNumber}` });
  expect(await annotationsOf(ids[0])).toEqual(expectedAnnotations(annotated));
});

test('tracks that have no album for a while', async () => {
  const { ids, names } = addAlbum(2);
  const annotated = await annotate(ids[0]);
  await retagTracks(ids, { artist: names.artist, album: null });
  await retagTracks(ids, { artist: names.artist, album: `Found ${albumNumber}` });
  expect(await annotationsOf(ids[0])).toEqual(expectedAnnotations(annotated));
});

test('an album that has annotations keeps them when tracks of another join it, and an undo separates the two', async () => {
  const [{ ids }, { ids: otherIds, names: otherNames }] = [addAlbum(2), addAlbum(2)];
  const annotated = await annotate(ids[0]);
  const { album_id: albumId, artist_id: artistId } = await getTrack(otherIds[0]);
  const ownCover = await choosePicture('albums', albumId, '#53c149');
  const previousAnnotations = await annotationsOf(otherIds[0]);
  await setLike('album', albumId, { liked: false, rating: 5 });
  await retagTracks(ids, otherNames);
  const mergedAnnotations = await annotationsOf(otherIds[0]);
  expect(mergedAnnotations).toMatchObject({
    album: [true, 5, annotated.since],
    cover: ownCover,
    portrait: annotated.portrait,
    never: 1,
  });

  for (const id of ids) await undoLatestEdit(id);
  expect(await annotationsOf(ids[1])).toEqual(expectedAnnotations(annotated));
  expect([await getLikeAndRating('album', albumId), await getLikeAndRating('artist', artistId)]).toEqual([
    [false, 5],
    [false, 0],
  ]);
  expect(await annotationsOf(otherIds[0])).toMatchObject({ never: 0, portrait: previousAnnotations.portrait });
});

test('an album whose tracks are merged one by one into those of another album, and an undo of the merges', async () => {
  const [{ ids }, { ids: otherIds }] = [addAlbum(2), addAlbum(2)];
  const annotated = await annotate(ids[0]);
  const { $client } = server.app.db;
  $client.pragma('foreign_keys = OFF'); // the rows refer to fingerprints, which the tracks lack
  for (const [n, id] of [...ids, ...otherIds].entries())
    $client
      .prepare('INSERT INTO duplicate_members (group_id, track_id) VALUES (?, ?)')
      .run(albumNumber * 10 + (n % 2), id);
  $client.pragma('foreign_keys = ON');
  for (const [n, id] of ids.entries())
    expect(
      await server.api('/duplicates/merge', { method: 'POST', body: { keep: otherIds[n], merge: [id] } }),
    ).toMatchObject({ status: 200 });
  expect(await annotationsOf(otherIds[0])).toEqual(expectedAnnotations(annotated));

  for (const id of ids) expect((await server.api(`/merges/${id}/undo`, { method: 'POST' })).status).toBe(200);
  expect(await annotationsOf(ids[0])).toMatchObject({
    ...expectedAnnotations(annotated),
    album: [true, 4, annotated.since],
  });
  const { album_id: albumId, artist_id: artistId } = await getTrack(otherIds[0]);
  expect([await getLikeAndRating('album', albumId), await getLikeAndRating('artist', artistId)]).toEqual([
    [false, 0],
    [false, 0],
  ]);
});

test('an artist whose tracks were all deleted and are restored', async () => {
  const { ids } = addAlbum(2);
  const annotated = await annotate(ids[0]);
  for (const id of ids) await server.api(`/tracks/${id}`, { method: 'DELETE' });
  expect(await listExcludedArtists()).not.toContain(`Quay ${albumNumber}`);
  for (const id of ids) await server.api(`/trash/${id}/restore`, { method: 'POST' });
  expect(await annotationsOf(ids[0])).toEqual(expectedAnnotations(annotated));
});

test('annotations that a person removes while the names are changed stay removed', async () => {
  const { ids, names } = addAlbum(2);
  await annotate(ids[0]);
  await retagTracks(ids, { artist: `Taken ${albumNumber}`, album: `Back ${albumNumber}` });
  const { album_id: albumId, artist_id: artistId } = await getTrack(ids[0]);
  await setLike('album', albumId, { liked: false, rating: 0 });
  await setLike('artist', artistId, { liked: false });
  await retagTracks(ids.slice(0, 1), names);
  await undoLatestEdit(ids[1]);
  const { album: albumState, artist: artistState } = await annotationsOf(ids[1]);
  expect([albumState[0], albumState[1], artistState[0], artistState[1]]).toEqual([false, 0, false, 2]);
});

test('an album is as old as its oldest track, whatever its name', async () => {
  const { ids } = addAlbum(1);
  const { created_at: createdAt, artist_id: artistId } = await getTrack(ids[0]);
  now += 50_000;
  const { names } = addAlbum(1);
  await retagTracks(ids, names);
  const { album_id: albumId, artist_id: newArtistId } = await getTrack(ids[0]);
  expect(newArtistId).not.toBe(artistId);
  expect([(await getAlbum(albumId)).created_at, (await getArtist(newArtistId)).created_at]).toEqual([
    createdAt,
    createdAt,
  ]);
});

test('an artist whose only track gets another artist, and a guest who is removed from a track', async () => {
  const addTrack = (artists: string[]) =>
    trackFactory.add({ title: `Ebb ${artists.join()}`, artists, album: `Ebb ${artists.join()}`, albumArtist: 'Host' });
  const [soloTrackId, guestTrackId] = [addTrack(['Lone']), addTrack(['Host', 'Guest'])];
  const [soloArtistId, hostId] = (await Promise.all([soloTrackId, guestTrackId].map(getTrack))).map(
    ({ artist_id }) => artist_id,
  );
  const guestId = (await getTrack(guestTrackId)).artists[1]?.id ?? null;
  await setLike('artist', guestId);
  await setLike('artist', soloArtistId ?? null, { rating: 3 });
  await server.api(`/tracks/${guestTrackId}`, { method: 'PATCH', body: { artists: ['Host'] } });
  expect(await getLikeAndRating('artist', hostId ?? null)).toEqual([false, 0]);
  await server.api(`/tracks/${soloTrackId}`, { method: 'PATCH', body: { artist: 'Host' } });
  expect(await getLikeAndRating('artist', hostId ?? null)).toEqual([true, 3]);
});
