// Statistics equal a simple recount of the tables, on a large generated library and after all kinds of changes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TrackId, UserId } from '../../server/db/ids.ts';
import { createPlayMerge } from '../../server/history/track-merge.ts';
import { createTrackMerge } from '../../server/library/merges/track-merge.ts';
import type { ListeningOut, StorageStatsOut, YearOut } from '../../server/stats/wire.ts';
import { trackMaker } from '../support/fixed-tracks.ts';
import {
  rankSums,
  FIRST_PLAY_MS,
  insertListening,
  recount,
  recountStorage,
  type Recount,
} from '../support/listening.ts';
import { keptCounts, recountedPlays } from '../support/play-counts.ts';
import { makeSampleLibrary, type SampleLibrary } from '../support/sample-library.ts';
import { registerUser, startServer, type TestServer } from '../support/server.ts';

const TRACK_COUNT = 4_000;
const PLAY_COUNT = 20_000;
const USER_ID = 1 as UserId;
const DAY_MS = 86_400_000;

let server: TestServer;
let library: SampleLibrary;

beforeAll(async () => {
  server = await startServer();
  server.app.db.$client.pragma('synchronous = OFF');
  library = makeSampleLibrary(server.app.db, { artists: 100, albums: 300, tracks: TRACK_COUNT }, 5);
  // removes the play counts, because the tracks of the sample were never played
  server.app.db.$client.exec('DELETE FROM play_counts');
  insertListening(server.app.db, { userId: USER_ID, trackIds: library.tracks.map(({ id }) => id), plays: PLAY_COUNT });
});
afterAll(() => server.close());

const getListening = async (query = '', token = server.token): Promise<ListeningOut> =>
  (await server.api<ListeningOut>(`/stats/listening${query}`, { token })).body;
const sums = (items: readonly { plays: number; played_ms: number }[]): [number, number][] =>
  items.map(({ plays, played_ms }) => [plays, played_ms]);
const byKey = <T extends { plays: number; played_ms: number }>(
  items: readonly T[],
  key: (item: T) => string | number,
): Record<string, [number, number]> =>
  Object.fromEntries(items.filter(({ plays }) => plays > 0).map((item) => [key(item), [item.plays, item.played_ms]]));

function expectEqual(listening: ListeningOut, recounted: Recount): void {
  expect([listening.plays, listening.played_ms, listening.minutes]).toEqual([
    recounted.plays,
    recounted.played_ms,
    Math.round(recounted.played_ms / 60_000),
  ]);
  expect(byKey(listening.days, ({ day }) => day)).toEqual(recounted.days);
  expect(listening.days.map(({ day }) => day)).toEqual(Object.keys(recounted.days).toSorted());
  expect(byKey(listening.hours, ({ hour }) => hour)).toEqual(recounted.hours);
  expect(byKey(listening.week, ({ weekday, hour }) => `${weekday} ${hour}`)).toEqual(recounted.week);
  expect(sums(listening.top_tracks)).toEqual(rankSums(recounted.tracks));
  expect(sums(listening.top_albums)).toEqual(rankSums(recounted.albums));
  expect(sums(listening.top_artists)).toEqual(rankSums(recounted.artists));
  expect(sums(listening.top_genres)).toEqual(rankSums(recounted.genres));
  for (const track of listening.top_tracks)
    if (track.track_id !== null) expect(recounted.tracks[track.track_id]).toEqual([track.plays, track.played_ms]);
  for (const artist of listening.top_artists)
    if (artist.artist_id !== null)
      expect(recounted.artists[artist.artist_id]).toEqual([artist.plays, artist.played_ms]);
}

async function expectAllEqual(): Promise<void> {
  expectEqual(await getListening(), recount(server.app.db, USER_ID));
  const { disk, ...storage } = (await server.api<StorageStatsOut>('/storage')).body;
  expect(disk?.total_bytes).toBeGreaterThan(0);
  expect(storage).toEqual(recountStorage(server.app.db));
  expect(keptCounts(server.app.db)).toEqual(recountedPlays(server.app.db));
}

test('only administrators see the path of the disk', async () => {
  const token = await registerUser(server, 'somebody');
  const path = async (asking?: string): Promise<string | undefined> =>
    (await server.api<StorageStatsOut>('/storage', asking === undefined ? {} : { token: asking })).body.disk?.path;
  expect(await path()).toContain(server.dir);
  expect(await path(token)).not.toMatch(/.[/\\]/);
});

