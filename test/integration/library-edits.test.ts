// Edits and deletions leave correct tables behind: names, sort keys, search text, counts, stored objects.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AlbumId, ArtistId, TrackId, UserId } from '../../server/db/ids.ts';
import type { AppError } from '../../server/errors.ts';
import type { TrackAudio, TrackIdentity } from '../../server/library/tracks/track-values.ts';
import { createTrackWriter, type TrackWriter } from '../../server/library/tracks/track-writer.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { seededRandom } from '../support/test-random.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { silence } from '../support/silence.ts';

const ann = 1 as UserId; // users who only read need no row
let temp: TempDatabase;
let clock: number;
let services: ReturnType<typeof openLibraryServices>;

beforeEach(() => {
  temp = openTempDatabase();
  clock = Date.UTC(2026, 0, 1);
  services = openLibraryServices(temp.db, { now: () => new Date(clock) });
});
afterEach(() => temp.close());

let files = 0;
function add(
  identity: Partial<TrackIdentity>,
  audio: Partial<TrackAudio> = {},
  tracks: Pick<TrackWriter, 'insert'> = services.tracks,
): TrackId {
  const audioFields: TrackAudio = {
    ...silence,
    sizeBytes: 10,
    format: 'flac',
    storageUri: `local:audio/${++files}`,
    ...audio,
  };
  return tracks.insert({
    source: 'upload',
    sourceId: `${++files}`,
    identity: { title: 'Song', artists: ['The Quays'], album: 'Harbour', genres: ['Rock'], year: 1999, ...identity },
    audio: audioFields,
  });
}
/** Returns a storage URI that is named by its content. */
const storedFile = (start: string) => ({
  contentHash: start.padEnd(64, '0'),
  storageUri: `local:audio/${start}/${start.padEnd(64, '0')}.flac`,
});
const selectRows = <T>(sql: string, ...params: unknown[]): T[] => temp.db.$client.prepare(sql).all(...params) as T[];
const selectRow = <T>(sql: string, ...params: unknown[]): T => selectRows<T>(sql, ...params)[0] as T;
const searchTrackIds = async (query: string): Promise<number[]> =>
  (await services.library.listTracks(ann, { q: query }, { sort: 'title' }, { limit: 200, offset: 0 })).items.map(
    ({ id }) => id,
  );
const codeOf = (attempt: () => unknown): string => {
  try {
    attempt();
    return 'none';
  } catch (error) {
    return (error as AppError).code;
  }
};

describe('an edit of a track', () => {
  test('sets only the given fields and marks them as manual', () => {
    const id = add({ provenance: { artist: 'path' } });
    const trackBefore = services.library.getTrack(ann, id);
    clock += 1_000;
    const trackAfter = services.library.updateTrack(ann, id, {
      title: 'Zürich',
      year: 2001,
      trackNumber: 4,
      discNumber: null,
    });
    expect(trackAfter).toEqual({
      ...trackBefore,
      title: 'Zürich',
      year: 2001,
      trackNumber: 4,
      discNumber: null,
      updatedAt: new Date(clock),
    });
    expect(trackAfter.metadataStatus).toBe('pending');
    expect(selectRow('SELECT title_sort, provenance FROM tracks WHERE id = ?', id)).toEqual({
      title_sort: 'zurich',
      provenance: JSON.stringify({
        artist: 'path',
        title: 'manual',
        year: 'manual',
        trackNumber: 'manual',
        discNumber: 'manual',
      }),
    });
  });

  test('is found by its new title', async () => {
    const id = add({ title: 'Lighthouse' });
    services.library.updateTrack(ann, id, { title: 'Breakwater' });
    expect(await searchTrackIds('lighthouse')).toEqual([]);
    expect(await searchTrackIds('breakwater quays')).toEqual([id]);
  });

  test('replaces all genres with one, and updates the album', () => {
    const id = add({ genres: ['Rock', 'Pop'] });
    const { albumId } = services.library.updateTrack(ann, id, { genre: 'Sea Shanty' });
    expect(services.library.getTrack(ann, id)).toMatchObject({ genre: 'Sea Shanty', genres: ['Sea Shanty'] });
    expect(services.library.getAlbum(ann, albumId as AlbumId).genre).toBe('Sea Shanty');
    expect(services.library.listGenres()).toEqual([{ name: 'Sea Shanty', trackCount: 1, albumCount: 1 }]);
  });

  test('removes a genre with null', () => {
    const id = add({ genres: ['Rock', 'Pop'] });
    expect(services.library.updateTrack(ann, id, { genre: null })).toMatchObject({ genre: null, genres: [] });
    expect(services.library.listGenres()).toEqual([]);
  });

  test('finds a genre by its folded name', () => {
    const [one_, otherId] = [add({ genres: ['Rock'] }), add({ title: 'Other', genres: [] })];
    services.library.updateTrack(ann, otherId, { genre: 'ＲＯＣＫ' });
    expect(services.library.listGenres()).toEqual([{ name: 'Rock', trackCount: 2, albumCount: 1 }]);
    expect(one_).not.toBe(otherId);
  });

  test('of nothing changes nothing', () => {
    const id = add({});
    const trackBefore = services.library.getTrack(ann, id);
    clock += 5_000;
    expect(services.library.updateTrack(ann, id, {})).toEqual(trackBefore);
  });

  test('updates the album counts when the disc changes', () => {
    const id = add({ discNumber: 1 });
    const { albumId } = services.library.updateTrack(ann, id, { discNumber: 3 });
    expect(services.library.getAlbum(ann, albumId as AlbumId).discCount).toBe(3);
  });

  test('of a missing track is refused', () => {
    expect(codeOf(() => services.library.updateTrack(ann, 99 as TrackId, { title: 'x' }))).toBe('not_found');
  });
});

