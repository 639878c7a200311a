// Search in the library: what is found, in what order, and that no input can change the query.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UserId } from '../../server/db/ids.ts';
import type { LibraryService } from '../../server/library/service.ts';
import type { TrackAudio } from '../../server/library/tracks/track-values.ts';
import { createSearchService, MAX_RESULTS, type SearchService } from '../../server/search/service.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { makeSampleLibrary, type SampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { silence } from '../support/silence.ts';

const ann = 1 as UserId;
const page = { limit: 50, offset: 0 };
const AUDIO: TrackAudio = {
  ...silence,
  durationMs: 1,
  sizeBytes: 1,
};
/** Title, artist and album of each track. */
const SONG_ROWS = [
  ['Moon', 'Air', 'Space'],
  ['Moonlight', 'Beethoven', 'Sonatas'],
  ['Blue Moon', 'Elvis Presley', 'Sun'],
  ['Honeymoon', 'Lana', 'Honeymoon'],
  ['Time', 'Pink Floyd', 'The Dark Side of the Moon'],
  ['Jóga', 'Björk', 'Homogenic'],
  ['Schrei nach Liebe', 'Die Ärzte', 'Die Bestie'],
  ['Straße nach Süden', 'ÄRZTE Cover', 'Cover'],
  ['サイレント', '東京事変', '大人'],
  ['夜に駆ける', 'YOASOBI', 'The Book'],
  ['Ночь', 'Кино', 'Ночь'],
  ['봄날', '방탄소년단', '윙스'],
  ['ليل', 'فيروز', 'قمر'],
  ['לילה', 'עפרה', 'סוף'],
  ['Ωmega', 'Έλλη', 'Νύχτα'],
  ['ｆｕｌｌ ｗｉｄｔｈ', 'ＷＩＤＥ', 'ｗｉｄｅ'],
  ['100% Pure', 'Snow_White', 'Back\\slash'],
  ['"Heroes"', "Guns N' Roses", "Don't"],
  ['AND', 'OR', 'NOT'],
  ['NEAR(a b)', '*', '^'],
  ['Thunderstruck', 'AC/DC', 'The Razors Edge'],
  ['🎵🎵🎵', '🎸', '🥁'],
  ['ใจสลาย', 'ลาบานูน', 'เพลง'],
  ['दिल से', 'रहमान', 'आवाज़'],
  ['リンゴの木', 'ピチカート', 'ベスト'],
  ['Şımarık', 'Tarkan', 'İstanbul'],
  ['Ελλάδα', 'Βαγγέλης', 'Όνειρο'],
] as const;

let temp: TempDatabase;
let library: LibraryService;
let search: SearchService;

beforeAll(() => {
  temp = openTempDatabase();
  const services = openLibraryServices(temp.db);
  library = services.library;
  SONG_ROWS.forEach(([title, artist, album], n) =>
    services.tracks.insert({
      source: 'upload',
      sourceId: `${n}`,
      identity: { title, artists: [artist], album, genres: [] },
      audio: AUDIO,
    }),
  );
  search = createSearchService({ db: temp.db, library });
});
afterAll(() => temp.close());

test('an id of MusicBrainz finds what it is of, also as an address, and so do an ISRC and a barcode', () => {
  const ids = { recording: '1', group: '2', artist: '3' } as const;
  const mbid = (digit: string): string => `${digit.repeat(8)}-1234-4abc-8def-${digit.repeat(12)}`;
  const ownDatabase = openTempDatabase();
  const services = openLibraryServices(ownDatabase.db);
  services.tracks.insert({
    source: 'upload',
    sourceId: 'identified',
    identity: {
      title: 'Karma',
      artists: ['Head'],
      album: 'Computer',
      genres: [],
      recordingMbid: mbid(ids.recording),
      releaseGroupMbid: mbid(ids.group),
      artistMbids: [mbid(ids.artist)],
      isrc: 'GB-AYE-97-00382; USRC17607839',
      barcode: '7 24385-52292 4',
    },
    audio: AUDIO,
  });
  const identifierSearch = createSearchService({ db: ownDatabase.db, library: services.library });
  const totals = (q: string): number[] => {
    const { tracks, albums, artists } = identifierSearch.searchLibrary(ann, q, page);
    return [tracks.total, albums.total, artists.total];
  };
  expect(totals(mbid(ids.recording))).toEqual([1, 0, 0]);
  expect(totals(`https://musicbrainz.org/recording/${mbid(ids.recording).toUpperCase()}`)).toEqual([1, 0, 0]);
  expect(totals(mbid(ids.group))).toEqual([0, 1, 0]);
  expect(totals(mbid(ids.artist))).toEqual([0, 0, 1]);
  for (const isrc of ['GBAYE9700382', 'gb-aye-97-00382', 'ISRC: USRC17607839']) expect(totals(isrc)).toEqual([1, 0, 0]);
  for (const barcode of ['724385522924', '0724385522924', '0 7243 8552292-4'])
    expect(totals(barcode)).toEqual([1, 1, 0]);
  for (const query of ['724385522925', 'GBAYE9700383', mbid('4'), 'Kar'])
    expect(totals(query)[0]).toBe(query === 'Kar' ? 1 : 0);
  ownDatabase.close();
});

