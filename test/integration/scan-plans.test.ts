// The queries that a scan runs for each file, and for each track whose file is gone, use an index, however many tracks
// there are.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MainDb, Sqlite } from '../../server/db/client.ts';
import { createTrackWriter } from '../../server/library/tracks/track-writer.ts';
import { createGoneTracks } from '../../server/scan/gone-tracks/gone-candidates.ts';
import { createMergedFiles } from '../../server/scan/identity/replaced-files.ts';
import { createMovedFiles } from '../../server/scan/identity/moved-files.ts';
import { createSeparatedTracks } from '../../server/scan/gone-tracks/separated-tracks.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

let database: TempDatabase;
beforeAll(() => {
  database = openTempDatabase();
});
afterAll(() => database.close());

/** Returns the statements that `create` prepares. */
function preparedBy(create: (client: Sqlite) => unknown): string[] {
  const statements: string[] = [];
  const client = new Proxy(database.db.$client, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name).bind(target) as unknown;
      return (sql: string) => {
        statements.push(sql);
        return target.prepare(sql);
      };
    },
  });
  create(client);
  return statements;
}

it.each<[string, (client: Sqlite) => unknown]>([
  ['tracks whose files are gone', (client) => createGoneTracks(client, 'local_folder')],
  [
    'tracks that are written',
    (client) => createTrackWriter({ db: { $client: client } as MainDb, now: () => new Date() }),
  ],
  [
    'files in new places',
    (client) =>
      createMovedFiles({ db: { $client: client } as MainDb, root: [] as never, offline: [], source: 'local_folder' }),
  ],
  ['files of tracks that were merged', (client) => createMergedFiles({ $client: client }, 'local_folder')],
  [
    'tracks that were joined',
    (client) =>
      createSeparatedTracks({
        db: { $client: client } as MainDb,
        source: 'local_folder',
        relocation: { separate: () => undefined, leaveMergedFile: () => undefined },
      }),
  ],
])('%s', (_, create) => {
  const slow = preparedBy(create).flatMap((sql) => {
    const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]);
    const params = names.length > 0 ? [Object.fromEntries(names)] : [];
    const values = Array.from(sql.matchAll(/\?/g), () => null);
    const plan = database.db.$client
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...params, ...values)
      .map(({ detail }) => detail);
    // a step reads all rows, or all rows of a source or year; `n` counts new tracks
    const isSlow =
      plan.some((step) =>
        /^SCAN (?!\w+ VIRTUAL|counted_tracks$|u |n$|settled$|CONSTANT|\(sub)|\((source|year)=\?\)/.test(step),
      ) && !sql.trim().endsWith('LIMIT 1');
    return isSlow ? [`${sql}\n${plan.join('\n')}`] : [];
  });
  expect(slow).toEqual([]);
});
