// Compares every list with a simple recount of the same data: filters alone, in pairs and random; every sort in both
// directions, page by page.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AlbumId, ArtistId, UserId } from '../../server/db/ids.ts';
import type { AlbumFilter } from '../../server/library/lists/album-lists.ts';
import type { ArtistFilter } from '../../server/library/lists/artist-lists.ts';
import { LISTED_NAMES, LISTED_NUMBERS, LISTED_TEXTS, TRACK_FIELDS } from '../../server/db/track-fields.ts';
import { formsOf, signsOf } from '../../server/library/search-index/search-forms.ts';
import { termsOf } from '../../server/library/search-index/search-words.ts';
import { identityKey, searchFold, sortKey, sortName } from '../../server/library/tracks/sort-and-identity-keys.ts';
import type { LibraryService } from '../../server/library/service.ts';
import type { TrackFilter } from '../../server/library/lists/track-lists.ts';
import { ALBUM_SORTS, ARTIST_SORTS, TRACK_SORTS } from '../../server/library/wire.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { seededRandom } from '../support/test-random.ts';
import {
  makeSampleLibrary,
  type SampleAlbum,
  type SampleArtist,
  type SampleFields,
  type SampleLibrary,
  placeInAlbum,
  type SampleTrack,
} from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

let temp: TempDatabase;
let library: LibraryService;
let sample: SampleLibrary;
let ann: UserId;

beforeAll(() => {
  temp = openTempDatabase();
  sample = makeSampleLibrary(temp.db, { artists: 40, albums: 60, tracks: 400 }, 7);
  ({ library } = openLibraryServices(temp.db));
  ann = sample.users[0] as UserId;
});
afterAll(() => temp.close());

type Key = string | number | null;
type Order = 'asc' | 'desc';

const everyWord = (query: string | undefined, texts: string[]): boolean => {
  const forms = texts.flatMap((text) => [...formsOf(searchFold(text)), ...signsOf(searchFold(text))]);
  return termsOf(query).every((term) => term.forms.some((word) => forms.some((form) => form.includes(word))));
};
const sortNameOf = (artist: SampleArtist | undefined): string => (artist ? sortKey(sortName(artist.name)) : '');
const artistAt = (index: number | null | undefined): SampleArtist | undefined =>
  index === null || index === undefined ? undefined : sample.artists[index];
const albumOf = (track: SampleTrack): SampleAlbum | undefined =>
  track.album === null ? undefined : sample.albums[track.album];
const liked = (type: string, id: number): boolean => sample.likes.get(ann)?.has(`${type} ${id}`) === true;
const ratingOf = (type: string, id: number): number => sample.ratings.get(ann)?.get(`${type} ${id}`) ?? 0;
const isRated = (type: string, id: number, { ratingFrom = 0, ratingTo = 5 }: RatingBounds): boolean =>
  ratingOf(type, id) >= ratingFrom && ratingOf(type, id) <= ratingTo;
type RatingBounds = Pick<TrackFilter, 'ratingFrom' | 'ratingTo'>;
const playsOf = (type: string, id: number) => sample.plays.get(ann)?.get(`${type} ${id}`);
const inYears = (
  year: number | null,
  { yearFrom, yearTo }: { yearFrom?: number | undefined; yearTo?: number | undefined },
): boolean =>
  (yearFrom === undefined && yearTo === undefined) ||
  (year !== null && year >= (yearFrom ?? 0) && year <= (yearTo ?? 9999));
const hasGenre = (track: SampleTrack, genre: string | undefined): boolean =>
  genre === undefined || track.genres.some((trackGenre) => identityKey(trackGenre) === identityKey(genre));
const matches = <T>(expected: T | undefined, value: T | null): boolean => expected === undefined || expected === value;

const fieldsFit = (fields: SampleFields, f: TrackFilter): boolean =>
  LISTED_NUMBERS.every((field) => {
    const [from, to] = [f[`${field}From`], f[`${field}To`]];
    const value = field === 'year' ? null : fields[field];
    if (field === 'year' || (from === undefined && to === undefined)) return true;
    return value !== null && value >= (from ?? 0) && value <= (to ?? Infinity);
  }) &&
  LISTED_TEXTS.every((field) => {
    const searchedText = f[field];
    return searchedText === undefined || sortKey(fields[field] ?? '').includes(sortKey(searchedText));
  });