const findTitles = (q: string) => {
  const { tracks, albums, artists } = search.searchLibrary(ann, q, page);
  return {
    tracks: tracks.items.map((t) => t.title),
    albums: albums.items.map((a) => a.title),
    artists: artists.items.map((a) => a.name),
  };
};

test.each([
  ['ärzte', ['Schrei nach Liebe', 'Straße nach Süden']],
  ['ÄRZTE', ['Schrei nach Liebe', 'Straße nach Süden']],
  ['arzte', ['Schrei nach Liebe', 'Straße nach Süden']],
  ['bjork', ['Jóga']],
  ['BJÖRK', ['Jóga']],
  ['joga', ['Jóga']],
  ['suden', ['Straße nach Süden']],
  ['サイレ', ['サイレント']],
  ['レ', ['サイレント']],
  ['東京', ['サイレント']],
  ['夜', ['夜に駆ける']],
  ['ноч', ['Ночь']],
  ['НОЧЬ', ['Ночь']],
  ['кино', ['Ночь']],
  ['봄', ['봄날']],
  ['소년단', ['봄날']],
  ['ليل', ['ليل']],
  ['فيروز', ['ليل']],
  ['לילה', ['לילה']],
  ['omega', ['Ωmega']], // one letter is wrong
  ['ωmega', ['Ωmega']],
  ['ελλη', ['Ωmega']],
  ['full', ['ｆｕｌｌ ｗｉｄｔｈ']],
  ['ｆｕｌｌ', ['ｆｕｌｌ ｗｉｄｔｈ']],
  ['wide', ['ｆｕｌｌ ｗｉｄｔｈ', 'Time']], // one letter is wrong in “Side”
  ['ﾚﾝ', ['サイレント']],
  ['0%', ['100% Pure']],
  ['%', ['100% Pure']],
  ['_', ['100% Pure']],
  ['w_w', ['100% Pure']],
  ['100% pure snow_white', ['100% Pure']],
  ['\\', ['100% Pure']],
  ['"', []],
  ["''", []],
  ['"heroes"', ['"Heroes"']],
  ['guns n roses', ['"Heroes"']],
  ['guns and roses', ['"Heroes"']],
  ['dont', ['"Heroes"']],
  ["don't", ['"Heroes"']],
  ["n' roses", ['"Heroes"']],
  ['or', ['AND', 'Jóga', 'Thunderstruck']],
  ['and', ['AND', '"Heroes"']],
  ['near(a', ['NEAR(a b)']],
  ['*', ['NEAR(a b)']],
  ['c/d', ['Thunderstruck']],
  ['ac/dc', ['Thunderstruck']],
  ['acdc', ['Thunderstruck']],
  ['ac dc', ['Thunderstruck']],
  ['thunderstuck', ['Thunderstruck']],
  ['thudnerstruk', ['Thunderstruck']],
  ['thunder struck', ['Thunderstruck']],
  ['honey moon lana', ['Honeymoon']],
  ['bluemoon', ['Blue Moon']],
  ['"the dark side" time', ['Time']],
  ['“the dark side” time', ['Time']],
  ['"dark the side"', []],
  ['"dark sid"', ['Time']],
  ['"dark sid', ['Time']],
  ['🎵', ['🎵🎵🎵']],
  ['🎵🎵🎵', ['🎵🎵🎵']],
  ['🎸', ['🎵🎵🎵']],
  ['time floyd', ['Time']],
  ['floyd time', ['Time']],
  ['pink ti', ['Time']],
  ['floyd moon', ['Time']],
  ['zzzz', []],
  ['zz', []],
  ['qj', []],
  ['ใจ', ['ใจสลาย']],
  ['ส', ['ใจสลาย']],
  ['สลาย', ['ใจสลาย']],
  ['บา เพลง', ['ใจสลาย']],
  ['दिल', ['दिल से']],
  ['से', ['दिल से']],
  ['रहमान', ['दिल से']],
  ['आवाज', ['दिल से']],
  ['ﾘﾝｺﾞ', ['リンゴの木']],
  ['ｺﾞ', ['リンゴの木']],
  ['ﾋﾟﾁｶｰﾄ', ['リンゴの木']],
  ['木', ['リンゴの木']],
  ['simarik', ['Şımarık']],
  ['ŞIMARIK', ['Şımarık']],
  ['istanbul', ['Şımarık']],
  ['ΕΛΛΆΔΑ', ['Ελλάδα']],
  ['ελλαδα', ['Ελλάδα']],
  ['ονειρο', ['Ελλάδα']],
  ['ΒΑΓΓΈΛΗΣ', ['Ελλάδα']],
  ['لَيْل', ['ليل']],
  ['לַיְלָה', ['לילה']],
  ['קמ', []],
  ['윙', ['봄날']],
  ['방탄', ['봄날']],
  ['ti fl pi', ['Time']],
  ['e time floyd', ['Time']],
  ['o dark', ['Time']],
  ['n the', ['Time', 'Thunderstruck']],
  ['z time', []],
])('%s finds the tracks %j', (q, titles) => {
  expect(findTitles(q).tracks.sort()).toEqual([...titles].sort());
});