describe('statistics of 4,000 tracks and 20,000 plays', () => {
  test('equal a recount', async () => {
    await expectAllEqual();
  });

  test.each([
    ['a month in Berlin', 'Europe/Berlin', Date.UTC(2024, 2, 14), Date.UTC(2024, 3, 14)],
    ['an hour in Kathmandu', 'Asia/Kathmandu', FIRST_PLAY_MS + 400 * DAY_MS, FIRST_PLAY_MS + 400 * DAY_MS + 3_600_000],
    ['half a year in New York', 'America/New_York', Date.UTC(2023, 7, 1, 4), Date.UTC(2024, 1, 1, 5)],
  ])('of %s equal a recount too', async (_, tz, from, to) => {
    expectEqual(
      await getListening(`?tz=${tz}&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`),
      recount(server.app.db, USER_ID, { from, to, tz }),
    );
  });

  test('cover calendar days in the user’s time zone', async () => {
    const [from, to] = [Date.UTC(2024, 2, 30, 23), Date.UTC(2024, 2, 31, 22)]; // 31 March 2024 has 23 hours in Berlin
    const stats = await getListening('?tz=Europe/Berlin&from=2024-03-31&to=2024-03-31');
    expect([stats.from, stats.to]).toEqual([new Date(from).toISOString(), new Date(to).toISOString()]);
    expectEqual(stats, recount(server.app.db, USER_ID, { from, to, tz: 'Europe/Berlin' }));
    expect(stats.days.map(({ day }) => day)).toEqual(['2024-03-31']);
  });

  test('of a year have its months, streak, and new artists', async () => {
    const range = { from: Date.UTC(2023, 0, 1), to: Date.UTC(2024, 0, 1) };
    const { status, body } = await server.api<YearOut>('/stats/year/2023');
    expect(status).toBe(200);
    const recounted = recount(server.app.db, USER_ID, range);
    const months = Object.entries(recounted.days).reduce<Record<string, [number, number]>>(
      (monthSums, [day, [plays, ms]]) => {
        const [playsBefore, sum] = monthSums[Number(day.slice(5, 7))] ?? [0, 0];
        return { ...monthSums, [Number(day.slice(5, 7))]: [playsBefore + plays, sum + ms] };
      },
      {},
    );
    expect(byKey(body.months, ({ month }) => month)).toEqual(months);
    expect([body.plays, body.active_days]).toEqual([recounted.plays, Object.keys(recounted.days).length]);
    expect(sums(body.top_artists)).toEqual(rankSums(recounted.artists));
    expect(body.longest_streak).toMatchObject({
      days: Object.keys(recounted.days).length,
      from: '2023-01-01',
      to: '2023-12-31',
    });
    const previousRecount = recount(server.app.db, USER_ID, { to: range.from });
    const isNew = (sumsOf: 'tracks' | 'artists') =>
      Object.keys(recounted[sumsOf]).filter((key) => previousRecount[sumsOf][key] === undefined);
    expect(body.new_tracks).toBe(isNew('tracks').length);
    expect(body.new_artists).toBe(isNew('artists').filter((key) => /^\d+$/.test(key)).length);
    expect(sums(body.discoveries)).toEqual(
      rankSums(Object.fromEntries(isNew('tracks').map((key) => [key, recounted.tracks[key] as [number, number]]))),
    );
    const firstPlay = server.app.db.$client
      .prepare('SELECT min(played_at) AS at FROM plays WHERE user_id = 1 AND played_at >= ?')
      .get(range.from) as { at: number };
    expect(body.first_play?.played_at).toBe(new Date(firstPlay.at).toISOString());
    expect(body.busiest_day?.plays).toBe(Math.max(...Object.values(recounted.days).map(([plays]) => plays)));
  });

  test('of an empty year are empty, and those of another user are separate', async () => {
    expect((await server.api<YearOut>('/stats/year/1999')).body).toMatchObject({
      plays: 0,
      active_days: 0,
      longest_streak: null,
      busiest_day: null,
      first_play: null,
      discoveries: [],
    });
    expect(await getListening('', await registerUser(server))).toMatchObject({ plays: 0, days: [], top_tracks: [] });
  });

  test('follow deletes', async () => {
    const ids = library.tracks.slice(0, 40).map(({ id }) => id);
    for (const id of ids) await server.api(`/tracks/${id}`, { method: 'DELETE' });
    await expectAllEqual();
  });

  test('follow merges', async () => {
    const { db } = server.app;
    const { writer } = trackMaker(server.app);
    const merge = createTrackMerge({ db, tracks: writer, movers: [createPlayMerge({ db })] });
    for (let i = 100; i < 140; i += 2)
      merge.mergeInto(library.tracks[i]?.id as TrackId, library.tracks[i + 1]?.id as TrackId);
    await expectAllEqual();
  });

  test('follow rescans: other tags, other audio', async () => {
    const { writer } = trackMaker(server.app);
    server.app.db.$client.transaction(() => {
      library.tracks.slice(200, 300).forEach(({ id }, i) => {
        writer.setIdentity(id, {
          title: `Retagged ${i}`,
          artists: [`Artist ${i % 5}`, `Guest ${i % 3}`],
          album: `Album ${i % 7}`,
          genres: ['Rock', `Genre ${i % 4}`],
        });
        server.app.db.$client
          .prepare(
            "UPDATE tracks SET format = ?, size_bytes = ?, duration_ms = ?, metadata_status = 'enriched' WHERE id = ?",
          )
          .run(['wav', 'aiff', null][i % 3], i * 1_000, i % 2 ? i : null, id);
      });
    })();
    await expectAllEqual();
  });

  test('follow plays that are added, removed and matched', async () => {
    const { db } = server.app;
    const [id] = library.tracks.slice(500).map((track) => track.id);
    await server.api('/history', { method: 'POST', body: { track_id: id } });
    db.$client.prepare('UPDATE plays SET withdrawn_at = 1 WHERE id % 97 = 0').run();
    db.$client.prepare('UPDATE plays SET track_id = ? WHERE track_id IS NULL AND song_key = 3').run(id);
    await expectAllEqual();
  });
});

test.each([
  '/stats/listening?tz=Mars/Base',
  '/stats/listening?from=yesterday',
  '/stats/year/20',
  '/stats/year/x',
  '/stats/year/2024?tz=',
])('%s is rejected', async (path) => {
  expect((await server.api(path)).status).toBe(422);
});
