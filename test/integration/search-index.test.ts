// The search index follows all writes, with words of every length, whatever happens to the transaction.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import type { LibraryService } from '../../server/library/service.ts';
import { createSearchIndex } from '../../server/library/search-index/search-index.ts';
import { searchTextOf } from '../../server/library/search-index/search-names.ts';
import { rebuildSearch } from '../../server/library/search-index/search-rebuild.ts';
import type { TrackIdentity } from '../../server/library/tracks/track-values.ts';
import type { TrackWriter } from '../../server/library/tracks/track-writer.ts';
import { createLog } from '../../server/log/log.ts';
import { createSearchService, type SearchService } from '../../server/search/service.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { silence } from '../support/silence.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

const ann = 1 as UserId;
const page = { limit: 200, offset: 0 };

let temp: TempDatabase;
let deleteTrack: ReturnType<typeof openLibraryServices>['deleteTrack'];
let library: LibraryService;
let tracks: TrackWriter;
let search: SearchService;
let addedCount = 0;

beforeEach(() => {
  temp = openTempDatabase();
  const services = openLibraryServices(temp.db);
  ({ library, tracks, deleteTrack } = services);
  search = createSearchService({ db: temp.db, library });
});
afterEach(() => temp.close());

const insert = (identity: Partial<TrackIdentity>): TrackId =>
  tracks.insert({
    source: 'upload',
    sourceId: `${addedCount++}`,
    identity: { title: 'Title', artists: ['Artist'], genres: [], ...identity },
    audio: silence,
  });
const titles = (q: string): string[] => search.searchLibrary(ann, q, page).tracks.items.map((track) => track.title);
const artists = (q: string): string[] => search.searchLibrary(ann, q, page).artists.items.map((artist) => artist.name);

test('a batch is found as soon as it is written', () => {
  temp.db.$client
    .transaction(() =>
      tracks.batch(() => {
        insert({ title: 'Harbour', artists: ['Quay'], album: 'Xylophone' });
        insert({ title: 'Lighthouse', artists: ['Quay'], album: 'Xylophone' });
      }),
    )
    .immediate();
  expect([titles('harb'), titles('h'), titles('gh'), titles('xylo'), titles('xy'), artists('q')]).toEqual([
    ['Harbour'],
    ['Harbour', 'Lighthouse'],
    ['Lighthouse'],
    ['Harbour', 'Lighthouse'],
    ['Harbour', 'Lighthouse'],
    ['Quay'],
  ]);
});

test('rolled back rows are not found, and rows that reuse their ids are', () => {
  temp.db.$client
    .transaction(() =>
      tracks.batch(() => {
        insert({ title: 'Stays', artists: ['Quay'] });
        const failingTransaction = temp.db.$client.transaction(() => {
          insert({ title: 'Vanishes', artists: ['Nobody'], album: 'Void' });
          throw new Error('the disk is full');
        });
        expect(failingTransaction).toThrow('the disk is full');
        tracks.forget();
        insert({ title: 'Arrives', artists: ['Somebody'], album: 'Here' });
      }),
    )
    .immediate();
  expect([titles('vanishes'), titles('va'), artists('nobody'), titles('void')]).toEqual([[], [], [], []]);
  expect([titles('arrives'), titles('sta'), artists('some'), titles('here')]).toEqual([
    ['Arrives'],
    ['Stays'],
    ['Somebody'],
    ['Arrives'],
  ]);
});

test('a track is found after its deletion was rolled back', () => {
  temp.db.$client
    .transaction(() =>
      tracks.batch(() => {
        const id = insert({ title: 'Phoenix', artists: ['Quay'] });
        const failingTransaction = temp.db.$client.transaction(() => {
          temp.db.$client.prepare('DELETE FROM tracks WHERE id = ?').run(id);
          tracks.search.delete('track', id);
          throw new Error('no');
        });
        expect(failingTransaction).toThrow('no');
        tracks.forget();
      }),
    )
    .immediate();
  expect(titles('phoenix')).toEqual(['Phoenix']);
});

