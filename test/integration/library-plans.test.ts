// Every order of every list is read from an index and never sorted, however large the library is.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UserId } from '../../server/db/ids.ts';
import { albumList, ALBUM_SORT_PLANS } from '../../server/library/lists/album-lists.ts';
import { artistList, ARTIST_SORT_PLANS } from '../../server/library/lists/artist-lists.ts';
import { toIdList, whereOf, type NewIdList } from '../../server/library/lists/list-definition.ts';
import type { Page } from '../../server/http/paging.ts';
import { createIdLists } from '../../server/library/lists/page-ids.ts';
import { createListing, createListThread, type ListThread } from '../../server/library/lists/list-pages.ts';
import { seededOrder } from '../../server/library/lists/seeded-order.ts';
import { createStatements, type Params, type Statements } from '../../server/library/lists/statement-cache.ts';
import { trackList, TRACK_SORT_PLANS } from '../../server/library/lists/track-lists.ts';
import { readTracks } from '../../server/library/lists/track-rows.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { paths } from '../support/product.ts';

const TRACKS = 6_000; // exceeds the number of tracks that are shuffled at once
const FEWER_TRACKS = 2_400; // exceeds the number of tracks that an order reads at once

let temp: TempDatabase;
let statements: Statements;
let user: UserId;

function openLibrary(tracks: number): void {
  temp = openTempDatabase();
  [user] = makeSampleLibrary(temp.db, { artists: 300, albums: 500, tracks }, 3).users as [UserId];
  statements = createStatements(temp.db.$client);
}
beforeAll(() => openLibrary(TRACKS));
afterAll(() => temp.close());

const listsOver = (usedStatements: Statements, cheapUs?: number) =>
  createIdLists({ statements: usedStatements, ...(cheapUs !== undefined && { cheapUs }) });

/** Returns the query plans of the statements for a page of ids. */
function plansOf(list: NewIdList, offset: number): { sql: string; plan: string }[] {
  const statementsRun: { sql: string; params: Params }[] = [];
  const recording: Statements = {
    ...statements,
    column: (sql, params) => (statementsRun.push({ sql, params }), statements.column(sql, params)),
  };
  listsOver(recording).page(list, { limit: 50, offset });
  return statementsRun.map(({ sql, params }) => ({ sql, plan: planOf(sql, params) }));
}

const planOf = (sql: string, params: Params): string =>
  temp.db.$client
    .prepare<[Params], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(params)
    .map((row) => row.detail)
    .join('\n');

const orders = ['asc', 'desc'] as const;
const sorts = [
  ...Object.keys(TRACK_SORT_PLANS).map((sort) => ['tracks', sort] as const),
  ...Object.keys(ALBUM_SORT_PLANS).map((sort) => ['albums', sort] as const),
  ...Object.keys(ARTIST_SORT_PLANS).map((sort) => ['artists', sort] as const),
];

function listOf(kind: string, sort: string, order: 'asc' | 'desc', filter: object): NewIdList {
  const listOrder = { sort: sort as 'created_at', order };
  return kind === 'tracks'
    ? trackList(user, filter, listOrder)
    : kind === 'albums'
      ? albumList(user, filter, listOrder)
      : artistList(user, filter, listOrder);
}

test.each(sorts)('%s by %s are read in order from an index', (kind, sort) => {
  for (const order of orders) {
    for (const offset of [0, 150]) {
      const plans = plansOf(listOf(kind, sort, order, {}), offset);
      expect(plans.length).toBeGreaterThan(0);
      for (const { sql, plan } of plans) expect(plan, sql).not.toContain('TEMP B-TREE');
    }
  }
});

test.each(sorts)('%s by %s read ids from the index alone', (kind, sort) => {
  for (const order of orders) {
    const [firstPlan] = plansOf(listOf(kind, sort, order, {}), 0);
    if (sort === 'play_count' || sort === 'last_played_at' || sort === 'rating')
      expect(firstPlan?.plan).toMatch(/play_counts_(plays|last)|like_states_rating|NOT INDEXED|SCAN i/);
    else expect(firstPlan?.plan).toContain('COVERING INDEX');
  }
});