function trackFits(track: SampleTrack, filter: TrackFilter): boolean {
  const album = albumOf(track);
  const texts = [
    track.title,
    track.credit,
    track.fields.composer ?? '',
    ...(album ? [album.title, artistAt(album.artist)?.name ?? ''] : []),
  ];
  return (
    everyWord(filter.q, texts) &&
    matches(filter.source, track.source) &&
    matches(filter.format, track.format) &&
    matches(filter.metadataStatus, track.status) &&
    matches(filter.availability, track.availability) &&
    (filter.artistId === undefined ||
      track.artists.some((artistIndex) => artistAt(artistIndex)?.id === filter.artistId)) &&
    matches(filter.albumId, album?.id ?? null) &&
    hasGenre(track, filter.genre) &&
    inYears(track.year, filter) &&
    fieldsFit(track.fields, filter) &&
    matches(filter.liked, liked('track', track.id)) &&
    isRated('track', track.id, filter)
  );
}

function albumFits(album: SampleAlbum, filter: AlbumFilter): boolean {
  const albumArtist = artistAt(album.artist);
  const albumTracks = sample.tracks.filter((track) => albumOf(track) === album);
  return (
    everyWord(filter.q, [album.title, albumArtist?.name ?? '', sortName(albumArtist?.name ?? '')]) &&
    inYears(album.year, filter) &&
    matches(filter.liked, liked('album', album.id)) &&
    isRated('album', album.id, filter) &&
    (filter.genre === undefined || albumTracks.some((track) => hasGenre(track, filter.genre))) &&
    (filter.format === undefined || albumTracks.some((track) => track.format === filter.format)) &&
    (filter.artistId === undefined ||
      albumArtist?.id === filter.artistId ||
      albumTracks.some((track) => track.artists.some((artistIndex) => artistAt(artistIndex)?.id === filter.artistId)))
  );
}

function artistFits(artist: SampleArtist, filter: ArtistFilter): boolean {
  const artistTracks = sample.tracks.filter((track) =>
    track.artists.some((artistIndex) => artistAt(artistIndex) === artist),
  );
  return (
    everyWord(filter.q, [artist.name, sortName(artist.name)]) &&
    matches(filter.liked, liked('artist', artist.id)) &&
    isRated('artist', artist.id, filter) &&
    matches(filter.artistId, artist.id) &&
    (filter.genre === undefined || artistTracks.some((track) => hasGenre(track, filter.genre))) &&
    artistTracks
      .concat(filter.yearFrom === undefined && filter.yearTo === undefined ? [{ year: null } as SampleTrack] : [])
      .some((track) => inYears(track.year, filter))
  );
}

const trackKeys = (track: SampleTrack, sort: string): Key[] => {
  const album = albumOf(track);
  const placeKeys = [album ? sortKey(album.title) : '', album?.id ?? null, placeInAlbum(track)];
  return (
    {
      title: [sortKey(track.title)],
      artist: [sortNameOf(artistAt(track.artists[0])), ...placeKeys],
      album: placeKeys,
      year: [track.year],
      created_at: [track.createdAt],
      duration: [track.durationMs],
      path: [track.source, String(sample.tracks.indexOf(track))],
      ...Object.fromEntries(
        [...LISTED_NUMBERS, ...LISTED_TEXTS].flatMap((field) => {
          const value = field === 'year' ? track.year : track.fields[field];
          return [[TRACK_FIELDS[field].name, [typeof value === 'string' ? sortKey(value) : value]]];
        }),
      ),
    }[sort] ?? playKeys('track', track.id, sort)
  );
};
const albumKeys = (a: SampleAlbum, sort: string): Key[] =>
  ({
    title: [sortKey(a.title)],
    artist: [sortNameOf(artistAt(a.artist)), a.year, sortKey(a.title)],
    year: [a.year],
    created_at: [a.createdAt],
  })[sort] ?? playKeys('album', a.id, sort);
