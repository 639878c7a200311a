// Every list compared with a simple recount of the same data: filters alone, in pairs and random; every sort in both
// directions, page by page.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AlbumId, ArtistId, UserId } from '../../server/db/ids.ts';
import type { AlbumFilter } from '../../server/library/lists/album-lists.ts';
import type { ArtistFilter } from '../../server/library/lists/artist-lists.ts';
import { LISTED_NAMES, LISTED_NUMBERS, LISTED_TEXTS, TRACK_FIELDS } from '../../server/db/track-fields.ts';
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

const everyWord = (q: string | undefined, texts: string[]): boolean =>
  searchFold(q ?? '')
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => texts.some((text) => searchFold(text).includes(word)));
const filed = (artist: SampleArtist | undefined): string => (artist ? sortKey(sortName(artist.name)) : '');
const artistAt = (at: number | null | undefined): SampleArtist | undefined =>
  at === null || at === undefined ? undefined : sample.artists[at];
const albumOf = (t: SampleTrack): SampleAlbum | undefined => (t.album === null ? undefined : sample.albums[t.album]);
const liked = (type: string, id: number): boolean => sample.likes.get(ann)?.has(`${type} ${id}`) === true;
const played = (type: string, id: number) => sample.plays.get(ann)?.get(`${type} ${id}`);
const inYears = (
  year: number | null,
  { yearFrom, yearTo }: { yearFrom?: number | undefined; yearTo?: number | undefined },
): boolean =>
  (yearFrom === undefined && yearTo === undefined) ||
  (year !== null && year >= (yearFrom ?? 0) && year <= (yearTo ?? 9999));
const hasGenre = (t: SampleTrack, genre: string | undefined): boolean =>
  genre === undefined || t.genres.some((g) => identityKey(g) === identityKey(genre));
const is = <T>(wanted: T | undefined, value: T | null): boolean => wanted === undefined || wanted === value;

const fieldsFit = (fields: SampleFields, f: TrackFilter): boolean =>
  LISTED_NUMBERS.every((field) => {
    const [from, to] = [f[`${field}From`], f[`${field}To`]];
    const value = field === 'year' ? null : fields[field];
    if (field === 'year' || (from === undefined && to === undefined)) return true;
    return value !== null && value >= (from ?? 0) && value <= (to ?? Infinity);
  }) &&
  LISTED_TEXTS.every((field) => {
    const part = f[field];
    return part === undefined || sortKey(fields[field] ?? '').includes(sortKey(part));
  });

function trackFits(t: SampleTrack, f: TrackFilter): boolean {
  const album = albumOf(t);
  const texts = [t.title, t.credit, ...(album ? [album.title, artistAt(album.artist)?.name ?? ''] : [])];
  return (
    everyWord(f.q, texts) &&
    is(f.source, t.source) &&
    is(f.format, t.format) &&
    is(f.metadataStatus, t.status) &&
    is(f.availability, t.availability) &&
    (f.artistId === undefined || t.artists.some((a) => artistAt(a)?.id === f.artistId)) &&
    is(f.albumId, album?.id ?? null) &&
    hasGenre(t, f.genre) &&
    inYears(t.year, f) &&
    fieldsFit(t.fields, f) &&
    is(f.liked, liked('track', t.id))
  );
}

function albumFits(a: SampleAlbum, f: AlbumFilter): boolean {
  const by = artistAt(a.artist);
  const own = sample.tracks.filter((t) => albumOf(t) === a);
  return (
    everyWord(f.q, [a.title, by?.name ?? '', sortName(by?.name ?? '')]) &&
    inYears(a.year, f) &&
    is(f.liked, liked('album', a.id)) &&
    (f.genre === undefined || own.some((t) => hasGenre(t, f.genre))) &&
    (f.format === undefined || own.some((t) => t.format === f.format)) &&
    (f.artistId === undefined ||
      by?.id === f.artistId ||
      own.some((t) => t.artists.some((x) => artistAt(x)?.id === f.artistId)))
  );
}

function artistFits(a: SampleArtist, f: ArtistFilter): boolean {
  const own = sample.tracks.filter((t) => t.artists.some((x) => artistAt(x) === a));
  return (
    everyWord(f.q, [a.name, sortName(a.name)]) &&
    is(f.liked, liked('artist', a.id)) &&
    is(f.artistId, a.id) &&
    (f.genre === undefined || own.some((t) => hasGenre(t, f.genre))) &&
    own
      .concat(f.yearFrom === undefined && f.yearTo === undefined ? [{ year: null } as SampleTrack] : [])
      .some((t) => inYears(t.year, f))
  );
}

