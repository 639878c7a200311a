// Lists in memory stay valid until a write changes them: after random writes of every kind, each page equals the page
// that SQL reads.
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumId, ArtistId, TrackId, UserId } from '../../server/db/ids.ts';
import { createPlayMerge } from '../../server/history/track-merge.ts';
import { createLikeMoves } from '../../server/likes/like-moves.ts';
import { albumList, type AlbumFilter } from '../../server/library/lists/album-lists.ts';
import { artistList, type ArtistFilter } from '../../server/library/lists/artist-lists.ts';
import type { NewIdList } from '../../server/library/lists/list-definition.ts';
import { createIdLists } from '../../server/library/lists/page-ids.ts';
import { createSearchIndex, type SearchIndex } from '../../server/library/search-index/search-index.ts';
import { createStatements } from '../../server/library/lists/statement-cache.ts';
import { createTrackMerge, type TrackMerge } from '../../server/library/merges/track-merge.ts';
import { trackList, type TrackFilter } from '../../server/library/lists/track-lists.ts';
import { ALBUM_SORTS, ARTIST_SORTS, TRACK_SORTS } from '../../server/library/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { seededRandom } from '../support/test-random.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

const SEED = 123;
const ROUNDS = 40;
const LISTS_A_ROUND = 20;

let temp: TempDatabase;
let user: UserId;
let services: ReturnType<typeof openLibraryServices>;
let trackFactory: ReturnType<typeof trackMaker>;
let merge: TrackMerge;
let search: SearchIndex;

beforeAll(() => {
  temp = openTempDatabase();
  [user] = makeSampleLibrary(temp.db, { artists: 1_050, albums: 1_100, tracks: 1_500 }, SEED).users as [UserId];
  services = openLibraryServices(temp.db);
  trackFactory = trackMaker({ db: temp.db });
  search = createSearchIndex(temp.db.$client);
  merge = createTrackMerge({
    db: temp.db,
    tracks: services.tracks,
    movers: [createPlayMerge({ db: temp.db }), createLikeMoves({ db: temp.db, now: () => new Date() }).ofTracks],
  });
});
afterAll(() => temp.close());

const random = seededRandom(SEED);
const randomBelow = (n: number): number => Math.floor(random() * n);
const pick = <T>(values: readonly T[]): T => values[randomBelow(values.length)] as T;
const ORDERS = ['asc', 'desc'] as const;
const TITLE_WORDS = ['love', 'night', 'Björk', 'a', 'moon'];

const idsOf = <T>(sql: string): T[] => temp.db.$client.prepare<[], T>(sql).pluck().all();
const runSql = (sql: string, ...values: unknown[]): void => void temp.db.$client.prepare(sql).run(...values);
const anyTrack = (): TrackId => pick(idsOf<TrackId>('SELECT id FROM tracks'));
const newest = (): TrackId => idsOf<TrackId>('SELECT max(id) FROM tracks')[0] as TrackId;
const mostCredited = (): ArtistId => pick(idsOf<ArtistId>('SELECT id FROM artists ORDER BY track_count DESC LIMIT 20'));
const anItem = (): [string, number] => {
  const type = pick(['track', 'album', 'artist']);
  return [type, pick(idsOf<number>(`SELECT id FROM ${type}s`))];
};
const trashedIds: TrackId[] = [];

