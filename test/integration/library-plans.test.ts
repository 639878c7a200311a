// The hot path of lists: every order of every list is read from an index, never sorted, however large the library.
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

const TRACKS = 6_000; // more than are shuffled at once
const FEWER = 2_400; // more than an order reads at once

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

const listsOver = (over: Statements, cheapUs?: number) =>
  createIdLists({ statements: over, ...(cheapUs !== undefined && { cheapUs }) });

/** The statements of a page of ids, with their query plans. */
function plansOf(list: NewIdList, offset: number): { sql: string; plan: string }[] {
  const run: { sql: string; params: Params }[] = [];
  const recording: Statements = {
    ...statements,
    column: (sql, params) => (run.push({ sql, params }), statements.column(sql, params)),
  };
  listsOver(recording).page(list, { limit: 50, offset });
  return run.map(({ sql, params }) => ({ sql, plan: planOf(sql, params) }));
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

function listOf(what: string, sort: string, order: 'asc' | 'desc', filter: object): NewIdList {
  const by = { sort: sort as 'created_at', order };
  return what === 'tracks'
    ? trackList(user, filter, by)
    : what === 'albums'
      ? albumList(user, filter, by)
      : artistList(user, filter, by);
}

test.each(sorts)('%s by %s are read in order from an index', (what, sort) => {
  for (const order of orders) {
    for (const offset of [0, 150]) {
      const plans = plansOf(listOf(what, sort, order, {}), offset);
      expect(plans.length).toBeGreaterThan(0);
      for (const { sql, plan } of plans) expect(plan, sql).not.toContain('TEMP B-TREE');
    }
  }
});

test.each(sorts)('%s by %s read ids from the index alone', (what, sort) => {
  for (const order of orders) {
    const [first] = plansOf(listOf(what, sort, order, {}), 0);
    if (sort === 'play_count' || sort === 'last_played_at')
      expect(first?.plan).toMatch(/play_counts_(plays|last)|NOT INDEXED|SCAN i/);
    else expect(first?.plan).toContain('COVERING INDEX');
  }
});

test.each(sorts)('%s by %s with a filter that matches most of the library are still not sorted', (what, sort) => {
  const filters =
    what === 'tracks'
      ? [{ source: 'local_folder' }, { genre: 'rock' }, { yearFrom: 1970 }, { liked: false }, { format: 'mp3' }]
      : [{ liked: false }];
  for (const filter of filters) {
    for (const order of orders) {
      const [first] = plansOf(listOf(what, sort, order, filter), 0);
      expect(first?.plan, first?.sql).not.toContain('ORDER BY');
    }
  }
});

test.each(sorts.filter(([what]) => what !== 'artists'))(
  '%s by %s of one artist are gathered, not looked for in the whole order',
  (what, sort) => {
    for (const order of orders) {
      const [only, ...others] = plansOf(listOf(what, sort, order, { artistId: 1 }), 0);
      expect(others).toEqual([]);
      expect(only?.plan, only?.sql).toContain('SEARCH i USING INTEGER PRIMARY KEY');
      expect(only?.plan).not.toMatch(/SCAN (i|p|tracks)\b/);
    }
  },
);

describe('deep in a list', () => {
  let larger: [TempDatabase, Statements, UserId];
  beforeAll(() => {
    larger = [temp, statements, user];
    openLibrary(FEWER);
  });
  afterAll(() => {
    temp.close();
    [temp, statements, user] = larger;
  });
  const ORDERS = sorts.flatMap(([what, sort]) => orders.map((order) => [what, sort, order] as const));
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

  /** All ids by SQL, from the start. */
  function everything(list: NewIdList): number[] {
    const { order, filters, params } = toIdList(list);
    if (!('segments' in order)) throw new Error('a random order has no segments');
    return order.segments.flatMap(({ from, where, orderBy }) =>
      statements.column<number>(
        `SELECT i.id FROM ${from} ${whereOf([where, ...filters.map((f) => f.each)])} ORDER BY ${orderBy}`,
        params,
      ),
    );
  }

  test.each(ORDERS)('%s by %s %s are the same whether they come from SQL or from memory', (what, sort, order) => {
    const cold = listsOver(statements);
    const warm = listsOver(statements, 0);
    for (const filter of FILTERS[what]) {
      const list = listOf(what, sort, order, filter);
      const all = everything(list);
      warm.page(list, { limit: 1, offset: 0 });
      for (const offset of [0, 120, Math.floor(all.length / 2), Math.max(0, all.length - 20)]) {
        const page = { ids: all.slice(offset, offset + 50), total: all.length };
        expect(cold.page(list, { limit: 50, offset }), JSON.stringify([filter, offset])).toEqual(page);
        expect(warm.page(list, { limit: 50, offset }), JSON.stringify([filter, offset])).toEqual(page);
      }
    }
  });

  test('a page of a recent list is read from memory, without stepping over rows', () => {
    const asked: string[] = [];
    const lists = listsOver(
      { ...statements, column: (sql, params) => (asked.push(sql), statements.column(sql, params)) },
      0,
    );
    const list = listOf('tracks', 'title', 'desc', {});
    lists.page(list, { limit: 50, offset: 0 });
    asked.length = 0;
    expect(lists.page(list, { limit: 50, offset: FEWER - 50 }).ids).toHaveLength(50);
    expect(asked).toEqual([]);
  });

  test('the memory is cleared when something is written', () => {
    const lists = listsOver(statements, 0);
    const list = listOf('tracks', 'title', 'asc', {});
    const likes = listOf('tracks', 'title', 'asc', { liked: false });
    lists.page(list, { limit: 1, offset: 0 });
    const { ids, total } = lists.page(list, { limit: 1, offset: 2_000 });
    const before = lists.page(likes, { limit: 1, offset: 1_000 });
    temp.db.$client.prepare("UPDATE tracks SET title_sort = '' WHERE id = ?").run(ids[0]);
    expect(lists.page(list, { limit: 1, offset: 0 })).toEqual({ ids, total });
    expect(lists.page(list, { limit: 1, offset: 2_000 }).ids).not.toEqual(ids);
    temp.db.$client
      .prepare(
        "INSERT INTO like_states (user_id, item_type, item_id, liked, since) VALUES (?, 'track', ?, 1, 0) ON CONFLICT DO UPDATE SET liked = 1",
      )
      .run(user, before.ids[0]);
    expect(lists.page(likes, { limit: 1, offset: 1_000 }).total).toBe(before.total - 1);
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
  const asked: number[] = [];
  beforeAll(() => {
    thread = createListThread({
      workerUrl: paths.workers.lists,
      databasePath: temp.db.$client.name,
    });
    const counted = {
      ...thread,
      page: (list: NewIdList, page: Page) => (asked.push(page.offset), thread.page(list, page)),
    };
    listing = createListing({ statements, thread: counted, cheapUs: 40 });
  });
  afterAll(() => thread.close());

  test.each(LISTS)('pages of %s are the same as without one', async (_, make) => {
    const list = make();
    const here = listsOver(statements);
    const { total } = here.page(list, { limit: 1, offset: 0 });
    for (const offset of [0, 30, Math.floor(total / 2), total - 20, total, total + 9]) {
      const page = { limit: 40, offset: Math.max(0, offset) };
      expect(await listing.page(list, page), String(offset)).toEqual(here.page(list, page));
    }
  });

  test('the thread reads deep pages, and the first one only until its total is known', async () => {
    const [deep, wide] = [listOf('tracks', 'year', 'asc', {}), listOf('tracks', 'title', 'asc', { q: 'a' })];
    asked.length = 0;
    for (const offset of [0, 5_000]) await listing.page(deep, { limit: 50, offset });
    expect(asked).toEqual([5_000]);
    for (const limit of [50, 1, 2]) await listing.page(wide, { limit, offset: 0 });
    expect(asked.length).toBeLessThan(4);
    expect(asked[1]).toBe(0);
  });

  test('the thread reads what was just written', async () => {
    const list = listOf('tracks', 'title', 'desc', {});
    const last = { limit: 1, offset: TRACKS - 1 };
    const before = await listing.page(list, last);
    temp.db.$client.prepare("UPDATE tracks SET title_sort = '' WHERE id = ?").run(before.ids[0] === 7 ? 8 : 7);
    expect((await listing.page(list, last)).ids).not.toEqual(before.ids);
    const words = listOf('tracks', 'title', 'asc', { q: 'a', format: 'mp3' });
    const { total, ids } = await listing.page(words, { limit: 1, offset: 0 });
    temp.db.$client.prepare("UPDATE tracks SET format = 'flac' WHERE id = ?").run(ids[0]);
    expect((await listing.page(words, { limit: 1, offset: 0 })).total).toBe(total - 1);
  });
});

test('the rows of a page are found by their ids', () => {
  const seen: string[] = [];
  readTracks(
    { ...statements, rows: (sql, params) => (seen.push(planOf(sql, params)), statements.rows(sql, params)) },
    user,
    [1, 2, 3],
  );
  expect(seen).toHaveLength(3);
  expect(seen[0]).toContain('SEARCH t USING INTEGER PRIMARY KEY');
  for (const line of seen.flatMap((plan) => plan.split('\n')))
    if (line.startsWith('SCAN')) expect(line).toContain('ids');
});

test('a large library is not shuffled as a whole, and its pages do not overlap', () => {
  const lists = listsOver(statements);
  const seeded = (seed: number, offset: number, limit = 200) =>
    lists.page(trackList(user, {}, { sort: 'random', seed }), { limit, offset }).ids;
  const all: number[] = [];
  for (let offset = 0; offset < TRACKS; offset += 200) all.push(...seeded(11, offset));
  expect(new Set(all).size).toBe(TRACKS);
  const { placeOf } = seededOrder(11, TRACKS);
  expect(all).toEqual(all.toSorted((a, b) => placeOf(a) - placeOf(b)));
  expect(
    listsOver(statements).page(trackList(user, {}, { sort: 'random', seed: 11 }), { limit: 100, offset: 5_900 }).ids,
  ).toEqual(all.slice(5_900));

  const read: number[] = [];
  listsOver({
    ...statements,
    column: <T>(sql: string, params: Params) => {
      const rows = statements.column<T>(sql, params);
      read.push(rows.length);
      return rows;
    },
  }).page(trackList(user, {}, { sort: 'random', seed: 12 }), { limit: 50, offset: 0 });
  expect(read.reduce((sum, n) => sum + n, 0)).toBeLessThan(300);
});

test('a few matches are found in a large library in random order too', () => {
  const lists = listsOver(statements);
  const filter = { q: 'river moon', format: 'opus' };
  const sorted = lists.page(trackList(user, filter, { sort: 'created_at' }), { limit: 200, offset: 0 });
  const random = lists.page(trackList(user, filter, { sort: 'random', seed: 1 }), { limit: 200, offset: 0 });
  expect(sorted.total).toBeGreaterThan(0);
  expect(random.total).toBe(sorted.total);
  expect(new Set(random.ids)).toEqual(new Set(sorted.ids));
});

test('other tracks keep their random order when one is added', () => {
  const seeded = () =>
    listsOver(statements).page(trackList(user, {}, { sort: 'random', seed: 4 }), { limit: 200, offset: 0 }).ids;
  const before = seeded();
  const [gone] = before;
  temp.db.$client.prepare('DELETE FROM tracks WHERE id = ?').run(gone);
  expect(seeded().slice(0, 199)).toEqual(before.slice(1));
});