const trackKeys = (t: SampleTrack, sort: string): Key[] => {
  const album = albumOf(t);
  const place = [album ? sortKey(album.title) : '', album?.id ?? null, placeInAlbum(t)];
  return (
    {
      title: [sortKey(t.title)],
      artist: [filed(artistAt(t.artists[0])), ...place],
      album: place,
      year: [t.year],
      created_at: [t.createdAt],
      duration: [t.durationMs],
      path: [t.source, String(sample.tracks.indexOf(t))],
      ...Object.fromEntries(
        [...LISTED_NUMBERS, ...LISTED_TEXTS].flatMap((field) => {
          const value = field === 'year' ? t.year : t.fields[field];
          return [[TRACK_FIELDS[field].name, [typeof value === 'string' ? sortKey(value) : value]]];
        }),
      ),
    }[sort] ?? playKeys('track', t.id, sort)
  );
};
const albumKeys = (a: SampleAlbum, sort: string): Key[] =>
  ({
    title: [sortKey(a.title)],
    artist: [filed(artistAt(a.artist)), a.year, sortKey(a.title)],
    year: [a.year],
    created_at: [a.createdAt],
  })[sort] ?? playKeys('album', a.id, sort);
const artistKeys = (a: SampleArtist, sort: string): Key[] => {
  const years = sample.albums
    .filter((album) => artistAt(album.artist) === a && album.year !== null)
    .map((album) => album.year as number);
  return (
    {
      name: [filed(a)],
      artist: [filed(a)],
      year: [years.length > 0 ? Math.min(...years) : null, filed(a)],
      created_at: [a.createdAt],
    }[sort] ?? playKeys('artist', a.id, sort)
  );
};
const playKeys = (type: string, id: number, sort: string): Key[] => [
  sort === 'play_count' ? (played(type, id)?.plays ?? 0) : (played(type, id)?.last ?? null),
];

const NULLS_LAST: string[] = [...LISTED_NAMES, 'duration', 'last_played_at'];

/** Unknown values are last in some sorts, else smallest. Tracks that were never played are by id in both directions. */
function sorted<T extends { id: number }>(
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
      for (const [at, key] of a.keys.entries()) {
        const result = compareKeys(key, b.keys[at] as Key, at === 0);
        if (result !== 0) return result;
      }
      const neverPlayed = ['play_count', 'last_played_at'].includes(sort) && !played(type, a.id);
      return (a.id - b.id) * (neverPlayed ? 1 : sign);
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
];