describe('an edit of an artist', () => {
  test('files the artist, their albums and their tracks under the new name', async () => {
    add({ title: 'One', artists: ['Abba'], album: 'A' });
    const id = add({ title: 'Two', artists: ['Mötley'], album: 'B' });
    const artistId = services.library.getTrack(ann, id).artistId as ArtistId;
    services.library.updateArtist(ann, artistId, { sortName: 'Áaa, Mötley' });
    expect(services.library.getArtist(ann, artistId)).toMatchObject({ name: 'Mötley', sortName: 'Áaa, Mötley' });
    const order = { sort: 'artist', order: 'asc' } as const;
    const page = { limit: 10, offset: 0 };
    expect((await services.library.listTracks(ann, {}, order, page)).items.map((track) => track.artistName)).toEqual([
      'Mötley',
      'Abba',
    ]);
    expect((await services.library.listAlbums(ann, {}, order, page)).items.map((album) => album.artistName)).toEqual([
      'Mötley',
      'Abba',
    ]);
    expect((await services.library.listArtists(ann, {}, order, page)).items.map((artist) => artist.name)).toEqual([
      'Mötley',
      'Abba',
    ]);
  });

  describe('that keeps a name whole', () => {
    const creditOf = (id: TrackId) => {
      const { artistName, artists } = services.library.getTrack(ann, id);
      return [artistName, ...artists.map(({ name }) => name)];
    };
    const counts = () =>
      Object.fromEntries(
        selectRows<{ name: string; tracks: number; albums: number }>(
          'SELECT name, track_count AS tracks, album_count AS albums FROM artists ORDER BY name',
        ).map(({ name, tracks, albums }) => [name, [tracks, albums]]),
      );
    /** Returns the artist with exactly this name, from a time at which names were not split. */
    const wholeOf = (name: string): ArtistId => {
      const writer = createTrackWriter({ db: temp.db, now: () => new Date(clock), artistSeparators: () => [] });
      add({ title: 'Named', artists: ['Guest'], albumArtist: name, album: 'Named by its album' }, {}, writer);
      return selectRow<{ id: ArtistId }>('SELECT id FROM artists WHERE name = ?', name).id;
    };

    test('rejoins what was split, with its album and counts; removing the mark splits it again', async () => {
      const tracks = [add({ artists: ['Up / Down'], title: 'a' }), add({ artists: ['Up / Down'], title: 'b' })];
      const wholeArtist = wholeOf('Up / Down');
      const { albumId } = services.library.getTrack(ann, tracks[0] as TrackId);
      const stateBefore = [tracks.map(creditOf), counts()];
      expect(stateBefore).toEqual([
        tracks.map(() => ['Up, Down', 'Up', 'Down']),
        { Down: [2, 0], Guest: [1, 0], Up: [2, 1], 'Up / Down': [0, 1] },
      ]);

      expect(services.library.updateArtist(ann, wholeArtist, { neverSplit: true })).toMatchObject({
        trackCount: 2,
        albumCount: 2,
      });
      expect(tracks.map(creditOf)).toEqual(tracks.map(() => ['Up / Down', 'Up / Down']));
      expect(counts()).toEqual({ Guest: [1, 0], 'Up / Down': [2, 2] });
      expect(services.library.getAlbum(ann, albumId as AlbumId)).toMatchObject({
        artistId: wholeArtist,
        trackCount: 2,
      });
      expect(creditOf(add({ artists: ['Up / Down'], title: 'c' }))).toEqual(['Up / Down', 'Up / Down']);
      expect(services.library.getAlbum(ann, albumId as AlbumId).trackCount).toBe(3); // later tracks find the artist
      expect(await searchTrackIds('up')).toHaveLength(4);

      expect(services.library.updateArtist(ann, wholeArtist, { neverSplit: false })).toMatchObject({
        trackCount: 0,
        albumCount: 1,
      });
      expect(tracks.map(creditOf)).toEqual(stateBefore[0]);
      expect(counts()).toEqual({ Down: [3, 0], Guest: [1, 0], Up: [3, 1], 'Up / Down': [0, 1] });
      expect(creditOf(add({ artists: ['Up / Down'], title: 'd' }))).toEqual(['Up, Down', 'Up', 'Down']);
      expect(services.library.getAlbum(ann, albumId as AlbumId).trackCount).toBe(4);
    });

    test('does not change manual edits, other credits of the same names, and albums shared with others', () => {
      const typedId = add({ artists: ['Up / Down'], title: 'typed', album: 'Typed' });
      services.library.setMetadata(ann, typedId, {
        title: 'typed',
        artist: 'Up, Down',
        artists: ['Up', 'Down'],
        album: 'Typed',
      });
      const otherIds = [
        add({ artists: ['Up', 'Down'], artist: 'Up feat. Down', title: 'feat' }),
        add({ artists: ['Down', 'Up'], title: 'turned' }),
        add({ artists: ['Up', 'Down', 'Third'], title: 'three' }),
        add({ artists: ['Up'], title: 'alone' }),
      ];
      const split = add({ artists: ['Up / Down'], title: 'split' });
      const creditsBefore = [typedId, ...otherIds].map(creditOf);
      const { albumId } = services.library.getTrack(ann, split);
      const { artistId } = services.library.getAlbum(ann, albumId as AlbumId);
      services.library.updateArtist(ann, wholeOf('Up / Down'), { neverSplit: true });
      expect([typedId, ...otherIds].map(creditOf)).toEqual(creditsBefore);
      expect(creditOf(split)).toEqual(['Up / Down', 'Up / Down']);
      expect(services.library.getAlbum(ann, albumId as AlbumId).artistId).toBe(artistId);
    });

    test('continues with the rest of many tracks, a part at a time', () => {
      const tracks = Array.from({ length: 250 }, (_, n) =>
        add({ artists: ['Up / Down'], title: `${n}`, album: `Album ${n % 7}` }),
      );
      const wholeArtist = wholeOf('Up / Down');
      expect(services.library.updateArtist(ann, wholeArtist, { neverSplit: true }).trackCount).toBe(100);
      while (services.library.settleCredits(wholeArtist));
      expect(services.library.getArtist(ann, wholeArtist)).toMatchObject({ trackCount: 250, albumCount: 8 });
      expect(new Set(tracks.map((id) => creditOf(id).join()))).toEqual(new Set(['Up / Down,Up / Down']));
      services.library.updateArtist(ann, wholeArtist, { neverSplit: false });
      while (services.library.settleCredits(wholeArtist));
      expect(counts()).toEqual({ Down: [250, 0], Guest: [1, 0], Up: [250, 7], 'Up / Down': [0, 1] });
    });

    test('without a separator changes no track', () => {
      const id = add({ artists: ['AC/DC'] });
      services.library.updateArtist(ann, services.library.getTrack(ann, id).artistId as ArtistId, { neverSplit: true });
      expect(creditOf(id)).toEqual(['AC/DC', 'AC/DC']);
    });
  });

  test('that does not exist is refused', () => {
    expect(codeOf(() => services.library.updateArtist(ann, 99 as ArtistId, { neverSplit: true }))).toBe('not_found');
  });
});

