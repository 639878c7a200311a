// kill -9 during scans: the next start continues, with the same library in the end. A small part of `npm run prove --
// kills` and `-- identity-files`.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, watch, type FSWatcher } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeLibrary, type Manifest } from '../support/library.ts';
import { runServer, spawnServer } from '../support/process.ts';
import { seededRandom, seedOfRun } from '../support/test-random.ts';
import { until } from '../support/until.ts';

const KILL_COUNT = 3;

let base: string;
let uninterruptedDir: string;
let manifest: Manifest;
/** The number of changes of the database's files in an uninterrupted scan. */
let calmChanges = 0;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'tonearm-kill-'));
  manifest = makeLibrary({ tracks: 300, messy: 0.03, seed: 'kill' }, join(base, 'music'));
  uninterruptedDir = join(base, 'calm');
  const watcher = watchData(uninterruptedDir, () => calmChanges++);
  expect((await runServer(['scan', manifest.dir, '--data-dir', uninterruptedDir])).code).toBe(0);
  watcher.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function watchData(dataDir: string, onChange: () => void): FSWatcher {
  mkdirSync(dataDir, { recursive: true });
  return watch(dataDir, onChange);
}

/** Returns everything that a scan writes, without ids and times. */
function contents(dataDir: string): { tracks: unknown[]; albums: unknown[]; artists: unknown[] } {
  const db = new Database(join(dataDir, 'tonearm.db'), { readonly: true });
  try {
    return {
      tracks: db
        .prepare(`SELECT t.source_id, t.title, t.artist_name, a.title AS album, t.content_hash, t.storage_uri, t.availability,
        (SELECT group_concat(credit, '|') FROM track_artists WHERE track_id = t.id) AS artists FROM tracks t LEFT JOIN albums a ON a.id = t.album_id ORDER BY t.source_id`)
        .all(),
      albums: db
        .prepare(
          'SELECT a.title, r.name AS artist, a.track_count, a.duration_ms, a.size_bytes FROM albums a LEFT JOIN artists r ON r.id = a.artist_id ORDER BY 1, 2, 3',
        )
        .all(),
      artists: db.prepare('SELECT name, track_count, album_count FROM artists ORDER BY name').all(),
    };
  } finally {
    db.close();
  }
}

function jobsIn(dataDir: string): number {
  const db = new Database(join(dataDir, 'tonearm.db'), { readonly: true });
  try {
    return (db.prepare('SELECT count(*) AS n FROM jobs').get() as { n: number }).n;
  } finally {
    db.close();
  }
}

const objectsIn = (dataDir: string, folder: string): string[] => {
  const path = join(dataDir, 'library', folder);
  return existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
        .sort()
    : [];
};

test('kills at random moments of a scan leave the library of an uninterrupted one', async () => {
  const killedDir = join(base, 'shaken');
  const random = seededRandom(seedOfRun());
  let interruptedCount = 0;
  for (let i = 0; i < KILL_COUNT; i++) {
    // moments are counted in changes and not in time, so that they are the same on slow and fast machines
    let remainingChanges = Math.ceil((random() * calmChanges) / 3);
    const server = await spawnServer(['--data-dir', killedDir, '--port', '0', '--import', manifest.dir]);
    const watcher = watchData(killedDir, () => void (--remainingChanges === 0 && server.child.kill('SIGKILL')));
    await until(() => server.child.signalCode !== null || server.output().includes('Scan done'));
    watcher.close();
    await server.kill();
    if (!server.output().includes('Scan done')) interruptedCount++;
  }
  expect(interruptedCount).toBeGreaterThan(0);

  expect((await runServer(['scan', manifest.dir, '--data-dir', killedDir])).code).toBe(0);
  expect(contents(killedDir)).toEqual(contents(uninterruptedDir));
  expect(objectsIn(killedDir, 'audio')).toEqual(objectsIn(uninterruptedDir, 'audio'));
  expect(objectsIn(killedDir, 'tmp')).toEqual([]);
});

test('a killed scan continues at the next start', async () => {
  let dataDir: string;
  for (let attempt = 0; ; attempt++) {
    dataDir = join(base, `resumed ${attempt}`);
    const firstProcess = await spawnServer(['--data-dir', dataDir, '--port', '0', '--import', manifest.dir]);
    await expect.poll(() => jobsIn(dataDir), { interval: 5 }).toBeGreaterThan(0);
    await firstProcess.kill();
    if (!firstProcess.output().includes('Scan done')) break; // if the output says so, the scan ended before the kill
  }
  const secondProcess = await spawnServer(['--data-dir', dataDir, '--port', '0'], {
    LOCAL_MEDIA_IMPORT_PATH: manifest.dir,
  });
  await expect.poll(() => secondProcess.output()).toContain('Scan done');
  expect(await secondProcess.kill('SIGTERM')).toBe(0);
  expect(contents(dataDir)).toEqual(contents(uninterruptedDir));
});