test('a batch that fails as a whole leaves nothing behind, and the next one is written', () => {
  const batch = (title: string, fails: boolean) =>
    temp.db.$client.transaction(() =>
      tracks.batch(() => {
        insert({ title });
        if (fails) throw new Error('no');
      }),
    ).immediate;
  expect(batch('Lost', true)).toThrow('no');
  batch('Kept', false)();
  insert({ title: 'Single' });
  expect([titles('lost'), titles('kept'), titles('single')]).toEqual([[], ['Kept'], ['Single']]);
});

test('a new title, a sort name and an album’s new artist are found', async () => {
  const id = insert({ title: 'Old', artists: ['宇多田ヒカル'], album: 'First Love' });
  library.updateTrack(ann, id, { title: 'New' });
  expect([titles('old'), titles('new')]).toEqual([[], ['New']]);
  const [artist] = search.searchLibrary(ann, 'ヒカル', page).artists.items;
  if (!artist) throw new Error('the artist was not found');
  library.updateArtist(ann, artist.id, { sortName: 'Utada, Hikaru' });
  expect([artists('utada'), artists('hi'), artists('宇')]).toEqual([
    ['宇多田ヒカル'],
    ['宇多田ヒカル'],
    ['宇多田ヒカル'],
  ]);

  insert({ title: 'Nameless', artists: [], album: 'Home' });
  temp.db.$client.exec("INSERT INTO source_folders (id, source, path) VALUES (1, 'upload', '')");
  const add = (identity: Partial<TrackIdentity>) =>
    tracks.insert({
      source: 'upload',
      sourceId: `f${addedCount++}`,
      folder: 1,
      identity: { title: 'In a folder', artists: [], genres: [], ...identity },
      audio: silence,
    });
  add({ album: 'Attic' });
  add({ album: 'Attic', albumArtist: 'The Tenants', title: 'Other' });
  expect(titles('tenants')).toEqual(['Other', 'In a folder']);
  await deleteTrack(id);
  expect([titles('new'), artists('utada')]).toEqual([[], []]);
});

test('a track is found by its composers and by its sort names, and an album by those of its tracks', () => {
  const id = insert({
    title: '桜',
    artists: ['Quay'],
    album: '雨',
    composer: 'Elisa Green; Jo Blank',
    more: { titleSort: 'Sakura', albumSort: 'Ame no Uta', composerSort: ['Green, Elisa', 'Blanque, Jo'] },
  });
  const albums = (q: string): string[] => search.searchLibrary(ann, q, page).albums.items.map((album) => album.title);
  expect([titles('sakura'), titles('elisa'), titles('blank quay'), titles('blanque'), albums('ame no')]).toEqual([
    ['桜'],
    ['桜'],
    ['桜'],
    ['桜'],
    ['雨'],
  ]);
  library.updateTrack(ann, id, { composer: 'Ida Violet' });
  expect([titles('violet'), titles('elisa')]).toEqual([['桜'], []]);
  tracks.setMore(id, { titleSort: 'Cherry' });
  expect([titles('sakura'), titles('cherry'), albums('ame no')]).toEqual([[], ['桜'], []]);
});

test('words are there for typos as soon as they are written, and after the index was rebuilt', async () => {
  insert({ title: 'Believe', artists: ['Quay'] });
  expect([titles('beleive'), artists('quya')]).toEqual([['Believe'], ['Quay']]);
  const client = temp.db.$client;
  client.exec(`DELETE FROM search_words;
    INSERT INTO search_rebuild VALUES ('artist', 0), ('album', 0), ('track', 0)`);
  await rebuildSearch({ db: temp.db, search: createSearchIndex(client), log: createLog('silent') });
  search = createSearchService({ db: temp.db, library }); // has no earlier results
  expect([titles('beleive'), artists('quya')]).toEqual([['Believe'], ['Quay']]);
});