test.each(sorts)('%s by %s with a filter that matches most of the library are still not sorted', (kind, sort) => {
  const filters =
    kind === 'tracks'
      ? [{ source: 'local_folder' }, { genre: 'rock' }, { yearFrom: 1970 }, { liked: false }, { format: 'mp3' }]
      : [{ liked: false }];
  for (const filter of filters) {
    for (const order of orders) {
      const [firstPlan] = plansOf(listOf(kind, sort, order, filter), 0);
      expect(firstPlan?.plan, firstPlan?.sql).not.toContain('ORDER BY');
    }
  }
});

test.each(sorts.filter(([kind]) => kind !== 'artists'))(
  '%s by %s of one artist are read from the artist, not searched in the whole order',
  (kind, sort) => {
    for (const order of orders) {
      const [artistPlan, ...otherPlans] = plansOf(listOf(kind, sort, order, { artistId: 1 }), 0);
      expect(otherPlans).toEqual([]);
      expect(artistPlan?.plan, artistPlan?.sql).toContain('SEARCH i USING INTEGER PRIMARY KEY');
      expect(artistPlan?.plan).not.toMatch(/SCAN (i|p|tracks)\b/);
    }
  },
);

describe('deep in a list', () => {
  let larger: [TempDatabase, Statements, UserId];
  beforeAll(() => {
    larger = [temp, statements, user];
    openLibrary(FEWER_TRACKS);
  });
  afterAll(() => {
    temp.close();
    [temp, statements, user] = larger;
  });
  const ORDERS = sorts.flatMap(([kind, sort]) => orders.map((order) => [kind, sort, order] as const));
  const FILTERS = {
    tracks: [
      {},
      { q: 'love' },
      { q: 'a' },
      { q: 'the x' },
      { liked: false },
      { availability: 'available' },
      { format: 'mp3', yearFrom: 1980 },
      { genre: 'rock', liked: true },
    ],
    albums: [{}, { q: 'a' }, { liked: false }, { genre: 'jazz' }],
    artists: [{}, { q: 'a' }, { liked: false }],
  };

  /** Reads all ids by SQL, from the start. */
  function readAllIds(list: NewIdList): number[] {
    const { order, filters, params } = toIdList(list);
    if (!('segments' in order)) throw new Error('a random order has no segments');
    return order.segments.flatMap(({ from, where, orderBy }) =>
      statements.column<number>(
        `SELECT i.id FROM ${from} ${whereOf([where, ...filters.map((f) => f.condition)])} ORDER BY ${orderBy}`,
        params,
      ),
    );
  }

  test.each(ORDERS)('%s by %s %s are the same whether they come from SQL or from memory', (kind, sort, order) => {
    const sqlLists = listsOver(statements);
    const memoryLists = listsOver(statements, 0);
    for (const filter of FILTERS[kind]) {
      const list = listOf(kind, sort, order, filter);
      const allIds = readAllIds(list);
      memoryLists.page(list, { limit: 1, offset: 0 });
      for (const offset of [0, 120, Math.floor(allIds.length / 2), Math.max(0, allIds.length - 20)]) {
        const page = { ids: allIds.slice(offset, offset + 50), total: allIds.length };
        expect(sqlLists.page(list, { limit: 50, offset }), JSON.stringify([filter, offset])).toEqual(page);
        expect(memoryLists.page(list, { limit: 50, offset }), JSON.stringify([filter, offset])).toEqual(page);
      }
    }
  });

  test('a page of a recent list is read from memory, without stepping over rows', () => {
    const executedSql: string[] = [];
    const lists = listsOver(
      { ...statements, column: (sql, params) => (executedSql.push(sql), statements.column(sql, params)) },
      0,
    );
    const list = listOf('tracks', 'title', 'desc', {});
    lists.page(list, { limit: 50, offset: 0 });
    executedSql.length = 0;
    expect(lists.page(list, { limit: 50, offset: FEWER_TRACKS - 50 }).ids).toHaveLength(50);
    expect(executedSql).toEqual([]);
  });

  test('the memory is cleared when something is written', () => {
    const lists = listsOver(statements, 0);
    const list = listOf('tracks', 'title', 'asc', {});
    const likes = listOf('tracks', 'title', 'asc', { liked: false });
    lists.page(list, { limit: 1, offset: 0 });
    const { ids, total } = lists.page(list, { limit: 1, offset: 2_000 });
    const likesBefore = lists.page(likes, { limit: 1, offset: 1_000 });
    temp.db.$client.prepare("UPDATE tracks SET title_sort = '' WHERE id = ?").run(ids[0]);
    expect(lists.page(list, { limit: 1, offset: 0 })).toEqual({ ids, total });
    expect(lists.page(list, { limit: 1, offset: 2_000 }).ids).not.toEqual(ids);
    temp.db.$client
      .prepare(
        "INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (?, 'track', ?, 1, 0) ON CONFLICT DO UPDATE SET liked = 1",
      )
      .run(user, likesBefore.ids[0]);
    expect(lists.page(likes, { limit: 1, offset: 1_000 }).total).toBe(likesBefore.total - 1);
  });
});