describe('tracks', () => {
  const check = async (filter: TrackFilter, sort: string, order: Order, limit = 200, offset = 0): Promise<void> => {
    const fitting = sample.tracks.filter((t) => trackFits(t, filter));
    const page = await tracksOf(filter, sort, order, limit, offset);
    const context = JSON.stringify({ filter, sort, order, limit, offset });
    expect(page.total, context).toBe(fitting.length);
    expect(ids(page), context).toEqual(sorted(fitting, trackKeys, 'track', sort, order).slice(offset, offset + limit));
  };

  test('every filter alone equals a recount', async () => {
    for (const filter of TRACK_FILTERS) await check(filter(), 'title', 'asc');
  });

  test('every filter of the table matches some tracks and excludes some', async () => {
    const found = await Promise.all(
      TRACK_FILTERS.map(async (filter) => (await tracksOf(filter(), 'title', 'asc', 1)).total),
    );
    expect(found.filter((total) => total > 0 && total < 400).length).toBeGreaterThan(30);
  });

  test('every pair of filters equals a recount', async () => {
    for (const [n, one] of TRACK_FILTERS.entries())
      for (const other of TRACK_FILTERS.slice(n + 1)) await check({ ...one(), ...other() }, 'created_at', 'desc', 7, 3);
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
        pick(TRACK_SORTS.filter((s) => s !== 'random')),
        pick(['asc', 'desc']),
        1 + Math.floor(random() * 60),
        Math.floor(random() * 420),
      );
    }
  });

  test.each(TRACK_SORTS)('pages by %s contain every track once, in both directions', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      const all: number[] = [];
      for (let offset = 0; offset < 400; offset += 37)
        all.push(...ids(await library.listTracks(ann, {}, { sort, order, seed: 5 }, { limit: 37, offset })));
      expect(all).toHaveLength(400);
      expect(new Set(all).size).toBe(400);
      if (sort !== 'random') expect(all).toEqual(sorted(sample.tracks, trackKeys, 'track', sort, order));
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
    const likedBy = (user: UserId) => sample.tracks.filter((t) => sample.likes.get(user)?.has(`track ${t.id}`)).length;
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
    for (const t of sample.tracks) {
      const row = library.getTrack(ann, t.id);
      const album = albumOf(t);
      expect(row).toMatchObject({
        title: t.title,
        artistName: t.credit,
        artists: t.artists.map((a) => ({ id: artistAt(a)?.id, name: artistAt(a)?.name })),
        albumId: album?.id ?? null,
        albumTitle: album?.title ?? null,
        albumArtistName: artistAt(album?.artist)?.name ?? null,
        genres: t.genres,
        genre: t.genres[0] ?? null,
        year: t.year,
        hasCover: album?.hasCover ?? false,
        liked: liked('track', t.id),
        playCount: played('track', t.id)?.plays ?? 0,
        createdAt: new Date(t.createdAt),
      });
      expect(row.lastPlayedAt?.getTime()).toBe(played('track', t.id)?.last);
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
    () => ({}),
  ];
  const sorts = ALBUM_SORTS.filter((sort) => sort !== 'random');

  test('every filter and pair in every order equals a recount', async () => {
    for (const [at, one] of filters.entries())
      for (const [n, other] of filters.entries()) {
        const filter = { ...one(), ...other() };
        const sort = sorts[(at + n) % sorts.length] as (typeof sorts)[number];
        const order = (at * 3 + n) % 2 === 0 ? 'asc' : 'desc';
        const fitting = sample.albums.filter((a) => albumFits(a, filter));
        const page = await library.listAlbums(ann, filter, { sort, order }, { limit: 11, offset: n });
        expect(page.total, JSON.stringify(filter)).toBe(fitting.length);
        expect(ids(page), JSON.stringify({ filter, sort, order })).toEqual(
          sorted(fitting, albumKeys, 'album', sort, order).slice(n, n + 11),
        );
      }
  });

  test.each(sorts)('all of them by %s, in both directions', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      expect(ids(await library.listAlbums(ann, {}, { sort, order }, { limit: 200, offset: 0 }))).toEqual(
        sorted(sample.albums, albumKeys, 'album', sort, order),
      );
    }
  });

  test('a row counts its tracks and discs', () => {
    for (const a of sample.albums) {
      const own = sample.tracks.filter((t) => albumOf(t) === a);
      const sum = (values: (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0);
      expect(library.getAlbum(ann, a.id)).toMatchObject({
        title: a.title,
        artistName: artistAt(a.artist)?.name ?? null,
        year: a.year,
        hasCover: a.hasCover,
        liked: liked('album', a.id),
        trackCount: own.length,
        durationMs: sum(own.map((t) => t.durationMs)),
        sizeBytes: sum(own.map((t) => t.sizeBytes)),
        discCount: Math.max(0, ...own.map((t) => t.disc ?? 1)),
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
    () => ({}),
  ];
  const sorts = ARTIST_SORTS.filter((sort) => sort !== 'random');

  test('every filter and pair in every order equals a recount', async () => {
    for (const [at, one] of filters.entries())
      for (const [n, other] of filters.entries()) {
        const filter = { ...one(), ...other() };
        const sort = sorts[(at + n) % sorts.length] as (typeof sorts)[number];
        const order = (at * 3 + n) % 2 === 0 ? 'asc' : 'desc';
        const fitting = sample.artists.filter((a) => artistFits(a, filter));
        const page = await library.listArtists(ann, filter, { sort, order }, { limit: 9, offset: n });
        expect(page.total, JSON.stringify(filter)).toBe(fitting.length);
        expect(ids(page), JSON.stringify({ filter, sort, order })).toEqual(
          sorted(fitting, artistKeys, 'artist', sort, order).slice(n, n + 9),
        );
      }
  });

  test.each(sorts)('all of them by %s, in both directions', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      expect(ids(await library.listArtists(ann, {}, { sort, order }, { limit: 200, offset: 0 }))).toEqual(
        sorted(sample.artists, artistKeys, 'artist', sort, order),
      );
    }
  });

  test('a row counts tracks that credit the artist and albums that are theirs', () => {
    for (const a of sample.artists) {
      const at = sample.artists.indexOf(a);
      const albums = sample.albums.filter((album) => album.artist === at);
      expect(library.getArtist(ann, a.id)).toMatchObject({
        name: a.name,
        sortName: sortName(a.name),
        liked: liked('artist', a.id),
        albumCount: albums.length,
        trackCount: sample.tracks.filter((t) => t.artists.includes(at)).length,
        hasCover:
          albums.some((album) => album.hasCover) ||
          sample.tracks.some(
            (t) => t.artists.includes(at) && t.album !== null && sample.albums[t.album]?.hasCover === true,
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
    const fitting = sample.tracks.filter((t) => trackFits(t, { genre: 'rock', liked: false })).map((t) => t.id);
    expect((await page(3, 200, 0, { genre: 'rock', liked: false })).sort((a, b) => a - b)).toEqual(fitting);
  });
});

test('genres are sorted by name, with their counts', () => {
  const names = ['Ambient', 'Blues & Soul', 'Électro', 'Hip-Hop', 'Jazz', 'Rock'];
  expect(library.listGenres()).toEqual(
    names.map((name) => {
      const own = sample.tracks.filter((t) => t.genres.includes(name));
      return {
        name,
        trackCount: own.length,
        albumCount: new Set(own.map((t) => t.album).filter((a) => a !== null)).size,
      };
    }),
  );
});

test('the library is counted', () => {
  expect(library.countLibrary()).toEqual({ tracks: 400, albums: 60, artists: 40 });
});
