// The most frequent Subsonic calls: every statement uses an index, however large the library is.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlbumId, ArtistId, TrackId, UserId } from '../../server/db/ids.ts';
import { playedAlbumIds } from '../../server/library/lists/album-rows.ts';
import { createFolderTree } from '../../server/library/folders/folders.ts';
import { createLyricsReader } from '../../server/library/tracks/lyrics.ts';
import { createSimilar } from '../../server/library/lists/similar-tracks.ts';
import { createStatements, type Params, type Statements } from '../../server/library/lists/statement-cache.ts';
import { seededRandom } from '../support/test-random.ts';
import { makeSampleLibrary } from '../support/sample-library.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

let temp: TempDatabase;
let user: UserId;
beforeAll(() => {
  temp = openTempDatabase();
  [user] = makeSampleLibrary(temp.db, { artists: 100, albums: 200, tracks: 2_000 }, 5).users as [UserId];
  const folder = temp.db.$client.prepare("INSERT INTO source_folders (source, path) VALUES ('local_folder', ?)");
  for (const path of ['', 'A', 'A!', 'A/one', 'A/two', 'A/two/deep', 'B', 'Bare/only/deep', 'C & D']) folder.run(path);
});
afterAll(() => temp.close());

/** Records all statements; `plans` returns them with their query plans. */
function recordStatements(): { statements: Statements; plans: () => { sql: string; plan: string }[] } {
  const statementsRun: { sql: string; params: Params }[] = [];
  const real = createStatements(temp.db.$client);
  const recordCall = <T extends (sql: string, params: Params) => unknown>(work: T): T =>
    ((sql: string, params: Params) => (statementsRun.push({ sql, params }), work(sql, params))) as T;
  return {
    statements: {
      ...real,
      rows: recordCall(real.rows),
      row: recordCall(real.row),
      column: recordCall(real.column),
      value: recordCall(real.value),
    },
    plans: () =>
      statementsRun.map(({ sql, params }) => ({
        sql,
        plan: temp.db.$client
          .prepare<[Params], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
          .all(params)
          .map((row) => row.detail)
          .join('\n'),
      })),
  };
}

test.each<[string, (statements: Statements) => unknown]>([
  ['the most played albums', (statements) => playedAlbumIds(statements, user, 'plays', { limit: 50, offset: 20 })],
  [
    'the last played albums',
    (statements) => playedAlbumIds(statements, user, 'last_played_at', { limit: 50, offset: 20 }),
  ],
  [
    'songs like a song',
    (statements) => createSimilar({ statements, random: () => 0.5 }).toTrack(user, 5 as TrackId, 50),
  ],
  [
    'songs like an album',
    (statements) => createSimilar({ statements, random: () => 0.5 }).toAlbum(user, 5 as AlbumId, 50),
  ],
  [
    'songs like an artist',
    (statements) => createSimilar({ statements, random: () => 0.9 }).toArtist(user, 5 as ArtistId, 50),
  ],
  [
    'artists like an artist',
    (statements) => createSimilar({ statements, random: () => 0 }).artistsLike(user, 5 as ArtistId, 20),
  ],
  ['lyrics by name', (statements) => createLyricsReader(statements).byName('Dark', 'someone')],
  ['lyrics of a track', (statements) => createLyricsReader(statements).ofTrack(7 as TrackId)],
  ['what is below a folder', (statements) => createFolderTree(statements).childrenOf({ path: 'A' })],
  ['what is in a folder', (statements) => createFolderTree(statements).tracksIn({ id: 3 })],
])('%s are found with indexes only', async (_, ask) => {
  const { statements, plans } = recordStatements();
  await ask(statements);
  expect(plans().length).toBeGreaterThan(0);
  for (const { sql, plan } of plans()) {
    expect(plan, sql).not.toMatch(/SCAN (?!ids VIRTUAL|CONSTANT)/);
    expect(plan, sql).not.toContain('TEMP B-TREE');
  }
});

test('a folder’s children are those directly below it, with those that only contain others', async () => {
  const tree = createFolderTree(createStatements(temp.db.$client));
  const names = async (path: string): Promise<string[]> =>
    (await tree.childrenOf({ path })).map((folder) => folder.path).toSorted();
  expect(await names('')).toEqual(['A', 'A!', 'B', 'C & D']);
  expect(await names('A')).toEqual(['A/one', 'A/two']);
  expect(await names('A/two')).toEqual(['A/two/deep']);
  expect(await names('B')).toEqual([]);
});

test('a mix is not all by one artist when there are others, and different the next time', () => {
  const statements = createStatements(temp.db.$client);
  const [firstTracks, secondTracks] = [1, 2].map((seed) =>
    createSimilar({ statements, random: seededRandom(seed) }).toTrack(user, 5 as TrackId, 40),
  ) as [TrackId[], TrackId[]];
  expect(secondTracks).not.toEqual(firstTracks);
  const ownTables = new Set(
    statements.column<number>(
      'SELECT track_id FROM track_artists WHERE artist_id IN (SELECT artist_id FROM track_artists WHERE track_id = 5)',
      {},
    ),
  );
  expect(firstTracks).toHaveLength(40);
  expect(new Set(firstTracks).size).toBe(40);
  expect(firstTracks).not.toContain(5);
  expect(firstTracks.filter((id) => ownTables.has(id)).length).toBeLessThanOrEqual(12);
});