describe('with a thread for slow queries', () => {
  const LISTS: [string, () => NewIdList][] = [
    ['tracks by title', () => listOf('tracks', 'title', 'asc', {})],
    ['tracks by plays', () => listOf('tracks', 'play_count', 'desc', {})],
    ['words in tracks', () => listOf('tracks', 'album', 'asc', { q: 'a love' })],
    ['tracks that are not liked', () => listOf('tracks', 'created_at', 'desc', { liked: false, format: 'mp3' })],
    ['tracks of an artist', () => listOf('tracks', 'title', 'asc', { artistId: 2, q: 'the' })],
    ['tracks in a random order', () => trackList(user, {}, { sort: 'random', seed: 8 })],
    ['albums of a genre', () => listOf('albums', 'artist', 'asc', { genre: 'rock' })],
    ['artists', () => listOf('artists', 'name', 'asc', {})],
  ];
  let thread: ListThread;
  let listing: ReturnType<typeof createListing>;
  const readCounts: number[] = [];
  beforeAll(() => {
    thread = createListThread({
      workerUrl: paths.workers.lists,
      databasePath: temp.db.$client.name,
    });
    const countedStatements = {
      ...thread,
      page: (list: NewIdList, page: Page) => (readCounts.push(page.offset), thread.page(list, page)),
    };
    listing = createListing({ statements, thread: countedStatements, cheapUs: 40 });
  });
  afterAll(() => thread.close());

  test.each(LISTS)('pages of %s are the same as without one', async (_, makeList) => {
    const list = makeList();
    const memoryLists = listsOver(statements);
    const { total } = memoryLists.page(list, { limit: 1, offset: 0 });
    for (const offset of [0, 30, Math.floor(total / 2), total - 20, total, total + 9]) {
      const page = { limit: 40, offset: Math.max(0, offset) };
      expect(await listing.page(list, page), String(offset)).toEqual(memoryLists.page(list, page));
    }
  });

  test('the thread reads deep pages, and the first one only until its total is known', async () => {
    const [yearList, searchList] = [listOf('tracks', 'year', 'asc', {}), listOf('tracks', 'title', 'asc', { q: 'a' })];
    readCounts.length = 0;
    for (const offset of [0, 5_000]) await listing.page(yearList, { limit: 50, offset });
    expect(readCounts).toEqual([5_000]);
    for (const limit of [50, 1, 2]) await listing.page(searchList, { limit, offset: 0 });
    expect(readCounts.length).toBeLessThan(4);
    expect(readCounts[1]).toBe(0);
  });

  test('the thread reads what was just written', async () => {
    const list = listOf('tracks', 'title', 'desc', {});
    const lastPage = { limit: 1, offset: TRACKS - 1 };
    const pageBefore = await listing.page(list, lastPage);
    temp.db.$client.prepare("UPDATE tracks SET title_sort = '' WHERE id = ?").run(pageBefore.ids[0] === 7 ? 8 : 7);
    expect((await listing.page(list, lastPage)).ids).not.toEqual(pageBefore.ids);
    const wordList = listOf('tracks', 'title', 'asc', { q: 'a', format: 'mp3' });
    const { total, ids } = await listing.page(wordList, { limit: 1, offset: 0 });
    temp.db.$client.prepare("UPDATE tracks SET format = 'flac' WHERE id = ?").run(ids[0]);
    expect((await listing.page(wordList, { limit: 1, offset: 0 })).total).toBe(total - 1);
  });
});