const WRITES: Record<string, () => unknown> = {
  insert: () =>
    trackFactory.add({
      title: pick(TITLE_WORDS),
      artists: [pick(TITLE_WORDS)],
      album: pick(TITLE_WORDS),
      year: 1960 + randomBelow(60),
    }),
  'insert a batch': () =>
    temp.db.$client.transaction(() =>
      trackFactory.writer.batch(() => {
        for (let n = randomBelow(5); n >= 0; n--) WRITES['insert']?.();
      }),
    )(),
  // the next track gets the same id
  'delete the newest': () => services.deleteTrack(newest()),
  'delete the newest and insert': async () => {
    await services.deleteTrack(newest());
    await WRITES['insert']?.();
  },
  'insert and give up': () => {
    const giveUp = new Error('given up');
    try {
      temp.db.$client.transaction(() => {
        for (let n = randomBelow(4); n >= 0; n--) WRITES['insert']?.();
        WRITES['lose']?.();
        throw giveUp;
      })();
    } catch (error) {
      if (error !== giveUp) throw error;
    }
  },
  'move to another folder': () =>
    runSql(
      "UPDATE tracks SET source = 'local_folder', source_id = ? || id || '.mp3' WHERE id = ?",
      pick(['other:/', 'a/', 'none/']),
      anyTrack(),
    ),
  'move to another album': () => {
    const [id, album] = [anyTrack(), pick(idsOf<number>('SELECT id FROM albums'))];
    runSql(
      `UPDATE tracks SET album_id = ?, album_sort = (SELECT iif(title_sort = '[unknown album]', '', title_sort)
        FROM albums WHERE id = ?) WHERE id = ?`,
      album,
      album,
      id,
    );
    search.set('track', id);
  },
  'edit a field': () =>
    services.library.updateTrack(
      user,
      anyTrack(),
      pick([
        { year: 1960 + randomBelow(60) },
        { title: pick(TITLE_WORDS) },
        { bpm: 60 + randomBelow(100) },
        { genre: pick(['Rock', 'Jazz']) },
      ]),
    ),
  'edit what it is': () =>
    services.library.setMetadata(user, anyTrack(), {
      title: pick(TITLE_WORDS),
      artist: `${pick(TITLE_WORDS)} ${randomBelow(3)}`,
      album: pick(TITLE_WORDS),
    }),
  'sort an artist elsewhere': () =>
    services.library.updateArtist(user, pick(idsOf<ArtistId>('SELECT id FROM artists')), {
      sortName: pick(TITLE_WORDS),
    }),
  'sort all tracks of an artist elsewhere': () =>
    services.library.updateArtist(user, mostCredited(), { sortName: pick(TITLE_WORDS) }),
  'split no more': () => services.library.updateArtist(user, mostCredited(), { neverSplit: randomBelow(2) === 1 }),
  'write from another process': () => {
    const otherConnection = new Database(temp.db.$client.name);
    otherConnection.prepare('UPDATE tracks SET year = ? WHERE id = ?').run(1960 + randomBelow(60), anyTrack());
    otherConnection.prepare('DELETE FROM like_states WHERE item_id % 7 = ?').run(randomBelow(7));
    otherConnection.close();
  },
  lose: () => runSql("UPDATE tracks SET availability = 'missing' WHERE id = ?", anyTrack()),
  delete: () => services.deleteTrack(anyTrack()),
  trash: () => {
    const id = anyTrack();
    trashedIds.push(id);
    temp.db.transaction((tx) => services.trash.put(tx, null, id, () => {}), { behavior: 'immediate' });
  },
  restore: () => {
    const id = trashedIds.pop();
    if (id !== undefined) temp.db.transaction((tx) => services.trash.restore(tx, id), { behavior: 'immediate' });
  },
  merge: () => {
    const [keptId, emptiedId] = [anyTrack(), anyTrack()];
    if (keptId !== emptiedId) merge.mergeInto(keptId, emptiedId);
  },
  like: () =>
    runSql(
      'INSERT OR REPLACE INTO like_states (user_id, item_type, item_id, liked, rating, since) VALUES (?, ?, ?, ?, ?, 0)',
      user,
      ...anItem(),
      randomBelow(2),
      randomBelow(6),
    ),
  'like no more': () =>
    runSql('UPDATE like_states SET liked = 0 WHERE user_id = ? AND item_type = ? AND item_id = ?', user, ...anItem()),
  play: () =>
    runSql(
      "INSERT INTO plays (user_id, track_id, title, played_at) VALUES (?, ?, 'x', ?)",
      user,
      anyTrack(),
      randomBelow(1e6),
    ),
  'withdraw plays': () => runSql('UPDATE plays SET withdrawn_at = 1 WHERE id % 5 = ?', randomBelow(5)),
};

const GREAT_WRITES: typeof WRITES = {
  'insert many': () =>
    temp.db.$client.transaction(() =>
      trackFactory.writer.batch(() => {
        for (let n = 0; n < 35; n++) WRITES['insert']?.();
      }),
    )(),
  'change very many': () => runSql('UPDATE tracks SET year = year + 1 WHERE id % 2 = ?', randomBelow(2)),
};

const TRACK_FILTERS: TrackFilter[] = [
  { q: 'love' },
  { q: 'a' },
  { genre: 'rock' },
  { yearFrom: 1990 },
  { liked: true },
  { liked: false },
  { availability: 'available' },
  { withoutRemote: true },
  { format: 'mp3' },
  { artistId: 1 as ArtistId },
  { musicFolder: { key: '', keys: ['', 'other'] } },
  { genre: 'rock', liked: false, q: 'a' },
  { folder: { path: 'none', isRecursive: true, otherRoots: [] } },
];
const ALBUM_FILTERS: AlbumFilter[] = [
  { q: 'a' },
  { genre: 'jazz' },
  { yearTo: 2000 },
  { format: 'mp3' },
  { liked: false },
  { unnamed: false },
  { musicFolder: { key: '', keys: ['', 'other'] } },
];
const ARTIST_FILTERS: ArtistFilter[] = [
  { q: 'a' },
  { genre: 'jazz' },
  { yearFrom: 1980, yearTo: 2000 },
  { yearFrom: 1990, yearTo: 1995 },
  { liked: false },
  { hasAlbums: true },
  { musicFolder: { key: '', keys: ['', 'other'] } },
];

function allLists(): NewIdList[] {
  const withOrders = <S extends string>(sorts: readonly S[]) =>
    sorts.filter((sort) => sort !== 'random').flatMap((sort) => ORDERS.map((order) => ({ sort, order })));
  return [
    ...withOrders(TRACK_SORTS).map((order) => trackList(user, {}, order)),
    ...withOrders(ALBUM_SORTS).map((order) => albumList(user, {}, order)),
    ...withOrders(ARTIST_SORTS).map((order) => artistList(user, {}, order)),
    ...TRACK_FILTERS.map((filter) => trackList(user, filter, pick(withOrders(TRACK_SORTS)))),
    ...ALBUM_FILTERS.map((filter) => albumList(user, filter, pick(withOrders(ALBUM_SORTS)))),
    ...ARTIST_FILTERS.map((filter) => artistList(user, filter, pick(withOrders(ARTIST_SORTS)))),
    ...[{}, { liked: false }, { q: 'a' }].map((filter) => trackList(user, filter, { sort: 'random', seed: 5 })),
  ];
}

