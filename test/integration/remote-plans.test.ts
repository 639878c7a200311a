// Queries about the remote catalogue and its downloads use an index, however large the library is.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';

let database: TempDatabase;
beforeAll(() => {
  database = openTempDatabase();
});
afterAll(() => database.close());

it.each<[string, string, string]>([
  [
    'whether hits were saved',
    `SELECT r.track_id, t.availability FROM json_each('["a"]') ids CROSS JOIN remote_ids r ON r.source = 'streamsrc' AND r.source_id = ids.value JOIN tracks t ON t.id = r.track_id`,
    'PRIMARY KEY (source=? AND source_id=?)',
  ],
  [
    'what a track is called in the catalogue',
    'SELECT source_id FROM remote_ids WHERE track_id = 1',
    'remote_ids_track_id',
  ],
  [
    'the download under way of a track',
    "SELECT * FROM downloads WHERE track_id = 1 AND status IN ('queued', 'running', 'waiting')",
    'downloads_track_id',
  ],
  ['the download of a job', 'UPDATE downloads SET attempts = 1 WHERE job_id = 1', 'downloads_job_id'],
  [
    'downloads of a state',
    "SELECT * FROM downloads WHERE status = 'failed' ORDER BY id DESC LIMIT 50",
    'downloads_status',
  ],
  [
    'the cover that a catalogue shows for an album',
    'SELECT cover_url FROM tracks WHERE album_id = 1 AND cover_url IS NOT NULL LIMIT 1',
    'tracks_remote_cover',
  ],
  [
    'saved tracks',
    "SELECT count(*) FROM tracks i WHERE i.availability <> 'available' AND i.availability IN ('remote', 'fetching')",
    'tracks_not_available',
  ],
])('%s', (_, sql, index) => {
  const plan = database.db.$client
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail)
    .join('\n');
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/^SCAN (?!ids|json_each)/m);
});