test('the rows of a page are found by their ids', () => {
  const executedSql: string[] = [];
  readTracks(
    { ...statements, rows: (sql, params) => (executedSql.push(planOf(sql, params)), statements.rows(sql, params)) },
    user,
    [1, 2, 3],
  );
  expect(executedSql).toHaveLength(5);
  expect(executedSql[0]).toContain('SEARCH t USING INTEGER PRIMARY KEY');
  for (const line of executedSql.flatMap((plan) => plan.split('\n')))
    if (line.startsWith('SCAN')) expect(line).toContain('ids');
});

test('a large library is not shuffled as a whole, and its pages do not overlap', () => {
  const lists = listsOver(statements);
  const shuffledPage = (seed: number, offset: number, limit = 200) =>
    lists.page(trackList(user, {}, { sort: 'random', seed }), { limit, offset }).ids;
  const allIds: number[] = [];
  for (let offset = 0; offset < TRACKS; offset += 200) allIds.push(...shuffledPage(11, offset));
  expect(new Set(allIds).size).toBe(TRACKS);
  const { placeOf } = seededOrder(11, TRACKS);
  expect(allIds).toEqual(allIds.toSorted((a, b) => placeOf(a) - placeOf(b)));
  expect(
    listsOver(statements).page(trackList(user, {}, { sort: 'random', seed: 11 }), { limit: 100, offset: 5_900 }).ids,
  ).toEqual(allIds.slice(5_900));

  const readIds: number[] = [];
  listsOver({
    ...statements,
    column: <T>(sql: string, params: Params) => {
      const rows = statements.column<T>(sql, params);
      readIds.push(rows.length);
      return rows;
    },
  }).page(trackList(user, {}, { sort: 'random', seed: 12 }), { limit: 50, offset: 0 });
  expect(readIds.reduce((sum, n) => sum + n, 0)).toBeLessThan(300);
});

test('a few matches are found in a large library in random order too', () => {
  const lists = listsOver(statements);
  const filter = { q: 'river moon', format: 'opus' };
  const likedTracks = lists.page(trackList(user, filter, { sort: 'created_at' }), { limit: 200, offset: 0 });
  const random = lists.page(trackList(user, filter, { sort: 'random', seed: 1 }), { limit: 200, offset: 0 });
  expect(likedTracks.total).toBeGreaterThan(0);
  expect(random.total).toBe(likedTracks.total);
  expect(new Set(random.ids)).toEqual(new Set(likedTracks.ids));
});

test('other tracks keep their random order when one is added', () => {
  const shuffledIds = () =>
    listsOver(statements).page(trackList(user, {}, { sort: 'random', seed: 4 }), { limit: 200, offset: 0 }).ids;
  const idsBefore = shuffledIds();
  const [deletedId] = idsBefore;
  temp.db.$client.prepare('DELETE FROM tracks WHERE id = ?').run(deletedId);
  expect(shuffledIds().slice(0, 199)).toEqual(idsBefore.slice(1));
});
