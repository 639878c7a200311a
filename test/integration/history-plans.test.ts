// The frequent queries of the history use an index, however many plays there are.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlayId, TrackId, UserId } from '../../server/db/ids.ts';
import { createHistoryQueries } from '../../server/history/queries.ts';

import { createTrackMatcher } from '../../server/history/matcher.ts';
import { createScrobbleQueries } from '../../server/scrobbling/queries.ts';
import { createPlayTotals } from '../../server/stats/play-totals.ts';
import { openZone, type Zone } from '../../server/stats/time-zones.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

let temp: TempDatabase;
let statements: string[];

beforeAll(async () => {
  temp = openTempDatabase();
  statements = [];
  const { db } = temp;
  const [myUserId, play] = [
    1 as UserId,
    {
      trackId: 1 as TrackId,
      title: 'x',
      artistName: null,
      albumTitle: null,
      durationMs: null,
      recordingMbid: null,
      playedAt: 1,
      playedMs: null,
      songKey: 1,
      client: null,
      restTime: null,
      playId: null,
    },
  ];
  const { prepare } = db.$client;
  const client = Object.create(db.$client, {
    prepare: { value: (sql: string) => (statements.push(sql), prepare.call(db.$client, sql)) },
  }) as typeof db.$client;
  const recording = Object.create(db, { $client: { value: client } }) as typeof db;
  makeSampleLibrary(db, { artists: 1, albums: 1, tracks: 1 });
  // one play, so that the queries run
  db.$client.exec("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, 1, 'x', 0)");
  const history = createHistoryQueries({ db: recording });
  for (const filter of [{}, { trackId: 1 as TrackId }, { from: new Date(0), to: new Date(1) }])
    await history.page(myUserId, filter, { limit: 1, offset: 0 });
  history.findSame(myUserId, play, { within: 1, since: 1, anyTrack: true });
  history.rows([1 as PlayId]);
  createScrobbleQueries({ db: recording });
  createTrackMatcher({ db: recording });
  await createPlayTotals(client)(myUserId, { from: 0, to: 1 }, openZone('UTC') as Zone);
});
afterAll(() => temp.close());

test('no statement reads a whole table, or sorts what an index has in order', () => {
  const reading = statements.filter(
    (sql) =>
      /^\s*(SELECT|UPDATE|DELETE)/.test(sql) && !/scrobble_accounts (a )?WHERE (is_stopped|sync_loves)/.test(sql),
  ); // skips statements that run once per hour and read a few rows
  expect(reading.length).toBeGreaterThan(15);
  for (const sql of reading) {
    const plan = temp.db.$client
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/@\w+|\?/g, '1')}`)
      .all()
      .map(({ detail }) => detail);
    const scans = plan.filter(
      (line) => line.startsWith('SCAN') && !/ids|CONSTANT ROW|VIRTUAL TABLE|change_counts/.test(line),
    );
    expect(scans, sql).toEqual([]);
    if (!/abs\(|ids\.key|max\(/.test(sql)) expect(plan.join('\n'), sql).not.toContain('TEMP B-TREE');
  }
});

test('a page of the history is found without reading the plays before it', () => {
  const pages = statements.filter((sql) => sql.startsWith('SELECT id FROM plays'));
  expect(pages).toHaveLength(3);
  const plans = pages.map((sql) =>
    temp.db.$client
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/@\w+/g, '1')}`)
      .all()
      .map(({ detail }) => detail)
      .join(),
  );
  expect(plans[0]).toContain('USING COVERING INDEX plays_user_played_at');
  expect(plans[1]).toContain('USING INDEX plays_track_id');
});

test('pages are the same when read from either end', async () => {
  const { db } = temp;
  const insert = db.$client.prepare("INSERT INTO plays (user_id, track_id, title, played_at) VALUES (1, 1, 'x', ?)");
  for (let n = 0; n < 301; n++) insert.run(1_000 + Math.floor(n / 3)); // three plays at each moment
  const allRows = db.$client
    .prepare<[], PlayId>(
      'SELECT id FROM plays WHERE user_id = 1 AND withdrawn_at IS NULL ORDER BY played_at DESC, id DESC',
    )
    .pluck()
    .all();
  const history = createHistoryQueries({ db });
  for (const filter of [{}, { trackId: 1 as TrackId }, { from: new Date(0), to: new Date(9_999) }]) {
    for (let offset = 0; offset < allRows.length + 40; offset += 17) {
      expect(await history.page(1 as UserId, filter, { limit: 40, offset }), String(offset)).toEqual({
        ids: allRows.slice(offset, offset + 40),
        total: allRows.length,
      });
    }
  }
});

test('a deep page is read in a thread and blocks no other request', async () => {
  const { db } = temp;
  const executedSql: string[] = [];
  const history = createHistoryQueries({ db, readAside: (sql) => (executedSql.push(sql), Promise.resolve([])) });
  await history.page(1 as UserId, {}, { limit: 10, offset: 100 });
  expect(executedSql).toEqual([]);
  await history.page(1 as UserId, { from: new Date(0) }, { limit: 10, offset: 0 });
  expect(executedSql).toHaveLength(1); // the statement counts the plays since then
  db.$client.prepare("UPDATE play_counts SET plays = 60000 WHERE user_id = 1 AND item_type = 'all'").run();
  await history.page(1 as UserId, {}, { limit: 10, offset: 30_000 });
  expect(executedSql[1]).toContain('OFFSET');
});