const artistKeys = (a: SampleArtist, sort: string): Key[] => {
  const years = sample.albums
    .filter((album) => artistAt(album.artist) === a && album.year !== null)
    .map((album) => album.year as number);
  return (
    {
      name: [sortNameOf(a)],
      artist: [sortNameOf(a)],
      year: [years.length > 0 ? Math.min(...years) : null, sortNameOf(a)],
      created_at: [a.createdAt],
    }[sort] ?? playKeys('artist', a.id, sort)
  );
};
const playKeys = (type: string, id: number, sort: string): Key[] => [
  sort === 'rating'
    ? ratingOf(type, id)
    : sort === 'play_count'
      ? (playsOf(type, id)?.plays ?? 0)
      : (playsOf(type, id)?.last ?? null),
];

const NULLS_LAST: string[] = [...LISTED_NAMES, 'duration', 'last_played_at'];

/**
 * Sorts items by their keys. Unknown values are last in some sorts, else smallest. Tracks that were never played are
 * sorted by id.
 */
function sortByKeys<T extends { id: number }>(
  items: T[],
  keysOf: (item: T, sort: string) => Key[],
  type: string,
  sort: string,
  order: Order,
): number[] {
  const sign = order === 'asc' ? 1 : -1;
  const compareKeys = (a: Key, b: Key, first: boolean): number => {
    if (a === b) return 0;
    if (a === null || b === null) return (a === null ? 1 : -1) * (first && NULLS_LAST.includes(sort) ? 1 : -sign);
    return (a < b ? -1 : 1) * sign;
  };
  return items
    .map((item) => ({ id: item.id, keys: keysOf(item, sort) }))
    .sort((a, b) => {
      for (const [keyIndex, key] of a.keys.entries()) {
        const result = compareKeys(key, b.keys[keyIndex] as Key, keyIndex === 0);
        if (result !== 0) return result;
      }
      const hasNoValue =
        sort === 'rating'
          ? ratingOf(type, a.id) === 0
          : ['play_count', 'last_played_at'].includes(sort) && !playsOf(type, a.id);
      return (a.id - b.id) * (hasNoValue ? 1 : sign);
    })
    .map(({ id }) => id);
}

const tracksOf = (filter: TrackFilter, sort: string, order: Order, limit = 200, offset = 0) =>
  library.listTracks(ann, filter, { sort: sort as 'title', order }, { limit, offset });
const ids = (list: { items: { id: number }[] }): number[] => list.items.map(({ id }) => id);

const first = { artist: () => sample.artists[3]?.id as ArtistId, album: () => sample.albums[5]?.id as AlbumId };
const TRACK_FILTERS: (() => TrackFilter)[] = [
  () => ({ q: 'love' }),
  () => ({ q: 'bjork' }),
  () => ({ q: 'ÄRZTE' }),
  () => ({ q: 'a' }),
  () => ({ q: 'the NIGHT' }),
  () => ({ q: '%' }),
  () => ({ q: '_' }),
  () => ({ q: '\\' }),
  () => ({ q: 'snake_case' }),
  () => ({ q: '100%' }),
  () => ({ q: '"quoted"' }),
  () => ({ q: "don't" }),
  () => ({ q: 'OR' }),
  () => ({ q: 'NOT love' }),
  () => ({ q: 'NEAR(a' }),
  () => ({ q: '*' }),
  () => ({ q: '東京' }),
  () => ({ q: 'サイレント' }),
  () => ({ q: 'full' }),
  () => ({ q: 'москва' }),
  () => ({ q: '한글' }),
  () => ({ q: '夜 ria' }),
  () => ({ q: 'nothing of the kind' }),
  () => ({ q: '  ' }),
  () => ({ source: 'upload' }),
  () => ({ source: 'local_folder' }),
  () => ({ source: "x' OR 1=1 --" }),
  () => ({ artistId: first.artist() }),
  () => ({ albumId: first.album() }),
  () => ({ genre: 'rock' }),
  () => ({ genre: 'éLECTRO' }),
  () => ({ genre: 'none' }),
  () => ({ yearFrom: 1990 }),
  () => ({ yearTo: 1999 }),
  () => ({ yearFrom: 1980, yearTo: 1985 }),
  () => ({ yearFrom: 2000, yearTo: 1990 }),
  ...LISTED_NUMBERS.flatMap((field) => [
    () => ({ [`${field}From`]: 100 }),
    () => ({ [`${field}From`]: 120, [`${field}To`]: 1_980 }),
  ]),
  ...LISTED_TEXTS.flatMap((field) => [() => ({ [field]: 'ärzte' }), () => ({ [field]: 'A' })]),
  () => ({ format: 'flac' }),
  () => ({ metadataStatus: 'failed' }),
  () => ({ availability: 'remote' }),
  () => ({ availability: 'available' }),
  () => ({ liked: true }),
  () => ({ liked: false }),
  () => ({ ratingFrom: 3 }),
  () => ({ ratingTo: 2.5 }),
  () => ({ ratingFrom: 0.5, ratingTo: 4 }),
];

