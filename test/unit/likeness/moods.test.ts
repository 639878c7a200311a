// Tests where a radio with a mood starts in a library whose tracks were added genre by genre.
import { expect, test } from 'vitest';
import type { Sqlite } from '../../../server/db/client.ts';
import { createFacts } from '../../../server/likeness/track-facts.ts';
import { createStatements } from '../../../server/library/lists/statement-cache.ts';
import { seededRandom } from '../../support/test-random.ts';
import { addSoundLibrary } from '../../support/sound-library.ts';
import { openTempDatabase } from '../../support/temp-database.ts';

const COPY_COUNT = 8_000;

/** Adds copies of a track, each with a file of its own. */
function copyTrack(client: Sqlite, id: number, count: number): void {
  const columns = client.prepare<[], string>(`SELECT name FROM pragma_table_info('tracks')`).pluck().all();
  const values = columns.map((name) =>
    name === 'id' ? 'NULL' : name === 'source_id' ? "'copy ' || n" : name === 'energy' ? '9' : `t.${name}`,
  );
  client.exec(
    `WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${count})
      INSERT INTO tracks (${columns.join(', ')}) SELECT ${values.join(', ')} FROM copies CROSS JOIN tracks t
      WHERE t.id = ${id}`,
  );
}

test('a mood is found wherever its tracks are, however far from the start of the search', () => {
  const { db, close } = openTempDatabase();
  const [hushTracks = []] = addSoundLibrary(db, { genres: ['Hush'], artists: 2, albums: 1, tracks: 5 });
  copyTrack(db.$client, hushTracks[0] as number, COPY_COUNT);
  for (const chance of [0, 0.5, 0.999]) {
    const facts = createFacts({
      statements: createStatements(db.$client),
      isOffline: () => false,
      random: () => chance,
    });
    expect(facts.ofMood('calm').toSorted((a, b) => a - b)).toEqual(hushTracks);
    expect(new Set(facts.ofMood('intense')).size).toBe(400);
  }
  close();
});

test('the same seed gives the same tracks in the same order, and another seed gives others', () => {
  const { db, close } = openTempDatabase();
  const [originals = []] = addSoundLibrary(db, { genres: ['Hush'], artists: 2, albums: 1, tracks: 5 });
  copyTrack(db.$client, originals[0] as number, COPY_COUNT);
  const listTracks = (seed: number): number[] =>
    createFacts({
      statements: createStatements(db.$client),
      isOffline: () => false,
      random: seededRandom(seed),
    }).ofMood('intense');
  expect(listTracks(1)).toEqual(listTracks(1));
  expect(listTracks(2)).not.toEqual(listTracks(1));
  const steps = listTracks(1).map((id, i, ids) => Math.sign(id - (ids[i - 1] ?? 0)));
  expect(steps.filter((step) => step > 0).length).toBeLessThan(300); // the tracks are not ordered by id
  close();
});
