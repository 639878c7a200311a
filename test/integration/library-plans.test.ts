// Guards the hot path: every order of every list is read from an index, never sorted, however large the library.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserId } from '../../server/db/ids.ts';
import { albumList, ALBUM_SORT_PLANS } from '../../server/library/album-lists.ts';
import { artistList, ARTIST_SORT_PLANS } from '../../server/library/artist-lists.ts';
import { createIdLists, type IdList } from '../../server/library/id-lists.ts';
import { seededOrder } from '../../server/library/seeded-order.ts';
import { createStatements, type Params, type Statements } from '../../server/library/statements.ts';
import { trackList, TRACK_SORT_PLANS } from '../../server/library/track-lists.ts';
import { readTracks } from '../../server/library/track-rows.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

const TRACKS = 6_000; // more than are shuffled in one go

let temp: TempDatabase;
let statements: Statements;
let user: UserId;

beforeAll(() => {
  temp = openTempDatabase();
  [user] = makeSampleLibrary(temp.db, { artists: 300, albums: 500, tracks: TRACKS }, 3).users as [UserId];
  statements = createStatements(temp.db.$client);
});
afterAll(() => temp.close());

/** The statements that a page of ids runs, with the query plan of each. */
function plansOf(list: IdList, offset: number): { sql: string; plan: string }[] {
  const run: { sql: string; params: Params }[] = [];
  const recording: Statements = { ...statements, column: (sql, params) => (run.push({ sql, params }), statements.column(sql, params)) };
  createIdLists(recording).page(list, { limit: 50, offset });
  return run.map(({ sql, params }) => ({ sql, plan: planOf(sql, params) }));
}

const planOf = (sql: string, params: Params): string =>
  temp.db.$client.prepare<[Params], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(params).map((row) => row.detail).join('\n');

const orders = ['asc', 'desc'] as const;
const COMPUTED = 'artists year'; // documented in artist-lists.ts
const sorts = [
  ...Object.keys(TRACK_SORT_PLANS).map((sort) => ['tracks', sort] as const),
  ...Object.keys(ALBUM_SORT_PLANS).map((sort) => ['albums', sort] as const),
  ...Object.keys(ARTIST_SORT_PLANS).map((sort) => ['artists', sort] as const),
].filter((entry) => entry.join(' ') !== COMPUTED);

function listOf(what: string, sort: string, order: 'asc' | 'desc', filter: object): IdList {
  const by = { sort: sort as 'created_at', order };
  return what === 'tracks' ? trackList(user, filter, by) : what === 'albums' ? albumList(user, filter, by) : artistList(user, filter, by);
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

test.each(sorts)('%s by %s need no row beside the index to know the ids', (what, sort) => {
  for (const order of orders) {
    const [first] = plansOf(listOf(what, sort, order, {}), 0);
    if (sort === 'play_count' || sort === 'last_played_at') expect(first?.plan).toMatch(/play_counts_(plays|last)|NOT INDEXED|SCAN i/);
    else expect(first?.plan).toContain('COVERING INDEX');
  }
});

test.each(sorts)('%s by %s with a filter that most of the library fits are still not sorted', (what, sort) => {
  const filters = what === 'tracks' ? [{ source: 'local_folder' }, { genre: 'rock' }, { yearFrom: 1970 }, { q: 'a' }, { q: 'the' }, { liked: false }, { format: 'mp3' }] : [{ liked: false }];
  for (const filter of filters) {
    for (const order of orders) {
      const [first] = plansOf(listOf(what, sort, order, filter), 0);
      expect(first?.plan, first?.sql).not.toContain('ORDER BY');
    }
  }
});

test.each(sorts.filter(([what]) => what !== 'artists'))('%s by %s of one artist are gathered, not looked for in the whole order', (what, sort) => {
  for (const order of orders) {
    const [only, ...others] = plansOf(listOf(what, sort, order, { artistId: 1 }), 0);
    expect(others).toEqual([]);
    expect(only?.plan, only?.sql).toContain('SEARCH i USING INTEGER PRIMARY KEY');
    expect(only?.plan).not.toMatch(/SCAN (i|p|tracks)\b/);
  }
});

test('the rows of a page are found by their ids', () => {
  const seen: string[] = [];
  readTracks({ ...statements, rows: (sql, params) => (seen.push(planOf(sql, params)), statements.rows(sql, params)) }, user, [1, 2, 3]);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain('SEARCH t USING INTEGER PRIMARY KEY');
  for (const line of seen[0]?.split('\n') ?? []) if (line.startsWith('SCAN')) expect(line).toContain('ids');
});

test('a large library is not shuffled as a whole, and its pages fit together', () => {
  const lists = createIdLists(statements);
  const seeded = (seed: number, offset: number, limit = 200) => lists.page(trackList(user, {}, { sort: 'random', seed }), { limit, offset }).ids;
  const all: number[] = [];
  for (let offset = 0; offset < TRACKS; offset += 200) all.push(...seeded(11, offset));
  expect(new Set(all).size).toBe(TRACKS);
  const { placeOf } = seededOrder(11, TRACKS);
  expect(all).toEqual(all.toSorted((a, b) => placeOf(a) - placeOf(b)));
  expect(createIdLists(statements).page(trackList(user, {}, { sort: 'random', seed: 11 }), { limit: 100, offset: 5_900 }).ids).toEqual(all.slice(5_900));

  const read: number[] = [];
  createIdLists({ ...statements, column: <T>(sql: string, params: Params) => { const rows = statements.column<T>(sql, params); read.push(rows.length); return rows; } })
    .page(trackList(user, {}, { sort: 'random', seed: 12 }), { limit: 50, offset: 0 });
  expect(read.reduce((sum, n) => sum + n, 0)).toBeLessThan(300);
});

test('a few that fit are found in a large library at random too', () => {
  const lists = createIdLists(statements);
  const filter = { q: 'river moon', format: 'opus' };
  const sorted = lists.page(trackList(user, filter, { sort: 'created_at' }), { limit: 200, offset: 0 });
  const random = lists.page(trackList(user, filter, { sort: 'random', seed: 1 }), { limit: 200, offset: 0 });
  expect(sorted.total).toBeGreaterThan(0);
  expect(random.total).toBe(sorted.total);
  expect(new Set(random.ids)).toEqual(new Set(sorted.ids));
});

test('other tracks keep their random order when one comes', () => {
  const seeded = () => createIdLists(statements).page(trackList(user, {}, { sort: 'random', seed: 4 }), { limit: 200, offset: 0 }).ids;
  const before = seeded();
  const [gone] = before;
  temp.db.$client.prepare('DELETE FROM tracks WHERE id = ?').run(gone);
  expect(seeded().slice(0, 199)).toEqual(before.slice(1));
});