describe('tracks', () => {
  const check = async (filter: TrackFilter, sort: string, order: Order, limit = 200, offset = 0): Promise<void> => {
    const fitting = sample.tracks.filter((track) => trackFits(track, filter));
    const page = await tracksOf(filter, sort, order, limit, offset);
    const context = JSON.stringify({ filter, sort, order, limit, offset });
    expect(page.total, context).toBe(fitting.length);
    expect(ids(page), context).toEqual(
      sortByKeys(fitting, trackKeys, 'track', sort, order).slice(offset, offset + limit),
    );
  };

  test('every filter alone equals a recount', async () => {
    for (const filter of TRACK_FILTERS) await check(filter(), 'title', 'asc');
  });

  test('every filter of the table matches some tracks and excludes some', async () => {
    const pages = await Promise.all(
      TRACK_FILTERS.map(async (filter) => (await tracksOf(filter(), 'title', 'asc', 1)).total),
    );
    expect(pages.filter((total) => total > 0 && total < 400).length).toBeGreaterThan(30);
  });

  test('every pair of filters equals a recount', async () => {
    for (const [filterIndex, filter] of TRACK_FILTERS.entries())
      for (const otherFilter of TRACK_FILTERS.slice(filterIndex + 1))
        await check({ ...filter(), ...otherFilter() }, 'created_at', 'desc', 7, 3);
  });

  test('random filters, orders and pages equal a recount', async () => {
    const random = seededRandom(99);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    for (let n = 0; n < 600; n++) {
      const filter = Object.assign(
        {},
        ...Array.from({ length: Math.floor(random() * 4) }, () => pick(TRACK_FILTERS)()),
      ) as TrackFilter;
      await check(
        filter,
        pick(TRACK_SORTS.filter((sort) => sort !== 'random')),
        pick(['asc', 'desc']),
        1 + Math.floor(random() * 60),
        Math.floor(random() * 420),
      );
    }
  });

  test.each(TRACK_SORTS)('pages by %s contain every track once, in both directions', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      const allIds: number[] = [];
      for (let offset = 0; offset < 400; offset += 37)
        allIds.push(...ids(await library.listTracks(ann, {}, { sort, order, seed: 5 }, { limit: 37, offset })));
      expect(allIds).toHaveLength(400);
      expect(new Set(allIds).size).toBe(400);
      if (sort !== 'random') expect(allIds).toEqual(sortByKeys(sample.tracks, trackKeys, 'track', sort, order));
    }
  });

  test('pages past the end are empty, with the same total', async () => {
    expect(await tracksOf({}, 'title', 'asc', 50, 400)).toEqual({ items: [], total: 400 });
    expect((await tracksOf({ liked: true }, 'play_count', 'desc', 50, 10 ** 12)).items).toEqual([]);
  });

  test('likes and plays of other users do not count', async () => {
    const bob = sample.users[1] as UserId;
    const total = async (user: UserId) =>
      (await library.listTracks(user, { liked: true }, { sort: 'title' }, { limit: 1, offset: 0 })).total;
    const likedBy = (user: UserId) =>
      sample.tracks.filter((track) => sample.likes.get(user)?.has(`track ${track.id}`)).length;
    expect([await total(ann), await total(bob)]).toEqual([likedBy(ann), likedBy(bob)]);
    expect(likedBy(ann)).not.toBe(likedBy(bob));
  });

  test('by default names are ascending, times and counts descending', async () => {
    const withoutOrder = async (sort: (typeof TRACK_SORTS)[number]) =>
      ids(await library.listTracks(ann, {}, { sort }, { limit: 200, offset: 0 }));
    for (const sort of ['title', 'artist', 'album', 'duration'] as const)
      expect(await withoutOrder(sort)).toEqual(ids(await tracksOf({}, sort, 'asc')));
    for (const sort of ['year', 'created_at', 'play_count', 'last_played_at'] as const)
      expect(await withoutOrder(sort)).toEqual(ids(await tracksOf({}, sort, 'desc')));
  });

  test('a row has its names, genres, cover, likes and plays', () => {
    for (const track of sample.tracks) {
      const row = library.getTrack(ann, track.id);
      const album = albumOf(track);
      expect(row).toMatchObject({
        title: track.title,
        artistName: track.credit,
        artists: track.artists.map((artistIndex) => ({
          id: artistAt(artistIndex)?.id,
          name: artistAt(artistIndex)?.name,
        })),
        albumId: album?.id ?? null,
        albumTitle: album?.title ?? null,
        albumArtistName: artistAt(album?.artist)?.name ?? null,
        genres: track.genres,
        genre: track.genres[0] ?? null,
        year: track.year,
        hasCover: album?.hasCover ?? false,
        liked: liked('track', track.id),
        rating: ratingOf('track', track.id),
        playCount: playsOf('track', track.id)?.plays ?? 0,
        createdAt: new Date(track.createdAt),
      });
      expect(row.lastPlayedAt?.getTime()).toBe(playsOf('track', track.id)?.last);
    }
  });
});