test('the best results are first: exact, prefix, word, infix, and last those on an album of that name', () => {
  expect(findTitles('moon').tracks).toEqual(['Moon', 'Moonlight', 'Blue Moon', 'Honeymoon', 'Time']);
  // "mo" is also in the middle of "Homogenic"
  expect(findTitles('mo').tracks).toEqual(['Moon', 'Moonlight', 'Blue Moon', 'Honeymoon', 'Jóga', 'Time']);
});

test('names are equal without punctuation, and typos are behind them', () => {
  const database = openTempDatabase();
  const services = openLibraryServices(database.db);
  for (const [n, artist] of ['Pink Floyd', 'P!nk', 'Pinc', 'Kesha', 'Ke$ha', 'Kasha'].entries())
    services.tracks.insert({
      source: 'upload',
      sourceId: `${n}`,
      identity: { title: 't', artists: [artist], genres: [] },
      audio: AUDIO,
    });
  const ownSearch = createSearchService({ db: database.db, library: services.library });
  const artists = (q: string) => ownSearch.searchLibrary(ann, q, page).artists.items.map(({ name }) => name);
  expect(artists('pink')).toEqual(['P!nk', 'Pink Floyd', 'Pinc']);
  expect(artists('ke$ha')).toEqual(['Ke$ha', 'Kesha', 'Kasha']);
  expect(artists('kesha')).toEqual(['Kesha', 'Ke$ha', 'Kasha']);
  database.close();
});

test('a year beside a name finds what is of that year, and alone it finds the albums of the year last', async () => {
  const database = openTempDatabase();
  const services = openLibraryServices(database.db);
  const songs = [
    { title: 'One', album: 'Quay', year: 1991 },
    { title: 'Two', album: 'Quay Live', year: 1993, originalYear: 1991 },
    { title: 'Three', album: 'Harbour', year: 1984 },
    { title: 'Four', album: '1984', year: 1999 },
  ];
  for (const [n, song] of songs.entries())
    services.tracks.insert({
      source: 'upload',
      sourceId: `${n}`,
      identity: { ...song, artists: ['Quay'], genres: [] },
      audio: AUDIO,
    });
  const ownSearch = createSearchService({ db: database.db, library: services.library });
  const find = (q: string) => {
    const { tracks, albums } = ownSearch.searchLibrary(ann, q, page);
    return [albums.items.map(({ title }) => title), tracks.items.map(({ title }) => title)];
  };
  expect(find('quay 1991')).toEqual([['Quay'], ['One', 'Two']]);
  expect(find('quya 1991')).toEqual([['Quay'], ['One', 'Two']]);
  expect(find('quay 1984')).toEqual([
    ['1984', 'Harbour'],
    ['Four', 'Three'],
  ]);
  expect(find('1984')).toEqual([['1984', 'Harbour'], ['Four']]);
  expect(find('quay 1950')).toEqual([[], []]);
  const listed = async (q: string) => [
    (await services.library.listAlbums(ann, { q }, { sort: 'title' }, page)).items.map(({ title }) => title),
    (await services.library.listTracks(ann, { q }, { sort: 'title' }, page)).items.map(({ title }) => title),
  ];
  expect(await listed('quay 1991')).toEqual([['Quay'], ['One', 'Two']]);
  expect(await listed('"quay live"')).toEqual([['Quay Live'], ['Two']]);
  expect(await listed('"live quay"')).toEqual([[], []]);
  expect(await listed('1984')).toEqual([['1984'], ['Four']]);
  database.close();
});

test('albums and artists are found by their names, and artists by their sort names', () => {
  expect(findTitles('moon')).toMatchObject({ albums: ['The Dark Side of the Moon', 'Honeymoon'], artists: [] });
  expect(findTitles('dark side moon').albums).toEqual(['The Dark Side of the Moon']);
  expect(findTitles('björk')).toMatchObject({ albums: ['Homogenic'], artists: ['Björk'] });
  expect(findTitles('dc').artists).toEqual(['AC/DC']);
});