test('words of different lengths can be combined, however frequent', async () => {
  const { users } = makeSampleLibrary(temp.db, { artists: 300, albums: 300, tracks: 6_000 }, 9);
  const client = temp.db.$client;
  const allTexts = client
    .prepare<
      [],
      { text: string }
    >(`SELECT concat_ws(char(10), t.title, t.artist_name, a.title, x.name, t.composer) AS text
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id LEFT JOIN artists x ON x.id = a.artist_id`)
    .all()
    .map((row) => searchTextOf(row.text));
  for (const words of [
    ['love', 'a'],
    ['the', 'x'],
    ['river', '7'],
    ['night', 'of'],
    ['moon', '夜'],
    ['quoted', 'q'],
    ['half', 'zz'],
    ['love', 'river', 'it', '1'],
  ]) {
    const matchCount = allTexts.filter((text) => words.every((word) => text.includes(word))).length;
    expect(search.searchLibrary(users[0] as UserId, words.join(' '), page).tracks.total, words.join(' ')).toBe(
      Math.min(1_000, matchCount),
    );
    expect(
      (await library.listTracks(users[0] as UserId, { q: words.join(' ') }, { sort: 'title' }, page)).total,
      words.join(' '),
    ).toBe(matchCount);
  }
});

test('search tables that a migration emptied are refilled from where that stopped', async () => {
  const { users } = makeSampleLibrary(temp.db, { artists: 120, albums: 150, tracks: 700 }, 5);
  const client = temp.db.$client;
  const contents = () =>
    ['search_trigrams', 'search_grams'].map((table) =>
      client.prepare(`SELECT id FROM ${table}_docsize ORDER BY id`).pluck().all(),
    );
  const findAll = (q: string) => search.searchLibrary(users[0] as UserId, q, page);
  const listMatching = ({ listTracks } = library) =>
    listTracks(users[0] as UserId, { q: 'love' }, { sort: 'title' }, page);
  const allTracks = await listMatching(openLibraryServices(temp.db).library);
  const previousContents = [contents(), findAll('love'), findAll('a'), findAll('the 夜')];
  const lastTrackId = client.prepare<[], number>('SELECT max(id) FROM tracks').pluck().get() ?? 0;
  client.exec(`DELETE FROM search_trigrams; DELETE FROM search_grams;
    INSERT INTO search_rebuild VALUES ('artist', 0), ('album', 0), ('track', 0)`);
  createSearchIndex(client).set('track', lastTrackId); // this track is written while the index is rebuilt
  expect((await listMatching()).total).toBeLessThan(allTracks.total);
  await rebuildSearch({
    db: temp.db,
    search: createSearchIndex(client),
    log: createLog('silent'),
  });
  expect([contents(), findAll('love'), findAll('a'), findAll('the 夜')]).toEqual(previousContents);
  expect(await listMatching()).toEqual(allTracks);
  expect(client.prepare('SELECT * FROM search_rebuild').all()).toEqual([]);
});

/** Returns the number of segments of an FTS5 table, which its structure record contains after cookie and version. */
function segmentsOf(table: 'search_trigrams' | 'search_grams'): number {
  const block = temp.db.$client.prepare(`SELECT block FROM ${table}_data WHERE id = 10`).pluck().get() as Buffer;
  const bytes = [...block.subarray(block.readUInt32BE(4) === 0xff_00_00_01 ? 9 : 5, 12)];
  const end = bytes.findIndex((byte) => byte < 128);
  return bytes.slice(0, end + 1).reduce((number, byte) => number * 128 + (byte & 127), 0);
}

test('its segments stay few, in batches and without', () => {
  const { $client } = temp.db;
  const mostBefore = Math.max(segmentsOf('search_trigrams'), segmentsOf('search_grams'));
  expect(mostBefore).toBeLessThan(16);
  for (let n = 0; n < 400; n++)
    $client
      .transaction(() => tracks.batch(() => insert({ title: `Harbour ${n}`, artists: [`Quay ${n}`] })))
      .immediate();
  expect([segmentsOf('search_trigrams') < 64, segmentsOf('search_grams') < 64]).toEqual([true, true]);
  const index = createSearchIndex($client);
  for (let n = 0; n < 400; n++) $client.transaction(() => index.set('track', 1 + n)).immediate();
  expect([segmentsOf('search_trigrams') < 64, segmentsOf('search_grams') < 64]).toEqual([true, true]);
  expect([titles('harbour 399'), titles('39'), artists('quay 17').length]).toEqual([
    ['Harbour 399'],
    expect.arrayContaining(['Harbour 39', 'Harbour 390', 'Harbour 399']),
    14,
  ]);
});
