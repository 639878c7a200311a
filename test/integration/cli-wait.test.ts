// If the end of a job cannot be stored, its command fails with the reason and does not wait for free disk space.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScan } from '../../server/cli/scan.ts';
import { makeLibrary } from '../support/library.ts';
import { allTracks } from '../support/served-library.ts';
import { startServer } from '../support/server.ts';

test('the command ends if the end of its scan cannot be stored; the job ends as soon as it can be stored', async () => {
  const base = mkdtempSync(join(tmpdir(), 'tonearm-cli-wait-'));
  const music = makeLibrary({ tracks: 5, seed: 'wait' }, join(base, 'music'));
  const server = await startServer({
    env: { LOCAL_MEDIA_IMPORT_PATH: music.dir, LOCAL_MEDIA_IMPORT_MODE: 'reference' },
  });
  try {
    server.app.db.$client.exec(
      "CREATE TRIGGER stuck BEFORE UPDATE OF status ON jobs WHEN new.status = 'succeeded' BEGIN SELECT RAISE(ABORT, 'no room'); END",
    );
    await expect(runScan(server.app, { dir: undefined, dryRun: false })).rejects.toThrow('no room');
    expect(await allTracks(server)).toHaveLength(5);
    server.app.db.$client.exec('DROP TRIGGER stuck');
    await expect
      .poll(() => server.app.jobs.list({ status: 'succeeded' }, { limit: 10, offset: 0 }).items.map(({ task }) => task))
      .toContain('scan_local_folder');
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
});