const WHOLE_PAGE = { limit: 10_000, offset: 0 };

/** Creates lists that all keep their ids in memory. */
const keepingLists = () => createIdLists({ statements: createStatements(temp.db.$client), cheapUs: 0 });

test('newest tracks that are deleted are not counted', async () => {
  const lists = keepingLists();
  const size = () => lists.page(trackList(user, { liked: false }, { sort: 'title' }), WHOLE_PAGE).total;
  const sizes = [size()];
  const twoIds = [trackFactory.add({ title: 'One' }), trackFactory.add({ title: 'Two' })];
  sizes.push(size());
  for (const id of twoIds.toReversed()) {
    await services.deleteTrack(id);
    sizes.push(size());
  }
  const [firstSize = 0] = sizes;
  expect(sizes).toEqual([firstSize, firstSize + 2, firstSize + 1, firstSize]);
});

// This file is copied: its track stays available, and none of its rows changes.
test('lists of a folder are not kept in memory, because files disappear while their tracks stay the same', () => {
  const id = trackFactory.add({ title: 'Copied' });
  runSql("INSERT INTO source_folders (id, source, path) VALUES (1, 'local_folder', 'copied')");
  runSql(
    `INSERT INTO source_files (folder_id, name, size_bytes, mtime_us, dev, ino, state, track_id)
      VALUES (1, 'a', 1, 1, 1, 1, 'track', ?)`,
    id,
  );
  const lists = keepingLists();
  const folder = { path: 'copied', isRecursive: false, otherRoots: [] };
  for (const order of [{ sort: 'title' }, { sort: 'random', seed: 5 }] as const) {
    runSql("UPDATE source_files SET state = 'track' WHERE folder_id = 1");
    const list = trackList(user, { folder }, order);
    expect(lists.page(list, WHOLE_PAGE)).toEqual({ ids: [id], total: 1 });
    runSql("UPDATE source_files SET state = 'gone' WHERE folder_id = 1");
    expect(lists.page(list, WHOLE_PAGE)).toEqual({ ids: [], total: 0 });
  }
});

test('lists of an album or artist, and random pages, are read at once instead of by the thread', () => {
  const lists = createIdLists({ statements: createStatements(temp.db.$client) });
  const [albumId, artistId] = [idsOf<AlbumId>('SELECT album_id FROM tracks')[0], mostCredited()] as const;
  const title = { sort: 'title', order: 'asc' } as const;
  const listByName = {
    album: trackList(user, { albumId, withoutRemote: true, excludedIds: [newest()] }, title),
    artist: trackList(user, { artistId }, title),
    albumsOfArtist: albumList(user, { artistId }, title),
    artistItself: artistList(user, { artistId }, { sort: 'name', order: 'asc' }),
    random: trackList(user, {}, { sort: 'random', order: 'asc', seed: 7 }),
  };
  const page = { limit: 500, offset: 0 };
  expect(Object.entries(listByName).filter(([, list]) => !lists.readIfCheap(list, page))).toEqual([]);
});

test(`after random writes every list in memory equals a newly read list (seed ${SEED})`, async () => {
  const allAndKept = allLists().map((list) => ({ list, lists: keepingLists() }));
  for (const { list, lists } of allAndKept) lists.page(list, WHOLE_PAGE);
  for (let round = 0; round < ROUNDS; round++) {
    const names = Array.from({ length: 1 + randomBelow(4) }, () => pick(Object.keys(WRITES)));
    if (randomBelow(8) === 0) names.push(pick(Object.keys(GREAT_WRITES)));
    for (const name of names) await (WRITES[name] ?? GREAT_WRITES[name])?.();
    for (let n = 0; n < LISTS_A_ROUND; n++) {
      const { list, lists } = pick(allAndKept);
      expect(lists.page(list, WHOLE_PAGE), `round ${round}, ${names.join(', ')}: ${JSON.stringify(list)}`).toEqual(
        bySql(list),
      );
    }
  }
});

const bySql = (list: NewIdList) =>
  createIdLists({ statements: createStatements(temp.db.$client), cheapUs: Infinity }).page(list, WHOLE_PAGE);

test('a list of more items than a function takes arguments is kept', () => {
  runSql(
    `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 200000)
      INSERT INTO artists (name, name_key, sort_name, sort_key, created_at, updated_at)
      SELECT 'n' || id, 'n' || id, 'n' || id, 'n' || id, 0, 0 FROM n`,
  );
  const { ids, total } = keepingLists().page(artistList(user, {}, { sort: 'play_count' }), {
    limit: 50,
    offset: 150_000,
  });
  expect([ids.length, total > 200_000]).toEqual([50, true]);
});