describe('a deletion', () => {
  test('removes the track, its empty album and artists, and their search text', async () => {
    const id = add({
      title: 'Alone',
      artists: ['Solo', 'Guest'],
      albumArtists: ['Various Artists'],
      genres: ['Rock'],
      lyrics: { synced: false, lines: [{ text: 'la' }] },
    });
    const otherId = add({ title: 'Other', artists: ['Someone'], album: 'Elsewhere' });
    await services.deleteTrack(id);
    expect(services.library.countLibrary()).toEqual({ tracks: 1, albums: 1, artists: 1 });
    expect(codeOf(() => services.library.getTrack(ann, id))).toBe('not_found');
    for (const table of ['track_artists', 'track_genres', 'lyrics'])
      expect(selectRows(`SELECT * FROM ${table} WHERE track_id = ?`, id)).toEqual([]);
    expect(
      selectRows(
        'SELECT rowid FROM search_trigrams WHERE search_trigrams MATCH \'"solo" OR "guest" OR "alone" OR "harbour" OR "various"\'',
      ),
    ).toEqual([]);
    expect(await searchTrackIds('other')).toEqual([otherId]);
  });

  test('keeps an album and an artist with other tracks', async () => {
    const [firstId, secondId] = [add({ title: 'One' }), add({ title: 'Two' })];
    await services.deleteTrack(firstId);
    const remainingTrack = services.library.getTrack(ann, secondId);
    expect(services.library.getAlbum(ann, remainingTrack.albumId as AlbumId)).toMatchObject({
      trackCount: 1,
      durationMs: 1_000,
      sizeBytes: 10,
    });
    expect(services.library.getArtist(ann, remainingTrack.artistId as ArtistId)).toMatchObject({
      trackCount: 1,
      albumCount: 1,
    });
  });

  test('removes the stored audio with the last track that uses it', async () => {
    const sameAudio = storedFile('aa');
    const [firstId, secondId] = [add({ title: 'One' }, sameAudio), add({ title: 'Two' }, sameAudio)];
    await services.deleteTrack(firstId);
    expect(services.deletedObjects).toEqual([]);
    await services.deleteTrack(secondId);
    expect(services.deletedObjects).toEqual([sameAudio.storageUri.slice('local:'.length)]);
  });

  test.each(['file:Artist/Song.flac', 's3:audio/aa/x.flac', null])(
    'deletes no object for the URI %j',
    async (storageUri) => {
      await services.deleteTrack(add({}, { storageUri }));
      expect(services.deletedObjects).toEqual([]);
    },
  );

  test('removes the cover only with its album', async () => {
    const [firstId, secondId] = [
      add({ title: 'One' }, { storageUri: null }),
      add({ title: 'Two' }, { storageUri: null }),
    ];
    const { albumId } = services.library.getTrack(ann, firstId);
    temp.db.$client
      .prepare('INSERT INTO album_covers (album_id, key, checked_at) VALUES (?, ?, 0)')
      .run(albumId, `covers/${albumId}.jpg`);
    expect(services.library.getTrack(ann, firstId).hasCover).toBe(true);
    await services.deleteTrack(firstId);
    expect(services.deletedObjects).toEqual([]);
    await services.deleteTrack(secondId);
    expect(services.deletedObjects).toEqual([`covers/${albumId}.jpg`]);
  });

  test('notifies the source before the row is deleted', async () => {
    const receivedEvents: unknown[] = [];
    services = openLibraryServices(temp.db, {
      onDeleted: (id) => receivedEvents.push(selectRow('SELECT title FROM tracks WHERE id = ?', id)),
    });
    await services.deleteTrack(add({ title: 'Told' }));
    expect(receivedEvents).toEqual([{ title: 'Told' }]);
  });

  test('is rolled back when the source fails', async () => {
    services = openLibraryServices(temp.db, {
      onDeleted: () => {
        throw new Error('no');
      },
    });
    const id = add({});
    await expect(services.deleteTrack(id)).rejects.toThrow('no');
    expect(services.library.getTrack(ann, id).title).toBe('Song');
    expect(services.deletedObjects).toEqual([]);
  });

  test('succeeds although the storage is down', async () => {
    services = openLibraryServices(temp.db, { deleteObject: () => Promise.reject(new Error('down')) });
    const id = add({});
    await services.deleteTrack(id);
    expect(codeOf(() => services.library.getTrack(ann, id))).toBe('not_found');
  });

  test('of a track that does not exist is refused', async () => {
    await expect(services.deleteTrack(99 as TrackId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of many tracks leaves counts equal to a recount and nothing orphaned', async () => {
    const sample = makeSampleLibrary(temp.db, { artists: 30, albums: 40, tracks: 200 }, 5);
    const random = seededRandom(2);
    for (const { id } of sample.tracks) if (random() < 0.7) await services.deleteTrack(id);
    for (const { id } of sample.tracks.slice(0, 60)) {
      if (codeOf(() => services.library.getTrack(ann, id)) === 'none')
        services.library.updateTrack(ann, id, { discNumber: 1 + Math.floor(random() * 4), genre: 'New' });
    }
    expect(
      selectRows(`SELECT a.id FROM albums a WHERE a.track_count <> (SELECT count(*) FROM tracks WHERE album_id = a.id)
      OR a.duration_ms <> (SELECT coalesce(sum(duration_ms), 0) FROM tracks WHERE album_id = a.id) OR a.size_bytes <> (SELECT coalesce(sum(size_bytes), 0) FROM tracks WHERE album_id = a.id)
      OR a.disc_count <> (SELECT coalesce(max(coalesce(disc_number, 1)), 0) FROM tracks WHERE album_id = a.id)`),
    ).toEqual([]);
    expect(
      selectRows(`SELECT x.id FROM artists x WHERE x.track_count <> (SELECT count(*) FROM track_artists WHERE artist_id = x.id)
      OR x.album_count <> (SELECT count(*) FROM albums WHERE artist_id = x.id)`),
    ).toEqual([]);
    const deletedIds = sample.tracks
      .filter(({ id }) => codeOf(() => services.library.getTrack(ann, id)) !== 'none')
      .map((track) => sample.albums[track.album ?? -1]?.id);
    expect(
      selectRows<{ id: number }>('SELECT id FROM albums WHERE track_count = 0').filter(({ id }) =>
        deletedIds.includes(id as AlbumId),
      ),
    ).toEqual([]);
    expect(services.library.countLibrary().tracks).toBe(sample.tracks.length - deletedIds.length);
  });
});

test('missing audio is marked once, and once when it is back', () => {
  const uri = 'file:a.mp3';
  const id = add({}, { storageUri: uri });
  const remote = add({ title: 'Remote' }, { availability: 'remote', storageUri: null });
  const { markMissing, markAvailable } = services.library;
  expect(markMissing(id, 'file:where it was.mp3')).toBe(false);
  expect([markMissing(id, uri), markMissing(id, uri)]).toEqual([true, false]);
  expect(services.library.getTrack(ann, id).availability).toBe('missing');
  expect(markAvailable(id, 'file:where it was.mp3')).toBe(false);
  expect([markAvailable(id, uri), markAvailable(id, uri)]).toEqual([true, false]);
  expect([markMissing(remote, uri), markAvailable(remote, uri)]).toEqual([false, false]);
});

test('audio that another track still uses is not released', async () => {
  const [usedAudio, unused] = [storedFile('aa'), storedFile('bb')];
  add({}, usedAudio);
  await services.library.releaseAudio([usedAudio.storageUri, unused.storageUri, 'file:own.flac']);
  expect(services.deletedObjects).toEqual([unused.storageUri.slice('local:'.length)]);
});