describe('albums', () => {
  const filters: (() => AlbumFilter)[] = [
    () => ({ q: 'night' }),
    () => ({ q: 'a' }),
    () => ({ q: 'the love' }),
    () => ({ q: '%' }),
    () => ({ q: '"quoted"' }),
    () => ({ genre: 'jazz' }),
    () => ({ genre: 'zzz' }),
    () => ({ yearFrom: 1990 }),
    () => ({ yearTo: 1980 }),
    () => ({ artistId: first.artist() }),
    () => ({ format: 'opus' }),
    () => ({ liked: true }),
    () => ({ liked: false }),
    () => ({ ratingFrom: 3 }),
    () => ({ ratingTo: 2.5 }),
    () => ({ ratingFrom: 3 }),
    () => ({ ratingTo: 2.5 }),
    () => ({ ratingFrom: 0.5, ratingTo: 4 }),
    () => ({}),
  ];
  const sorts = ALBUM_SORTS.filter((sort) => sort !== 'random');

  test('every filter and pair in every order equals a recount', async () => {
    for (const [filterIndex, singleFilter] of filters.entries())
      for (const [otherIndex, otherFilter] of filters.entries()) {
        const filter = { ...singleFilter(), ...otherFilter() };
        const sort = sorts[(filterIndex + otherIndex) % sorts.length] as (typeof sorts)[number];
        const order = (filterIndex * 3 + otherIndex) % 2 === 0 ? 'asc' : 'desc';
        const fitting = sample.albums.filter((album) => albumFits(album, filter));
        const page = await library.listAlbums(ann, filter, { sort, order }, { limit: 11, offset: otherIndex });
        expect(page.total, JSON.stringify(filter)).toBe(fitting.length);
        expect(ids(page), JSON.stringify({ filter, sort, order })).toEqual(
          sortByKeys(fitting, albumKeys, 'album', sort, order).slice(otherIndex, otherIndex + 11),
        );
      }
  });

  test.each(sorts)('all of them by %s, in both directions', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      expect(ids(await library.listAlbums(ann, {}, { sort, order }, { limit: 200, offset: 0 }))).toEqual(
        sortByKeys(sample.albums, albumKeys, 'album', sort, order),
      );
    }
  });

  test('a row counts its tracks and discs', () => {
    for (const album of sample.albums) {
      const albumTracks = sample.tracks.filter((track) => albumOf(track) === album);
      const sum = (values: (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0);
      expect(library.getAlbum(ann, album.id)).toMatchObject({
        title: album.title,
        artistName: artistAt(album.artist)?.name ?? null,
        year: album.year,
        hasCover: album.hasCover,
        liked: liked('album', album.id),
        trackCount: albumTracks.length,
        durationMs: sum(albumTracks.map((track) => track.durationMs)),
        sizeBytes: sum(albumTracks.map((track) => track.sizeBytes)),
        discCount: Math.max(0, ...albumTracks.map((track) => track.disc ?? 1)),
      });
    }
  });
});