test('an exact name wins over a prefix, with or without accents', () => {
  const rooms = openTempDatabase();
  const { library: otherLibrary, tracks } = openLibraryServices(rooms.db);
  for (const [n, artist] of ['Bjorkestra', 'The Björks', 'Björk', 'Abjork'].entries())
    tracks.insert({
      source: 'upload',
      sourceId: `${n}`,
      identity: { title: 't', artists: [artist], genres: [] },
      audio: AUDIO,
    });
  const { artists } = createSearchService({ db: rooms.db, library: otherLibrary }).searchLibrary(ann, 'bjork', page);
  expect(artists.items.map((a) => a.name)).toEqual(['Björk', 'Bjorkestra', 'The Björks', 'Abjork']);
  rooms.close();
});

test.each([
  '"',
  '""',
  '"""',
  "'",
  "' OR '1'='1",
  '"; DROP TABLE tracks; --',
  'a" OR "b',
  'title:moon',
  '{text}: moon',
  'moon*',
  'moo*',
  '^moon',
  'moon NEAR honey',
  'NEAR("a" "b", 5)',
  '(',
  ')',
  '((',
  '+ +',
  '-moon',
  'moon AND',
  'AND AND AND',
  '\u0000',
  'moo\u0000n',
  '\u0000"',
  '\ud83d',
  '\u0301',
  '%%%',
  '___',
  '\\\\\\',
  '@limit',
  ':a ?1 $x',
  ' \t\n ',
  'x'.repeat(200),
  'x'.repeat(10_000),
  'moon '.repeat(2_000),
  '"'.repeat(10_000),
  '夜'.repeat(3_000),
  'ab'.repeat(5_000),
  'a b c d e f g h i j k l m n o p q r s t u v w x y z',
])('%j is ordinary text', async (q) => {
  const result = search.searchLibrary(ann, q, page);
  expect(result.tracks.items.length).toBeLessThanOrEqual(SONG_ROWS.length);
  expect(findTitles('moon').tracks).toHaveLength(5);
  const emptyPage = { items: [], total: 0 };
  expect(await library.listTracks(ann, { q, source: q, genre: q, format: q }, { sort: 'title' }, page)).toMatchObject(
    emptyPage,
  );
  expect(await library.listAlbums(ann, { q, genre: q, format: q }, { sort: 'title' }, page)).toMatchObject(emptyPage);
  expect(await library.listArtists(ann, { q, genre: q }, { sort: 'name' }, page)).toMatchObject(emptyPage);
});

test('only spaces and punctuation find nothing', () => {
  for (const q of ['\u0301', '\u0000', '\u200b'])
    expect(search.searchLibrary(ann, q, page)).toEqual({
      tracks: { items: [], total: 0 },
      albums: { items: [], total: 0 },
      artists: { items: [], total: 0 },
    });
});

describe('in a larger library', () => {
  let large: TempDatabase;
  let sample: SampleLibrary;
  let largeSearch: SearchService;
  beforeAll(() => {
    large = openTempDatabase();
    sample = makeSampleLibrary(large.db, { artists: 400, albums: 600, tracks: 9_000 }, 21);
    largeSearch = createSearchService({ db: large.db, library: openLibraryServices(large.db).library });
  });
  afterAll(() => large.close());

  const pageOf = (q: string, limit: number, offset: number) =>
    largeSearch.searchLibrary(sample.users[0] as UserId, q, { limit, offset });

  test.each(['love', 'a', 'bjork', 'river moon', 'the 夜', '7', 'ria'])(
    'pages for %j contain every result once, with the same total',
    (q) => {
      for (const kind of ['tracks', 'albums', 'artists'] as const) {
        const { total } = pageOf(q, 1, 0)[kind];
        const ids: number[] = [];
        for (let offset = 0; offset < total + 150; offset += 150) {
          const { items, total: totalAgain } = pageOf(q, 150, offset)[kind];
          expect(totalAgain).toBe(total);
          ids.push(...items.map(({ id }) => id));
        }
        expect(total).toBeLessThanOrEqual(MAX_RESULTS);
        expect(ids).toHaveLength(total);
        expect(new Set(ids).size).toBe(total);
      }
    },
  );

  test('more than a thousand are not counted, and prefix matches are still first', () => {
    const { tracks } = pageOf('love', 50, 0);
    expect(tracks.total).toBe(MAX_RESULTS);
    expect(tracks.items[0]?.title).toBe('love');
    expect(tracks.items.every((t) => t.title.toLowerCase().startsWith('love'))).toBe(true);
  });

  test('the offset may be past the end', () => {
    expect(pageOf('love', 200, 5_000).tracks).toEqual({ items: [], total: MAX_RESULTS });
    expect(pageOf('river moon', 50, 100_000).tracks.items).toEqual([]);
  });
});