describe('artists', () => {
  const filters: (() => ArtistFilter)[] = [
    () => ({ q: 'the' }),
    () => ({ q: 'bjork' }),
    () => ({ q: '7' }),
    () => ({ q: '_' }),
    () => ({ genre: 'Hip-Hop' }),
    () => ({ yearFrom: 1995 }),
    () => ({ yearFrom: 1970, yearTo: 1972 }),
    () => ({ artistId: first.artist() }),
    () => ({ liked: true }),
    () => ({ liked: false }),
    () => ({ ratingFrom: 3 }),
    () => ({ ratingTo: 2.5 }),
    () => ({ ratingFrom: 3 }),
    () => ({ ratingTo: 2.5 }),
    () => ({ ratingFrom: 0.5, ratingTo: 4 }),
    () => ({}),
  ];
  const sorts = ARTIST_SORTS.filter((sort) => sort !== 'random');

  test('every filter and pair in every order equals a recount', async () => {
    for (const [filterIndex, singleFilter] of filters.entries())
      for (const [otherIndex, otherFilter] of filters.entries()) {
        const filter = { ...singleFilter(), ...otherFilter() };
        const sort = sorts[(filterIndex + otherIndex) % sorts.length] as (typeof sorts)[number];
        const order = (filterIndex * 3 + otherIndex) % 2 === 0 ? 'asc' : 'desc';
        const fitting = sample.artists.filter((artist) => artistFits(artist, filter));
        const page = await library.listArtists(ann, filter, { sort, order }, { limit: 9, offset: otherIndex });
        expect(page.total, JSON.stringify(filter)).toBe(fitting.length);
        expect(ids(page), JSON.stringify({ filter, sort, order })).toEqual(
          sortByKeys(fitting, artistKeys, 'artist', sort, order).slice(otherIndex, otherIndex + 9),
        );
      }
  });

  test.each(sorts)('all of them by %s, in both directions', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      expect(ids(await library.listArtists(ann, {}, { sort, order }, { limit: 200, offset: 0 }))).toEqual(
        sortByKeys(sample.artists, artistKeys, 'artist', sort, order),
      );
    }
  });

  test('a row counts tracks that credit the artist and albums that are theirs', () => {
    for (const artist of sample.artists) {
      const artistIndex = sample.artists.indexOf(artist);
      const albums = sample.albums.filter((album) => album.artist === artistIndex);
      expect(library.getArtist(ann, artist.id)).toMatchObject({
        name: artist.name,
        sortName: sortName(artist.name),
        liked: liked('artist', artist.id),
        albumCount: albums.length,
        trackCount: sample.tracks.filter((track) => track.artists.includes(artistIndex)).length,
        hasCover:
          albums.some((album) => album.hasCover) ||
          sample.tracks.some(
            (track) =>
              track.artists.includes(artistIndex) &&
              track.album !== null &&
              sample.albums[track.album]?.hasCover === true,
          ),
      });
    }
  });
});

describe('random', () => {
  const page = async (seed: number | undefined, limit: number, offset: number, filter: TrackFilter = {}) =>
    ids(await library.listTracks(ann, filter, { sort: 'random', seed }, { limit, offset }));

  test('a seed fixes the order, another seed changes it, and without one it is new each time', async () => {
    expect(await page(1, 50, 0)).toEqual(await page(1, 50, 0));
    expect(await page(1, 50, 0)).not.toEqual(await page(2, 50, 0));
    expect(await page(undefined, 50, 0)).not.toEqual(await page(undefined, 50, 0));
  });

  test('filters apply', async () => {
    const fitting = sample.tracks.filter((track) => trackFits(track, { genre: 'rock', liked: false })).map((t) => t.id);
    expect((await page(3, 200, 0, { genre: 'rock', liked: false })).sort((a, b) => a - b)).toEqual(fitting);
  });
});

test('genres are sorted by name, with their counts', () => {
  const names = ['Ambient', 'Blues & Soul', 'Électro', 'Hip-Hop', 'Jazz', 'Rock'];
  expect(library.listGenres()).toEqual(
    names.map((name) => {
      const genreTracks = sample.tracks.filter((track) => track.genres.includes(name));
      return {
        name,
        trackCount: genreTracks.length,
        albumCount: new Set(genreTracks.map((track) => track.album).filter((albumIndex) => albumIndex !== null)).size,
      };
    }),
  );
});

test('the library is counted', () => {
  expect(library.countLibrary()).toEqual({ tracks: 400, albums: 60, artists: 40 });
});
